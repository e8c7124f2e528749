"""Section 5.2: do attention layers learn alone?"""

from functools import partial

from papers.signed_averaging.affine import ATTENTION_ONLY, FULL, SHALLOW_ATTENTION, Shape, models_of

FEED_FORWARD_ONLY = Shape(12, 8, attention=False)  # ASSUMED: as deep as the others
runs = partial(models_of, (FULL, ATTENTION_ONLY, SHALLOW_ATTENTION, FEED_FORWARD_ONLY))
