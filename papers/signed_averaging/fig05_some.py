"""Figure 5: is any number positive? SSA and softmax over longer and wider sequences."""

from functools import partial

from icllib.training import Run
from papers.signed_averaging.quantifiers import compared_on_some, variants

some_variant = partial(variants, "some")


def runs(profile: str) -> list[Run]:
    """Figure 5, also without positions and with balanced labels; more seeds for the claims."""
    return list(dict.fromkeys(some_variant(profile) + compared_on_some(profile)))
