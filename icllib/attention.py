"""Who may attend to whom: one boolean matrix per mask, True where a row attends to a column.

Tokens come in this order: first the labelled pairs, then the queries. A query sees pairs, and
itself only where a softmax needs a row that is never empty; it never sees another query.
"""

import torch
from torch import Tensor

from icllib.errors import InputError


def causal_pairs(pairs: int) -> Tensor:
    """Pair j attends to pairs i <= j (causalLM, Ding et al. Eq. 2): (pairs, pairs)."""
    return torch.ones(pairs, pairs, dtype=torch.bool).tril()


def full_pairs(pairs: int) -> Tensor:
    """Every pair attends to every pair (prefixLM, Ding et al. Section 2.1): (pairs, pairs)."""
    return torch.ones(pairs, pairs, dtype=torch.bool)


def with_queries(pairs_mask: Tensor, lengths, attend_to_self: bool) -> Tensor:
    """Append queries to a mask of pairs: query k attends to the first lengths[k] pairs.

    pairs_mask: (pairs, pairs); lengths: K integers in [0, pairs].
    Returns (pairs + K, pairs + K). Raises InputError where a length exceeds the pairs.
    """
    pairs, queries = len(pairs_mask), len(lengths)
    if any(not 0 <= length <= pairs for length in lengths):
        raise InputError(f"lengths: expected 0 to {pairs} pairs, got {list(lengths)}")
    mask = torch.zeros(pairs + queries, pairs + queries, dtype=torch.bool)
    mask[:pairs, :pairs] = pairs_mask
    mask[pairs:, :pairs] = torch.arange(pairs) < torch.tensor(lengths)[:, None]
    if attend_to_self:
        mask[pairs:, pairs:] = torch.eye(queries, dtype=torch.bool)
    return mask
