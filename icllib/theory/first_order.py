"""The learning dynamics of linear self-attention to first order in 1 / (context length).

"A solvable attention for neural scaling laws", Appendix J; the equation numbers are that paper's.
f = f0 + f1 / psi, where f0 is the closed form of `riccati` and the query's own feature, which
adds 1 / psi to H0 at one place (Eq. 7), makes f1. Coordinates, strength Lambda, g and h as there.
"""

import numpy as np

from claimbook.records.checks import numbers, shaped, together
from icllib.theory import denominators, divide, riccati


def first_order(t, v, w, psi, strength, share):
    """f0(t) and f1(t) from any start v, w (..., 2); t, psi, strength and share broadcast with it.

    The perturbation series of Eq. 10 along the time tau with tau' = share (f - Lambda), in which
    f is a sum of exponentials; its integral over tau is elementary, because the integral of
    1 / (f0 - Lambda) is t. In u = (1, Lambda) / sqrt(M) and n = (-Lambda, 1) / sqrt(M), M =
    1 + Lambda^2, and with the q = exp(-2 psi M tau) = y / x of `denominators`,

    f1 = (A q + B + C / q - (g0 + h0 / q^2) (growth K / 2x + (kappa + 1 / M) a t D / 2)) / 4M.

    Raises InputError for psi below 1, and for negative t or share.
    """
    shaped((..., 2), v=v, w=w)
    numbers("numbers of at least 0", t=t, share=share)
    numbers("numbers of at least 1", psi=psi)
    v, w = np.asarray(v), np.asarray(w)
    together(t=t, v=v[..., 0], w=w[..., 0], psi=psi, strength=strength, share=share)
    t, psi, strength, share = (np.asarray(value, float) for value in (t, psi, strength, share))
    m = 1 + strength**2
    root = np.sqrt(m)
    (along, across), (along_rho, across_rho) = (  # along (1, Lambda) and across it
        ((u[..., 0] + strength * u[..., 1]) / root, (u[..., 1] - strength * u[..., 0]) / root)
        for u in (v + w, v - w))
    g0, h0, rate = psi * m * along**2, psi * m * along_rho**2, share * psi * m
    g, h, f0 = riccati.closed_form(t, g0, h0, strength, rate)
    t, psi, g0, h0, strength, rate = np.broadcast_arrays(t, psi, g0, h0, strength, rate)
    decay, growth, x, y = denominators(t, g0, h0, strength, rate)
    a = g0 / m - 2 * psi * strength * along * across
    b = psi * strength**2 * (across**2 - across_rho**2)
    c = -h0 / m + 2 * psi * strength * along_rho * across_rho
    square = 8 * strength**2 + 2 * g0 * h0
    kappa = np.where(square > 0, a * h0 - 2 * strength * b - c * g0, 1) / np.where(
        square > 0, square, 1)  # 1 is the limit: square = 0 needs Lambda = 0
    slope = a + b / 2 + (2 * strength - g0) * kappa  # K = slope q + rest
    rest = c + b / 2 + (2 * strength + h0) * kappa
    g0_x, h0_y = divide(g0, x), divide(h0, y)
    mean = growth / 2 * (slope * (divide(g, x) + h0_y) + rest * (g0_x + divide(h, y)))
    lag = (g0 - 4 * strength - h0) * decay * (divide(g0_x, x) + divide(h0_y, y))
    q, inverse = divide(np.where(g0 > 0, y, 0), x), divide(np.where(h0 > 0, x, 0), y)
    now = a * q + b + c * inverse  # a = 0 where g0 = 0, c = 0 where h0 = 0
    return f0, (now - mean - (kappa + 1 / m) * rate * t / 2 * lag) / (4 * m)
