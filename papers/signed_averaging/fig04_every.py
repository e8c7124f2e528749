"""Figure 4: are all numbers positive? SSA and softmax over longer and wider sequences."""

from functools import partial

from icllib.training import Run
from papers.signed_averaging.quantifiers import compared_on_every, variants

every_variant = partial(variants, "every")


def runs(profile: str) -> list[Run]:
    """Figure 4, also without positions and with balanced labels; more seeds for the claims."""
    return list(dict.fromkeys(every_variant(profile) + compared_on_every(profile)))
