"""Regression on numbers: linear functions."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from icllib.errors import InputError
from icllib.streams import Stream
from icllib.tasks.prompt import Prompt


@dataclass(frozen=True)
class LinearRegression:
    """y = w . x + noise, with w ~ N(0, weight_std^2 I) drawn once per prompt.

    Context-scaling paper, Section 4 (normal inputs, weight_std = d^-1/2); causalLM paper,
    Section 5.1 (uniform inputs, weight_std = 1, no noise). Raises InputError for sizes or
    deviations that cannot be.
    """

    dimension: int
    noise_std: float = 0.0
    weight_std: float = 1.0
    inputs: str = "normal"  # "normal": N(0, I); "uniform": U(-1, 1)^d
    input_mean: float = 0.0  # added to every coordinate of x
    version: ClassVar[int] = 1

    def __post_init__(self):
        if self.dimension < 1:
            raise InputError(f"dimension: expected at least 1, got {self.dimension}")
        if self.noise_std < 0 or self.weight_std <= 0:
            raise InputError("noise_std and weight_std: expected >= 0 and > 0, "
                             f"got {self.noise_std} and {self.weight_std}")
        if self.inputs not in ("normal", "uniform"):
            raise InputError(f"inputs: expected 'normal' or 'uniform', got {self.inputs!r}")

    def sample(self, stream: Stream, ids: Tensor, n: int, dtype=torch.float32) -> Prompt:
        """Prompts of n points; ids (M, B) name them: the same id gives the same prompt."""
        if n < 1:
            raise InputError(f"n: expected at least 1 point, got {n}")
        d = self.dimension
        if self.inputs == "normal":
            xs = stream.normal(ids, "xs", (n, d), dtype)
        else:
            xs = 2 * stream.uniform(ids, "xs", (n, d), dtype) - 1
        xs = xs + self.input_mean
        weights = self.weight_std * stream.normal(ids, "weights", (d,), dtype)
        means = torch.einsum("...nd,...d->...n", xs, weights)
        if self.noise_std == 0:
            return Prompt(xs, means, means)
        return Prompt(xs, means + self.noise_std * stream.normal(ids, "noise", (n,), dtype), means)
