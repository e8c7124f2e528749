"""Few-shot tasks in discrete words."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from claimbook.records import Component
from claimbook.records.checks import integer
from icllib.checks import draws
from icllib.streams import Stream
from icllib.tasks.classification import one_hot_winners
from icllib.tasks.prompt import Prompt, dot


@dataclass(frozen=True)
class BagOfWords(Component):
    """Texts of a few random words; a text's class is the one with the largest sum over its words.

    Each prompt has another lexicon, a weight N(0, 1) for every word and class, so that words have
    no meaning before the shots. The task is ours: a small text classification.
    An input is the text's words as counts (..., n, dimension), a label its class, one-hot
    (..., n, classes). Raises InputError for fewer than two classes.
    """

    dimension: int  #: words of the vocabulary
    words: int  #: of a text, drawn uniformly with replacement
    classes: int = 3
    of_function: ClassVar[tuple[str, ...]] = ("lexicon",)

    def check(self):
        integer(dimension=self.dimension, words=self.words)
        integer(2, classes=self.classes)

    @property
    def label_variance(self) -> float:
        """Variance of each coordinate of the one-hot label, whose mean is 1 / classes."""
        return (self.classes - 1) / self.classes**2

    def sample(self, stream: Stream, ids: Tensor, n: int, dtype=torch.float32) -> Prompt:
        """Prompts of n texts; ids (M, B) name them: the same id gives the same prompt."""
        draws(stream, ids, n, dtype)
        drawn = stream.integers(ids, "texts", self.dimension, (n, self.words))
        vocabulary = torch.arange(self.dimension, device=ids.device)
        xs = (drawn[..., None] == vocabulary).sum(dim=-2).to(dtype)
        lexicon = stream.normal(ids, "lexicon", (self.classes, self.dimension), dtype)
        scores = dot(xs[..., None, :], lexicon[..., None, :, :])  # (M, B, n, classes)
        ys = one_hot_winners(scores)
        return Prompt(xs, ys, ys)
