"""Exact expected errors of one pass of Kaczmarz's method, which causal attention ends at.

The pairs are x ~ U(-1, 1)^d + mu with labels w . x + noise. A pair takes the error e of the
weights to P e, up to noise, where P = I - u u^T and u is x at length 1. So the covariance
M = E e e^T goes to E[P M P], a linear map on symmetric matrices. It commutes with permutations
of the coordinates, as the law of x does, and M starts as I. So M stays a combination of I and
the all-ones matrix, and two numbers describe it: its part m along the mean direction
1 / sqrt(d), and the rest r = tr M - m. With c = cos^2 of the angle between x and the mean
direction,

    m' = E[(1 - c)^2] m + E[c (1 - c)] r / (d - 1) + sigma^2 E[c / (x . x)]
    r' = E[c (1 - c)] m + (1 - E[1 - c^2] / (d - 1)) r + sigma^2 E[(1 - c) / (x . x)].

For the causal attention of "CausalLM is not optimal for in-context learning" (Ding et al., 2024),
Propositions 5 and 8.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from claimbook.records.checks import finite, integer, not_negative


@dataclass(frozen=True)
class DirectionMoments:
    """Expectations over x ~ U(-1, 1)^d + mu; c = (sum of x)^2 / (d (x . x))."""

    c: float
    c_squared: float
    inverse: float  #: of 1 / (x . x)
    c_inverse: float  #: of c / (x . x)


def direction_moments(dimension: int, input_mean: float) -> DirectionMoments:
    """Expectations over x ~ U(-1, 1)^d + mu by quadrature: 13 digits from d = 8, 7 at d = 5 and mu = 0.

    1 / (x . x) is the integral of exp(-t (x . x)) over t > 0, and 1 / (x . x)^2 that of
    t exp(-t (x . x)); under either, the coordinates are independent. Raises InputError for d < 5.
    """
    integer(5, dimension=dimension)
    finite(input_mean=input_mean)
    return _moments(int(dimension), float(input_mean))


@lru_cache
def _moments(d: int, input_mean: float) -> DirectionMoments:
    # With t = exp(z), the trapezoidal rule converges geometrically in its step.
    z = np.arange(-45, 16, 0.05)
    t = np.exp(z)
    nodes, weights = np.polynomial.legendre.leggauss(600)
    powers = (nodes + input_mean) ** np.arange(5)[:, None]
    kernel = np.exp(-t[:, None] * (nodes + input_mean) ** 2) * weights / 2
    m0, m1, m2, m3, m4 = powers @ kernel.T  # E x^k exp(-t x^2)
    second = d * m2 * m0 ** (d - 1) + d * (d - 1) * m1**2 * m0 ** (d - 2)
    fourth = (d * m4 * m0 ** (d - 1)
              + d * (d - 1) * (4 * m3 * m1 + 3 * m2**2) * m0 ** (d - 2)
              + 6 * d * (d - 1) * (d - 2) * m2 * m1**2 * m0 ** (d - 3)
              + d * (d - 1) * (d - 2) * (d - 3) * m1**4 * m0 ** (d - 4))
    step = t * 0.05  # dt
    return DirectionMoments(c=float(second @ step) / d,
                            c_squared=float(fourth @ (t * step)) / d**2,
                            inverse=float(m0**d @ step),
                            c_inverse=float(second @ (t * step)) / d)


def covariance_map(dimension: int, input_mean: float) -> np.ndarray:
    """The 2 x 2 matrix that takes (m, r) from one pair to the next.

    For input means up to 100: 1 - 2 E c + E c^2 loses its digits where c is nearly 1.
    """
    x = direction_moments(dimension, input_mean)
    mixed = x.c - x.c_squared
    return np.array([
        [1 - 2 * x.c + x.c_squared, mixed / (dimension - 1)],
        [mixed, 1 - (1 - x.c_squared) / (dimension - 1)],
    ])


def noise_part(dimension: int, input_mean: float, noise_std: float) -> np.ndarray:
    """What the noise of one label adds to (m, r)."""
    not_negative(noise_std=noise_std)
    x = direction_moments(dimension, input_mean)
    return noise_std**2 * np.array([x.c_inverse, x.inverse - x.c_inverse])


def mean_map(dimension: int, input_mean: float) -> np.ndarray:
    """What multiplies E e along the mean direction, and across it: (2,)."""
    c = direction_moments(dimension, input_mean).c
    return np.array([1 - c, 1 - (1 - c) / (dimension - 1)])


def query_weights(dimension: int, input_mean: float) -> np.ndarray:
    """The query error E (e . x)^2 is this times (m, r): (2,)."""
    integer(dimension=dimension)
    finite(input_mean=input_mean)
    return np.array([1 / 3 + dimension * input_mean**2, 1 / 3])


def expected_errors(dimension: int, input_mean: float, pairs: int, noise_std: float = 0.0) -> np.ndarray:
    """Expected query error after 0 ... pairs pairs, for w ~ N(0, I) and a start at 0.

    The error is against the noise-free label. At mu = 0 and without noise it is
    (d/3) (1 - 1/d)^n. Shape (pairs + 1,).
    """
    integer(0, pairs=pairs)
    step = covariance_map(dimension, input_mean)
    noise = noise_part(dimension, input_mean, noise_std)
    states = [np.array([1.0, dimension - 1])]
    for _ in range(pairs):
        states.append(step @ states[-1] + noise)
    return np.array(states) @ query_weights(dimension, input_mean)


def expected_errors_by_position(dimension: int, input_mean: float, pairs: int) -> np.ndarray:
    """Expected query error of the eta/j variant without noise, e' = P (j e + w) / (j + 1): (pairs + 1,).

    Scaled by j, both E e e^T and E e w^T follow linear recursions. At mu = 0 they give
    d (d - 1) ((2d - 1)(1 - q^n) - 2n q^n) / (3 n^2) with q = 1 - 1/d.
    """
    integer(0, pairs=pairs)
    step, mean = covariance_map(dimension, input_mean), mean_map(dimension, input_mean)
    start = np.array([1.0, dimension - 1])
    scaled, with_w, errors = np.zeros(2), np.zeros(2), [start]
    for j in range(1, pairs + 1):
        scaled = step @ (scaled + 2 * with_w + start)
        with_w = mean * (with_w + start)
        errors.append(scaled / j**2)
    return np.array(errors) @ query_weights(dimension, input_mean)


def error_rates(dimension: int, input_mean: float) -> dict[str, float]:
    """The factor per pair of E (e . e) in the long run, and two bounds.

    It is the spectral radius of the 2 x 2 map, and so of the whole one: this keeps positive
    matrices positive, so a top eigenvector is positive, and so is its mean over permutations.
    E e shrinks by 1 - lambda_min(E u u^T). That is an upper bound, since E (P e . P e) =
    e^T (I - E u u^T) e, and its square a lower one, since E (e . e) >= (E e . E e).
    """
    slowest = float(mean_map(dimension, input_mean).max())
    exact = float(np.abs(np.linalg.eigvals(covariance_map(dimension, input_mean))).max())
    return {"exact": exact, "lower bound": slowest**2, "upper bound": slowest}


def noise_floor(dimension: int, input_mean: float, noise_std: float) -> float:
    """The query error that remains after infinitely many pairs with noisy labels.

    At mu = 0 it is (d/3) sigma^2 E[1 / (x . x)].
    """
    step = covariance_map(dimension, input_mean)
    limit = np.linalg.solve(np.eye(2) - step, noise_part(dimension, input_mean, noise_std))
    return float(limit @ query_weights(dimension, input_mean))
