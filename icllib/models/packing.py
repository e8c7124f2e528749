"""All context lengths in one pass of a model without a causal mask.

Where pairs attend to each other and to the query, each context length is a sequence of its own:
n pairs and their query. Short sequences share a row with others, and a mask keeps them apart, so
that one pass gives exactly what a pass per length would, and little of it is padding.
"""

from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Tensor

from icllib.streams import constant


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
    points, sequences, queries = (constant(values, device)
                                  for values in (points, sequences, queries))
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


def packed_tokens(xs: Tensor, ys: Tensor, packing: Packing) -> Tensor:
    """Tokens (x, y), with y = 0 for queries: (M, B, N, d), (M, B, N) -> (M, B, R, T, d + 1)."""
    points = packing.points.flatten()
    labels = ys.index_select(2, points).masked_fill(packing.is_query.flatten(), 0)
    tokens = torch.cat((xs.index_select(2, points), labels[..., None]), dim=-1)
    return tokens.unflatten(2, packing.points.shape)


def at_queries(tokens: Tensor, packing: Packing) -> Tensor:
    """The query of each context length: (M, B, R, T, width) -> (M, B, K, width)."""
    return tokens.flatten(2, 3).index_select(2, packing.queries)


def packed_size(lengths) -> tuple[int, int]:
    """Rows R and tokens T of a packing, without making it."""
    return len(share_rows(lengths)), max(lengths) + 1
