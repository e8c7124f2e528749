"""Figure 5: is any number positive? SSA and softmax over longer and wider sequences."""

from icllib.training import Run
from papers.signed_averaging.quantifiers import AS_PRINTED, SIZES, cell_runs, cells


def compared_on_some(profile: str) -> list[Run]:
    """The paper's models of Figure 5, with more seeds."""
    return cell_runs(profile, cells("some", (AS_PRINTED,)), SIZES[profile].compared_seeds)


def runs(profile: str) -> list[Run]:
    """Figure 5, also without positions and with balanced labels; more seeds for the claims."""
    return list(dict.fromkeys(some_variant(profile) + compared_on_some(profile)))


def some_variant(profile: str) -> list[Run]:
    """The heat maps of Figure 5."""
    return cell_runs(profile, cells("some"))
