"""Modules that mix the values of visible tokens; icllib/models/scoring.py has their settings.

Each maps q, k, v (M, B, H, T, d) with d = width / heads, a mask (T, T) and the places of the
tokens (T,) to mixed values of the same shape. Without places, tokens stand in a row. Queries may
be fewer than keys: then the mask is (K, T), and places are a pair, of the queries and of the keys.
For `weights` alone, prompts may have masks of their own: (M, B, 1, T, T), or (M, B, 1, 1, T) for
all rows.
Nothing here waits for the device, so that a CUDA graph can capture it.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention, softplus

from claimbook.records.errors import InputError
from icllib import attention
from icllib.models.stacked import Initializer, uniform_linear


class Weighted(nn.Module):
    """Attention whose weights are a pure function of scores and mask."""

    def __init__(self, weigh):
        super().__init__()
        self.weigh = weigh  # (z, mask) -> weights, both (M, B, H, T, T)

    def forward(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor, places=None) -> Tensor:
        return self.weights(q, k, mask, places) @ v

    def weights(self, q: Tensor, k: Tensor, mask: Tensor, places=None) -> Tensor:
        """The attention map: (M, B, H, T, T), or the mask's shape where the mask alone makes it."""
        return self.weigh(attention.scores(q, k), mask)


class FusedSoftmax(Weighted):
    """softmax(z / temperature), which never holds its weights unless it is asked for them."""

    def __init__(self, draw: Initializer, temperature: float):
        super().__init__(attention.softmax)
        self.register_buffer("temperature", draw.constant(temperature, ()).detach())  # (M,)

    def forward(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor, places=None) -> Tensor:
        folded = (tensor.flatten(0, 1) for tensor in (self.scaled(q, mask), k, v))  # (M B, H, T, d)
        return scaled_dot_product_attention(*folded, attn_mask=mask).unflatten(0, q.shape[:2])

    def weights(self, q: Tensor, k: Tensor, mask: Tensor, places=None) -> Tensor:
        return super().weights(self.scaled(q, mask), k, mask)

    def scaled(self, q: Tensor, mask: Tensor) -> Tensor:
        """Queries over the temperature of their member."""
        return q / self.temperature[:, None, None, None, None]


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


class SignedLogOfHeads(nn.Module):
    """n and b of sgn(z) n log(1 + b abs(z)) for each head.
    n = 1 + softplus(excess) and b = exp(log_b), so that no step can leave n >= 1 and b > 0."""

    def start(self, n: float, b: float, trainable: bool, everywhere) -> None:
        """Register excess and log_b; everywhere: makes a tensor of one value for all heads."""
        excess = n - 1 + math.log(-math.expm1(1 - n)) if n > 1 else -math.inf  # softplus inverted
        for name, value in (("excess", excess), ("log_b", math.log(b))):
            numbers = everywhere(value).detach()
            if trainable:
                self.register_parameter(name, nn.Parameter(numbers))
            else:
                self.register_buffer(name, numbers)

    @property
    def n(self) -> Tensor:
        """The exponents: (..., H)."""
        return 1 + softplus(self.excess)

    @property
    def b(self) -> Tensor:
        """The slopes: (..., H)."""
        return self.log_b.exp()


class SignedSoftmax(SignedLogOfHeads, Weighted):
    """Scaled signed averaging: softmax after sgn(z) n log(1 + b abs(z)), n and b (M, H)."""

    def __init__(self, draw: Initializer, heads: int, n: float, b: float, trainable: bool):
        super().__init__(attention.softmax)
        self.start(n, b, trainable, lambda value: draw.constant(value, (heads,)))

    def weights(self, q: Tensor, k: Tensor, mask: Tensor, places=None) -> Tensor:
        n, b = (values[:, None, :, None, None] for values in (self.n, self.b))
        return self.weigh(attention.signed_log(attention.scores(q, k), n, b), mask)


class Average(Weighted):
    """The plain average; it takes queries and keys only because other scorings do."""

    def weights(self, q: Tensor, k: Tensor, mask: Tensor, places=None) -> Tensor:
        return self.weigh(torch.ones(mask.shape, dtype=q.dtype, device=q.device), mask)


class CosineAttention(Weighted):
    """cosFormer in its quadratic form: prompts are short."""

    def weights(self, q: Tensor, k: Tensor, mask: Tensor, places=None) -> Tensor:
        if places is None:
            places = torch.arange(mask.shape[-1], device=q.device)
        rows, columns = (own.to(q.dtype) for own in (places if isinstance(places, tuple) else (places, places)))
        # cos(pi (i - j) / 2m) is positive, since places lie in 0 ... m - 1; m stays on the device.
        decay = torch.cos(math.pi / 2 * (rows[:, None] - columns) / (columns.amax() + 1))
        return self.weigh(q.relu() @ k.relu().mT * decay, mask)


class GaussianAttention(Weighted):
    """Softmax of minus half the squared distance of q / sqrt(d) and k; its part in q cancels."""

    def weights(self, q: Tensor, k: Tensor, mask: Tensor, places=None) -> Tensor:
        half_norms = k.square().sum(-1) / 2
        return self.weigh(attention.scores(q, k) - half_norms[..., None, :], mask)


class SplitHeads(nn.Module):
    """Heads side by side, each part of them with a module of its own."""

    def __init__(self, parts, sizes):
        super().__init__()
        self.parts, self.sizes = nn.ModuleList(parts), sizes

    def forward(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor, places=None) -> Tensor:
        heads = zip(*(tensor.split(self.sizes, dim=2) for tensor in (q, k, v)))
        mixed = [part(*own, mask, places) for part, own in zip(self.parts, heads)]
        return torch.cat(mixed, dim=2)

    def weights(self, q: Tensor, k: Tensor, mask: Tensor, places=None) -> Tensor:
        heads = zip(*(tensor.split(self.sizes, dim=2) for tensor in (q, k)))
        maps = [part.weights(*own, mask, places).expand(*own[0].shape[:-1], mask.shape[-1])
                for part, own in zip(self.parts, heads)]
        return torch.cat(maps, dim=2)
