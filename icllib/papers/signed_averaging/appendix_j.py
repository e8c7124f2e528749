"""Appendix J: every formula and bound of the analysis of scaled signed averaging, checked.

Scores and weights are the ones that the models run (icllib/attention.py); what they are compared
with is the printed formula, taken literally (icllib/theory/scoring.py).
"""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from icllib.papers.signed_averaging.bounds import BoundsByRange
from icllib.papers.signed_averaging.common import (
    extreme, jacobians, rest, value_and_slope, weights)
from icllib.papers.signed_averaging.corrections import Corrections
from icllib.results import ADDED
from icllib.theory import scoring as theory


@dataclass(frozen=True)
class AppendixJCheck:
    """The largest relative violation of each statement, on random logits and settings.

    Every row of logits has its own n, b and M and is uniform in [-M, M]; in the first ten rows
    the first logit is exactly 0.
    """

    # ASSUMED, since the statements are for any k, n >= 1, b > 0 and M: ranges around the start of
    # training, n = 1.5 and b = 1 (Appendix B), and up to the longest prompt of training, k = 40.
    counts: tuple = (2, 3, 8, 40)  # k, the numbers of logits
    rows: int = 500  # for each k
    n: tuple = (1.0, 2.5)  # uniform
    b: tuple = (0.2, 2.0)  # uniform in the logarithm
    bound: tuple = (0.1, 4.0)  # M, uniform in the logarithm
    seed: int = 0
    factor: float = field(default=1.0, metadata=ADDED)  # on what is printed; 0.99 is a control
    version: ClassVar[int] = 2

    def __post_init__(self):
        for name in ("counts", "n", "b", "bound"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

    def measure(self) -> dict:
        """Violations by the names of the two claims' parts, each the largest over all rows."""
        random = np.random.default_rng(self.seed)
        found = [self.violations(random, k) for k in self.counts]
        return {part: max(each[part] for each in found) for part in found[0]}

    def violations(self, random, k: int) -> dict:
        """The largest violations over rows of k logits."""
        n, b, bound = (random.uniform(*limits, (self.rows, 1))
                       for limits in (self.n, np.log(self.b), np.log(self.bound)))
        b, bound = np.exp(b), np.exp(bound)
        z = bound * random.uniform(-1, 1, (self.rows, k))
        z[:10, 0] = 0
        values, slopes = value_and_slope(z, n, b)
        against = Printed(self.factor)
        return {
            "J.1 growth": growth(against, z, values, n, b),
            "J.2 derivative": against.apart(values * slopes, theory.derivative(z, n, b)),
            "J.2 effective slope": against.apart(slopes, theory.effective_slope(z, n, b)),
            "J.3 ratio": ratio(against, -np.sort(-np.abs(z)), n, b),
            "J.4 Lipschitz constant": lipschitz(against, z, values, slopes, n, b, bound),
            "J.5 Jacobian": jacobian(against, z, values, slopes, n, b, bound),
            "J.6 Theorem 1": theorem_1(against, z, (n, b), (1 + b * bound) ** n, bound),
            # ours:
            "J.3 entropy bounds": entropy_bounds(against, weights(z, n, b), k),
            "J.5 Jacobian bounds": jacobian_bounds(against, z, n, b),
            "J.6 Theorem 1 of softmax": theorem_1(against, z, (None, None), np.exp(bound),
                                                  bound)}


# ---- one statement each: its largest relative violation ---------------------------------------


def growth(against, z, values, n, b) -> float:
    """J.1: the piecewise form, and (b abs(x))^(+-n) far out, at b abs(x) = 10^13."""
    far = np.array([1e13, -1e13]) / b
    power_law = np.abs(b * far) ** (np.sign(far) * n)
    return max(against.apart(values, theory.power(z, n, b)),
               against.apart(value_and_slope(far, n, b)[0], power_law))


def ratio(against, z, n, b) -> float:
    """J.3: the ratio of the two largest weights of non-negative logits, in both printed forms."""
    alpha = weights(z, n, b)
    first, second = z[:, :1], z[:, 1:2]
    forms = ((1 + b * first) / (1 + b * second), 1 + b * (first - second) / (1 + b * second))
    return max(against.apart(alpha[:, :1] / alpha[:, 1:2], form**n) for form in forms)


def entropy_bounds(against, alpha, k: int) -> float:
    """J.3: -log(largest weight) <= H <= the printed expression."""
    top, entropy = alpha.max(-1), theory.entropy(alpha)
    return max(against.excess(entropy, theory.largest_entropy(top, k)),
               against.excess(-np.log(top), entropy))


def lipschitz(against, z, values, slopes, n, b, bound) -> float:
    """J.4: slopes and secants stay below L(M), and the slope at M is L(M)."""
    constant = n * b * (1 + b * bound) ** (n - 1)
    secants = np.abs(np.diff(values)) / np.abs(np.diff(z))
    value, slope = value_and_slope(bound, n, b)
    return max(against.excess(values * slopes, constant), against.excess(secants, constant),
               against.apart(value * slope, constant))


def jacobian(against, z, values, slopes, n, b, bound) -> float:
    """J.5: the formula, and the printed ranges of f and f'."""
    derived = jacobians(z, n, b)
    printed = against.factor * theory.jacobian(values, values * slopes)
    scale = np.abs(printed).max((1, 2))
    top = (1 + b * bound) ** n
    return max(float((np.abs(derived - printed).max((1, 2)) / scale).max()),
               against.excess(values, top), against.excess(1 / values, top),
               against.excess(values * slopes, n * b * (1 + b * bound) ** (n - 1)))


def jacobian_bounds(against, z, n, b) -> float:
    """Ours: entries up to nb/4 and norms up to nb/2 with SSA, 1/4 and 1/2 with softmax."""
    return max(jacobian_excess(against, jacobians(z, n, b), (n * b)[:, 0]),
               jacobian_excess(against, jacobians(z, None, None), 1))


def jacobian_excess(against, matrices, slope) -> float:
    """How far entries exceed slope / 4, or spectral norms slope / 2."""
    return max(against.excess(np.abs(matrices).max((1, 2)), slope / 4),
               against.excess(np.linalg.norm(matrices, 2, (1, 2)), slope / 2))


def theorem_1(against, z, setting, top, bound) -> float:
    """J.6: every row leaves at least epsilon beside its top weight; (M, -M, ..., -M) exactly.

    setting: n and b; top: the largest f on [-M, M].
    """
    k = z.shape[1]
    least = theory.smallest_rest(top, 1 / top, k)[:, 0]
    return max(against.excess(least, rest(weights(z, *setting))),
               against.apart(rest(weights(extreme(bound, k), *setting)), least))


# ---- helpers ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Printed:
    """What numbers are held against: the printed ones times a factor, which is 1."""

    factor: float = 1.0

    def apart(self, ours, expected) -> float:
        """The largest relative difference."""
        return float(np.abs(ours / (self.factor * expected) - 1).max())

    def excess(self, value, bound) -> float:
        """The largest relative amount by which a bound is exceeded; 0 where it never is."""
        return float(np.max(value / (self.factor * bound) - 1).clip(0))


def appendix_j_theory(profile: str) -> list:
    """The check of every statement, and its control; the curves for SSA and softmax, and the
    numbers that decide."""
    return [AppendixJCheck(), AppendixJCheck(factor=0.99), BoundsByRange(1.5, 1.0),
            BoundsByRange(None, None), Corrections()]
