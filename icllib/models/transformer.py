"""The GPT-2 decoder on prompts of (x, y) tokens, and its relatives in the papers."""

import contextlib
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby, islice
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, silu

from claimbook.records import ADDED, Component
from claimbook.records.checks import Positive, Size
from claimbook.records.errors import InputError
from icllib.checks import built_for
from icllib.models.layout import IN_A_ROW, joint_tokens, lay_out, separate_tokens
from icllib.models.scoring import Softmax
from icllib.models.stacked import Initializer, StackedLayerNorm, StackedRMSNorm, linear
from icllib.protocols import Scoring

added = partial(field, metadata=ADDED)  # absent from records while at its default


@dataclass(frozen=True)
class Transformer(Component):
    """A pre-LN decoder as in GPT-2, with a linear embedding of (d + 1)-vectors and a read-out.

    Garg et al. (2022), Section 2; context-scaling paper, Appendix A ("GPT-2"). Raises InputError
    where the heads do not divide the width, or where a choice is not one of those listed.
    """

    layers: Size = 8
    heads: Size = 8
    width: Size = 256
    scoring: Scoring = added(default=Softmax())  #: how scores become weights, see below
    #: (x, y) in one token; or as x, y, x, y ...; or as x, x ... without labels
    tokens: Literal["joint", "separate", "inputs"] = added(default="joint")
    positions: Literal["learned", "rotary", "none"] = added(default="learned")  #: "rotary": see `rotated`
    positions_up_to: Size | None = added(default=None)  #: pairs; untrained beyond training's
    mask: Literal["causal", "prefix", "block-causal", "leave-one-out"] = added(default="causal")  #: of the pairs
    block: Size = added(default=1)  #: pairs per block of a block-causal mask
    queries_see_themselves: bool = added(default=True)  #: False: pairs only, as in causalLM
    query_positions: Size = added(default=1)  #: after the pairs; the queries take them in turn
    attention: bool = added(default=True)  #: False: feed-forward only
    perceptron: bool = added(default=True)  #: False: attention only
    shared_layers: bool = added(default=False)  #: True: one block, applied `layers` times
    # As in Llama (Touvron et al., 2023), beside rotary positions:
    normalization: Literal["layer", "rms", "none"] = added(default="layer")
    activation: Literal["gelu", "swiglu"] = added(default="gelu")  #: "swiglu": 8/3 times the width
    # The quirks of the causalLM paper's public code, each on its own:
    normalize_stream: bool = added(default=False)  #: x = LN(x); x = x + f(x)
    attention_width: Size | None = added(default=None)  #: features of all heads; None is the width
    final_norm: bool = added(default=True)
    uniform_start: bool = added(default=False)  #: everything U(+-1/sqrt(fan_in))
    read_out_rate: Positive = added(default=1.0)  #: the learning rate of the read-out over that of the rest
    probes: bool = added(default=False)  #: a read-out after every layer, behind a stop-gradient

    def check(self):
        if self.mixed_width % self.heads:
            raise InputError(f"heads: expected a divisor of the width {self.mixed_width}, got {self.heads}")
        if self.positions == "rotary" and self.mixed_width // self.heads % 2:
            raise InputError("heads: expected an even number of features for each with rotary positions, got "
                             f"{self.mixed_width // self.heads}")
        if self.positions_up_to is not None and self.positions != "learned":
            raise InputError("positions_up_to: expected None without learned positions, "
                             f"got {self.positions_up_to}")
        if self.tokens in IN_A_ROW and self.mask != "causal":
            raise InputError(f"mask: expected 'causal' with {self.tokens} tokens, got {self.mask!r}")
        if self.read_out_rate != 1 and self.uniform_start:
            raise InputError(f"read_out_rate: expected 1 with uniform_start, got {self.read_out_rate}")
        if self.block > 1 and self.mask != "block-causal":
            raise InputError(f"block: expected 1 with the {self.mask} mask, got {self.block}")
        if self.tokens in IN_A_ROW and not (self.queries_see_themselves and self.query_positions == 1):
            raise InputError("queries_see_themselves, query_positions: expected True and 1 with "
                             f"{self.tokens} tokens, got {self.queries_see_themselves} and "
                             f"{self.query_positions}")
        if not (self.attention or self.perceptron):
            raise InputError("attention, perceptron: expected at least one, got neither")

    @property
    def mixed_width(self) -> int:
        """Features of all heads together."""
        return self.width if self.attention_width is None else self.attention_width

    def build(self, seeds, dimension: int, max_pairs: int, device="cpu",
              classes: int | None = None) -> "StackedTransformer":
        """A fleet of such decoders, one per seed; labels are numbers, or one-hot `classes`."""
        built_for(dimension, max_pairs)
        if self.positions_up_to is not None and self.positions_up_to < max_pairs:
            raise InputError(f"positions_up_to: expected at least the {max_pairs} pairs of training, "
                             f"got {self.positions_up_to}")
        if classes and self.tokens in IN_A_ROW:
            raise InputError(f"tokens: expected 'joint' for labels with classes, got {self.tokens!r}")
        return StackedTransformer(self, seeds, dimension, max_pairs, device, classes)

    def most_pairs(self, trained: int) -> float:
        """The longest context after training with so many pairs."""
        return math.inf if self.positions != "learned" else self.positions_up_to or trained

    def multiplications(self, dimension: int, lengths) -> float:
        """Multiply-adds of the forward pass on one prompt, between embedding and readout.
        In the last layer only queries, keys and values are made of every token."""
        total, mixed = 0, self.mixed_width * self.attention
        for own in self.passes(lengths):
            tokens = self.token_count(own)
            prepare = 3 * mixed * self.width  # per token, as what follows
            finish = mixed * (self.width + 2 * tokens) + 8 * self.width**2 * self.perceptron
            total += self.layers * tokens * prepare
            total += ((self.layers - 1) * tokens + len(own)) * finish
        return total

    def token_count(self, lengths) -> int:
        """Tokens of one pass: pairs and queries, or all up to the last query."""
        if self.tokens in IN_A_ROW:
            return IN_A_ROW[self.tokens] * max(lengths) + 1
        return max(lengths) + len(lengths)

    def needs_passes(self, lengths) -> bool:
        """Whether one pass for all would let a pair see another that is hidden from its query."""
        block = {"causal": 1, "block-causal": self.block}.get(self.mask, max(lengths))
        return any(length % max(block, 1) for length in lengths if length < max(lengths))

    def passes(self, lengths) -> list[tuple[int, ...]]:
        """The context lengths of every pass: neighbors of equal length always share one."""
        if not self.needs_passes(lengths):
            return [tuple(lengths)]
        return [tuple(equal) for _, equal in groupby(lengths)]


NORMALIZATIONS = {"layer": StackedLayerNorm, "rms": StackedRMSNorm, "none": lambda width, draw: nn.Identity()}


class StackedTransformer(nn.Module):
    """M decoders side by side."""

    def __init__(self, settings: Transformer, seeds, dimension: int, max_pairs: int, device,
                 classes: int | None = None):
        super().__init__()
        self.settings, width = settings, settings.width
        draw = Initializer(seeds, device, settings.uniform_start)
        per_point, self.classes = IN_A_ROW.get(settings.tokens), classes
        self.embed = linear(draw, "embed", dimension + (classes or (not per_point)), width)
        self.positions, self.pairs = None, settings.positions_up_to or max_pairs
        if settings.positions == "learned":
            places = (per_point or 1) * self.pairs + settings.query_positions, width
            if settings.uniform_start:
                self.positions = draw.uniform("positions", places, width**-0.5)
            else:
                self.positions = draw.normal("positions", places, 0.02)
        blocks, self.repeats = (1, settings.layers) if settings.shared_layers else (settings.layers, 1)
        self.blocks = nn.ModuleList(Block(settings, draw, f"block{layer}") for layer in range(blocks))
        self.final_norm = NORMALIZATIONS[settings.normalization if settings.final_norm else "none"](width, draw)
        # Adam's steps do not depend on the size of gradients, so a read-out that is written as a factor times
        # smaller weights moves so many times as fast, from the same start.
        self.read_out = linear(draw, "read_out", width, classes or 1, 0.02 / settings.read_out_rate)
        self.probes = nn.ModuleList(linear(draw, f"probe{layer}", width, classes or 1)
                                    for layer in range((settings.layers - 1) * settings.probes))

    def forward(self, xs: Tensor, ys: Tensor, lengths, points=None, with_pairs=False) -> Tensor:
        """Predict y[n] from n pairs and x[n], for each n in lengths: (M, B, N, d) -> (M, B, K).
        points: the queries x[points[k]] instead, each with the first lengths[k] pairs.
        with_pairs: the outputs at the pairs first, (M, B, pairs + K); for one context length.
        With one-hot labels a last axis of classes follows."""
        for states in self.states(xs, ys, lengths, points, with_pairs):
            pass  # only the last layer's count
        return self.predict(states)

    def predictions_by_layer(self, xs: Tensor, ys: Tensor, lengths, points=None, with_pairs=False) -> Tensor:
        """What probes, or without them the read-out, make of every layer: (layers, M, B, K)."""
        *early, last = self.states(xs, ys, lengths, points, with_pairs)
        if self.probes:
            early = [self.answer(probe(self.final_norm(states).detach()))
                     for probe, states in zip(self.probes, early)]
        else:
            early = [self.predict(states) for states in early]
        return torch.stack([*early, self.predict(last)])

    @contextlib.contextmanager
    def repeated(self, times: int):
        """Within it the blocks are applied so many times, one round after the other."""
        own, self.repeats = self.repeats, times
        try:
            yield
        finally:
            self.repeats = own

    @property
    def alike(self) -> nn.ModuleList:
        """The parts that differ in their parameters alone: compiled once, for all."""
        return self.blocks

    def predict(self, states: Tensor) -> Tensor:
        """The normalized read-out: (M, B, K, width) -> (M, B, K), or (M, B, K, classes)."""
        values, rate = self.read_out(self.final_norm(states)), self.settings.read_out_rate
        return self.answer(values if rate == 1 else rate * values)

    def answer(self, values: Tensor) -> Tensor:
        """Numbers without the axis of size one that they are read from."""
        return values if self.classes else values[..., 0]

    def states(self, xs: Tensor, ys: Tensor, lengths, points=None, with_pairs=False) -> Iterator[Tensor]:
        """The queries' residual stream after each layer: (M, B, K, width), `layers` times.
        All lengths share one pass where the mask allows it: nothing attends to a query, so that
        the query of length n sees the first n pairs as if it were alone."""
        lengths = tuple(lengths)
        points = lengths if points is None else tuple(points)
        if self.settings.needs_passes(lengths):
            if with_pairs:
                raise InputError(f"with_pairs: expected one context length under this mask, got {lengths}")
            left, passes = iter(points), []
            for own in self.settings.passes(lengths):
                passes.append(self.states(xs, ys, own, tuple(islice(left, len(own)))))
            yield from (torch.cat(parts, dim=2) for parts in zip(*passes))
            return
        pairs = max(lengths)
        if self.positions is not None and pairs > self.pairs:
            raise InputError(f"lengths: expected at most {self.pairs} pairs, got {pairs}; "
                             "positions_up_to gives a decoder positions for more")
        layout = lay_out(self.settings, lengths, points, xs.device, with_pairs)
        if self.settings.tokens == "separate":
            hidden = self.embed(separate_tokens(xs, ys, pairs))
        elif self.settings.tokens == "inputs":
            hidden = self.embed(xs[:, :, : pairs + 1])
        else:
            hidden = self.embed(joint_tokens(xs, ys, pairs, layout.points))
        if self.positions is not None:
            hidden = hidden + self.positions[:, None, layout.places]
        *blocks, last = [*self.blocks] * self.repeats
        for block in blocks:
            hidden = block(hidden, layout.mask, layout.places)
            yield hidden.index_select(2, layout.read)
        yield last(hidden, layout.mask, layout.places, layout.read)


class Block(nn.Module):
    """Attention and a four times wider perceptron, each on the normalized residual stream."""

    def __init__(self, settings: Transformer, draw: Initializer, name: str):
        super().__init__()
        width, self.heads, self.rotary = settings.width, settings.heads, settings.positions == "rotary"
        self.attention, self.perceptron = settings.attention, settings.perceptron
        self.gated, normalize = settings.activation == "swiglu", NORMALIZATIONS[settings.normalization]
        self.normalize_stream, mixed = settings.normalize_stream, settings.mixed_width
        residual_std = 0.02 / (2 * settings.layers) ** 0.5  # Radford et al. (2019), Section 2.3
        if self.attention:
            self.attention_norm = normalize(width, draw)
            self.qkv = linear(draw, f"{name}.qkv", width, 3 * mixed)
            self.scoring = settings.scoring.build(draw, self.heads)
            self.project = linear(draw, f"{name}.project", mixed, width, residual_std)
        if self.perceptron:
            self.mlp_norm, hidden = normalize(width, draw), 8 * width // 3 if self.gated else 4 * width
            self.expand = linear(draw, f"{name}.expand", width, hidden * (1 + self.gated))
            self.contract = linear(draw, f"{name}.contract", hidden, width, residual_std)

    def forward(self, x: Tensor, mask: Tensor, places: Tensor, read: Tensor | None = None) -> Tensor:
        """The stream after this layer, (M, B, T, width), or only at the K tokens in read."""
        if self.attention:
            normal = self.attention_norm(x)
            x = normal if self.normalize_stream else x
            x = at(read, x) + self.project(self.attend(normal, mask, places, read))
        else:
            x = at(read, x)
        if self.perceptron:
            normal = self.mlp_norm(x)
            x = normal if self.normalize_stream else x
            x = x + self.contract(self.activate(self.expand(normal)))
        return x

    def activate(self, x: Tensor) -> Tensor:
        """The perceptron's hidden layer; with "swiglu" the first half of x is the gate (Shazeer, 2020)."""
        if self.gated:
            gate, values = x.chunk(2, dim=-1)
            return silu(gate) * values
        return gelu(x, approximate="tanh")

    def attend(self, x: Tensor, mask: Tensor, places: Tensor, read: Tensor | None) -> Tensor:
        """Values mixed by every head: (M, B, T, width) -> (M, B, T or K, attention width)."""
        q, k, v = self.heads_of(x)
        if self.rotary:
            q, k = rotated(q, places), rotated(k, places)
        if read is not None:
            q, mask, places = at(read, q, 3), mask[read], (places[read], places)
        return self.scoring(q, k, v, mask, places).transpose(2, 3).flatten(3)

    def heads_of(self, x: Tensor) -> list[Tensor]:
        """Queries, keys and values: (M, B, T, width) -> (M, B, H, T, attention width / H) each."""
        parts = [part.unflatten(-1, (self.heads, -1)).transpose(2, 3)
                 for part in self.qkv(x).chunk(3, dim=-1)]
        if x.is_cuda:  # compiled, one kernel adds biases, scales queries and sorts by heads
            return [part.contiguous() for part in parts]
        return parts


def at(read: Tensor | None, x: Tensor, axis: int = 2) -> Tensor:
    """The tokens in read, or all: only what is read of the last layer needs to be computed."""
    return x if read is None else x.index_select(axis, read)


def rotated(x: Tensor, places: Tensor) -> Tensor:
    """Rotary positions (Su et al., 2021): feature i < d/2 and feature i + d/2 are turned by the angle
    place / 10,000^(2 i / d), so that products of queries and keys hang on distances alone: (..., T, d)."""
    half = x.shape[-1] // 2
    angles = places[:, None] / 10_000 ** (torch.arange(half, dtype=x.dtype, device=x.device) / half)
    cosines, sines = angles.cos(), angles.sin()
    first, second = x.chunk(2, dim=-1)
    return torch.cat((first * cosines - second * sines, second * cosines + first * sines), dim=-1)
