"""Figure 5: is any number positive? SSA and softmax over longer and wider sequences."""

from icllib.papers.signed_averaging.quantifiers import AS_PRINTED, SIZES, cell_runs, cells
from icllib.training import Run


def compared_on_some(profile: str) -> list[Run]:
    """Those of Figure 5."""
    return cell_runs(profile, cells("some", (AS_PRINTED,)), SIZES[profile].compared_seeds)


def runs(profile: str) -> list[Run]:
    """Figure 5, likewise."""
    return list(dict.fromkeys(some_variant(profile) + compared_on_some(profile)))


def some_variant(profile: str) -> list[Run]:
    """Those of Figure 5."""
    return cell_runs(profile, cells("some"))
