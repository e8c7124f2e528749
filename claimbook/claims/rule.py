"""The rule of verdicts as pure functions of numbers; book/verdicts.md explains it."""

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from functools import partial

import numpy as np
from scipy.special import betaincinv, stdtrit

from claimbook.records.checks import (
    MEASURED, boolean, finite, fraction, integer, numbers, one_of, shaped, tuple_of)
from claimbook.records.errors import InputError

# log: for ratios, so that the inverse ratio gets the same verdict; share: linear, between 0 and 1
SCALES = ("linear", "log", "share")
STATES = ("yes", "no", "no difference", "undecided", "not tested")  # of a part
VERDICTS = ("holds", "holds in part", "mixed", "fails in part", "fails", "no difference in part",
            "no difference", "undecided", "not tested")  # of a claim
# A verdict in a reader's words. Who claims a lead is told no where there is no difference.
FOR_READERS = {"holds": "yes", "holds in part": "partly", "mixed": "partly", "fails in part": "no", "fails": "no",
               "no difference in part": "no", "no difference": "no", "undecided": "can't tell",
               "not tested": "not tested"}
# Kind of statistic -> the factor up to which a ratio counts as no difference: 1.25 is the book's margin
# for "as good as", 1.1 for a "matching" error rate and for a gain that counts as none.
MARGINS = {"ratio of errors": 1.25, "ratio of rates": 1.1, "no loss": 1.1}
ERROR = 0.05  # of a yes or a no that is false, shared by the parts of a claim
ROUNDING = 1e-9, 1e-12  # a number nearer to a bound, as a share of it or to a bound of 0, lies on it
FEWEST_SEEDS = 3  # for a spread
FEWEST_PAIRS = 10  # of seeds, for a share; ours
LEAD = 0.75  # share of pairs from which on a model is better (Bouthillier et al., 2021)


def interval(samples, scale: str = "linear", level: float = 0.95) -> tuple[float, float, float]:
    """Mean and t interval over seeds; a single sample is its own interval.

    scale: "log" for the geometric mean and the interval of the logarithms, of positive samples.
    Raises InputError for no samples, for an array of other than one axis, and for an unknown scale.
    """
    return _t_interval(samples, scale, level, lambda count: count**-0.5)


def prediction_interval(samples, scale: str = "linear") -> tuple[float, float, float]:
    """Mean and 95% interval of one more seed, mean +- t s sqrt(1 + 1/n) (Patil, Peng & Leek, 2016)."""
    return _t_interval(samples, scale, 0.95, lambda count: (1 + 1 / count) ** 0.5)


def _t_interval(samples, scale, level, width) -> tuple[float, float, float]:
    """Mean +- t s width(n), with n - 1 degrees of freedom."""
    numbers(MEASURED, samples=samples)
    fraction(level=level)
    one_of(SCALES, scale=scale)
    samples = np.asarray(samples, dtype=float)
    if samples.ndim != 1:
        raise InputError(f"samples: expected one axis, of seeds, got shape {samples.shape}")
    with np.errstate(divide="ignore", invalid="ignore"):  # a seed diverged: the interval is nan
        if scale == "log":
            return tuple(float(end) for end in np.exp(_t_interval(np.log(samples), "linear", level, width)))
        mean, count = float(samples.mean()), len(samples)
        if count == 1:
            return mean, mean, mean
        half = float(stdtrit(count - 1, (1 + level) / 2) * samples.std(ddof=1) * width(count))
    return mean, mean - half, mean + half


# ---- a part ---------------------------------------------------------------------------------


def direction(samples, region, scale: str = "linear", strict: bool = False, error: float = ERROR) -> str:
    """Where the interval over seeds lies: "yes" inside the region, "no" outside; "undecided" across its
    border, and if a seed diverged. strict: the ends do not belong to it. error: of an interval that misses
    the mean."""
    shaped((2,), "numbers", region=region)
    boolean(strict=strict)
    found, (bottom, top) = interval(samples, scale, 1 - error), region
    if not np.isfinite(found).all():
        return "undecided"
    low, high = (on_bound(end, region) for end in found[1:])
    on_border = strict and not {low, high}.isdisjoint(region)
    if bottom <= low and high <= top and not on_border:
        return "yes"
    return "no" if high < bottom or low > top else "undecided"


def on_bound(value: float, bounds) -> float:
    """The bound that a number lies on but for rounding, or the number itself."""
    share, at_zero = ROUNDING
    near = lambda bound: abs(value - bound) <= (share * abs(bound) or at_zero)
    return next((bound for bound in bounds if np.isfinite(bound) and near(bound)), value)


def absent(samples, kind: str, printed: float, error: float = ERROR) -> bool:
    """Whether seeds exclude every difference beyond the margin of their kind, if the printed number, a
    ratio, is such a difference: two one-sided tests at `error` each, that is, the 90% interval of the
    logarithms within the margin (Schuirmann 1987; Lakens 2017). Raises InputError for an unknown kind."""
    interval(samples, level=1 - 2 * error)  # tells of samples that are none
    margin = margin_of(kind, printed)
    if margin is None or len(samples) < FEWEST_SEEDS:
        return False
    _, low, high = interval(samples, "log", level=1 - 2 * error)
    return 1 / margin < low and high < margin  # false of nan


def margin_of(kind: str | None, printed: float | None) -> float | None:
    """The factor within which a ratio of this kind is no difference; None without a kind or a printed number,
    or if that is itself no difference. Raises InputError for an unknown kind."""
    if kind is None or printed is None:
        return None
    one_of(tuple(MARGINS), kind=kind)
    finite(printed=printed)
    return None if 1 / MARGINS[kind] <= printed <= MARGINS[kind] else MARGINS[kind]


def states_by_holm(asked: dict, error: float = ERROR) -> dict:
    """The states of a claim's parts, which share an error (Holm, 1979): {part: state}.

    asked: {part: what gives its state at an error}. Of k undecided parts each is asked at error / k, as long
    as one of them answers; so a false answer of any has at most this error.
    """
    found = dict.fromkeys(asked, "undecided")
    while left := [part for part, own in found.items() if own == "undecided"]:
        answers = {part: asked[part](error / len(left)) for part in left}
        if set(answers.values()) == {"undecided"}:
            break
        found |= answers
    return found


@dataclass(frozen=True)
class Size:
    """How far a printed number is from what models like ours give."""

    printed: float
    low: float  #: of the 95% prediction interval of one more model
    high: float
    half_excluded: bool | None  #: half the printed effect; None without a null or an effect
    out_of_reach: bool = False  #: barred by something else than what is compared

    @property
    def excluded(self) -> bool:
        """Whether all that rounds to the printed number lies outside, and could have been shown."""
        half = 0.5 * 10.0 ** Decimal(repr(float(self.printed))).as_tuple().exponent  # 0.05 for 0.9
        return not self.out_of_reach and (self.printed + half < self.low or self.printed - half > self.high)


def size(samples, printed: float, scale: str = "linear", null: float | None = None,
         reach: float | None = None) -> Size | None:
    """How far a printed number is from ours; None with fewer than three seeds, for shares, if a seed
    diverged, and for a printed ratio that is not positive.

    null: the number of no effect. Half the effect lies midway between it and the printed number, in
    logarithms for ratios; it is excluded if the 95% confidence interval lies on the null's side. reach: the
    number nearest to the printed one that our models could show; one beyond it is out of reach, and neither
    it nor its half excluded.
    """
    finite(printed=printed, **({} if null is None else {"null": null}))
    interval(samples, scale)
    log = scale == "log"
    if scale == "share" or len(samples) < FEWEST_SEEDS or (log and printed <= 0):
        return None
    _, low, high = prediction_interval(samples, scale)
    if not np.isfinite([low, high]).all():
        return None
    if null is None or printed == null:
        return Size(printed, low, high, None)
    beyond = lambda value: reach is not None and (value > reach if printed > null else value < reach)
    if log and null <= 0:
        raise InputError(f"null: expected a positive number for ratios, got {null}")
    half = (null * printed) ** 0.5 if log else (null + printed) / 2
    _, least, most = interval(samples, scale)
    half_excluded = not beyond(half) and (most < half if printed > null else least > half)
    return Size(printed, low, high, half_excluded, beyond(printed))


# ---- pairs of seeds -------------------------------------------------------------------------


def share_of_pairs(better: float, pairs: int, error: float = ERROR) -> tuple[float, float, float]:
    """The share of pairs in which one model is better, with its 95% interval (Clopper & Pearson, 1934), or
    one of another error. A tie is half a pair; raises InputError for more than all pairs, and for none."""
    integer(0, pairs=pairs)
    numbers(MEASURED, better=better)
    if np.ndim(better) or not pairs >= 1 or not 0 <= better <= pairs:
        raise InputError(f"better: expected from 0 to {pairs} of at least one pair, got {better}")
    low = betaincinv(better, pairs - better + 1, error / 2) if better else 0.0
    high = betaincinv(better + 1, pairs - better, 1 - error / 2) if better < pairs else 1.0
    return better / pairs, float(low), float(high)


def lead(better: float, pairs: int, error: float = ERROR, denied: bool = False) -> str:
    """Whether one model is better than its rival: "yes", "no" if the rival is, "no difference" if
    neither leads in three of four pairs; else, and with fewer than ten pairs, "undecided". denied: for a
    claim that it has no lead: "yes" if one in three of four pairs is excluded, "no" if it is better."""
    _, low, high = share_of_pairs(better, pairs, error)
    boolean(denied=denied)
    if pairs < FEWEST_PAIRS:
        return "undecided"
    if denied:
        return "yes" if high < LEAD else "no" if low > 0.5 else "undecided"
    if low > 0.5 and high > LEAD:
        return "yes"
    if high < 0.5 and low < 1 - LEAD:
        return "no"
    return "no difference" if low > 1 - LEAD and high < LEAD else "undecided"


# ---- a claim --------------------------------------------------------------------------------


def verdict_of(states) -> str:
    """One of VERDICTS from the states of all parts; raises InputError for none or an unknown one."""
    states = tuple_of(partial(one_of, STATES), "states", states)
    found, all_alike = set(states), len(set(states)) == 1
    if "yes" in found:
        if found & {"no", "no difference"}:
            return "mixed"
        return "holds" if all_alike else "holds in part"
    if "no" in found:
        return "fails" if all_alike else "fails in part"
    if "no difference" in found:
        return "no difference" if all_alike else "no difference in part"
    return "undecided" if "undecided" in found else "not tested"


def words_of(states) -> str:
    """The verdict in words: "holds in 3 of 8" in place of "holds in part"."""
    states = tuple_of(partial(one_of, STATES), "states", states)
    verdict, counts = verdict_of(states), Counter(states)
    counted = {"holds in part": "yes", "fails in part": "no", "no difference in part": "no difference"}
    if verdict not in counted:
        return verdict
    return verdict.replace("in part", f"in {counts[counted[verdict]]} of {len(states)}")
