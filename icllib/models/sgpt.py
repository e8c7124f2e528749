"""SGPT: a transformer without key, query and value weights, and all context lengths in one pass of it.

Pairs attend to each other and to the query, so each context length is a sequence of its own: n pairs and
their query. Short sequences share a row with others, and a mask keeps them apart, so that one pass gives
exactly what a pass per length would, and little of it is padding.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, normalize

from claimbook.records import Component
from claimbook.records.checks import Size
from icllib.checks import built_for
from icllib.models.products import product
from icllib.models.stacked import Initializer
from icllib.streams import constant


@dataclass(frozen=True)
class SGPT(Component):
    """H <- gelu(Z W_mlp) + Z with Z = g(H) W_proj + H, g(H) = phi(H H^T) H, H = A W_0 at first.

    Context-scaling paper, Eqs. 6 and 13, in the final version's bracketing. Nothing is hidden
    from anything: the pairs see each other and their query. Raises InputError for sizes or
    choices that cannot be.
    """

    layers: Size = 8  #: Appendix A: the best of {2, 4, 6, 8}
    width: Size = 256  #: Appendix A: the best of {256, 512, 1024}
    #: phi: "l1" divides each row by its l1 norm and keeps the signs; ASSUMED, since the paper says
    #: no more than "row-wise l1 normalization". "absolute" also drops the signs: weights that are
    #: positive and sum to 1. "none": phi is the identity, up to a constant.
    normalization: Literal["l1", "absolute", "none"] = "l1"
    mlp_skip: bool = True  #: "+ Z": Eq. 13 has it, Section 4 says that it is removed

    def build(self, seeds, dimension: int, max_pairs: int, device="cpu") -> "StackedSGPT":
        """A fleet of such models, one per seed."""
        built_for(dimension, max_pairs)
        return StackedSGPT(self, seeds, dimension, max_pairs, device)

    def multiplications(self, dimension: int, lengths) -> float:
        """Multiply-adds of the forward pass on one prompt."""
        rows, tokens = len(share_rows(lengths)), max(lengths) + 1
        per_token = self.layers * 2 * (self.width + tokens) + dimension + 1
        return self.width * (rows * tokens * per_token + len(lengths))


class StackedSGPT(nn.Module):
    """M such models side by side."""

    def __init__(self, settings: SGPT, seeds, dimension: int, max_pairs: int, device):
        super().__init__()
        self.settings = settings
        draw, width = Initializer(seeds, device), settings.width
        # ASSUMED: N(0, 1/(d + 1)), so that entries of H start near 1, where gelu bends.
        embedding = draw.normal("embedding", (dimension + 1, width), (dimension + 1) ** -0.5)
        self.register_buffer("embedding", embedding.detach())  # fixed: it is not trained
        self.blocks = nn.ModuleList(
            SgptBlock(settings, draw, f"block{layer}") for layer in range(settings.layers)
        )
        self.read_out = draw.normal("read_out", (width, 1), 0.02)  # ASSUMED, as GPT-2's weights

    @property
    def alike(self) -> nn.ModuleList:
        """The parts that differ in their parameters alone: compiled once, for all."""
        return self.blocks

    def forward(self, xs: Tensor, ys: Tensor, lengths) -> Tensor:
        """Predict y[n] from n pairs and x[n], for each n in lengths: (M, B, N, d) -> (M, B, K).
        Every length is a sequence of its own; they share one pass, packed side by side."""
        packing = pack(lengths, xs.device)
        points = packing.points.flatten()
        labels = ys.index_select(2, points).masked_fill(packing.is_query.flatten(), 0)
        tokens = torch.cat((xs.index_select(2, points), labels[..., None]), dim=-1)
        hidden = product(tokens.unflatten(2, packing.points.shape), self.embedding)  # (M, B, R, T, width)
        for block in self.blocks:
            hidden = block(hidden, packing.mask)
        return product(hidden.flatten(2, 3).index_select(2, packing.queries), self.read_out)[..., 0]


class SgptBlock(nn.Module):
    """One layer of Eq. 13: (M, B, R, T, width) -> the same."""

    def __init__(self, settings: SGPT, draw: Initializer, name: str):
        super().__init__()
        self.normalization, self.mlp_skip = settings.normalization, settings.mlp_skip
        shape = settings.width, settings.width
        # ASSUMED: N(0, 1 / (2 layers width)), so that at any size all residual branches together
        # hardly change the size of H. (At 8 layers of width 256 it is 0.016, near GPT-2's 0.02.)
        # Without its skip the perceptron alone carries H on, and N(0, 2 / width) keeps it up
        # (He et al., 2015).
        std = (2 * settings.layers * settings.width) ** -0.5
        self.project = draw.normal(f"{name}.project", shape, std)
        mlp_std = std if self.mlp_skip else (2 / settings.width) ** 0.5
        self.mlp = draw.normal(f"{name}.mlp", shape, mlp_std)

    def forward(self, hidden: Tensor, mask: Tensor) -> Tensor:
        mixed = product(self.phi(hidden @ hidden.mT, mask) @ hidden, self.project) + hidden
        activated = gelu(product(mixed, self.mlp), approximate="tanh")  # as GPT-2's
        return activated + mixed if self.mlp_skip else activated

    def phi(self, scores: Tensor, mask: Tensor) -> Tensor:
        """Scores to weights, hidden ones 0: (M, B, R, T, T)."""
        visible = scores.masked_fill(~mask, 0)
        if self.normalization == "none":
            # ASSUMED: over width and rows, without which eight cubic layers overflow at once.
            return visible / (mask.sum(-1, keepdim=True).clamp(min=1) * len(self.mlp[0]))
        if self.normalization == "absolute":
            visible = visible.abs()
        return normalize(visible, p=1, dim=-1)  # a row of zeros keeps weights 0


class Packing(NamedTuple):
    """Where the sequences of K context lengths stand, in R rows of T tokens."""

    points: Tensor  #: (R, T) which point of the prompt stands here
    is_query: Tensor  #: (R, T) it comes without its label
    mask: Tensor  #: (R, T, T) both belong to the same sequence; padding belongs to none
    queries: Tensor  #: (K,) where each query stands among the R T tokens


def pack(lengths, device) -> Packing:
    """The packing of these context lengths on a device."""
    points, sequences, queries = arrange(tuple(lengths))
    shape = -1, max(lengths) + 1
    points, sequences, queries = (constant(values, device) for values in (points, sequences, queries))
    is_query = torch.zeros_like(points, dtype=torch.bool).index_fill(0, queries, True)
    rows = sequences.view(shape)
    mask = (rows[:, :, None] == rows[:, None]) & (rows >= 0)[:, None]
    return Packing(points.view(shape), is_query.view(shape), mask, queries)


@lru_cache(maxsize=256)
def arrange(lengths: tuple) -> tuple[tuple, tuple, tuple]:
    """Row by row, each token's point and sequence (-1: padding); where each query stands."""
    points, sequences, queries = [], [], [0] * len(lengths)
    for number, row in enumerate(share_rows(lengths), start=1):
        for k in row:
            points += range(lengths[k] + 1)
            sequences += [k] * (lengths[k] + 1)
            queries[k] = len(points) - 1
        padding = number * (max(lengths) + 1) - len(points)
        points += [0] * padding
        sequences += [-1] * padding
    return tuple(points), tuple(sequences), tuple(queries)


def share_rows(lengths) -> list[list[int]]:
    """Which lengths share a row: longest first, each in the first row with room for it."""
    rows, room = [], []
    for k in sorted(range(len(lengths)), key=lambda k: -lengths[k]):
        tokens = lengths[k] + 1
        row = next((row for row, free in enumerate(room) if free >= tokens), len(rows))
        if row == len(rows):
            rows.append([])
            room.append(max(lengths) + 1)
        rows[row].append(k)
        room[row] -= tokens
    return rows
