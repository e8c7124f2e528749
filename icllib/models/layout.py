"""Where tokens stand: labeled pairs, then queries, or points in a row; who sees whom."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from icllib.attention import (block_causal_pairs, causal_pairs, check_rows, full_pairs,
                              other_pairs, with_queries)
from icllib.streams import constant


IN_A_ROW = {"separate": 2, "inputs": 1}  # tokens of each point, where x_n itself is the query


class Layout(NamedTuple):
    """The tokens of one pass: labeled pairs, then queries."""

    points: Tensor  #: (K,) the point of the prompt that each query is
    places: Tensor  #: (T,) the position of each token, see `query_places`
    read: Tensor  #: (K,) the token at which each prediction is read
    mask: Tensor  #: (T, T)


def lay_out(model, lengths, points, device, with_pairs: bool = False) -> Layout:
    """The layout of a pass of a `Transformer`.
    Constants, as a copy to the device would break a captured step. with_pairs: read pairs too."""
    pairs, count = max(lengths), model.token_count(lengths)
    if model.tokens in IN_A_ROW:
        places = tuple(range(count))
        read = tuple(IN_A_ROW[model.tokens] * n for n in lengths)
    else:
        places = (*range(pairs), *query_places(model.query_positions, lengths))
        read = tuple(range(0 if with_pairs else pairs, count))
    mask = layout_mask(model.tokens, model.mask, model.block, model.queries_see_themselves,
                       lengths, str(device))
    return Layout(constant(points, device), constant(places, device), constant(read, device), mask)


def query_places(positions: int, lengths) -> tuple[int, ...]:
    """The position of each query: the first ones after the pairs that it sees. Queries that see as
    many pairs take these `positions` places in turn.
    query_places(3, (3, 3, 5)) is (3, 4, 5)."""
    lengths = tuple(lengths)
    before = (lengths[:query].count(length) for query, length in enumerate(lengths))
    return tuple(length + place % positions for length, place in zip(lengths, before))


_MASKS: dict = {}


def layout_mask(tokens: str, mask: str, block: int, queries_see_themselves: bool, lengths: tuple,
                device: str) -> Tensor:
    """Which token attends to which, made once per device: (T, T)."""
    place = (tokens, mask, block, queries_see_themselves, lengths, device)
    if place not in _MASKS:
        with torch.inference_mode(False):  # it may be needed in training later
            if tokens in IN_A_ROW:  # x_n is the query of length n: it sees all that comes before
                made = causal_pairs(IN_A_ROW[tokens] * max(lengths) + 1)
            else:
                made = with_queries(pairs_mask(mask, block, max(lengths)), lengths, queries_see_themselves)
            _MASKS[place] = check_rows(made).to(device)
    return _MASKS[place]


def pairs_mask(mask: str, block: int, pairs: int) -> Tensor:
    """Which pairs attend to which: (pairs, pairs)."""
    if mask == "block-causal":
        return block_causal_pairs(pairs, block)
    return {"causal": causal_pairs, "prefix": full_pairs, "leave-one-out": other_pairs}[mask](pairs)


def joint_tokens(xs: Tensor, ys: Tensor, pairs: int, points: Tensor) -> Tensor:
    """The pairs (x, y), then the queries (x, 0): (M, B, pairs + K, d + 1 or d + classes)."""
    labels = ys[..., None] if ys.dim() == 3 else ys
    labeled = torch.cat((xs[:, :, :pairs], labels[:, :, :pairs]), dim=-1)
    queries = nn.functional.pad(xs[:, :, points], (0, labels.shape[-1]))
    return torch.cat((labeled, queries), dim=2)


def separate_tokens(xs: Tensor, ys: Tensor, pairs: int) -> Tensor:
    """x_0, (y_0, 0, ...), x_1, ... up to the x after the last pair: (M, B, 2 pairs + 1, d).
    Garg et al. (2022), Section 2."""
    labels = nn.functional.pad(ys[..., None], (0, xs.shape[-1] - 1))
    both = torch.stack((xs, labels), dim=3).flatten(2, 3)  # (M, B, 2 N, d)
    return both[:, :, : 2 * pairs + 1]
