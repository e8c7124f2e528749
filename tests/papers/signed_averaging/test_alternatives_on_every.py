import numpy as np
import pytest

from claimbook.claims import find_claim
from claimbook.records import Record, settings
from papers.signed_averaging import affine, alternatives_on_every, quantifiers
from papers.signed_averaging.affine import NAMES, TITLES, scorings
from papers.signed_averaging.alternatives_on_every import scorings_on_every
from papers.signed_averaging.quantifiers import SIZES


def made_of(wrong):
    """Records of three seeds with the same error rate everywhere on the grid: wrong[scoring][seed]."""
    runs, rows = [run for run in scorings_on_every("cpu") if run.seed < 3], {}
    for name, scoring in scorings(SIZES["cpu"]).items():
        rows[scoring] = wrong[name]
    return [Record(settings(run), {}, {"wrong": np.full(
        (6, 7), rows[run.model.scoring][run.seed]).tolist()}, {}) for run in runs]


def rates_of(records):
    return quantifiers.error_rates(records, affine.BY_SCORING)


def test_evidence_is_the_ratio_to_softmax_of_the_same_seed():
    draw = np.random.default_rng(0)
    wrong = {name: draw.uniform(0.1, 1, 3) for name in NAMES}
    rates = rates_of(made_of(wrong))
    for number, names in ((38, affine.TEMPERED), (39, affine.ALTERNATIVES)):
        found = alternatives_on_every.ratios_to_softmax(rates)
        assert set(names) == set(find_claim(f"signed_averaging.{number}").parts)
        for name in names:
            assert list(found[name]) == pytest.approx(wrong[name] / wrong["softmax"])
    table, = (table for table in alternatives_on_every.rate_tables(rates, "cpu")
              if table.series[0] == "geometric mean")
    expected = [np.exp(np.log(wrong[name] / wrong["softmax"]).mean()) for name in NAMES]
    assert list(table.x) == list(TITLES.values()) and list(table.y) == pytest.approx(expected)


def test_a_grid_without_a_wrong_sequence_counts_as_half_a_sequence():
    wrong = {name: np.zeros(3) for name in NAMES}
    wrong["softmax"] = np.array([0.5, 0, 1])
    ratios = alternatives_on_every.ratios_to_softmax(rates_of(made_of(wrong)))["entmax"]
    least = 0.5 / (384 * 42)
    assert list(ratios) == pytest.approx([least / 0.5, 1, least])


def test_parts_of_the_grid():
    """Errors at sigma = 1 up to length 40 alone: three of the 42 cells."""
    records = made_of({name: np.zeros(3) for name in NAMES})
    for record in records:
        if affine.scoring_of(record.component) == "temperature 10":
            record.metrics["wrong"][0][:3] = [0.3, 0.6, 0.9]
    rates = rates_of(records).loc["temperature 10"]
    assert list(rates["sigma = 1, lengths up to 40"]) == pytest.approx([0.6] * 3)
    assert list(rates["all lengths and sigmas"]) == pytest.approx([1.8 / 42] * 3)
