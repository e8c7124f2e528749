"""Predictors that need no training: what a trained model is compared with."""

from dataclasses import dataclass

import torch
from torch import Tensor

from icllib.errors import InputError


@dataclass(frozen=True)
class Ridge:
    """Ridge regression on the pairs in context, without intercept.

    The penalty sigma^2 / weight_std^2 makes it the posterior mean, so no predictor has a lower
    expected error. With x ~ N(0, I) and w ~ N(0, I/d) that is d sigma^2 (Bai et al., 2023).
    """

    penalty: float

    def __post_init__(self):
        if self.penalty <= 0:
            raise InputError(f"penalty: expected a positive number, got {self.penalty}")

    @classmethod
    def bayes(cls, task) -> "Ridge":
        """The penalty that is optimal for a LinearRegression task with noise."""
        return cls(task.noise_std**2 / task.weight_std**2)

    def predict(self, xs: Tensor, ys: Tensor, lengths) -> Tensor:
        """(..., N, d), (..., N) -> (..., K)."""
        penalty = self.penalty * torch.eye(xs.shape[-1], dtype=torch.float64, device=xs.device)
        predictions = []
        for n in lengths:
            seen = xs[..., :n, :].double()
            gram = seen.mT @ seen + penalty
            weights = torch.linalg.solve(gram, seen.mT @ ys[..., :n, None].double())
            predictions.append((xs[..., n, None, :].double() @ weights)[..., 0, 0])
        return torch.stack(predictions, dim=-1).to(xs.dtype)


@dataclass(frozen=True)
class Zero:
    """The predictor that always answers 0."""

    def predict(self, xs: Tensor, ys: Tensor, lengths) -> Tensor:
        """(..., N, d), (..., N) -> (..., K)."""
        return torch.zeros(*ys.shape[:-1], len(lengths), dtype=ys.dtype, device=ys.device)
