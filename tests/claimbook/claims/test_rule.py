"""The rule of verdicts on made-up numbers, against scipy's tests and brute force."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from claimbook.claims import Claim
from claimbook.claims.decisions import states
from claimbook.claims.rule import (
    MARGINS, STATES, VERDICTS, absent, direction, lead, prediction_interval,
    share_of_pairs, size, states_by_holm, verdict_of, words_of)

BELOW_1 = (-math.inf, 1.0)
NEAR_1 = [0.97, 1.05, 1.01, 0.99, 1.02]  # ratios


# ---- intervals ------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [3, 8])
def test_a_prediction_interval_holds_one_more_seed_19_times_in_20(count):
    drawn = np.random.default_rng(2).normal(size=(4000, count + 1))
    found = [prediction_interval(own) for own in drawn[:, :-1]]
    inside = np.mean([low <= more <= high for (_, low, high), more in zip(found, drawn[:, -1])])
    assert abs(inside - 0.95) < 4 * (0.95 * 0.05 / 4000) ** 0.5


# ---- direction, absence, size ---------------------------------------------------------------


@pytest.mark.parametrize("samples, expected", [
    ([0.5, 0.52, 0.51], "yes"), ([1.5, 1.52, 1.51], "no"), ([0.1, 0.9, 1.7], "undecided"),
    ([0.9, 1.2, 1.3], "undecided"), ([math.nan], "undecided"), ([0.5, -math.inf], "undecided")])
def test_direction(samples, expected):
    assert direction(samples, BELOW_1, strict=True) == expected


def test_absence_is_two_one_sided_t_tests():
    found = set()
    for kind in MARGINS:
        for seed in range(40):
            samples = np.exp(np.random.default_rng(seed).normal(0.02, 0.12, size=3 + seed % 6))
            edge = math.log(MARGINS[kind])
            above = stats.ttest_1samp(np.log(samples), -edge, alternative="greater").pvalue < 0.05
            below = stats.ttest_1samp(np.log(samples), edge, alternative="less").pvalue < 0.05
            assert absent(samples, kind, 0.5) == absent(1 / samples, kind, 2) == (above and below)
            found.add((kind, above and below))
    assert len(found) == 2 * len(MARGINS)


@pytest.mark.parametrize("printed, asked", [(0.187, True), (5.3, True), (0.81, False), (1.24, False),
                                            (1.0, False), (0.8, False), (1.25, False)])
def test_absence_is_asked_where_the_printed_effect_lies_outside_the_margin(printed, asked):
    assert absent(NEAR_1, "ratio of errors", printed) == asked


@pytest.mark.parametrize("samples", [[1.0, 1.0], [1.0, 1.0, math.nan], [0.0, 1.0, 1.0]])
def test_two_seeds_and_seeds_without_a_logarithm_show_no_absence(samples):
    assert not absent(samples, "ratio of errors", 0.1)


@pytest.mark.parametrize("samples, kind, printed, expected", [
    ([0.9, 0.91, 0.92], "ratio of errors", 0.2, "yes"),  # direction first
    ([1.1, 1.11, 1.12], "ratio of errors", 0.2, "no"),
    (NEAR_1, "ratio of errors", 0.2, "no difference"),
    (NEAR_1, "ratio of errors", 0.9, "undecided"),  # a printed lead of a tenth may be there
    (NEAR_1, "ratio of errors", None, "undecided"),  # no number is printed
    (NEAR_1, None, 0.2, "undecided"),  # a slope, or a claim of equality
    ([0.8, 1.3, 0.9, 1.2], "ratio of errors", 0.2, "undecided")])  # a wide spread
def test_the_state_of_a_part(samples, kind, printed, expected):
    printed_words = "lower" if printed is None else printed
    claim = Claim("causal_lm.6", "Figure 2", "A is below B.", {"value": printed_words, "read": "figure"}, "ordering",
                  "ratio", ("all",), {"below": 1.0}, scale="log", kind=kind)
    assert states(claim, {"all": samples}) == {"all": expected}


@pytest.mark.parametrize("value, bound, expected", [
    (1.0, 1.0, "undecided"),
    (-8.9e-17, 0.0, "undecided"), (-1e-11, 0.0, "yes"), (1 - 1e-12, 1.0, "undecided"), (1 - 1e-8, 1.0, "yes"),
    (1 + 1e-12, 1.0, "undecided"), (1e-11, 0.0, "no")])
def test_a_number_that_differs_from_a_bound_by_rounding_lies_on_it(value, bound, expected):
    assert direction([value], (-math.inf, bound), strict=True) == expected
    assert direction([value], (-math.inf, bound)) == {"undecided": "yes"}.get(expected, expected)


# ---- the parts of a claim together ------------------------------------------------------------


def holm(p_values, error):
    """Which hypotheses the procedure of Holm (1979) rejects, from its own description."""
    order, rejected = np.argsort(p_values), set()
    for step, place in enumerate(order):
        if p_values[place] > error / (len(p_values) - step):
            break
        rejected.add(place)
    return rejected


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("error", [0.05, 0.025])
def test_parts_share_an_error_as_by_holm(seed, error):
    draw = np.random.default_rng(seed)
    samples = [draw.normal(shift, 1, size=5) for shift in (-2, -1.4, -1, 0, 1, 1.5, 2.5)]
    p_values = [stats.ttest_1samp(own, 0).pvalue for own in samples]
    asked = {part: lambda at, own=own: direction(own, (-math.inf, 0.0), strict=True, error=at)
             for part, own in enumerate(samples)}
    found = states_by_holm(asked, error)
    assert {part for part, says in found.items() if says != "undecided"} == holm(p_values, error)
    assert all(says == ("yes" if samples[part].mean() < 0 else "no")
               for part, says in found.items() if says != "undecided")


@pytest.mark.parametrize("printed, inside, outside", [(0.9, 0.852, 0.848), (0.9, 0.948, 0.952), (0.0, -0.048, -0.052),
                                                      (2e-5, 2.48e-5, 2.52e-5), (119.4, 119.352, 119.348)])
def test_a_printed_number_that_rounds_into_the_interval_is_not_excluded(printed, inside, outside):
    excluded = lambda value: size([value, value * (1 + 1e-6), value * (1 - 1e-6)], printed).excluded
    assert not excluded(inside) and excluded(outside)


@pytest.mark.parametrize("reach, out_of_reach, half", [(None, False, True), (0.1, False, True), (0.3, True, True),
                                                       (0.5, True, False)])
def test_a_printed_number_beyond_reach_is_not_excluded(reach, out_of_reach, half):
    found = size(NEAR_1, 0.187, "log", null=1.0, reach=reach)  # half of it is 0.43
    assert (found.out_of_reach, found.excluded, found.half_excluded) == (out_of_reach, not out_of_reach, half)
    upside_down = size(1 / np.array(NEAR_1), 1 / 0.187, "log", 1.0, reach and 1 / reach)
    assert (upside_down.out_of_reach, upside_down.half_excluded) == (out_of_reach, half)


def test_the_size_of_a_printed_ratio():
    found = size(NEAR_1, 0.187, "log", null=1.0)
    logs = np.log(NEAR_1)
    half = stats.t.ppf(0.975, 4) * logs.std(ddof=1) * (6 / 5) ** 0.5
    assert (found.low, found.high) == pytest.approx(np.exp([logs.mean() - half, logs.mean() + half]))
    assert found.excluded and found.half_excluded
    assert not size(NEAR_1, 1.03, "log", null=1.0).excluded
    assert size(NEAR_1, 1.03, "log", null=1.0).half_excluded is False


@pytest.mark.parametrize("printed, null, scale, expected", [
    (4.0, 1.0, "log", True), (4.0, 1.0, "linear", True),  # half is 2, or 2.5: all lie below
    (1.44, 1.0, "log", False), (0.25, 1.0, "log", True),  # 1.2 is inside; nothing is below 1
    (1.0, 1.0, "log", None), (4.0, None, "log", None),
    (2.6, 0.0, "linear", False), (2.7, 0.0, "linear", True), (-3.0, 0.0, "linear", True)])
def test_half_a_printed_effect(printed, null, scale, expected):
    samples = [1.15, 1.2, 1.25]  # 1.08 to 1.32
    assert size(samples, printed, scale, null).half_excluded is expected


@pytest.mark.parametrize("samples, printed, scale", [
    ([1.0, 1.1], 2.0, "log"), (NEAR_1, 0.0, "log"), (NEAR_1, 0.5, "share"),
    ([1.0, 1.1, math.nan], 2.0, "log"), ([0.0, 1.1, 1.2], 2.0, "log")])
def test_where_no_size_is_told(samples, printed, scale):
    assert size(samples, printed, scale, 1.0) is None


# ---- pairs of seeds -------------------------------------------------------------------------


@pytest.mark.parametrize("pairs", [1, 10, 50])
def test_the_interval_of_a_share_is_that_of_clopper_and_pearson(pairs):
    for better in range(pairs + 1):
        exact = stats.binomtest(better, pairs).proportion_ci(0.95, "exact")
        assert share_of_pairs(better, pairs) == pytest.approx((better / pairs, *exact))


def test_a_tie_is_half_a_pair():
    lower, tie, upper = (share_of_pairs(better, 12) for better in (7, 7.5, 8))
    assert all(low < middle < high for low, middle, high in zip(lower, tie, upper))


@pytest.mark.parametrize("pairs", [5, 9, 10, 20, 50, 200])  # with 200, a lead of less than three in four
def test_a_lead_by_brute_force(pairs):
    grid = np.linspace(0, 1, 2001)
    for better in range(pairs + 1):
        kept = grid[(stats.binom.sf(better - 1, pairs, grid) > 0.025)
                    & (stats.binom.cdf(better, pairs, grid) > 0.025)]
        low, high = kept.min(), kept.max()
        told = lead(better, pairs)
        assert (told == "yes") == (pairs >= 10 and low > 0.5 and high > 0.75)
        assert told == {"yes": "no", "no": "yes"}.get(lead(pairs - better, pairs), told)
        assert (told == "no difference") == (pairs >= 10 and low > 0.25 and high < 0.75)
        assert (lead(better, pairs, denied=True) == "yes") == (pairs >= 10 and high < 0.75)
        assert (lead(better, pairs, denied=True) == "no") == (told == "yes")


# ---- claims ---------------------------------------------------------------------------------

# Every set of states of parts, by letters: y, n, d for no difference, u, t for not tested.
WORDS = {"y": "holds", "n": "fails", "d": "no difference", "u": "undecided", "t": "not tested",
         "yn": "mixed", "yd": "mixed", "yu": "holds in part", "yt": "holds in part",
         "nd": "fails in part", "nu": "fails in part", "nt": "fails in part",
         "du": "no difference in part", "dt": "no difference in part", "ut": "undecided",
         "ynd": "mixed", "ynu": "mixed", "ynt": "mixed", "ydu": "mixed", "ydt": "mixed",
         "yut": "holds in part", "ndu": "fails in part", "ndt": "fails in part",
         "nut": "fails in part", "dut": "no difference in part", "yndu": "mixed", "yndt": "mixed",
         "ynut": "mixed", "ydut": "mixed", "ndut": "fails in part", "yndut": "mixed"}
LETTERS = dict(zip("yndut", STATES))


def test_a_verdict_depends_on_which_states_there_are_alone():
    for count in range(1, 6):
        for states in itertools.product("yndut", repeat=count):
            alone = "".join(letter for letter in "yndut" if letter in states)
            assert verdict_of(LETTERS[letter] for letter in states) == WORDS[alone]
    assert set(WORDS.values()) == set(VERDICTS)


@pytest.mark.parametrize("states, words", [
    ("yyuty", "holds in 3 of 5"), ("nuu", "fails in 1 of 3"), ("nnd", "fails in 2 of 3"),
    ("ddut", "no difference in 2 of 4"), ("yyn", "mixed"), ("ydd", "mixed"), ("yy", "holds"),
    ("tt", "not tested"), ("ut", "undecided")])
def test_words_tell_how_many_parts_say_so(states, words):
    assert words_of(LETTERS[letter] for letter in states) == words
