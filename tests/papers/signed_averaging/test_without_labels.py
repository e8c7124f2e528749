"""The quantifiers without labels: what is compared and what counts, on records made by hand."""

from dataclasses import replace

import numpy as np
import pytest

from icllib.papers.signed_averaging import fig02_attention_maps, without_labels
from icllib.results import Record


def records(rates):
    """One record for each of four cells: the share of wrong sequences, equal over the grid."""
    run = {"evaluation": {"parts": [
        {"sigmas": (1, 30), "lengths": (40, 200), "sequences": 100}, {"sizes": (1, 100)}]}}
    return [Record(run, {}, {"wrong": np.full((2, 2), rate).tolist()}, {}) for rate in rates]


def test_ratios_are_those_of_ssa_to_softmax_under_each_quantifier():
    found = without_labels.ratios(records((0.2, 0.1, 0.0, 0.4)))
    assert len(found) == 6
    for part, ratio in found.items():
        cells = 2 if "above" in part else 4
        expected = 0.5 if part.startswith("every") else 0.4 / (0.5 / (100 * cells))
        assert ratio == pytest.approx([expected])


def test_the_gate_is_that_of_the_quantifier():
    found = without_labels.reached_by_part(records((0.2, 0.1, 0.0, 0.4)))
    assert set(found) == set(without_labels.ratios(records((1, 1, 1, 1))))
    assert {part[:4]: gate.tolist() for part, gate in found.items()} == {"ever": [0.2], "some": [0.4]}


@pytest.mark.parametrize("profile", without_labels.SIZES)
def test_models_are_those_of_the_figures_but_for_their_tokens(profile):
    runs = without_labels.runs(profile)
    seeds = without_labels.SIZES[profile].seeds
    assert [run.task.quantifier for run in runs] == ["every"] * 2 * seeds + ["some"] * 2 * seeds
    assert {run.model.tokens for run in runs} == {"inputs"}
    figures = {run.model for run in fig02_attention_maps.runs(profile)}
    assert {replace(run.model, tokens="separate") for run in runs} == figures
