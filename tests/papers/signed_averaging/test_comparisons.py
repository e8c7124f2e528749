from functools import partial

import numpy as np
import pandas as pd
import pytest

from claimbook.claims import load_claims
from papers.signed_averaging import affine, comparisons, fig03_softmax_ssa, table05_deviant_input

SIGMAS = np.array(affine.SIGMAS)


def frame(columns=SIGMAS, **models):
    """Errors as pages have them: rows (name, seed), from a list of seeds for each name."""
    return pd.concat({name: pd.DataFrame(own, columns=columns) for name, own in models.items()},
                     names=["name", "seed"]).rename_axis("sigma", axis=1)


def path_frame(**models):
    """Errors along training, from (seeds, stops, 10)."""
    return pd.concat({name: frame(**{str(seed): path for seed, path in enumerate(own)})
                      for name, own in models.items()}, names=["name", "seed", "step"])


CLAIMS = {int(claim.id.split(".")[1]): claim for claim in load_claims("signed_averaging")}


def printed(claim):
    return pytest.approx(CLAIMS[claim].printed["value"], rel=1e-2)


def means(evidence):
    return {part: float(np.mean(samples)) for part, samples in evidence.items()}


def test_printed_entries_give_the_printed_statistics_of_the_claims():
    """The ledger's numbers were read from the table apart from ours, and rounded."""
    paper = frame(**{name: [row] for name, row in affine.PRINTED.items()})
    ratio = partial(comparisons.ratio, paper)
    assert means(fig03_softmax_ssa.growth(paper.loc["softmax"])) == printed(2)
    assert means(comparisons.ssa_to_softmax(ratio("SSA", "softmax"))) == printed(3)
    for number in comparisons.COMPARED:
        assert means(comparisons.evidence(number, ratio)) == printed(number)
    assert {"four functions": ratio("four functions", "softmax")[1].item()} == printed(45)


def test_statistics_are_plain_loops_over_sigma():
    draw = np.random.default_rng(0)
    errors = {name: draw.lognormal(size=(2, 10)) for name in affine.PRINTED}
    errors["SSA"][:, 2] = 1000  # sigma = 3 does not count in the largest ratio
    ratio = partial(comparisons.ratio, frame(**errors))
    at = lambda name, sigma: errors[name][1, sigma - 1]  # of the second seed
    largest = max(at("SSA", sigma) / at("entmax", sigma) for sigma in range(4, 11))
    assert comparisons.evidence(4, ratio)["entmax"][1] == pytest.approx(largest)
    product = np.prod([at("cosFormer", sigma) / at("softmax", sigma) for sigma in range(3, 11)])
    assert comparisons.evidence(6, ratio)["cosFormer"][1] == pytest.approx(product ** (1 / 8))


def test_a_seed_that_diverged_on_its_way_has_no_ratio_at_equal_error():
    paths = {name: np.geomspace(8, 1, 4)[None, :, None] * np.ones((3, 1, 10)) for name in ("softmax", "SSA")}
    paths["softmax"][1, 1:] = np.nan
    found = comparisons.ratio_at_equal_error(path_frame(**paths), "SSA", "softmax").to_numpy()
    assert np.isnan(found[1]).all() and np.isfinite(found[[0, 2]]).all()


@pytest.mark.parametrize("claim", (3, 4, 5, 6))
def test_the_control_repeats_the_claims_with_their_tolerances(claim):
    repeated, original = CLAIMS[claim + 18], CLAIMS[claim]
    for field in ("predicate", "parts", "tolerance", "printed"):
        assert getattr(repeated, field) == getattr(original, field)
    assert repeated.statistic.startswith(original.statistic)


def power_path(exponent, in_distribution):
    """A path on which the error at sigma is (error at 1)^exponent sigma^2."""
    in_distribution = np.asarray(in_distribution, dtype=float)
    path = in_distribution[:, None] ** exponent * SIGMAS**2.0
    path[:, 0] = in_distribution
    return pd.DataFrame(path, columns=SIGMAS)


def test_between_stops_a_power_law_is_exact():
    path = power_path(0.5, [2, 0.3, 0.07, 0.004])
    for level in (1.0, 0.07, 0.01):
        expected = level**0.5 * SIGMAS**2.0
        assert list(comparisons.errors_at(path, level))[1:] == pytest.approx(expected[1:])
        assert comparisons.errors_at(path, level)[1] == pytest.approx(level)
    assert list(comparisons.errors_at(path, 5.0)) == pytest.approx(list(path.loc[0]))  # below it from the first stop


def test_a_path_is_taken_where_it_first_falls_to_the_level():
    path = power_path(1, [2, 0.1, 0.4, 0.1])
    path.loc[3, 2:] = 99
    assert list(comparisons.errors_at(path, 0.1)) == pytest.approx(list(path.loc[1]))


def test_further_training_along_one_path_is_no_advantage_at_equal_error():
    long = np.array([power_path(0.5, [2, 0.3, 0.02]), power_path(0.5, [1, 0.1, 0.01])])
    short = np.array([power_path(0.5, [1.5, 0.9, 0.2]), power_path(0.5, [1.8, 0.6, 0.3])])
    paths = path_frame(SSA=long, softmax=short)
    ends = comparisons.ratio(comparisons.at_share(paths), "SSA", "softmax")
    assert (ends.loc[:, 3:] < 0.35).all(axis=None)
    equal = comparisons.ratio_at_equal_error(paths, "SSA", "softmax")
    assert equal.to_numpy() == pytest.approx(np.ones((2, 10)))  # at the end of the worse one
    halved = path_frame(SSA=np.where(SIGMAS == 1, long, 0.5 * long), softmax=short)
    ratios = comparisons.ssa_to_softmax(comparisons.ratio_at_equal_error(halved, "SSA", "softmax"))
    assert {f"sigma = {sigma}" for sigma in range(3, 11)} == set(ratios)
    assert np.array(list(ratios.values())) == pytest.approx(0.5)


def test_functions_are_compared_at_the_seeds_that_both_have():
    draw = np.random.default_rng(0)
    errors = {name: draw.lognormal(size=(seeds, 10))
              for name, seeds in (("SSA", 5), ("softmax", 5), ("entmax", 3))}
    assert len(comparisons.ratio(frame(**errors), "SSA", "softmax")) == 5
    found = comparisons.ratio(frame(**errors), "SSA", "entmax")
    assert (found.to_numpy() == errors["SSA"][:3] / errors["entmax"]).all()
    paths = path_frame(**{name: np.stack([2 * own, own], axis=1) for name, own in errors.items()})
    assert comparisons.ratio_at_equal_error(paths, "softmax", "entmax").shape == (3, 10)


def test_ridge_regression_with_an_intercept_is_exact_on_lines():
    errors = comparisons.ridge_errors()
    assert errors.shape == (10,) and set(errors) == {comparisons.ROUNDING}
    ones = frame(one=np.ones((3, 10))).loc["one"]
    assert list(comparisons.ridge_over(ones)) == pytest.approx([np.exp(np.log(errors.loc[3:]).mean())] * 3)
    for slope in (1, 9, 10):
        assert comparisons.ridge_rise(slope) == pytest.approx([1.0], abs=1e-4)
    assert 0 <= table05_deviant_input.ridge_failure()[0] < 1e-6


def test_the_gate_is_the_worst_of_the_models_that_are_compared():
    errors = frame([1, 2], SSA=[[0.1, 9], [0.4, 9]], softmax=[[0.2, 0], [0.3, 0]], entmax=[[np.nan, 1]])
    assert comparisons.reached(errors, "SSA").tolist() == [0.1, 0.4]
    assert comparisons.reached(errors, "SSA", "softmax").tolist() == [0.2, 0.4]
    assert comparisons.reached(errors, "SSA", "entmax").isna().tolist() == [True]


def test_printed_rows_of_table_6_give_the_printed_numbers_of_the_claims():
    told = lambda number: CLAIMS[number].printed["value"]
    assert {name: row[0] for name, row in comparisons.TABLE_6.items() if name in told(1)} == told(1)
    for pair, ratio in (told(12) | told(33)).items():
        ours, other = (np.array(comparisons.TABLE_6[name][2:]) for name in pair.split(" over "))
        assert np.exp(np.log(ours / other).mean()) == pytest.approx(ratio, rel=3e-3), pair
