import numpy as np
import pytest

from icllib.claims import find_claim
from icllib.papers.signed_averaging import alternatives_on_every, comparisons, quantifiers
from icllib.papers.signed_averaging.affine import SIZES, scorings
from icllib.papers.signed_averaging.alternatives_on_every import scorings_on_every
from icllib.papers.signed_averaging.quantifiers import NAMES
from icllib.results import Record, settings


def test_on_every_the_rows_are_those_of_the_page(results):
    runs = alternatives_on_every.added_on_every("cpu")
    own = [Record(settings(run), {}, {"wrong": np.full((6, 7), 0.01 * (1 + run.seed)).tolist()},
                  {"profile": "cpu"}) for run in runs]
    table = comparisons.added_rows(alternatives_on_every.every_table, own)
    assert list(table["ratio to softmax"]) == ["1", "1", "1"]


def made_of(wrong):
    """Records of three seeds with the same error rate everywhere on the grid: wrong[scoring][seed]."""
    runs, rows = [run for run in scorings_on_every("cpu") if run.seed < 3], {}
    for name, scoring in scorings(SIZES["cpu"].heads).items():
        rows[scoring] = wrong[name]
    return [Record(settings(run), {}, {"wrong": np.full((6, 7), rows[run.model.scoring][run.seed])
                                       .tolist()}, {}) for run in runs]


def test_evidence_is_the_ratio_to_softmax_of_the_same_seed():
    draw = np.random.default_rng(0)
    wrong = {name: draw.uniform(0.1, 1, 3) for name in NAMES}
    rates = quantifiers.error_rates(made_of(wrong))
    for number, names in ((38, alternatives_on_every.HEATED), (39, comparisons.HELD_AGAINST_SOFTMAX)):
        found = alternatives_on_every.evidence(rates, names)
        assert set(found) == set(find_claim(f"signed_averaging.{number}").parts)
        for name, ratio in found.items():
            assert ratio == pytest.approx(wrong[name] / wrong["softmax"])
    table, = (table for table in alternatives_on_every.rate_tables(rates, "cpu")
              if table.series[0] == "geometric mean")
    expected = [np.exp(np.log(wrong[name] / wrong["softmax"]).mean()) for name in table.x]
    assert list(table.x) == list(NAMES) and list(table.y) == pytest.approx(expected)


def test_a_grid_without_a_wrong_sequence_counts_as_half_a_sequence():
    wrong = {name: np.zeros(3) for name in NAMES}
    wrong["softmax"] = np.array([0.5, 0, 1])
    ratios = alternatives_on_every.ratios_to_softmax(quantifiers.error_rates(made_of(wrong)))["entmax"]
    least = 0.5 / (384 * 42)
    assert ratios == pytest.approx([least / 0.5, 1, least])


def test_parts_of_the_grid():
    """Errors at sigma = 1 up to length 40 alone: three of the 42 cells."""
    records = made_of({name: np.zeros(3) for name in NAMES})
    for record in records:
        record.metrics["wrong"][0][:3] = [0.3, 0.6, 0.9]
    rates = quantifiers.error_rates(records)["temperature 10"]
    assert rates["sigma = 1, lengths up to 40"] == pytest.approx([0.6] * 3)
    assert rates["all lengths and sigmas"] == pytest.approx([1.8 / 42] * 3)
