"""Few-shot tasks in discrete words."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from claimbook.records.checks import Size, integer
from icllib.streams import Stream
from icllib.tasks.classification import one_hot_winners
from icllib.tasks.prompt import Prompt, Task, dot


@dataclass(frozen=True)
class BagOfWords(Task):
    """Texts of a few random words; a text's class is the one with the largest sum over its words.

    Each prompt has another lexicon, a weight N(0, 1) for every word and class, so that words have
    no meaning before the shots. The task is ours: a small text classification.
    An input is the text's words as counts (..., n, dimension), a label its class, one-hot
    (..., n, classes). Raises InputError for fewer than two classes.
    """

    dimension: Size  #: words of the vocabulary
    words: Size  #: of a text, drawn uniformly with replacement
    classes: int = 3
    of_function: ClassVar[tuple[str, ...]] = ("lexicon",)

    def check(self):
        integer(2, classes=self.classes)

    @property
    def label_variance(self) -> float:
        """Variance of each coordinate of the one-hot label, whose mean is 1 / classes."""
        return (self.classes - 1) / self.classes**2

    def draw(self, stream: Stream, ids: Tensor, n: int, dtype) -> Prompt:
        drawn = stream.integers(ids, "texts", self.dimension, (n, self.words))
        vocabulary = torch.arange(self.dimension, device=ids.device)
        xs = (drawn[..., None] == vocabulary).sum(dim=-2).to(dtype)
        lexicon = stream.normal(ids, "lexicon", (self.classes, self.dimension), dtype)
        scores = dot(xs[..., None, :], lexicon[..., None, :, :])  # (M, B, n, classes)
        ys = one_hot_winners(scores)
        return Prompt(xs, ys, ys)
