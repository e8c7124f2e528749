"""Classification by linear scores: of vectors, and of texts of words."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from claimbook.records.checks import Size, integer
from icllib.streams import Stream
from icllib.tasks.prompt import Prompt, Task, dot, masked_inputs


class OneHot(Task):
    """The base of tasks whose labels are one of `classes`, one-hot."""

    def check(self):
        integer(2, classes=self.classes)

    @property
    def label_variance(self) -> float:
        """Variance of each coordinate of the one-hot label, whose mean is 1 / classes."""
        return (self.classes - 1) / self.classes**2


@dataclass(frozen=True)
class LinearClassification(OneHot):
    """The class of x is argmax_c w_c . x, with x ~ U(-1, 1)^d and w_c ~ N(0, I); one-hot labels.

    CausalLM paper, Section 5.2 (d = 16, three classes). Labels are (..., n, classes): the public code fits
    one-hot vectors by squared error and counts argmax errors. Raises InputError for fewer than two classes.
    """

    dimension: Size
    classes: int = 3  #: Section 5.2
    of_function: ClassVar[tuple[str, ...]] = ("weights",)

    def draw(self, stream: Stream, ids: Tensor, n: int, dtype, active=None) -> Prompt:
        d = self.dimension
        xs = masked_inputs(2 * stream.uniform(ids, "xs", (n, d), dtype) - 1, active)
        weights = stream.normal(ids, "weights", (self.classes, d), dtype)
        scores = dot(xs[..., None, :], weights[..., None, :, :])  # (M, B, n, classes)
        ys = one_hot_winners(scores)
        return Prompt(xs, ys, ys)


def one_hot_winners(scores: Tensor) -> Tensor:
    """1 at the largest score of a row and 0 elsewhere, in the scores' shape and type.
    one_hot() of PyTorch may wait for the device."""
    classes = torch.arange(scores.shape[-1], device=scores.device)
    return (scores.argmax(dim=-1, keepdim=True) == classes).to(scores.dtype)


@dataclass(frozen=True)
class BagOfWords(OneHot):
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

    def draw(self, stream: Stream, ids: Tensor, n: int, dtype) -> Prompt:
        drawn = stream.integers(ids, "texts", self.dimension, (n, self.words))
        vocabulary = torch.arange(self.dimension, device=ids.device)
        xs = (drawn[..., None] == vocabulary).sum(dim=-2).to(dtype)
        lexicon = stream.normal(ids, "lexicon", (self.classes, self.dimension), dtype)
        scores = dot(xs[..., None, :], lexicon[..., None, :, :])  # (M, B, n, classes)
        ys = one_hot_winners(scores)
        return Prompt(xs, ys, ys)
