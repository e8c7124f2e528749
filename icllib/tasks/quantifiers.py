"""Truth of "every number so far is positive" and "some number so far is positive"."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import torch
from torch import Tensor

from claimbook.records.checks import Positive
from icllib.streams import Stream
from icllib.tasks.prompt import Prompt, Task


@dataclass(frozen=True)
class Quantifier(Task):
    """Labels are the running AND ("every") or OR ("some") of x > 0, the current x included.

    Signed-averaging paper, Section 3: x ~ N(0, input_std^2), independent. There the label of
    "every" is true at position k with probability 2^-k, so that after a few positions almost all
    labels are equal. The law "balanced", which is not the paper's, draws the position of the
    first x that settles the label (the first x <= 0 for "every", the first x > 0 for "some")
    uniformly from 1, ..., n and never, instead of geometrically; given that position the numbers
    follow the independent law. Half of all labels are then true at every n, and a prompt depends on n.
    Labels are 0 and 1 (ASSUMED: the paper does not say how truth is written as a number).
    """

    quantifier: Literal["every", "some"]
    input_std: Positive = 1.0  #: 1 in training, up to 30 at test time
    law: Literal["independent", "balanced"] = "independent"
    dimension: ClassVar[int] = 1

    def base_rates(self, n: int) -> list[float]:
        """The probability that the label at position k is true, for k = 1, ..., n."""
        positions = range(1, n + 1)
        open_still = [1 - k / (n + 1) if self.law == "balanced" else 0.5**k for k in positions]
        return open_still if self.quantifier == "every" else [1 - rate for rate in open_still]

    def draw(self, stream: Stream, ids: Tensor, n: int, dtype) -> Prompt:
        xs = self.input_std * stream.normal(ids, "xs", (n,), dtype)
        if self.law == "balanced":  # the label settles at position `first`, counted from 0
            first = stream.integers(ids, "settled", n + 1)[..., None]
            position = torch.arange(n, device=xs.device)
            before = xs.abs() if self.quantifier == "every" else -xs.abs()
            xs = torch.where(position < first, before, xs)
            xs = torch.where(position == first, -before, xs)
        ys = truth(self.quantifier, xs)
        return Prompt(xs[..., None], ys, ys)


def truth(quantifier: str, xs: Tensor) -> Tensor:
    """Whether every or some number so far is positive, as 0 or 1: (..., n) -> (..., n)."""
    positive = (xs > 0).to(xs.dtype)
    return (positive.cummin(-1) if quantifier == "every" else positive.cummax(-1)).values
