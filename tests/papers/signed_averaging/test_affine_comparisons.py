"""Scoring functions beside each other: printed numbers, equal error, settings, training time."""

import numpy as np
import pytest

import icllib
from icllib.claims import load_claims
from icllib.errors import InputError
from icllib.models import SignedAveraging, Softmax
from icllib.papers.signed_averaging import (
    affine, comparisons, fig03_softmax_ssa, learned_exponents, learning_rates,
    table01_scoring_functions, training_control)
from icllib.results import Record, digest, find_record, settings

CLAIMS = {int(claim.id.split(".")[1]): claim for claim in load_claims("signed_averaging")}
SIGMAS = np.arange(1, 11)


def printed(claim):
    return pytest.approx(CLAIMS[claim].printed["value"], rel=1e-2)


def means(evidence):
    return {part: float(np.mean(samples)) for part, samples in evidence.items()}


# ---- the statistics ----------------------------------------------------------------------------


def test_printed_entries_give_the_printed_statistics_of_the_claims():
    """The ledger's numbers were read from the table apart from ours, and rounded."""
    paper = comparisons.EqualSteps(comparisons.PRINTED)
    assert means(fig03_softmax_ssa.growth(comparisons.PRINTED["softmax"])) == printed(2)
    for number, statistic in zip((3, 4, 5, 6), comparisons.STATISTICS):
        assert means(statistic(paper)) == printed(number)
    four = np.divide(*paper("four functions", "softmax"))
    assert {"four functions": four[0, 0]} == printed(45)


def test_statistics_are_plain_loops_over_sigma():
    draw = np.random.default_rng(0)
    errors = {name: draw.lognormal(size=(2, 10)) for name in comparisons.PRINTED}
    errors["SSA"][:, 2] = 1000  # sigma = 3 does not count in the largest ratio
    compared = comparisons.EqualSteps(errors)
    at = lambda name, sigma: errors[name][1, sigma - 1]  # of the second seed
    largest = max(at("SSA", sigma) / at("entmax", sigma) for sigma in range(4, 11))
    assert comparisons.STATISTICS[1](compared)["entmax"][1] == pytest.approx(largest)
    product = np.prod([at("cosFormer", sigma) / at("softmax", sigma) for sigma in range(3, 11)])
    assert comparisons.STATISTICS[3](compared)["cosFormer"][1] == pytest.approx(product ** (1 / 8))


def test_a_seed_that_diverged_on_its_way_has_no_ratio_at_equal_error():
    paths = {name: np.geomspace(8, 1, 4)[None, :, None] * np.ones((3, 1, 10))
             for name in ("softmax", "SSA")}
    paths["softmax"][1, 1:] = np.nan
    one, other = comparisons.EqualError(paths)("SSA", "softmax")
    assert np.isnan([one[1], other[1]]).all() and np.isfinite([one[[0, 2]], other[[0, 2]]]).all()


def test_cells_of_figure_3_are_counted_by_which_law_is_wide():
    softmax = np.ones((2, 3, 3))
    ssa = softmax.copy()
    ssa[:, 0, 1:] = 0.5  # wide functions only
    ssa[:, 2, 2] = 4.0
    rows = fig03_softmax_ssa.cells_with_ssa_below({"SSA": ssa, "softmax": softmax}, (1, 3, 10))
    below = dict(rows["cells with SSA below"])
    assert below == {"all": "2 of 9", "inputs only": "0 of 2", "functions only": "2 of 2",
                     "both": "0 of 4"}
    assert rows.loc["functions only", "ratio"].startswith("0.5")
    assert rows.loc["both", "ratio"].startswith("1.4")  # the fourth root of 4


@pytest.mark.parametrize("claim", (3, 4, 5, 6))
def test_the_control_repeats_the_claims_with_their_tolerances(claim):
    repeated, original = CLAIMS[claim + 18], CLAIMS[claim]
    for field in ("predicate", "parts", "tolerance", "printed"):
        assert getattr(repeated, field) == getattr(original, field)
    assert repeated.statistic.startswith(original.statistic)


# ---- equal error -------------------------------------------------------------------------------


def power_path(exponent, in_distribution):
    """A path on which the error at sigma is (error at 1)^exponent sigma^2."""
    in_distribution = np.asarray(in_distribution, dtype=float)
    path = in_distribution[:, None] ** exponent * SIGMAS**2.0
    path[:, 0] = in_distribution
    return path


def test_between_stops_a_power_law_is_exact():
    path = power_path(0.5, [2, 0.3, 0.07, 0.004])
    for level in (1.0, 0.07, 0.01):
        expected = level**0.5 * SIGMAS**2.0
        assert comparisons.errors_at(path, level)[1:] == pytest.approx(expected[1:])
        assert comparisons.errors_at(path, level)[0] == pytest.approx(level)
    assert comparisons.errors_at(path, 5.0) == pytest.approx(path[0])  # below it from the first stop


def test_a_path_is_taken_where_it_first_falls_to_the_level():
    path = power_path(1, [2, 0.1, 0.4, 0.1])
    path[3, 1:] = 99
    assert comparisons.errors_at(path, 0.1) == pytest.approx(path[1])


def test_further_training_along_one_path_is_no_advantage_at_equal_error():
    long = np.array([power_path(0.5, [2, 0.3, 0.02]), power_path(0.5, [1, 0.1, 0.01])])
    short = np.array([power_path(0.5, [1.5, 0.9, 0.2]), power_path(0.5, [1.8, 0.6, 0.3])])
    paths = {"SSA": long, "softmax": short}
    ends = comparisons.EqualSteps({name: path[:, -1] for name, path in paths.items()})
    assert (np.array(list(comparisons.STATISTICS[0](ends).values())) < 0.35).all()
    equal = comparisons.EqualError(paths)
    one, other = equal("SSA", "softmax")
    assert other == pytest.approx(short[:, -1])  # the one that ends at the common level
    assert one == pytest.approx(other)
    halved = np.where(SIGMAS == 1, long, 0.5 * long)
    ratios = comparisons.STATISTICS[0](comparisons.EqualError(paths | {"SSA": halved}))
    assert {f"sigma = {sigma}" for sigma in range(3, 11)} == set(ratios)
    assert np.array(list(ratios.values())) == pytest.approx(0.5)


# ---- what the pages show -----------------------------------------------------------------------


def test_a_ratio_beyond_the_spread_has_an_interval_without_1():
    table = comparisons.beyond_spread({"lower": [0.5, 0.5, 0.51], "equal": [0.25, 1, 0.5],
                                       "higher": [3, 3.1, 3]})
    assert table["against 1"].tolist() == ["below", "within the spread", "above"]
    assert table.ratio["equal"] == "0.5 [0.089, 2.8]"  # exp(+-4.303 log(2) / sqrt(3))


@pytest.mark.parametrize("row, name", [(comparisons.PRINTED["softmax"], "Table 1, softmax"),
                                       (comparisons.TABLE_6["12L8AH"], "Table 6, 12L8AH")])
def test_the_nearer_row_is_the_one_that_errors_came_from(row, name):
    table = table01_scoring_functions.nearer_row([3 * np.array(row)] * 2).astype(float)
    columns = ("ours / printed, geometric mean", "smallest", "largest", "typical factor")
    assert table.loc[name, list(columns)].tolist() == pytest.approx([3] * 4)
    assert table["after one common factor"].idxmin() == name
    assert table.loc[name, "after one common factor"] == pytest.approx(1)


def test_two_printed_rows_rise_one_sigma_after_all_others():
    table = table01_scoring_functions.printed_steps()
    assert list(table.columns)[0] == "4 to 5" and len(table.columns) == 6
    ends = lambda cell: [float(end) for end in table.loc[cell].split(" to ")]
    for name in ("the others of Table 1", "all of Table 6"):
        assert ends((name, "6 to 7"))[1] <= ends((name, "7 to 8"))[0]
    for name in ("SSA", "softmax"):
        little, much = ends((name, "7 to 8")), ends((name, "8 to 9"))
        assert little[0] < ends((name, "6 to 7"))[0] and little[0] < much[0]
    assert table.loc["softmax", "9 to 10"] == "1.62"  # 45.35 / 27.99


# ---- runs --------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", affine.SIZES)
def test_pages_share_the_runs_of_the_table(profile):
    names = lambda runs: [digest(settings(run)) for run in runs]
    every, seeds = affine.scorings_on_affine_functions(profile), affine.SIZES[profile].seeds
    assert len(set(names(every))) == len(every) == 14 * seeds
    assert names(training_control.runs(profile)) == names(every)
    pair = fig03_softmax_ssa.runs(profile)
    assert [run.model.scoring for run in pair] == [Softmax()] * seeds + [SignedAveraging()] * seeds
    *ssa, timing = learned_exponents.runs(profile)
    assert set(names(pair)) < set(names(every)) and names(ssa) == names(every)[:seeds]
    paper = (timing.layers, timing.heads, timing.width, timing.batch) == (12, 8, 256, 64)
    assert paper == (profile != "smoke")


def test_a_function_has_the_next_seeds_that_others_lack(results):
    """Seeds 0 to 2 of all; of SSA 3 too, of softmax 4 without 3, which is no next one."""
    runs = affine.scorings_on_affine_functions("cpu")
    whole = [run for run in runs if run.seed < 3]
    for run in [*whole, runs[3], runs[9]]:
        Record.of(run, {"error": [float(run.seed)]}, {"profile": "cpu"}).save(
            results / "signed_averaging/page")
    found = [find_record(run, "signed_averaging") for run in whole]
    seeds = {name: [record.run["seed"] for record in own]
             for name, own in comparisons.by_function(found).items()}
    assert seeds == {name: [0, 1, 2, 3] if name == "SSA" else [0, 1, 2]
                     for name in affine.scorings()}


def test_functions_are_compared_at_the_seeds_that_both_have():
    draw = np.random.default_rng(0)
    errors = {name: draw.lognormal(size=(seeds, 10))
              for name, seeds in (("SSA", 5), ("softmax", 5), ("entmax", 3))}
    compared = comparisons.EqualSteps(errors)
    assert [len(own) for own in compared("SSA", "softmax")] == [5, 5]
    one, other = compared("SSA", "entmax")
    assert (one == errors["SSA"][:3]).all() and (other == errors["entmax"]).all()
    paths = {name: np.stack([2 * own, own], axis=1) for name, own in errors.items()}
    assert [own.shape for own in comparisons.EqualError(paths)("softmax", "entmax")] == [(3, 10)] * 2


def test_each_scoring_function_has_the_rate_of_the_search():
    """The one with the lowest error at sigma = 1, by the committed records."""
    records = icllib.records(learning_rates.runs, "stored", page="signed_averaging/learning_rates")
    trained = iter(affine.scorings_on_affine_functions("cpu")[:: affine.SIZES["cpu"].seeds])
    for errors in icllib.stacked(records, affine.scorings(), "error").values():
        assert learning_rates.RATES[int(np.argmin(errors[:, 0]))] == next(trained).recipe.learning_rate


@pytest.mark.parametrize("layers, heads, printed", [(12, 12, 288), (1, 2, 4), (3, 5, 30)])
def test_ssa_has_two_parameters_more_for_each_head(layers, heads, printed):
    assert learned_exponents.additional_parameters(layers, heads) == printed


# ---- training time -----------------------------------------------------------------------------


def test_scorings_take_turns(monkeypatch):
    times = iter(range(100))
    monkeypatch.setattr(training_time, "seconds", lambda step, device: next(times))
    found = learned_exponents.TrainingTime(1, 2, 8, batch=2, rounds=2).measure()["seconds"]
    assert found.tolist() == [[0, 3], [1, 4], [2, 5]] and len(learned_exponents.TIMED) == 3


def test_a_step_is_timed_in_processor_time(monkeypatch):
    monkeypatch.setattr(training_time.time, "process_time", iter([3.0, 5.5]).__next__)
    assert learned_exponents.seconds(lambda: None, "cpu") == 2.5


def test_no_round_is_refused():
    with pytest.raises(InputError, match="rounds: expected an integer of at least 1, got 1.5"):
        learned_exponents.TrainingTime(rounds=1.5)
