"""Beyond the paper: both masks on lines, small models that the live page has too.

Layers are shared, as in Table 1, and there are no positions.
"""

from icllib.evaluate import ErrorByLength
from icllib.models import Transformer
from icllib.tasks import AffineFunctions
from icllib.training import Recipe, Run
from papers.causal_lm.trained import MASKS

LENGTHS = (1, 2, 3, 5, 8, 13, 21, 39)  # ASSUMED: few; without a causal mask each takes a pass
# Layers, heads, width, steps, batch, prompts and seeds of each profile; all of it ASSUMED.
LARGE = (3, 4, 64, 60_000, 64, 4096, 3)
SIZES = {"smoke": (1, 1, 8, 4, 2, 8, 1), "cpu": (3, 4, 64, 1500, 32, 1024, 1), "gpu": LARGE, "paper": LARGE}


def runs(profile: str) -> list[Run]:
    """Both masks on y = a x + b, the seeds of a mask side by side."""
    *shape, steps, batch, prompts, seeds = SIZES[profile]
    recipe = Recipe(LENGTHS, steps, batch, 1e-3, "cosine", warmup=0.1)
    decoders = [Transformer(*shape, mask=mask, shared_layers=True, positions="none",
                            queries_see_themselves=False) for mask in MASKS]
    return [Run(AffineFunctions(), decoder, recipe, ErrorByLength(LENGTHS, prompts), seed)
            for decoder in decoders for seed in range(seeds)]
