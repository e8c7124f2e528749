import numpy as np
import pytest

from claimbook.records import Record, settings
from icllib.models import SignedAveraging
from papers.signed_averaging import fig05_some, quantifiers
from papers.signed_averaging.affine import BY_SCORING
from papers.signed_averaging.comparisons import ratio


def test_a_part_without_a_wrong_sequence_counts_as_half_a_sequence():
    runs = fig05_some.compared_on_some("smoke")  # 8 sequences at each of 2 sigmas and 2 lengths
    wrong = {"softmax": np.zeros((2, 2)), "SSA": np.array([[0.25, 0], [0, 0]])}
    scoring = lambda run: "SSA" if run.model.scoring == SignedAveraging() else "softmax"
    made = [Record(settings(run), {}, {"wrong": wrong[scoring(run)].tolist()}, {}) for run in runs]
    ratios = ratio(quantifiers.error_rates(made, BY_SCORING), "SSA", "softmax")
    assert list(ratios["all lengths and sigmas"]) == pytest.approx([2 / 0.5] * 2)  # 2 wrong of 32
    assert list(ratios["sigma above 10"]) == pytest.approx([1.0] * 2)  # none on either side
