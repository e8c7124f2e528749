"""Models trained on every context length."""

import pytest

from claimbook.records.compute import stored_records
from papers.context_scaling import every_length

PAGE = "context_scaling/every_length"


@pytest.fixture(scope="module")
def ratios():
    return every_length.ratios_by_model(stored_records(every_length.runs, PAGE))


@pytest.mark.parametrize("model", ["GPT-2", "GPT-2 without positions", "SGPT"])
def test_each_seed_is_near_ridge_regression_after_every_number_of_pairs(ratios, model):
    """From 10 pairs on, 1.25 times the dimension, to the longest: the bound of models with a name."""
    own = ratios[f"{model}, every length"]
    assert own.shape == (every_length.SEEDS, len(every_length.EVERY))
    assert (every_length.worst_from_ten(own) <= every_length.MOST_RATIO).all()


def test_five_lengths_are_not_enough_for_learned_positions(ratios):
    own = ratios["GPT-2, five lengths"]
    assert (every_length.worst_from_ten(own) > 3).all()
    assert own[[20, 30, 40]].max(axis=None) < 1.5
