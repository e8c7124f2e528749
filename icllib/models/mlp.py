"""The multi-layer perceptron that reads a whole prompt as one vector."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from claimbook.records import Component
from claimbook.records.checks import Size
from claimbook.records.errors import InputError
from icllib.checks import built_for
from icllib.models.products import affine
from icllib.models.stacked import Initializer, StackedLinear, uniform_linear
from icllib.streams import constant


@dataclass(frozen=True)
class MLP(Component):
    """f(A_v) = relu(A_v W_0) W_1: one hidden layer on the vectorized prompt.

    Context-scaling paper, Eq. 14 and "Zero-padding input for MLP" (Appendix A): one model for all context
    lengths. ASSUMED, since the paper does not say where the zeros go: pairs fill their slots from the
    front, unused slots are zero, and the query has a slot of its own, so that every length can use the same
    weights. Also ASSUMED: biases, without which the network is the sum of a linear and an even function and
    cannot fit the odd target at all. Raises InputError for no width.
    """

    width: Size = 1024  #: Eq. 14

    def build(self, seeds, dimension: int, max_pairs: int, device="cpu") -> "StackedMLP":
        """A fleet of such networks, one per seed."""
        built_for(dimension, max_pairs)
        return StackedMLP(self, seeds, dimension, max_pairs, device)

    def most_pairs(self, trained: int) -> int:
        """The longest context after training with so many pairs: the others have no weights."""
        return trained

    def multiplications(self, dimension: int, lengths) -> float:
        """Multiply-adds of the forward pass on one prompt."""
        return self.width * (max(lengths) * (dimension + 1) + len(lengths) * (dimension + 1))


class StackedMLP(nn.Module):
    """M perceptrons side by side."""

    def __init__(self, settings: MLP, seeds, dimension: int, max_pairs: int, device):
        super().__init__()
        draw = Initializer(seeds, device)
        inputs, width = max_pairs * (dimension + 1) + dimension, settings.width
        # ASSUMED: uniform(+-1/sqrt(fan_in)), as torch.nn.Linear starts.
        bound = inputs**-0.5
        self.pair_weight = draw.uniform("pairs", (max_pairs, dimension + 1, width), bound)
        self.query = StackedLinear(draw.uniform("query", (dimension, width), bound),
                                   draw.uniform("bias", (width,), bound))
        self.read_out = uniform_linear(draw, "read_out", width, 1)

    def forward(self, xs: Tensor, ys: Tensor, lengths) -> Tensor:
        """Predict y[n] from n pairs and x[n], for each n in lengths: (M, B, N, d) -> (M, B, K).
        A longer context only adds its new pairs to the hidden layer's input, so all lengths
        together cost one product with the longest context."""
        context = add_pairs(self.query.bias, self.pair_weight, xs, ys, lengths)
        queries = xs.index_select(2, constant(tuple(lengths), xs.device)).flatten(1, 2)
        hidden = torch.relu(affine(context, queries, self.query.weight))  # (M, B K, width)
        return self.read_out(hidden).view(*xs.shape[:2], -1)


def add_pairs(bias: Tensor, pair_weight: Tensor, xs: Tensor, ys: Tensor, lengths) -> Tensor:
    """The pairs' share of A_v W_0, and the bias, at each length: (M, B K, width).
    bias (M, width), pair_weight (M, max_pairs, d + 1, width), xs (M, B, N, d), ys (M, B, N)."""
    if max(lengths) > pair_weight.shape[1]:
        raise InputError(f"lengths: expected at most {pair_weight.shape[1]} pairs, got {max(lengths)}")
    ends = sorted(set(lengths))
    new = [end - start for start, end in zip([0, *ends], ends)]  # pairs
    pairs = torch.cat((xs, ys[..., None]), dim=-1)[:, :, : ends[-1]].split(new, dim=2)
    weights = pair_weight[:, : ends[-1]].split(new, dim=1)  # slices would be summed one by one
    context, contexts = bias[:, None], {}
    for end, added, weight in zip(ends, pairs, weights):
        context = affine(context, added.flatten(2), weight.flatten(1, 2))
        contexts[end] = context
    return torch.stack([contexts[length] for length in lengths], dim=2).flatten(1, 2)
