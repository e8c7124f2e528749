"""Scalable softmax: scores that grow with log n, so that attention to many tokens stays sharp.

Newer than the papers of this book and in none of their tables. n is the number of tokens that a
query sees. Each works by scaling queries, so that PyTorch's fused attention does the rest.
"""

from dataclasses import dataclass, field

from torch import Tensor, nn

from claimbook.records import Component
from claimbook.records.checks import Finite, Size
from claimbook.records.errors import InputError
from icllib import attention
from icllib.models.mixing import FusedSoftmax, Weighted
from icllib.models.stacked import Initializer, uniform_linear


class ScaledSoftmax(FusedSoftmax):
    """Softmax of scores times s log n, n being the tokens that a query sees: s per head."""

    def __init__(self, draw: Initializer, heads: int, s: float):
        Weighted.__init__(self, attention.softmax)
        self.s = draw.constant(s, (heads,))  # (M, H)

    def scaled(self, q: Tensor, mask: Tensor) -> Tensor:
        """Queries times s log n."""
        return q * self.s[:, None, :, None, None] * log_count(mask, q.dtype)


class QueryAwareSoftmax(ScaledSoftmax):
    """Softmax of queries times base(log n) (1 + tanh(gate(q))), feature by feature.
    base reads log n and has outputs for all heads; gate reads a head's query, the same for each."""

    def __init__(self, draw: Initializer, heads: int, size: int, hidden: int):
        Weighted.__init__(self, attention.softmax)
        self.heads, self.size = heads, size
        widths = {"base": (1, hidden, heads * size), "gate": (size, hidden, size)}
        for name, (start, middle, end) in widths.items():
            self.add_module(name, nn.Sequential(
                uniform_linear(draw, f"{name}0", start, middle), nn.GELU(),
                uniform_linear(draw, f"{name}1", middle, end)))
        for parameter in self.gate[-1].parameters():  # so that the gate starts at 1
            nn.init.zeros_(parameter)

    def scaled(self, q: Tensor, mask: Tensor) -> Tensor:
        """Queries, scaled."""
        if q.shape[-1] != self.size:
            raise InputError(f"size: expected {q.shape[-1]}, the features of a head, got {self.size}")
        counts = log_count(mask, q.dtype)
        counts = counts[(None,) * (5 - counts.dim())]  # (1 or M, 1 or B, 1, T, 1)
        base = self.base(counts.expand(len(q), *counts.shape[1:]))
        base = base.unflatten(-1, (self.heads, self.size))  # (M, B, 1, T, H, d)
        return q * base.squeeze(2).transpose(2, 3) * (1 + self.gate(q).tanh())


def log_count(mask: Tensor, dtype) -> Tensor:
    """log n of the n tokens that each row sees: the mask's shape, its last axis 1."""
    return mask.sum(-1, keepdim=True).to(dtype).log()


@dataclass(frozen=True)
class SSMax(Component):
    """Scalable softmax: softmax(s log(n) z) for n visible tokens, s learned per head.

    Nakanishi (2025), "Scalable-Softmax Is Superior for Attention", in its form without a bias.
    ASSUMED: s starts at 0.43, the value of its Figure 1. Raises InputError for s that is not
    finite.
    """

    s: Finite = field(default=0.43, metadata={"per_member": True})

    def build(self, draw: Initializer, heads: int) -> ScaledSoftmax:
        """A module for the members of `draw`."""
        return ScaledSoftmax(draw, heads, self.s)


@dataclass(frozen=True)
class QASSMax(Component):
    """Query-aware scalable softmax: a query times base(log n) (1 + tanh(gate(q))), then softmax.

    Qu et al. (2026), TabICLv2, with their public code's "qassmax-mlp-elementwise": both parts are
    perceptrons with 64 hidden GELU neurons, and the gate starts at 1. ASSUMED, as their code's
    PyTorch does: the rest starts from U(+-1/sqrt(fan_in)), from the same numbers in every layer. n
    is the number of visible tokens. Raises InputError for sizes below 1, and in a model whose heads
    have another size.
    """

    size: Size  #: features of a head: the width of the model over its heads
    hidden: Size = 64

    def build(self, draw: Initializer, heads: int) -> QueryAwareSoftmax:
        """A module for the members of `draw`."""
        return QueryAwareSoftmax(draw, heads, self.size, self.hidden)
