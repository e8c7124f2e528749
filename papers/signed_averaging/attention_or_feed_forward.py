"""Section 5.2: do attention layers learn alone?"""

from icllib.training import Run
from papers.signed_averaging.affine import (
    ATTENTION_ONLY, FULL, SHALLOW_ATTENTION, Shape, models_of)

FEED_FORWARD_ONLY = Shape(12, 8, attention=False)  # ASSUMED: as deep as the others
PARTS = (FULL, ATTENTION_ONLY, SHALLOW_ATTENTION, FEED_FORWARD_ONLY)  # Section 5.2


def runs(profile: str) -> list[Run]:
    """Section 5.2: full layers, attention only, feed-forward only."""
    return models_of(PARTS, profile)
