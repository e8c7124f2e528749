"""Beyond the paper: both masks on affine functions y = a x + b.

Small models for the page on affine functions and for the live page. They have shared layers, as in
Table 1, and no positions, so that the order of the pairs matters only with the causal mask.
"""

from dataclasses import dataclass

from icllib.evaluate import ErrorByLength
from icllib.models import Transformer
from icllib.tasks import AffineFunctions
from icllib.training import Recipe, Run
from papers.causal_lm.trained import MASKS

LENGTHS = (1, 2, 3, 5, 8, 13, 21, 39)  # ASSUMED: few; without a causal mask each takes a pass


@dataclass(frozen=True)
class LineSize:
    """What differs between profiles; all of it ASSUMED, as the paper has no such models."""

    layers: int = 3
    heads: int = 4
    width: int = 64
    steps: int = 60_000
    batch: int = 64
    learning_rate: float = 1e-3
    prompts: int = 4096
    seeds: int = 3


LINE_SIZES = {
    "smoke": LineSize(1, 1, 8, steps=4, batch=2, prompts=8, seeds=1),
    "cpu": LineSize(steps=1500, batch=32, prompts=1024, seeds=1),
    "gpu": LineSize(),
    "paper": LineSize(),
}


def runs(profile: str) -> list[Run]:
    """Both masks on y = a x + b, the seeds of a mask side by side."""
    size = LINE_SIZES[profile]
    recipe = Recipe(LENGTHS, size.steps, size.batch, size.learning_rate, "cosine", warmup=0.1)
    evaluation = ErrorByLength(LENGTHS, size.prompts)
    decoders = [Transformer(size.layers, size.heads, size.width, mask=mask, shared_layers=True,
                            positions="none", queries_see_themselves=False) for mask in MASKS]
    return [Run(AffineFunctions(), decoder, recipe, evaluation, seed)
            for decoder in decoders for seed in range(size.seeds)]
