"""Losses of multitask sparse feature regression when one resource is short, and their exponents.

"A solvable attention for neural scaling laws", Section 4; every task has the same context length
and strength. A task that the model has no room for answers 0; one without data keeps its start.
"""

import numpy as np
from scipy import stats

from icllib.errors import InputError
from icllib.theory import riccati


def size_losses(shares, strength, sizes):
    """Loss of a model with room for the D most frequent tasks, all learned: (len(sizes),).

    Errata of Eqs. 63, 64: the tasks beyond D answer 0, not f(0).
    """
    missing = 1 - np.concatenate(([0.0], np.cumsum(shares)))
    return 0.5 * strength**2 * missing[np.asarray(sizes)]


def data_losses(shares, strength, start, counts):
    """Expected loss after infinite training on N random data points: (len(counts),).

    A task is learned if it occurs at all, and answers `start` = f(0) otherwise.
    """
    unseen = np.exp(np.asarray(counts, dtype=float)[:, None] * np.log1p(-shares))
    return 0.5 * (start - strength) ** 2 * (unseen * shares).sum(-1)


def time_losses(shares, strength, psi, g0, h0, times):
    """Loss of the closed form with all tasks and infinite data: (len(times),)."""
    rate = shares * psi * (1 + strength**2)
    outputs = (riccati.closed_form(t, g0, h0, strength, rate)[2] for t in times)
    return np.array([riccati.loss(shares, f, strength) for f in outputs])


def compute_losses(shares, strength, psi, g0, h0, sizes, budgets):
    """Loss at size D and time t = C / D, for every D and C: (len(sizes), len(budgets))."""
    beyond = size_losses(shares, strength, sizes)
    return np.array([
        time_losses(shares[:size], strength, psi, g0, h0, np.asarray(budgets) / size) + rest
        for size, rest in zip(sizes, beyond)])


def fit_exponent(xs, ys) -> tuple[float, float]:
    """Slope of log y against log x, and the half width of its 95% interval.

    Raises InputError for fewer than three points or values that are not positive.
    """
    xs, ys = np.asarray(xs, dtype=float), np.asarray(ys, dtype=float)
    if len(xs) < 3 or min(xs.min(), ys.min()) <= 0:
        raise InputError(f"fit_exponent: expected at least 3 positive points, got {len(xs)}")
    fit = stats.linregress(np.log(xs), np.log(ys))
    return fit.slope, stats.t.ppf(0.975, len(xs) - 2) * fit.stderr
