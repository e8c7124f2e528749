"""The quantifiers without labels: what is compared and what counts, on records made by hand."""

from dataclasses import replace

import numpy as np
import pytest

from claimbook.claims import find_claim
from claimbook.records import Record, settings
from icllib.evaluate import Together
from papers.signed_averaging import without_labels
from papers.signed_averaging.affine import FIRST_COUNTED
from papers.signed_averaging.deviant_sequences import DeviantNumbers
from papers.signed_averaging.quantifiers import QuantifierErrors


def records(rates):
    """One record for each of four cells: the share of wrong sequences, equal over the grid."""
    errors = QuantifierErrors((1, 30), (40, 200), sequences=100)
    runs = [replace(run, model=replace(run.model, positions_up_to=200), evaluation=Together((
        errors, DeviantNumbers()))) for run in without_labels.runs("smoke") if run.seed == 0]
    return [Record(settings(run), {}, {"wrong": np.full((2, 2), rate).tolist()}, {})
            for run, rate in zip(runs, rates, strict=True)]


def test_the_control_is_beside_the_right_answers_to_another_list():
    lists = np.random.default_rng(0).integers(0, 2, (2, 10**5, 30)) > 0
    answers = np.logical_and.accumulate(lists, axis=-1)[..., FIRST_COUNTED - 1 :]
    wrong = (answers[0] != answers[1]).any(axis=-1).mean()
    assert without_labels.wrong_on_another_list() == pytest.approx(wrong, abs=0.005)
    found = without_labels.beside_another_list(records((0.2, 0.1, 0.0, 0.4)))
    assert set(found) == set(find_claim("signed_averaging.52").parts)
    for part, ratio in found.items():
        expected = (0.1 if part.startswith("every") else 0.4) / wrong
        assert list(ratio) == pytest.approx([expected], rel=0.03)
