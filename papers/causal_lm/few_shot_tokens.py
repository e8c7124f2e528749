"""Beyond the paper: both masks on few-shot tasks in words, a small analogue of Table 2."""

from dataclasses import dataclass

import torch
from torch import Tensor

from icllib.baselines import Ridge
from icllib.evaluate import ErrorByLength
from icllib.models import Transformer
from icllib.tasks import BagOfWords
from icllib.training import Recipe, Run

SHOTS = (3, 5, 10, 20, 40)  # 3 (BBH) and 5 (MMLU) are those of Table 2; the rest ASSUMED
TEXTS = BagOfWords(dimension=12, words=3, classes=3)  # ASSUMED: learned within minutes
# ASSUMED throughout, but for `paper`: layers, heads, width, recipe, seeds, prompts. `paper` is the
# only size at which the paper trains decoders from scratch here (Section 5.2, and its code).
SIZES = {
    "smoke": (1, 2, 16, Recipe(SHOTS, steps=4, batch=4), 2, 64),
    "cpu": (3, 4, 64, Recipe(SHOTS, 2_000, 16, 2e-3, "cosine", warmup=0.1), 20, 4096),
    "gpu": (8, 8, 256, Recipe(SHOTS, 20_000, 64, 5e-4, "cosine", warmup=0.1), 3, 4096),
    "paper": (24, 2, 128, Recipe(SHOTS, 100_000, 64, 1e-4, "cosine", warmup=0.2), 3, 4096),
}


def runs(profile: str) -> list[Run]:
    """Decoders that differ only in their mask: the same seeds give the same prompts and start."""
    layers, heads, width, recipe, seeds, prompts = SIZES[profile]
    return [Run(TEXTS, Transformer(layers, heads, width, mask=mask, queries_see_themselves=False),
                recipe, ErrorByLength(SHOTS, prompts, own_prompts=True), seed)
            for mask in ("prefix", "causal") for seed in range(seeds)]


@dataclass(frozen=True)
class RidgeByClass:
    """Ridge regression of each class's indicator, less 1 / classes, on the words of the shots; not tuned."""

    penalty: float = 1.0

    def predict(self, xs: Tensor, ys: Tensor, lengths) -> Tensor:
        """(..., N, d), (..., N, classes) -> (..., K, classes)."""
        share, ridge = 1 / ys.shape[-1], Ridge(self.penalty)
        return torch.stack([share + ridge.predict(xs, indicator - share, lengths)
                            for indicator in ys.unbind(-1)], dim=-1)
