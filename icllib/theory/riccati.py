"""Closed-form learning dynamics of linear self-attention.

"A solvable attention for neural scaling laws", Section 3 and Theorem 3.1; the equation numbers
are that paper's. For one task: eta = v + w, rho = v - w, g = psi eta.H0.eta, h = psi rho.H0.rho,
f = (g - h) / 4, strength Lambda, and rate a = (share of the task) psi (1 + Lambda^2).
"""

import numpy as np

from claimbook.records.checks import (
    above_one, broadcast, check, count, finite, fits, integer, not_negative, numbers, shaped, together, tuple_of)
from claimbook.records.errors import InputError
from icllib.theory import denominators, divide


def zeroth_order_matrix(strength):
    """H0 of Eq. 7 on the two coordinates that it moves: ((1, L), (L, L^2)), (..., 2, 2)."""
    numbers(strength=strength)
    strength = np.asarray(strength, dtype=float)
    direction = np.stack((np.ones_like(strength), strength), -1)
    return direction[..., :, None] * direction[..., None, :]


def quadratic_forms(v, w, psi, strength):
    """g and h at given v, w (..., 2), the coordinates s and N_s + 1 of v_s and w_s.

    Raises InputError unless psi > 0.
    """
    shaped((..., 2), v=v, w=w)
    numbers("positive numbers", psi=psi)
    v, w = np.asarray(v), np.asarray(w)
    _, _, psi, _ = together(v=v[..., 0], w=w[..., 0], psi=psi, strength=strength)
    matrix = zeroth_order_matrix(strength)
    form = lambda u: psi * np.einsum("...i,...ij,...j->...", u, matrix, u)
    return form(v + w), form(v - w)


def closed_form(t, g0, h0, strength, rate):
    """g(t), h(t) and f(t) of Theorem 3.1, for any start; arrays broadcast against t.

    Holds for starts and strengths whose squares are ordinary numbers (up to 1e120, say).
    Raises InputError for negative t, g0, h0 or rate.
    """
    numbers("numbers of at least 0", g0=g0, h0=h0, rate=rate)
    numbers("numbers from 0 to infinity", t=t)
    numbers(strength=strength)
    t, g0, h0, strength, rate = broadcast(t=t, g0=g0, h0=h0, strength=strength, rate=rate)
    _, _, below_g, below_h = denominators(t, g0, h0, strength, rate)
    g, h = divide(g0 * below_h, below_g), divide(h0 * below_g, below_h)
    return g, h, (g - h) / 4


def forward_euler(g0, h0, strength, rate, step: float, steps: int):
    """f after 0 to `steps` forward Euler steps of Eq. 12, all tasks at once: (steps + 1, tasks).

    g0, h0, strength and rate broadcast to (tasks,); step: of the time (Appendix G: the learning
    rate). Raises InputError for a number of steps below 0.
    """
    finite(step=step)
    integer(0, steps=steps)
    g, h, strength, rate = together(g0=g0, h0=h0, strength=strength, rate=rate)
    outputs = [(g - h) / 4]
    for _ in range(steps):
        c = g * h / 2
        g, h = (g + step * rate * (2 * strength * g - g**2 / 2 + c),
                h + step * rate * (-2 * strength * h - h**2 / 2 + c))
        outputs.append((g - h) / 4)
    return np.array(outputs)


def context_matrix(psi, strength):
    """H of Eq. 7 on the coordinates s and N_s + 1: psi H0 and the query's own feature.

    psi and strength may be arrays over tasks: (..., 2, 2). Raises InputError unless psi > 0.
    """
    numbers("positive numbers", psi=psi)
    numbers(strength=strength)
    matrix = np.asarray(psi, dtype=float)[..., None, None] * zeroth_order_matrix(strength)
    matrix[..., 0, 0] += 1
    return matrix


def integrate_flow(v0, w0, matrix, strength, shares, times):
    """Eq. 9 integrated numerically for all tasks at once: v and w, (len(times), tasks, 2).

    Independent of the closed form: Dormand-Prince of order 8 with a relative tolerance of 1e-13.
    v0, w0: (tasks, 2); matrix: (tasks or 1, 2, 2), symmetric; shares: (tasks,). Raises InputError
    for times that are negative or fall.
    """
    from scipy.integrate import solve_ivp

    shaped((None, None), v0=v0)
    tasks, size = np.shape(v0)
    shaped((tasks, size), w0=w0)
    shaped((..., size, size), matrix=matrix)
    fits((tasks, size, size), matrix=matrix)
    fits((tasks,), strength=strength)
    fits((tasks,), "numbers of at least 0", shares=shares)
    shaped((None,), "numbers of at least 0", times=times)
    if np.any(np.diff(times) <= 0) or times[-1] == 0:
        raise InputError(f"times: expected numbers that rise to one above 0, got {times!r:.200}")
    v0, w0, matrix, shares, strength = map(np.asarray, (v0, w0, matrix, shares, strength))

    def flow(_, state):
        v, w = state.reshape(2, *v0.shape)
        hv, hw = (v[:, None] @ matrix)[:, 0], (w[:, None] @ matrix)[:, 0]
        pull = -shares * ((v * hw).sum(-1) - strength)
        return np.stack((pull[:, None] * hw, pull[:, None] * hv)).ravel()

    start = np.stack((v0, w0)).ravel()
    # A small first step: the solver's own guess overflows on fast modes.
    solution = solve_ivp(flow, (0, times[-1]), start, method="DOP853", t_eval=times,
                         rtol=1e-13, atol=1e-14, first_step=1e-6 * times[-1])
    return solution.y.T.reshape(len(times), 2, *v0.shape).swapaxes(0, 1)


def flow_outputs(v0, w0, psi, strength, shares, times):
    """f_s under gradient flow on Eq. 8 at any context length: (len(times), tasks).

    Arguments and errors as in `context_matrix` and `integrate_flow`.
    """
    matrix = context_matrix(psi, strength)
    v, w = integrate_flow(v0, w0, matrix, strength, shares, times)
    return ((v[..., None, :] @ matrix)[..., 0, :] * w).sum(-1)


def task_shares(tasks: int, alpha: float):
    """P(s) = s^-alpha / sum of s^-alpha, s = 1 ... tasks (Eq. 1, its constant corrected).

    Raises InputError for no tasks or alpha <= 1.
    """
    integer(tasks=tasks)
    above_one(alpha=alpha)
    weights = np.arange(1, tasks + 1, dtype=float) ** -alpha
    return weights / weights.sum()


def context_lengths(first, beta: float, tasks: int):
    """psi_s = psi_1 s^-beta, s = 1 ... tasks (Section 2.2); real numbers, as in the paper.

    Raises InputError for psi_1 < 1, beta < 0 or tasks < 1.
    """
    check("a number of at least 1", lambda own: 1 <= own < np.inf, psi_1=first)
    return _power_law("beta", first, beta, tasks)


def strengths(first, gamma: float, tasks: int):
    """Lambda_s = Lambda_1 s^-gamma, s = 1 ... tasks (Section 2.2).

    Raises InputError for gamma < 0 or tasks < 1.
    """
    return _power_law("gamma", first, gamma, tasks)


def _power_law(name, first, exponent, tasks):
    integer(tasks=tasks)
    not_negative(**{name: exponent})
    finite(first=first)
    return first * np.arange(1, tasks + 1, dtype=float) ** -exponent


def half_times(start, strength, rate):
    """When a task with v = w is half learned: f = Lambda / 2 in Eq. 14.

    At ln(Lambda / f0 - 1) / (2 a Lambda); arrays broadcast. Raises InputError unless 0 < f0 <= Lambda / 2.
    """
    numbers(f0=start, strength=strength, rate=rate)
    start, strength, rate = (np.asarray(value, dtype=float) for value in (start, strength, rate))
    if np.any(start <= 0) or np.any(2 * start > strength):
        raise InputError("f0: expected above 0 and at most Lambda / 2, "
                         f"got {start.min():g} to {start.max():g}")
    ratio = strength / start
    return np.log(ratio - 1) / (2 * rate * strength)


def loss(shares, outputs, strength):
    """Eq. 8, or Eq. 15 with shares P(s), with the tasks on the last axis: (..., tasks) -> (...)."""
    shares, outputs, strength = together(shares=shares, outputs=outputs, strength=strength)
    shaped((..., None), outputs=outputs)
    return 0.5 * (shares * (outputs - strength) ** 2).sum(-1)


def gradient_descent_outputs(v0, w0, psi, strength, shares, learning_rate, steps, kept=None):
    """f_s during gradient descent on Eq. 8, all tasks at once: (steps + 1, tasks), or (len(kept), tasks).

    v0, w0: (tasks, 2), the two coordinates that H_s couples; the others never move. psi, strength,
    shares: (tasks,) or one for all. kept: the steps to return, in order; all by default. Raises
    InputError for steps below 0 and what `context_matrix` refuses.
    """
    shaped((None, 2), v0=v0, w0=w0)
    finite(learning_rate=learning_rate)
    integer(0, steps=steps)
    if kept is not None:
        tuple_of(count, "kept", kept)
    v0, w0 = np.asarray(v0), np.asarray(w0)
    tasks = together(v0=v0[:, 0], w0=w0[:, 0], psi=psi, strength=strength, shares=shares)[0].shape
    if len(tasks) > 1:
        raise InputError(f"psi, strength, shares: expected (tasks,) or one for all, got {tasks}")
    strength, shares = np.asarray(strength), np.asarray(shares)
    matrix = context_matrix(psi, strength)
    diagonal, coupling = matrix[..., (0, 1), (0, 1)].T, matrix[..., 0, 1]
    if diagonal.ndim == 1:
        diagonal = diagonal[:, None]
    v, w = v0.T, w0.T
    outputs = []
    for step in range(steps + 1):
        hv, hw = diagonal * v + coupling * v[::-1], diagonal * w + coupling * w[::-1]
        f = (v * hw).sum(0)
        if kept is None or step in kept:
            outputs.append(f)
        pull = learning_rate * shares * (f - strength)
        v, w = v - pull * hw, w - pull * hv
    return np.array(outputs)
