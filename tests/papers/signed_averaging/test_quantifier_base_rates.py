"""Errors of predictors that read few numbers, against all sequences of signs."""

import itertools

import numpy as np
import pytest

from icllib.tasks import Quantifier
from papers.signed_averaging import quantifier_base_rates, quantifiers
from papers.signed_averaging.quantifiers import reader_error

TASKS = [Quantifier(quantifier, law=law) for quantifier in ("every", "some")
         for law in ("independent", "balanced")]
by_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: f"{task.quantifier} {task.law}")
N = 10


def signs_and_chances(task):
    """All sequences of N signs (True: positive) and their probabilities."""
    for signs in itertools.product((False, True), repeat=N):
        settling = task.quantifier == "some"
        first = signs.index(settling) if settling in signs else N
        after = N - 1 - first if first < N else 0
        yield signs, (2.0**-N if task.law == "independent" else 2.0**-after / (N + 1))


def label_rows(task):
    """Labels by Python's all and any, with probabilities."""
    truth = all if task.quantifier == "every" else any
    return [([truth(signs[: i + 1]) for i in range(N)], chance) for signs, chance in signs_and_chances(task)]


@by_task
@pytest.mark.parametrize("read", [0, 1, 2, 3, 5, 9, 10, 20])
def test_reader_errors_are_sums_over_all_sequences(task, read):
    settled = task.quantifier == "some"
    wrong = sum(chance for labels, chance in label_rows(task)
                if any(label != settled for label in labels[max(read, 2):]))
    assert reader_error(task, read, N) == pytest.approx(wrong, abs=1e-14)


@by_task
def test_other_readings_are_sums_over_all_sequences(task):
    settled, rows = task.quantifier == "some", label_rows(task)
    found = quantifier_base_rates.BaseRates(task, sigmas=(1,), lengths=(N,), sequences=2).measure()
    share = sum(chance * np.mean([label != settled for label in labels[2:]]) for labels, chance in rows)
    last = sum(chance for labels, chance in rows if labels[-1] != settled)
    assert found["length"][0] == N
    assert found["wrong_positions"][0] == pytest.approx(share, abs=1e-14)
    assert found["wrong_last"][0] == pytest.approx(last, abs=1e-14)


@by_task
def test_sampled_errors_are_the_closed_form_at_every_sigma(task):
    run = quantifier_base_rates.BaseRates(task, sigmas=(1, 30), lengths=(10, 50), sequences=2000)
    found = run.measure()
    for (_, length), wrong in zip(found["cells"], found["sampled_wrong"]):
        rate = found["wrong"][0][quantifiers.LENGTHS.index(length)]
        assert abs(wrong - rate) < 4 * (rate * (1 - rate) / 2000) ** 0.5
    assert len(set(found["sampled_wrong"])) > 1  # no two cells share their numbers
    assert found["labels_changed_by_sigma"] == 0


def test_labels_that_change_are_counted(monkeypatch):
    monkeypatch.setattr(quantifier_base_rates.BaseRates, "labels",
                        lambda self, sigma, length, place: np.array([[0, 1]]) * sigma)
    monkeypatch.setattr(quantifier_base_rates.BaseRates, "constant_error", lambda *_: 0)
    assert quantifier_base_rates.BaseRates(TASKS[0]).measure()["labels_changed_by_sigma"] == 1
