"""Models that read the last row of a feature map: perceptrons and linear regression."""

import math
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, relu

from claimbook.records import Component
from claimbook.records.checks import Size
from icllib.checks import built_for
from icllib.models.features import FEATURES, feature_row
from icllib.models.mlp import add_pairs
from icllib.models.products import affine
from icllib.models.stacked import Initializer, StackedLinear
from icllib.streams import constant

ACTIVATIONS = {"relu": relu, "gelu": lambda x: gelu(x, approximate="tanh")}


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
        self.read_out = StackedLinear(draw.uniform("read_out.weight", (width, 1), width**-0.5),
                                      draw.uniform("read_out.bias", (1,), width**-0.5))

    def forward(self, xs: Tensor, ys: Tensor, lengths) -> Tensor:
        """Predict y[n] from n pairs and x[n], for each n in lengths: (M, B, N, d) -> (M, B, K)."""
        inputs = feature_row(self.settings.features, xs, ys, lengths)  # (M, B, K, d + 1)
        start = self.hidden.bias[:, None]
        if self.settings.prompt:
            queries = xs.index_select(2, constant(tuple(lengths), xs.device))
            inputs = torch.cat((queries, inputs), dim=-1)
            start = add_pairs(self.hidden.bias, self.pair_weight, xs, ys, lengths)
        hidden = affine(start, inputs.flatten(1, 2), self.hidden.weight)
        activate = ACTIVATIONS[self.settings.activation]
        return self.read_out(activate(hidden)).view(*inputs.shape[:3])


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
