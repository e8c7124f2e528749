"""Predictors that are linear in x, with closed forms."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from claimbook.records.checks import Positive, has_method, one_of, positive
from claimbook.records.errors import InputError
from icllib.baselines.prefixes import ByLength
from icllib.checks import floating
from icllib.streams import Stream


@dataclass(frozen=True)
class Ridge(ByLength):
    """Ridge regression on the pairs in context, without intercept.

    The penalty sigma^2 / weight_std^2 makes it the posterior mean, so no predictor has a lower
    expected error. With x ~ N(0, I) and w ~ N(0, I/d) that is d sigma^2 (Bai et al., 2023).
    Raises InputError for a penalty that is not positive.
    """

    penalty: Positive

    @classmethod
    def bayes(cls, task) -> "Ridge":
        """The penalty that is optimal for a LinearRegression task with noise: of all predictors if its
        weights and noise are normal, else of those linear in the labels, where noise is independent. Raises
        InputError for a task without noise_std."""
        has_method("noise_std", task=task)
        return cls(task.noise_std**2 / task.weight_std**2)

    def _estimate(self, xs, ys, query):
        xs = xs.double()
        penalty = self.penalty * torch.eye(xs.shape[-1], dtype=xs.dtype, device=xs.device)
        try:
            weights = torch.linalg.solve(xs.mT @ xs + penalty, xs.mT @ ys[..., None].double())
        except torch.linalg.LinAlgError:
            raise InputError(f"xs: expected numbers in whose squares the penalty {self.penalty} is not lost, got up "
                             f"to {xs.abs().max():.3g}") from None
        return (query[..., None, :].double() @ weights)[..., 0, 0]


@dataclass(frozen=True)
class RidgeSweep(ByLength):
    """Ridge regression with P penalties, from one eigendecomposition per prompt.

    It answers as a fleet of P members that share their prompts, so that one evaluation gives
    the errors of all penalties: (P, K). Raises InputError for a penalty that is not positive.
    """

    penalties: tuple[Positive, ...]

    def predict(self, xs: Tensor, ys: Tensor, lengths) -> Tensor:
        """(1, B, N, d), (1, B, N) -> (P, B, K); raises InputError for another number of members."""
        floating(xs=xs)
        if xs.dim() != 4 or len(xs) != 1:
            raise InputError(f"xs: expected (1, B, N, d), got {tuple(xs.shape)}")
        return super().predict(xs, ys, lengths)

    def _estimate(self, xs, ys, query):
        penalties = torch.tensor(self.penalties, dtype=torch.float64, device=xs.device)
        weights, _ = ridge_weights(xs.double(), ys.double(), penalties[:, None, None])
        return (weights * query.double()).sum(dim=-1)


def ridge_weights(xs: Tensor, ys: Tensor, penalties: Tensor) -> tuple[Tensor, Tensor]:
    """Ridge weights for penalties that broadcast against (..., d), and the spectrum of X^T X."""
    spectrum, basis = torch.linalg.eigh(xs.mT @ xs)
    spectrum = spectrum.clamp_min(0)  # rounding may leave -1e-15
    moments = basis.mT @ (xs.mT @ ys[..., None])
    extent = spectrum > xs.shape[-1] * torch.finfo(xs.dtype).eps * spectrum[..., -1:]
    moments = torch.where(extent[..., None], moments, 0)  # in other directions there is rounding only
    scaled = moments / (spectrum + penalties)[..., None]
    return (basis @ scaled)[..., 0], spectrum


@dataclass(frozen=True)
class MixtureRidge(ByLength):
    """The posterior mean when a prompt's noise level is one of several, all equally likely.

    E[y | pairs, x] = sum_s p(s | pairs) x . w_s, with w_s the ridge weights for level s and p(s | pairs)
    proportional to N(y; 0, weight_std^2 X X^T + sigma_s^2 I). No predictor has a lower expected error on
    the task of Figure 3 of the context-scaling paper. Raises InputError for numbers that are not positive.
    """

    noise_stds: tuple[Positive, ...]
    weight_std: Positive

    @classmethod
    def bayes(cls, task) -> "MixtureRidge":
        """The exact Bayes predictor of a TwoNoiseLevels task."""
        has_method("noise_stds", task=task)
        return cls(task.noise_stds, task.weight_std)

    def _estimate(self, xs, ys, query):
        xs, ys = xs.double(), ys.double()
        variances = torch.tensor(self.noise_stds, dtype=xs.dtype, device=xs.device).square()
        penalties = variances / self.weight_std**2
        weights, spectrum = ridge_weights(xs[..., None, :, :], ys[..., None, :], penalties[:, None])
        # Twice the negative log evidence. Its quadratic form is the minimum of the ridge loss,
        # which cancels less than y . y minus what the weights explain.
        residuals = ys[..., None, :] - weights @ xs.mT
        losses = residuals.square().sum(-1) + penalties * weights.square().sum(-1)
        volume = xs.shape[-2] * variances.log() + (spectrum / penalties[:, None]).log1p().sum(-1)
        posterior = torch.softmax(-(losses / variances + volume) / 2, dim=-1)  # (..., S)
        means = (weights @ query[..., None].double())[..., 0]
        return (posterior * means).sum(dim=-1)


@dataclass(frozen=True)
class DiscreteMMSE(ByLength):
    """The posterior mean over the T functions of a pool of linear regressions, "dMMSE".

    E[y given the pairs, x] = sum_i p_i x . w_i, with p_i proportional to exp(-S_i / (2 sigma^2)) and
    S_i the sum of w_i's squared errors on the pairs: Raventos et al. (2023), Section 2.
    No predictor has a lower expected error on the pool; without a pair it is the mean function. Raises
    InputError for another task than a `FunctionPool` of `LinearRegression` with normal noise.
    """

    task: object
    without_pairs: ClassVar[bool] = True

    def check(self):
        has_method("chosen", task=self.task)
        has_method("noise_std", task=self.task.task)
        positive(noise_std=self.task.task.noise_std)
        one_of(("normal",), noise=self.task.task.noise)

    def weights(self, device) -> Tensor:
        """The weights of each function: (T, d)."""
        stream = self.task.stream(Stream.of([0], "pool", device))
        numbers = torch.arange(self.task.functions, device=device)[None]
        return self.task.task.draw_weights(stream, numbers)[0].double()

    def _estimate(self, xs, ys, query):
        weights = self.weights(xs.device)
        residuals = ys.double()[..., None] - xs.double() @ weights.mT  # (..., n, T)
        losses = residuals.square().sum(dim=-2) / self.task.task.noise_std**2
        mean = torch.softmax(-losses / 2, dim=-1) @ weights
        return (mean * query.double()).sum(dim=-1)


@dataclass(frozen=True)
class LeastSquares(ByLength):
    """Ordinary least squares without intercept; of minimum norm where n < d.

    Context-scaling paper, Figure 4C; ASSUMED no intercept and minimum norm, as in the public code
    of Garg et al. (2022).
    """

    def _estimate(self, xs, ys, query):
        weights = torch.linalg.pinv(xs.double()) @ ys[..., None].double()
        return (query[..., None, :].double() @ weights)[..., 0, 0]


@dataclass(frozen=True)
class Zero(ByLength):
    """The predictor that always answers 0."""

    def _estimate(self, xs, ys, query):
        return torch.zeros_like(query[..., 0])
