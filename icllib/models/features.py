"""Feature maps psi of a prompt matrix A: what one attention layer without weights computes.

Perceptrons and linear regression read them. Context-scaling paper, Section 5 and Appendix B. A has the
rows (x_i, y_i) of n pairs and, last, the query (x_N, 0): its label must be 0, as in Eq. 1, or else it
would leak into Eq. 10. Only the last row of psi(A) is made, for every context length in one pass; its
last entry is an estimate of the query's label.
"""

import math
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, normalize, pad, relu

from claimbook.records import Component
from claimbook.records.checks import Size
from claimbook.records.errors import InputError
from icllib.checks import built_for
from icllib.models.mlp import add_pairs
from icllib.models.products import affine
from icllib.models.stacked import Initializer, StackedLinear, uniform_linear
from icllib.streams import constant

FEATURES = ("linear", "l1", "exponential", "hilbert")


def feature_row(features: str, xs: Tensor, ys: Tensor, lengths) -> Tensor:
    """psi(A)_{N,:} as a model reads it: (..., N, d), (..., N) -> (..., K, d + 1). "linear": psi_L over n.
    ASSUMED, since the paper names no scale: a sum over pairs grows with n, and its mean is what one
    gradient step of size 1 predicts. "l1": g(A) of Eq. 6. Others: psi_K of Eq. 11, smoothed inputs and
    labels; "exponential", K(z, z') = exp(z . z'), is softmax attention (the printed exp(-z . z) would not
    depend on z'); "hilbert", K(z, z') = |z - z'|^-d (Eq. 5). The softmax of log K has the rows of psi_K,
    zero on the diagonal, and overflows nowhere."""
    if features == "linear":
        pairs = constant(tuple(lengths), xs.device)
        return linear_row(xs, ys, lengths) / pairs[:, None]
    if features == "l1":
        return linear_row(xs, ys, lengths, normalized=True)
    queries, pairs, visible = split(xs, ys, lengths)
    logs = log_kernel(features, queries, pairs[..., :-1])
    return logs.masked_fill(~visible, -torch.inf).softmax(-1) @ pairs


def linear_row(xs: Tensor, ys: Tensor, lengths, normalized: bool = False) -> Tensor:
    """psi_L(A)_{N,:} with psi_L(A) = (A A^T) A (Eq. 10): (..., K, d + 1).
    Its last entry is x_N . X^T y. normalized: phi(A A^T) A, rows divided by their l1 norm (Eq. 6)."""
    queries, pairs, visible = split(xs, ys, lengths)
    scores = (queries @ pairs[..., :-1].mT).masked_fill(~visible, 0)  # (..., K, n)
    own = queries.square().sum(-1, keepdim=True)  # the query's row is one of A's
    weights = torch.cat((scores, own), dim=-1)
    if normalized:
        weights = normalize(weights, p=1, dim=-1)
    return weights[..., :-1] @ pairs + weights[..., -1:] * pad(queries, (0, 1))


def log_kernel(kernel: str, queries: Tensor, points: Tensor) -> Tensor:
    """log K(z, z') of each query and point: (..., K, d), (..., n, d) -> (..., K, n).
    Points that coincide with the query share all of the Hilbert kernel's weight."""
    if kernel == "exponential":
        return queries @ points.mT
    exact = "donot_use_mm_for_euclid_dist"  # the fast way cancels where points are close
    distances = torch.cdist(queries, points, compute_mode=exact)
    smallest = torch.finfo(distances.dtype).tiny
    return -queries.shape[-1] * distances.clamp(min=smallest).log()


def split(xs: Tensor, ys: Tensor, lengths) -> tuple[Tensor, Tensor, Tensor]:
    """Queries (..., K, d), all pairs (..., n, d + 1) and which of them a query sees (K, n)."""
    if min(lengths) < 1:
        raise InputError(f"lengths: expected context lengths n >= 1, got {tuple(lengths)}")
    n, places = max(lengths), constant(tuple(lengths), xs.device)
    pairs = torch.cat((xs[..., :n, :], ys[..., :n, None]), dim=-1)
    visible = torch.arange(n, device=xs.device) < places[:, None]
    return xs.index_select(-2, places), pairs, visible


@dataclass(frozen=True)
class FeatureMLP(Component):
    """f(A) = sigma(psi(A)_{N,:} W_1) W_2: one hidden layer on a row of features.

    Context-scaling paper. With relu it is the MLP of Figures 6 and 7 (Eq. 14); with gelu, as in
    Eq. 13, the one-layer SGPT of Figure 5 (Eq. 9). prompt: the hidden layer also reads the
    vectorized prompt, as `MLP` does (Section 5.2). ASSUMED as there: biases. Raises InputError
    for an activation that is not known, or no width.
    """

    features: Literal[FEATURES] = "hilbert"  #: see feature_row
    prompt: bool = False
    activation: Literal["relu", "gelu"] = "relu"
    width: Size = 1024  #: Eq. 14; ASSUMED for Eq. 9, which leaves k open

    def build(self, seeds, dimension: int, max_pairs: int, device="cpu") -> "StackedFeatureMLP":
        """A fleet of such networks, one per seed."""
        built_for(dimension, max_pairs)
        return StackedFeatureMLP(self, seeds, dimension, max_pairs, device)

    def most_pairs(self, trained: int) -> float:
        """The longest context after training with so many pairs."""
        return trained if self.prompt else math.inf

    def multiplications(self, dimension: int, lengths) -> float:
        """Multiply-adds of the forward pass on one prompt."""
        inputs = len(lengths) * (dimension + 2)  # and the read-out's
        if self.prompt:
            inputs += max(lengths) * (dimension + 1) + len(lengths) * dimension
        return self.width * inputs + feature_multiplications(dimension, lengths)


class StackedFeatureMLP(nn.Module):
    """M such perceptrons side by side."""

    def __init__(self, settings: FeatureMLP, seeds, dimension: int, max_pairs: int, device):
        super().__init__()
        self.settings, draw, width = settings, Initializer(seeds, device), settings.width
        inputs, own = dimension + 1, dimension + 1
        if settings.prompt:
            own += dimension  # the query's slot
            inputs = own + max_pairs * (dimension + 1)
        # ASSUMED: uniform(+-1/sqrt(fan_in)), as torch.nn.Linear starts.
        bound, self.pair_weight = inputs**-0.5, None
        if settings.prompt:
            self.pair_weight = draw.uniform("pairs", (max_pairs, dimension + 1, width), bound)
        self.hidden = StackedLinear(draw.uniform("hidden.weight", (own, width), bound),
                                    draw.uniform("hidden.bias", (width,), bound))
        self.read_out = uniform_linear(draw, "read_out", width, 1)

    def forward(self, xs: Tensor, ys: Tensor, lengths) -> Tensor:
        """Predict y[n] from n pairs and x[n], for each n in lengths: (M, B, N, d) -> (M, B, K)."""
        inputs = feature_row(self.settings.features, xs, ys, lengths)  # (M, B, K, d + 1)
        start = self.hidden.bias[:, None]
        if self.settings.prompt:
            queries = xs.index_select(2, constant(tuple(lengths), xs.device))
            inputs = torch.cat((queries, inputs), dim=-1)
            start = add_pairs(self.hidden.bias, self.pair_weight, xs, ys, lengths)
        hidden = affine(start, inputs.flatten(1, 2), self.hidden.weight)
        hidden = relu(hidden) if self.settings.activation == "relu" else gelu(hidden, approximate="tanh")
        return self.read_out(hidden).view(*inputs.shape[:3])


@dataclass(frozen=True)
class ScalarRegression(Component):
    """y ~ a psi(A)_{N,d+1} + b: linear regression on the features' own estimate.

    Context-scaling paper, Figure 6: the same a and b at every context length. It is trained like
    any other model. It starts at a = 1, b = 0, the estimate itself.
    """

    features: Literal[FEATURES] = "hilbert"  #: see feature_row

    def build(self, seeds, dimension: int, max_pairs: int, device="cpu"):
        """A fleet of such regressions, one per seed."""
        built_for(dimension, max_pairs)
        return StackedScalarRegression(self, seeds, device)

    def multiplications(self, dimension: int, lengths) -> float:
        """Multiply-adds of the forward pass on one prompt."""
        return feature_multiplications(dimension, lengths)


class StackedScalarRegression(nn.Module):
    """M such regressions side by side."""

    def __init__(self, settings: ScalarRegression, seeds, device):
        super().__init__()
        self.features, draw = settings.features, Initializer(seeds, device)
        self.slope = draw.constant(1.0, (1, 1))
        self.intercept = draw.constant(0.0, (1, 1))

    def forward(self, xs: Tensor, ys: Tensor, lengths) -> Tensor:
        """Predict y[n] from n pairs and x[n], for each n in lengths: (M, B, N, d) -> (M, B, K)."""
        estimates = feature_row(self.features, xs, ys, lengths)[..., -1]
        return self.slope * estimates + self.intercept


def feature_multiplications(dimension: int, lengths) -> float:
    """Multiply-adds of the features of one prompt: scores, then their sum over the pairs."""
    return len(lengths) * max(lengths) * (2 * dimension + 1)
