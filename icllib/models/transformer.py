"""The GPT-2 decoder on prompts of (x, y) tokens."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, scaled_dot_product_attention

from icllib.attention import causal_pairs, with_queries
from icllib.errors import InputError
from icllib.models.stacked import Initializer, StackedLayerNorm, StackedLinear


@dataclass(frozen=True)
class Transformer:
    """A pre-LN decoder as in GPT-2, with a linear embedding of (d + 1)-vectors and a read-out.

    Garg et al. (2022), Section 2; context-scaling paper, Appendix A ("GPT-2"). Raises InputError
    where the heads do not divide the width.
    """

    layers: int = 8
    heads: int = 8
    width: int = 256
    version: ClassVar[int] = 1

    def __post_init__(self):
        if min(self.layers, self.heads, self.width) < 1:
            raise InputError("layers, heads, width: expected at least 1 each, "
                             f"got {self.layers}, {self.heads}, {self.width}")
        if self.width % self.heads:
            raise InputError(f"heads: expected a divisor of the width {self.width}, "
                             f"got {self.heads}")

    def build(self, seeds, dimension: int, max_pairs: int, device="cpu") -> "StackedTransformer":
        """A fleet of such decoders, one per seed."""
        return StackedTransformer(self, seeds, dimension, max_pairs, device)

    def multiplications(self, dimension: int, lengths) -> float:
        """Multiply-adds of the forward pass on one prompt."""
        tokens = max(lengths) + len(lengths)
        return self.layers * tokens * self.width * (12 * self.width + 2 * tokens)


class StackedTransformer(nn.Module):
    """M decoders side by side."""

    def __init__(self, settings: Transformer, seeds, dimension: int, max_pairs: int, device):
        super().__init__()
        draw = Initializer(seeds, device)
        width = settings.width
        self.embed = linear(draw, "embed", dimension + 1, width)
        self.positions = draw.normal("positions", (max_pairs + 1, width), 0.02)
        self.blocks = nn.ModuleList(
            Block(settings, draw, f"block{layer}") for layer in range(settings.layers)
        )
        self.final_norm = StackedLayerNorm(width, draw)
        self.read_out = linear(draw, "read_out", width, 1)

    def forward(self, xs: Tensor, ys: Tensor, lengths) -> Tensor:
        """Predict y[n] from n pairs and x[n], for each n in lengths: (M, B, N, d) -> (M, B, K).

        All lengths share one pass: labelled tokens attend causally, and the query token of
        length n attends to the first n of them and to itself. Nothing attends to a query.
        """
        pairs = max(lengths)
        labelled = torch.cat((xs[:, :, :pairs], ys[:, :, :pairs, None]), dim=-1)
        queries = nn.functional.pad(xs[:, :, list(lengths)], (0, 1))  # the query's y is 0
        tokens = torch.cat((labelled, queries), dim=2)  # (M, B, T, d + 1)
        places = [*range(pairs), *lengths]
        mask = with_queries(causal_pairs(pairs), lengths, attend_to_self=True).to(xs.device)
        hidden = self.embed(tokens) + self.positions[:, None, places]
        for block in self.blocks:
            hidden = block(hidden, mask)
        return self.read_out(self.final_norm(hidden[:, :, pairs:]))[..., 0]


class Block(nn.Module):
    """Attention and a four times wider perceptron, each on the normalized residual stream."""

    def __init__(self, settings: Transformer, draw: Initializer, name: str):
        super().__init__()
        width, self.heads = settings.width, settings.heads
        residual_std = 0.02 / (2 * settings.layers) ** 0.5  # Radford et al. (2019), Section 2.3
        self.attention_norm = StackedLayerNorm(width, draw)
        self.qkv = linear(draw, f"{name}.qkv", width, 3 * width)
        self.project = linear(draw, f"{name}.project", width, width, residual_std)
        self.mlp_norm = StackedLayerNorm(width, draw)
        self.expand = linear(draw, f"{name}.expand", width, 4 * width)
        self.contract = linear(draw, f"{name}.contract", 4 * width, width, residual_std)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        x = x + self.project(self.attend(self.attention_norm(x), mask))
        return x + self.contract(gelu(self.expand(self.mlp_norm(x)), approximate="tanh"))

    def attend(self, x: Tensor, mask: Tensor) -> Tensor:
        members, batch, tokens, width = x.shape
        qkv = self.qkv(x).view(members * batch, tokens, 3, self.heads, width // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)  # each (M B, H, T, width / H)
        mixed = scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return mixed.transpose(1, 2).reshape(members, batch, tokens, width)


def linear(draw: Initializer, name: str, fan_in: int, fan_out: int, std=0.02) -> StackedLinear:
    """A stacked linear layer that starts as GPT-2's: N(0, std^2) weights, zero biases."""
    weight = draw.normal(f"{name}.weight", (fan_in, fan_out), std)
    return StackedLinear(weight, draw.constant(0.0, (fan_out,)))
