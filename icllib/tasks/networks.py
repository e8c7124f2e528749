"""Regression on the outputs of random networks, and of random decision trees."""

from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

import torch
from torch import Tensor

from claimbook.records.checks import Size
from icllib.streams import Stream
from icllib.tasks.prompt import Prompt, Task, dot, masked_inputs

CACHED = 2**17  # hidden units of a part: of 2^13 to 2^20 the fastest was 2^16 (Intel), 2^18 (AMD)


@dataclass(frozen=True)
class ReluNetwork(Task):
    """y = sqrt(2 / r) sum_j a_j relu(w_j . x) with x, w_j ~ N(0, I) and a_j ~ N(0, 1), j <= r.

    Context-scaling paper, Section 4 (Fig. 4B, d = 20; d = 8 elsewhere). The paper gives neither
    law nor scale; both are ASSUMED from the code of Garg et al. (2022), which it follows.
    """

    dimension: Size
    width: Size = 100  #: r, Section 4
    of_function: ClassVar[tuple[str, ...]] = ("hidden", "output")

    @property
    def label_variance(self) -> float:
        """E y^2 = d: the mean square of relu(w . x) is half of that of w . x."""
        return float(self.dimension)

    def draw(self, stream: Stream, ids: Tensor, n: int, dtype, active=None) -> Prompt:
        d, r = self.dimension, self.width
        xs = masked_inputs(stream.normal(ids, "xs", (n, d), dtype), active)
        hidden = stream.normal(ids, "hidden", (d, r), dtype)
        output = (2 / r) ** 0.5 * stream.normal(ids, "output", (r,), dtype)
        means = network_outputs(xs, hidden, output) if xs.is_cuda else in_parts(xs, hidden, output)
        return Prompt(xs, means, means)


def in_parts(xs: Tensor, hidden: Tensor, output: Tensor) -> Tensor:
    """`network_outputs`, in parts whose hidden layers stay in a processor's cache."""
    r, shape = output.shape[-1], xs.shape[:-1]
    prompts, points = (max(1, CACHED // size) for size in (shape[-1] * r, r))
    parts = zip(*(values.flatten(0, 1).split(prompts) for values in (xs, hidden, output)))
    means = [torch.cat([network_outputs(some, w, a) for some in x.split(points, dim=1)], dim=1)
             for x, w, a in parts]
    return torch.cat(means).view(shape)


def network_outputs(xs: Tensor, hidden: Tensor, output: Tensor) -> Tensor:
    """Networks of one ReLU layer at their points: (..., n, d), (..., d, r), (..., r) -> (..., n)."""
    # By coordinates, for the reason given at dot(): (..., n, r, d) would be too large.
    products = (xs[..., k, None] * hidden[..., None, k, :] for k in range(xs.shape[-1]))
    return dot(reduce(Tensor.add_, products).relu_(), output[..., None, :])


@dataclass(frozen=True)
class DecisionTree(Task):
    """A complete tree: each inner node tests x_k > 0 for a uniform k, leaves are N(0, 1).

    Context-scaling paper, Eq. 7 (Fig. 4A, d = 20), x ~ N(0, I); the laws of nodes and leaves are
    ASSUMED from the code of Garg et al. (2022), which the paper follows.
    """

    dimension: Size
    depth: Size = 4  #: tests between the root and a leaf, Section 4
    of_function: ClassVar[tuple[str, ...]] = ("tested", "leaves")

    @property
    def label_variance(self) -> float:
        """E y^2."""
        return 1.0

    def draw(self, stream: Stream, ids: Tensor, n: int, dtype, active=None) -> Prompt:
        d, inner = self.dimension, 2**self.depth - 1
        xs = masked_inputs(stream.normal(ids, "xs", (n, d), dtype), active)
        tested = stream.integers(ids, "tested", d, (inner,))
        leaves = stream.normal(ids, "leaves", (inner + 1,), dtype)
        # Nodes are numbered by level from the root, 0; the children of i are 2i + 1 and 2i + 2.
        node = torch.zeros_like(xs[..., 0], dtype=torch.int64)  # (M, B, n)
        for _ in range(self.depth):
            coordinate = tested.gather(-1, node)
            goes_right = xs.gather(-1, coordinate[..., None])[..., 0] > 0
            node = 2 * node + 1 + goes_right
        means = leaves.gather(-1, node - inner)
        return Prompt(xs, means, means)
