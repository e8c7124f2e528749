"""The closed form of the Riccati equations against high-precision arithmetic, and what surrounds it."""

import itertools

import mpmath
import numpy as np
import pytest

from claimbook.records.errors import InputError
from icllib.theory import riccati

STARTS = (0.0, 1e-120, 1e-9, 0.3, 5.0, 1e6, 1e120)
STRENGTHS = (-3.0, -1e-8, 0.0, 1e-8, 0.5, 40.0)
TIMES = np.array([0, 1e-12, 1e-3, 0.4, 7, 1e3, 1e9])
GRID = np.array(list(itertools.product(STARTS, STARTS, STRENGTHS)))


def test_closed_form_equals_equation_13():
    """As printed, with C = g0 h0 / 2, in 50 digits."""
    uniform = np.random.default_rng(3).uniform
    for g0, h0, strength, rate in uniform((0, 0, -1.5, 0.3), (3, 3, 1.5, 2), (20, 4)):
        with mpmath.workdps(50):
            g0, h0, strength, rate = map(mpmath.mpf, (g0, h0, strength, rate))
            c, f0 = g0 * h0 / 2, (g0 - h0) / 4
            root = mpmath.sqrt(4 * strength**2 + 2 * c)
            p = ((4 * f0 * strength + 2 * c + root * mpmath.sqrt(4 * f0**2 + 2 * c))
                 / (2 * (f0 - strength) * (root - 2 * strength)))
            q = p * (2 * strength - root) / (2 * strength + root)
            for t in (0, 0.2, 1, 5):
                growth = mpmath.exp(rate * root * t)
                expected = strength + root / 2 * (1 / (1 + p * growth) - 1 / (1 + q * growth))
                f = riccati.closed_form(t, *map(float, (g0, h0, strength, rate)))[2]
                assert float(f) == pytest.approx(float(expected), rel=1e-11, abs=1e-13)


def test_closed_form_at_extremes_is_finite_and_conserves_g_h():
    g0, h0, strength = GRID.T[..., None]
    with np.errstate(all="raise", under="ignore"):
        g, h, f = riccati.closed_form(TIMES, g0, h0, strength, 1.3)
    assert np.isfinite(f).all() and (g >= 0).all() and (h >= 0).all()
    assert np.array_equal(f, (g - h) / 4)
    kept = g0 * h0 > 1e-280
    assert np.abs(np.where(kept, g * h / np.where(kept, g0 * h0, 1) - 1, 0)).max() < 1e-12
    assert np.abs(np.where(g0 * h0 == 0, g * h, 0)).max() == 0
    for ours, start in ((g, g0), (h, h0), (f, (g0 - h0) / 4)):
        np.testing.assert_allclose(ours[:, 0], start[:, 0], rtol=1e-15)


@pytest.mark.parametrize("g0, h0, strength, limit", [
    (1e-120, 0.0, 0.7, 0.7), (0.3, 0.0, 0.7, 0.7), (5.0, 2.0, 0.7, 0.7), (1e-9, 1e6, 0.7, 0.7),
    (1e6, 1e6, 40.0, 40.0), (0.0, 0.3, -0.7, -0.7), (1e6, 1e-9, -0.7, -0.7), (2, 5, -0.7, -0.7),
    (0.3, 0.0, -0.7, 0.0), (0.0, 0.3, 0.7, 0.0), (0.0, 0.0, 0.7, 0.0), (0.0, 0.0, -0.7, 0.0),
    (2.8, 0.0, 0.7, 0.7), (5.0, 2.0, 0.0, 0.0), (2.0, 2.0, 0.0, 0.0)])
def test_limits_of_the_closed_form(g0, h0, strength, limit):
    """f -> Lambda, but for balanced starts of the wrong sign, which end at 0."""
    f = riccati.closed_form(1e9, g0, h0, strength, 1.0)[2]
    assert float(f) == pytest.approx(limit, rel=1e-9, abs=1e-9)


def test_a_task_without_data_keeps_its_answer_and_nan_is_refused():
    assert float(riccati.closed_form(np.inf, 0.4, 0.0, 0.5, 0.0)[2]) == 0.1
    with pytest.raises(InputError, match="g0: "):
        riccati.closed_form(1.0, np.nan, 0.0, 0.5, 1.0)


@pytest.mark.parametrize("start", [0.0, -0.1, 0.3])
def test_a_start_that_is_never_half_way_is_refused(start):
    with pytest.raises(InputError, match="f0: "):
        riccati.half_times(np.array([0.1, start]), 0.5, 1.0)


@pytest.mark.parametrize("tasks, alpha", [(1, 1.8), (7, 1.8), (500, 2.1)])
def test_task_shares(tasks, alpha):
    shares = riccati.task_shares(tasks, alpha)
    assert shares.sum() == pytest.approx(1, abs=1e-12) and len(shares) == tasks
    for s in range(1, tasks + 1):
        assert shares[0] / shares[s - 1] == pytest.approx(s**alpha)


def test_flow_is_the_limit_of_small_steps():
    tasks, psi, strength, learning_rate, steps = 4, 6, 0.5, 2e-5, 20_000
    v0 = np.full((tasks, 2), 0.1)
    w0, shares = v0 + 0.03, riccati.task_shares(tasks, 1.8)
    descent = riccati.gradient_descent_outputs(v0, w0, psi, strength, shares, learning_rate, steps)
    shown = np.linspace(steps / 10, steps, 10).astype(int)
    flow = riccati.flow_outputs(v0, w0, psi, strength, shares, learning_rate * shown)
    assert np.abs(flow - flow[0]).max() > 0.1
    assert flow == pytest.approx(descent[shown], abs=1e-4)
