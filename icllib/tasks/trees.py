"""Regression on random decision trees."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from claimbook.records.checks import Size
from icllib.streams import Stream
from icllib.tasks.prompt import Prompt, Task, masked_inputs


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
