"""Temperatures on "every": the runs, and what the claim is decided on."""

import numpy as np
import pytest

from icllib.claims import find_claim
from icllib.models import Softmax
from icllib.papers.signed_averaging import fig04_every, temperatures_on_every
from icllib.papers.signed_averaging import quantifier_temperatures as temperatures
from icllib.papers.signed_averaging.quantifier_temperatures import SCORINGS
from icllib.results import Record, settings


@pytest.mark.parametrize("profile", ["smoke", "quick", "gpu", "paper"])
def test_softmax_and_ssa_are_those_of_figure_4_and_the_others_differ_in_temperature(profile):
    runs, known = temperatures_on_every(profile), fig04_every(profile)
    shared = [run for run in runs if run in known]
    seeds = len({run.seed for run in runs})
    assert shared == runs[: 2 * seeds] and len(set(runs)) == len(runs) == 7 * seeds
    heated = [run.model.scoring for run in runs[2 * seeds :: seeds]]
    assert heated == [Softmax(value) for value in (5.0, 10.0, 20.0, 50.0, 100.0)]
    assert len({(run.task, run.recipe, run.evaluation, run.model.width) for run in runs}) == 1


def made_of(wrong):
    """Records at quick with the same error rate everywhere on the grid: wrong[scoring][seed]."""
    runs, rows = temperatures_on_every("quick"), {}
    for name, scoring in SCORINGS.items():
        rows[scoring] = wrong[name]
    return [Record(settings(run), {}, {"wrong": np.full((6, 7), rows[run.model.scoring][run.seed])
                                       .tolist()}, {}) for run in runs]


def test_evidence_is_the_ratio_to_softmax_of_the_same_seed():
    draw = np.random.default_rng(0)
    wrong = {name: draw.uniform(0.1, 1, 3) for name in SCORINGS}
    rates = temperatures.error_rates(made_of(wrong))
    found = temperatures.evidence(rates)
    assert set(found) == set(find_claim("signed_averaging.38").parts)
    for name, ratio in found.items():
        assert ratio == pytest.approx(wrong[name] / wrong["softmax"])
    table, = (table for table in temperatures.rate_tables(rates, "quick")
              if table.series[0] == "geometric mean")
    expected = [np.exp(np.log(wrong[name] / wrong["softmax"]).mean()) for name in table.x]
    assert list(table.x) == list(SCORINGS) and list(table.y) == pytest.approx(expected)


def test_a_grid_without_a_wrong_sequence_counts_as_half_a_sequence():
    wrong = {name: np.zeros(3) for name in SCORINGS}
    wrong["softmax"] = np.array([0.5, 0, 1])
    ratios = temperatures.evidence(temperatures.error_rates(made_of(wrong)))["temperature 50"]
    least = 0.5 / (384 * 42)
    assert ratios == pytest.approx([least / 0.5, 1, least])


def test_parts_of_the_grid():
    """Errors at sigma = 1 up to length 40 alone: three of the 42 cells."""
    records = made_of({name: np.zeros(3) for name in SCORINGS})
    for record in records:
        record.metrics["wrong"][0][:3] = [0.3, 0.6, 0.9]
    rates = temperatures.error_rates(records)["temperature 10"]
    assert rates["sigma = 1, lengths up to 40"] == pytest.approx([0.6] * 3)
    assert rates["all lengths and sigmas"] == pytest.approx([1.8 / 42] * 3)
