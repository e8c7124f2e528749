"""What a task, model, scoring, mask, predictor and evaluation have to have; classes need not inherit."""

from functools import partial
from typing import ClassVar, Protocol

from torch import Tensor, nn

from claimbook.records.checks import CHECKS, has_method
from icllib.checks import sampled
from icllib.streams import Stream


class Task(Protocol):
    """A family of functions, with the law of their inputs."""

    version: ClassVar[int]

    @property
    def dimension(self) -> int:
        """Coordinates of an input."""

    def sample(self, stream: Stream, ids: Tensor, n: int, dtype=...) -> tuple:
        """A Prompt of xs (M, B, n, d), ys (M, B, n) and means (M, B, n); ids (M, B) name the prompts."""


class Model(Protocol):
    """Settings that build a fleet."""

    version: ClassVar[int]

    def build(self, seeds, dimension: int, max_pairs: int, device="cpu") -> nn.Module:
        """A module of M members, whose forward(xs, ys, lengths) answers as `Predictor.predict` does."""


class Scoring(Protocol):
    """How the scores of an attention become weights."""

    version: ClassVar[int]

    def build(self, draw, heads: int) -> nn.Module:
        """A module of q, k and v (M, B, heads, tokens, d), a mask (queries, tokens) and places."""


class Mask(Protocol):
    """Who attends to whom among so many pairs, as `icllib.attention.causal_pairs`."""

    def __call__(self, pairs: int) -> Tensor:
        """Truth values, (pairs, pairs)."""


class Predictor(Protocol):
    """What answers in context: a trained fleet or a baseline."""

    def predict(self, xs: Tensor, ys: Tensor, lengths) -> Tensor:
        """An estimate of y[n] from the first n pairs and x[n], for each n of lengths: (..., K)."""


class Evaluation(Protocol):
    """What is measured on a fleet."""

    version: ClassVar[int]

    def measure(self, tasks, predictor: Predictor, device="cpu") -> dict:
        """The metrics by name, each with the axis M first."""


# What a component's fields of these types have to have.
CHECKS.update({Task: sampled, Model: partial(has_method, "build"), Scoring: partial(has_method, "build"),
               Evaluation: partial(has_method, "measure")})
