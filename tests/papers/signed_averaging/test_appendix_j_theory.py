import mpmath
import numpy as np
import pytest

from claimbook.claims import find_claim
from claimbook.records import Record
from icllib import attention
from icllib.theory import scoring
from papers.signed_averaging import appendix_j_theory
from papers.signed_averaging.appendix_j_theory import AppendixJCheck, entropy_bounds


@pytest.mark.parametrize("n, b", [(1.1, 1.0), (2.0, 1.0), (1.5, 3.0), (1.0, 1.0001)])
def test_crossing_is_lambert_s(n, b):
    with mpmath.workdps(40):
        n, b = mpmath.mpf(n), mpmath.mpf(b)
        root = (-n * b * mpmath.lambertw(-mpmath.exp(-1 / (n * b)) / (n * b), -1) - 1) / b
    assert scoring.crossing(float(n), float(b)) == pytest.approx(float(root), rel=1e-9)


@pytest.mark.parametrize("weights, of", [
    ((0.4, 0.2, 0.2, 0.2), lambda top: scoring.largest_entropy(top, 4)),
    ((0.4, 0.4, 0.2, 0.0), scoring.smallest_entropy),
    ((0.25, 0.25, 0.25, 0.25), scoring.smallest_entropy),
    ((0.7, 0.3), scoring.smallest_entropy),
    ((1.0,), lambda top: scoring.largest_entropy(top, 1))])
def test_extreme_entropies_are_attained(weights, of):
    assert of(max(weights)) == pytest.approx(-sum(w * np.log(w) for w in weights if w), rel=1e-12)


SMALL = appendix_j_theory.AppendixJCheck(counts=(2, 5), rows=40)


@pytest.mark.parametrize("name, wrong, parts", [
    ("power", lambda x, n, b: (1 + b * np.abs(x)) ** (np.sign(x) * n * 1.01), {"J.1 growth"}),
    ("derivative", lambda x, n, b: n * b * (1 + b * np.abs(x)) ** (n - 1), {"J.2 derivative"}),
    ("effective_slope", lambda x, n, b: n / (1 + b * np.abs(x)), {"J.2 effective slope"}),
    ("largest_entropy", lambda top, k: -np.log(top), {"J.3 entropy bounds"}),
    ("jacobian", lambda f, df, right=scoring.jacobian: right(f, df).swapaxes(1, 2),
     {"J.5 Jacobian"}),
    ("smallest_rest", lambda top, bottom, k: k * bottom / (top + k * bottom),
     {"J.6 Theorem 1", "J.6 Theorem 1 of softmax"}),
])
def test_a_wrong_formula_is_seen(monkeypatch, name, wrong, parts):
    monkeypatch.setattr(scoring, name, wrong)
    assert {part for part, violation in SMALL.measure().items() if violation > 1e-4} == parts


def test_an_entropy_outside_either_bound_is_seen():
    too_low, too_high = np.array([[0.5, 0.01]]), np.array([[0.5, 0.5, 0.5]])
    assert entropy_bounds(AppendixJCheck(), too_low, 2) > 0.5
    assert entropy_bounds(AppendixJCheck(), too_high, 2) > 0.4


def test_the_lipschitz_constant_needs_n_of_at_least_1():
    found = appendix_j_theory.AppendixJCheck(counts=(5,), rows=40, n=(0.4, 0.9)).measure()
    assert found["J.4 Lipschitz constant"] > 0.1 and found["J.3 ratio"] < 1e-12


def test_a_wrong_score_function_is_seen_by_every_part(monkeypatch):
    monkeypatch.setattr(attention, "signed_log", lambda z, n, b: n * b * z)
    found = SMALL.measure()
    seen = {part for part, violation in found.items() if not violation < 1e-4}
    assert seen == set(find_claim("signed_averaging.20").parts)  # ours hold for these scores too


@pytest.mark.parametrize("n, b, limit", [(1.5, 1.0, 0.75), (None, None, 0.5)])
def test_bounds_are_attained_and_never_passed(n, b, limit):
    found = appendix_j_theory.BoundsByRange(n, b, ranges=6, rows=200, shown=10).measure()
    np.testing.assert_allclose(found["extreme_rest"], found["least_rest"], rtol=1e-12)
    assert (np.array(found["random_rest"]) >= found["least_rest"]).all()
    assert found["norm_bound"] == limit and max(found["random_norm"]) <= limit
    assert max(found["random_norm"]) > 0.97 * limit


@pytest.mark.parametrize("low", [0, 9, -700])
def test_the_weight_at_a_gap_does_not_depend_on_where_the_scores_are(low):
    for k in (2, 7, 200):
        expected = np.exp(4) / (np.exp(4) + k - 1)
        assert appendix_j_theory.weight_at_gap(4.0, k, low) == pytest.approx(expected, rel=1e-12)


def test_printed_sentences_are_compared_with_what_would_make_them_true():
    ssa = {"top": [0.5, 0.25], "entropy": [np.log(2), 3.0]}
    softmax = {"random_norm": [0.25, 9.0, 0.5]}
    found = appendix_j_theory.printed_sentences(ssa, softmax)
    assert found["J.3 entropy"] == pytest.approx(np.log(2) / (np.log(2) + np.log(7) / 2))
    assert found["J.5 softmax Jacobian"] == pytest.approx(2 / 1.1)
    assert found["J.6 softmax, gap 1"] == pytest.approx(1 / 1.1)


def test_numbers_that_decide_are_those_of_pencil_and_paper():
    record = Record.of(appendix_j_theory.Corrections(rows=500), appendix_j_theory.Corrections(rows=500).measure(), {})
    expected = {
        "second_left": 3.75, "second_right": 0.75, "slope_at_0": 1.5, "literal_slope_at_0": 0,
        "degree_one_sign": 1.5, "degree_two_signs": 3, "small_ratio_ssa": 1.25**3,
        "small_ratio_softmax": np.exp(0.5), "entropy": np.log(2), "minus_log_top": np.log(2),
        "printed_entropy": np.log(2) + np.log(3) / 2, "slope_at_0_half": 0.5,
        "lipschitz_half": 0.5 / 5**0.5, "known_entry_ssa": 0.375, "known_norm_ssa": 0.75,
        "known_entry_softmax": 0.25, "known_norm_softmax": 0.5,
        "far_norm_softmax": 2 / (np.exp(10) + np.exp(-10)) ** 2,
        "rest_5_ssa": 39 / (39 + 6**3), "rest_5_softmax": 39 / (39 + np.exp(10)),
        "rest_half_ssa": 39 / (39 + 1.5**3), "rest_half_softmax": 39 / (39 + np.e),
        "rest_large_b": 39 / (39 + 501**3), "limit_above": -4.5e-6, "limit_below": 4.5e-6,
        "shift_0_softmax": np.e / (1 + np.e), "shift_10_softmax": np.e / (1 + np.e),
        "shift_0_ssa": 2**1.5 / (1 + 2**1.5), "shift_10_ssa": 12**1.5 / (11**1.5 + 12**1.5)}
    for name, value in expected.items():
        assert record[name] == pytest.approx(value, rel=2e-5, abs=1e-15), name
    for scoring_name, slope in (("ssa", 1.5), ("softmax", 1)):
        assert record[f"searched_entry_{scoring_name}"] <= slope / 4
        assert record[f"searched_norm_{scoring_name}"] <= slope / 2
    assert all("{" not in number for *_, number in appendix_j_theory.corrections(record))


def test_one_percent_off_every_statement_of_appendix_j_is_violated():
    violations = AppendixJCheck(factor=0.99).measure()
    assert set(violations) == set(AppendixJCheck(rows=20).measure())
    assert min(violations.values()) > 5e-3


def test_an_embedding_keeps_the_order_of_numbers_without_a_bias_alone():
    """Against norms of the vectors themselves; far from 0 the order is that of x, half as often."""
    assert not appendix_j_theory.reversed_order(shift=0.0).any()
    assert appendix_j_theory.reversed_order(shift=50.0, pairs=20_000) == pytest.approx(0.5, abs=0.02)
    random = np.random.default_rng(0)
    weight, bias = random.uniform(-1, 1, (2, 256))
    x, y = random.standard_normal((2, 4000, 1))
    longer = lambda number: np.linalg.norm(number * weight + bias, axis=1)
    share = np.mean((np.abs(x) < np.abs(y))[:, 0] != (longer(x) < longer(y)))
    assert appendix_j_theory.reversed_order(seeds=1)[0] == pytest.approx(share, abs=0.012) and share > 0
