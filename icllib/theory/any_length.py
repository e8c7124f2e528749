"""The exact solution of the learning dynamics at any context length, as a time for every output.

"A solvable attention for neural scaling laws", Eqs. 9 and 10, without Assumption 3.1. In the time
tau with d tau / dt = c (f - Lambda), c the share of the task, eta = e^{-H tau} eta(0) and rho =
e^{H tau} rho(0), so that f(tau) = sum of h_i (eta_i^2 e^{-2 h_i tau} - rho_i^2 e^{2 h_i tau}) / 4 over
the eigenvalues h_i of H falls in tau. With u = log (f(0) - Lambda) / (f - Lambda), dt = -du / (c f').
"""

import numpy as np
import scipy

from claimbook.records.checks import check, finite, positive, shaped
from claimbook.records.errors import InputError
from icllib.theory.riccati import context_matrix

LONGEST = 400  # time constants of the slower mode, after which f no longer changes


def time_to_reach(output, v0, w0, psi, strength, share) -> float:
    """When f, on its way from f(0) to Lambda, has this value.

    v0, w0: (2,), the two coordinates that H_s couples. Raises InputError for psi < 1, and for an
    output that is not between f(0) and Lambda or, as from v0 = w0 where Lambda < 0, never reached.
    """
    finite(output=output, strength=strength)
    check("a number of at least 1", lambda own: 1 <= own < np.inf, psi=psi)
    positive(share=share)
    shaped((2,), v0=v0, w0=w0)
    v0, w0 = np.asarray(v0), np.asarray(w0)
    rates, basis = np.linalg.eigh(context_matrix(psi, strength))
    eta, rho = basis.T @ (v0 + w0), basis.T @ (v0 - w0)
    rising = lambda tau: np.square(rho) * np.exp(2 * rates * tau)
    falling = lambda tau: np.square(eta) * np.exp(-2 * rates * tau)
    f = lambda tau: (rates * (falling(tau) - rising(tau))).sum() / 4
    slope = lambda tau: (rates**2 * (falling(tau) + rising(tau))).sum() / 2  # -f'
    left, reached = (f(0) - strength, output - strength)
    if reached * left <= 0 or abs(reached) > abs(left):
        raise InputError(f"output: expected a value between {f(0):g} and {strength:g}, got {output:g}")
    end = (1 if left > 0 else -1) / rates.max()  # on the side of Lambda
    with np.errstate(over="ignore", invalid="ignore"):
        while (ahead := (f(end) - output) * left) > 0 and abs(end) * rates.min() < LONGEST:
            end *= 2
    if not ahead <= 0:
        raise InputError(f"output: expected a value that f reaches from this start, got {output:g}")
    tau = lambda u: scipy.optimize.brentq(
        lambda at: f(at) - strength - left * np.exp(-u), 0, end, xtol=1e-15, rtol=1e-14
    ) if u > 0 else 0.0
    time, _ = scipy.integrate.quad(lambda u: 1 / slope(tau(u)), 0, np.log(left / reached),
                                   epsabs=0, epsrel=1e-11)
    return time / share
