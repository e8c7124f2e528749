"""Masks against the rules, written as double loops."""

from functools import partial

import pytest
import torch

from claimbook.records.errors import InputError
from icllib.attention import (block_causal_pairs, causal_pairs, check_rows, full_pairs,
                              other_pairs, with_queries)

BLOCKS_OF_3 = partial(block_causal_pairs, block=3)
RULES = {
    causal_pairs: lambda row, column: column <= row,
    full_pairs: lambda row, column: True,
    # Blocks 0 1 2, 3 4 5, ...: everything up to the last pair of one's own block.
    BLOCKS_OF_3: lambda row, column: column <= row - row % 3 + 2,
}


def expected_mask(rule, pairs, lengths, attend_to_self):
    """Who may attend to whom, one cell at a time."""
    def allowed(row, column):
        if row < pairs:
            return column < pairs and rule(row, column)
        if column < pairs:
            return column < lengths[row - pairs]
        return attend_to_self and row == column

    tokens = range(pairs + len(lengths))
    return [[allowed(row, column) for column in tokens] for row in tokens]


def test_pairs_and_queries():
    for pairs, lengths in [
        (1, [1]), (1, [0]), (5, [5, 5, 5]), (7, [3, 7, 1]), (12, (2, 4, 12)), (6, []), (4, range(5))]:
        for attend_to_self in [False, True]:
            for mask in RULES:
                ours = with_queries(mask(pairs), lengths, attend_to_self)
                assert ours.dtype == torch.bool
                assert ours.tolist() == expected_mask(RULES[mask], pairs, lengths, attend_to_self)


@pytest.mark.parametrize("pairs", [2, 5, 12])
def test_other_pairs_leave_out_only_oneself(pairs):
    lengths, rule = [pairs, 1], lambda row, column: row != column
    ours = with_queries(other_pairs(pairs), lengths, False)
    assert ours.dtype == torch.bool and ours.tolist() == expected_mask(rule, pairs, lengths, False)
    assert other_pairs(1).tolist() == [[True]]  # a row of a mask is never empty


@pytest.mark.parametrize("lengths", [[4], [2, 4, 1], [-1]])
def test_lengths_beyond_the_pairs_are_refused(lengths):
    with pytest.raises(InputError, match="lengths: expected (0 to 3 pairs|an integer of at least 0), got"):
        with_queries(causal_pairs(3), lengths, True)


def test_a_row_that_sees_nothing_is_refused():
    mask = with_queries(causal_pairs(3), [0, 2, 0], False)
    with pytest.raises(InputError, match=r"one column in every row, got none in \[3, 5\]"):
        check_rows(mask)
    alone = with_queries(causal_pairs(3), [0, 2, 0], True)
    assert check_rows(alone) is alone
