"""Figure 4: are all numbers positive? SSA and softmax over longer and wider sequences."""

from icllib.training import Run
from papers.signed_averaging.quantifiers import cell_runs, cells, compared_on_every


def runs(profile: str) -> list[Run]:
    """Figure 4, also without positions and with balanced labels; more seeds for the claims."""
    return list(dict.fromkeys(every_variant(profile) + compared_on_every(profile)))


def every_variant(profile: str) -> list[Run]:
    """The heat maps of Figure 4."""
    return cell_runs(profile, cells("every"))
