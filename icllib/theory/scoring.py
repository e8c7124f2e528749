"""Scaled signed averaging in closed form, as literally as it is printed.

"Scaled signed averaging", Section 7 and Appendix J; f(x) = (1 + b abs(x))^(sgn(x) n) with b > 0
and n >= 1. Bounds are given as printed where they hold, and corrected where they do not. All raise
InputError for what is not positive or does not fit together.
"""

import numpy as np
from scipy.optimize import brentq
from scipy.special import entr

from claimbook.records.checks import integer, numbers, positive, shaped, together
from claimbook.records.errors import InputError


def power(x, n, b):
    """f(x) of Eq. 6, elementwise."""
    x, n, b = _broadcast(x, n, b)
    return (1 + b * np.abs(x)) ** (np.sign(x) * n)


def derivative(x, n, b):
    """f'(x) of Appendix J.2: n b (1 + b abs(x))^(sgn(x) n - 1), and n b at 0."""
    x, n, b = _broadcast(x, n, b)
    return n * b * (1 + b * np.abs(x)) ** (np.sign(x) * n - 1)


def effective_slope(x, n, b):
    """g(x) = f'(x) / f(x) = n b / (1 + b abs(x)) (Appendix J.2)."""
    x, n, b = _broadcast(x, n, b)
    return n * b / (1 + b * np.abs(x))


def _broadcast(x, n, b) -> list:
    numbers("positive numbers", n=n, b=b)
    return together(x=x, n=n, b=b)


def crossing(n: float, b: float) -> float:
    """The x > 0 where e^x overtakes f: n log(1 + b x) = x.

    Raises InputError where n b <= 1, since f stays below e^x then.
    """
    positive(n=n, b=b)
    if n * b <= 1:
        raise InputError(f"n b: expected more than 1, where f and exp cross, got {n * b:g}")
    lead = lambda x: n * np.log1p(b * x) - x
    low = high = (n * b - 1) / b  # where the lead is largest
    while lead(high) > 0:
        high *= 2
    return float(brentq(lead, low, high, xtol=1e-300, rtol=1e-14))


def jacobian(values, derivatives):
    """d alpha_i / d s_m of Appendix J.5 from f_i and f'_i (..., k): (..., k, k)."""
    shaped((..., None), "positive numbers", values=values)
    shaped(np.shape(values), derivatives=derivatives)
    values, derivatives = np.asarray(values), np.asarray(derivatives)
    total = values.sum(-1)[..., None, None]
    own = derivatives[..., None] * np.eye(values.shape[-1])
    return own / total - values[..., :, None] * derivatives[..., None, :] / total**2


def smallest_rest(top, bottom, k):
    """epsilon of Theorem 1: 1 minus the largest of k weights is at least this; f in [bottom, top]."""
    integer(k=k)
    numbers("positive numbers", top=top, bottom=bottom)
    top, bottom = together(top=top, bottom=bottom)
    return (k - 1) * bottom / (top + (k - 1) * bottom)


def entropy(weights):
    """Shannon entropy of weights (..., k)."""
    shaped((..., None), "numbers of at least 0", weights=weights)
    return entr(np.asarray(weights)).sum(-1)


def largest_entropy(top, k):
    """The greatest entropy of k weights whose largest is `top`; printed in J.3 as the least."""
    numbers("numbers from 0 to 1", top=top)
    integer(k=k)
    top = np.asarray(top, dtype=float)
    return entr(top) + (k - 1) * entr((1 - top) / max(k - 1, 1))


def smallest_entropy(top):
    """The least entropy of weights whose largest is `top`, for any number of them.

    As many weights as fit are at the top, one more takes the rest; at least -log(top).
    """
    numbers("numbers above 0 and up to 1", top=top)
    top = np.asarray(top, dtype=float)
    full = np.floor(1 / top * (1 + 1e-12))
    return full * entr(top) + entr(np.clip(1 - full * top, 0, None))
