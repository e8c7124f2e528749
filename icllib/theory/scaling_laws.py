"""Losses of multitask sparse feature regression when one resource is short, and their exponents.

"A solvable attention for neural scaling laws", Section 4. `strength`, `psi` and `start` are one
number for all tasks or an array over tasks, most frequent first, as the shares are. A task that the
model has no room for answers 0; one without data keeps its start. Sizes are numbers of tasks; the
paper's D, whose model cannot learn tasks s >= D (Eqs. 63, 64), is one more.
"""

import numpy as np
import scipy
from scipy import special

from claimbook.records.checks import above_one, boolean, fits, not_negative, numbers, shaped
from claimbook.records.errors import InputError
from icllib.theory import riccati


def theory_exponents(alpha: float, beta: float = 0, gamma: float = 0,
                     large_strength: bool = False) -> dict[str, float]:
    """Exponents of the loss in size, time, data and compute (Tables 1 and 2).

    psi_s falls as s^-beta, Lambda_s as s^-gamma. large_strength: Lambda_s^2 >> 1 for all tasks,
    as Table 2 supposes in time and compute; without it Lambda_s^2 vanishes beside 1 (erratum).
    Raises InputError for alpha <= 1, beta < 0 or gamma < 0.
    """
    q = time_power(alpha, beta, gamma, large_strength)
    fall = alpha + 2 * gamma - 1
    return {"size": -fall, "time": -fall / q, "data": -fall / alpha, "compute": -fall / (q + 1)}


def allocation_exponents(alpha: float, beta: float = 0, gamma: float = 0,
                         large_strength: bool = False) -> dict[str, float]:
    """The best size and time as powers of compute; Table 2 prints them exchanged (erratum).

    Arguments and errors as in `theory_exponents`.
    """
    q = time_power(alpha, beta, gamma, large_strength)
    return {"size": 1 / (q + 1), "time": q / (q + 1)}


def time_power(alpha: float, beta: float, gamma: float, large_strength: bool) -> float:
    """q of the time s^q that task s takes: 1 / (share psi_s (1 + Lambda_s^2) Lambda_s).

    Raises InputError for exponents outside the paper's ranges.
    """
    above_one(alpha=alpha)
    not_negative(beta=beta, gamma=gamma)
    boolean(large_strength=large_strength)
    return alpha + beta + (3 if large_strength else 1) * gamma


def size_losses(shares, strength, sizes, answer=0.0):
    """Loss of models that learn the `sizes` most frequent tasks, 0 to N_s: (len(sizes),).

    The paper's model of size D learns D - 1 tasks. answer: of the tasks beyond, one for all or
    (tasks,); Eqs. 63, 64 print f(0) where it is 0 (erratum). Raises InputError for a size
    that is no integer from 0 to the number of tasks.
    """
    _check_tasks(shares, strength=strength, answer=answer)
    numbers("integers of at least 0", sizes=sizes)
    if np.max(sizes) > len(shares):
        raise InputError(f"sizes: expected at most {len(shares)}, the number of tasks, got {np.max(sizes)}")
    shares, strength, answer = map(np.asarray, (shares, strength, answer))
    untouched = 0.5 * shares * np.square(strength - answer)
    beyond = np.append(np.cumsum(untouched[::-1])[::-1], 0.0)
    return beyond[np.asarray(sizes)]


def data_losses(shares, strength, start, counts):
    """Expected loss after infinite training on N random data points: (len(counts),).

    A task is learned if it occurs at all, and answers `start` = f(0) otherwise. Raises InputError
    for shares outside [0, 1].
    """
    _check_tasks(shares, strength=strength, start=start)
    shaped((None,), "numbers of at least 0", counts=counts)
    shares, strength, start = map(np.asarray, (shares, strength, start))
    unseen = np.exp(special.xlog1py(np.asarray(counts, dtype=float)[:, None], -shares))
    return 0.5 * (unseen * shares * np.square(start - strength)).sum(-1)


def time_losses(shares, strength, psi, g0, h0, times):
    """Loss of the closed form with all tasks and infinite data: (len(times),)."""
    _check_tasks(shares, strength=strength, psi=psi, g0=g0, h0=h0)
    numbers("positive numbers", psi=psi)
    shaped((None,), "numbers of at least 0", times=times)
    shares, psi = np.asarray(shares), np.asarray(psi)
    rate = shares * psi * (1 + np.square(strength))
    outputs = (riccati.closed_form(t, g0, h0, strength, rate)[2] for t in times)
    return np.array([riccati.loss(shares, f, strength) for f in outputs])


def compute_losses(shares, strength, psi, g0, h0, sizes, budgets):
    """Loss at size D and time t = C / D, for every D and C: (len(sizes), len(budgets)).

    Raises InputError for sizes below 1 and budgets that are not positive.
    """
    shaped((None,), "integers of at least 1", sizes=sizes)
    shaped((None,), "positive numbers", budgets=budgets)
    _check_tasks(shares, strength=strength, psi=psi, g0=g0, h0=h0)
    beyond = size_losses(shares, strength, sizes)
    tasks = np.broadcast_arrays(shares, strength, psi, g0, h0)
    return np.array([
        time_losses(*(values[:size] for values in tasks), np.asarray(budgets) / size) + rest
        for size, rest in zip(sizes, beyond)])


def _check_tasks(shares, **of_tasks) -> None:
    """Raises InputError if it is not a row of shares, and for what is neither one number for all of
    these tasks nor a number for each."""
    shaped((None,), "numbers from 0 to 1", shares=shares)
    fits(np.shape(shares), **of_tasks)


def fit_exponent(xs, ys, window=(0, np.inf)) -> tuple[float, float]:
    """Slope of log y against log x for x in the window, and the half width of its 95% interval.

    Points whose y is infinite do not count, such as those of an envelope where no curve reaches. Raises
    InputError for fewer than three others in the window and for values that are not positive.
    """
    shaped((None,), xs=xs)
    shaped(np.shape(xs), "numbers", ys=ys)
    shaped((2,), "numbers", window=window)
    xs, ys, (first, last) = (np.asarray(values, dtype=float) for values in (xs, ys, window))
    inside = (first <= xs) & (xs <= last) & np.isfinite(ys)
    xs, ys = xs[inside], ys[inside]
    if len(xs) < 3 or min(xs.min(), ys.min()) <= 0:
        least = min([*xs, *ys], default="none")
        raise InputError("fit_exponent: expected at least 3 positive points, "
                         f"got {len(xs)}, the least value {least}")
    fit = scipy.stats.linregress(np.log(xs), np.log(ys))
    return fit.slope, special.stdtrit(len(xs) - 2, 0.975) * fit.stderr


def laplace_ratio(alpha: float) -> float:
    """Eq. 76 over the integral of s^-alpha exp(-K s^-alpha) that it stands for, for any K.

    sqrt(2 pi) / e against Gamma(1 - 1 / alpha); the power of K is the same. Raises InputError for
    alpha <= 1, where that integral is infinite.
    """
    above_one(alpha=alpha)
    return float(np.sqrt(2 * np.pi) / np.e / special.gamma(1 - 1 / alpha))


def lower_envelope(sizes, times, losses, budgets):
    """The least loss over sizes D at compute C = D t, read off curves in time: (len(budgets),).

    losses: (len(sizes), len(times)), interpolated in log-log; a curve counts where it has C. Raises
    InputError for what is not positive, and for times that do not rise.
    """
    shaped((None,), "positive numbers", sizes=sizes, times=times, budgets=budgets)
    shaped((len(sizes), len(times)), "positive numbers", losses=losses)
    if np.any(np.diff(times) <= 0):
        raise InputError(f"times: expected numbers that rise, got {times!r:.200}")
    sizes, times, losses, budgets = map(np.asarray, (sizes, times, losses, budgets))
    at_budgets = []
    for size, curve in zip(sizes, losses):
        logs = np.interp(np.log(budgets / size), np.log(times), np.log(curve), left=np.inf, right=np.inf)
        at_budgets.append(np.exp(logs))
    return np.min(at_budgets, axis=0)
