"""The exact solution in 120 digits, at extremes, at first order and as a time; Eq. 13: errata, on record."""

import itertools

import mpmath
import numpy as np
import pytest

from claimbook.records.errors import InputError
from icllib.theory import riccati
from icllib.theory.any_length import time_to_reach
from icllib.theory.first_order import first_order
from papers.solvable_attention.formulas import equation_137

STARTS = (0.0, 1e-120, 1e-9, 0.3, 5.0, 1e6, 1e120)
STRENGTHS = (-3.0, -1e-8, 0.0, 1e-8, 0.5, 40.0)
TIMES = np.array([0, 1e-12, 1e-3, 0.4, 7, 1e3, 1e9])
GRID = np.array(list(itertools.product(STARTS, STARTS, STRENGTHS)))


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


@pytest.mark.parametrize("psi", [1, 2.5, 10, 300])
@pytest.mark.parametrize("strength", [0.5, -1.2])
def test_the_flow_has_this_output_at_this_time(psi, strength):
    v0, w0 = np.random.default_rng(int(psi)).standard_normal((2, 2)) * 0.3
    times = np.linspace(0, 0.7 / psi, 5)  # later f is Lambda to rounding, and has no time
    share = np.array([0.4])
    outputs = riccati.flow_outputs(v0[None], w0[None], psi, strength, share, times)[:, 0]
    for time, output in zip(times[1:], outputs[1:]):
        assert time_to_reach(output, v0, w0, psi, strength, 0.4) == pytest.approx(time, rel=1e-8)


@pytest.mark.parametrize("output", [1.2, 0.8, 0.6])
def test_an_output_to_which_the_slower_mode_leads_is_reached(output):
    v0 = np.array([5.0, 0.0])
    time = time_to_reach(output, v0, v0, 100, 0.5, 1.0)
    found = riccati.flow_outputs(v0[None], v0[None], 100, 0.5, np.ones(1), [0, time])[-1, 0]
    assert found == pytest.approx(output, rel=1e-8)


def test_an_output_that_is_never_reached_is_refused():
    v0, w0 = np.array([0.1, 0.1]), np.array([0.11, 0.11])
    with pytest.raises(InputError, match="expected a value between"):
        time_to_reach(0.6, v0, w0, 10, 0.5, 1.0)
    with pytest.raises(InputError, match="output: "):
        time_to_reach(-0.1, v0, v0, 10, -0.5, 1.0)
    with pytest.raises(InputError, match="psi: "):
        time_to_reach(0.3, v0, w0, 0.5, 0.5, 1.0)


KINDS = ("any", "v = w", "v = -w", "f0 = Lambda")


def starts(number: int = 60):
    """v, w (2,), psi, Lambda and a time, of each kind in turn; f(0) is of the order of 1 for all psi."""
    draw = np.random.default_rng(0)
    signed = lambda low, high: draw.choice([-1, 1]) * np.exp(draw.uniform(np.log(low), np.log(high)))
    for kind in KINDS * (number // len(KINDS)):
        v, w = draw.choice([0.0, 3.0, 1e-6, signed(1e-6, 3), signed(0.1, 3), signed(0.1, 3)], size=(2, 2))
        psi, strength = draw.choice([1.0, 1e4, abs(signed(1, 1e4))]), draw.choice([signed(1e-3, 4), draw.uniform(-4, 4)])
        w = {"v = w": v, "v = -w": -v}.get(kind, w)
        v, w = v / psi**0.5, w / psi**0.5
        f0 = psi * (v[0] + strength * v[1]) * (w[0] + strength * w[1])
        if kind == "f0 = Lambda" and abs(f0) > 1e-3:
            v = v * strength / f0
        yield v, w, psi, strength, draw.choice([0.0, 1e9, abs(signed(1e-6, 20))])


def precise(v, w, psi, strength):
    """The forms g0 and h0 of the start in high precision."""
    eta, rho = ([mpmath.mpf(x) + sign * mpmath.mpf(y) for x, y in zip(v, w)] for sign in (1, -1))
    strength, psi = mpmath.mpf(strength), mpmath.mpf(psi)
    return [psi * (u[0] + strength * u[1]) ** 2 for u in (eta, rho)]


def test_closed_form_equals_the_exact_solution():
    """The tanh form of the Riccati solution in 120 digits; nothing overflows or warns."""
    for v, w, psi, strength, t in starts():
        rate = psi * (1 + strength**2)
        with np.errstate(all="raise", under="ignore"):
            f = riccati.closed_form(t, *riccati.quadratic_forms(v, w, psi, strength), strength, rate)[2]
        with mpmath.workdps(120):
            g0, h0 = precise(v, w, psi, strength)
            c = g0 * h0 / 2
            k = mpmath.sqrt(mpmath.mpf(strength) ** 2 + c / 2)
            tanh = mpmath.tanh(mpmath.mpf(rate) * k * mpmath.mpf(t))
            form = lambda x, slope: x and ((x * k + (slope * x + c) * tanh) / (k + (x / 2 - slope) * tanh))
            exact = (form(g0, strength) - form(h0, -strength)) / 4
            scale = float(1 + abs(g0) + abs(h0))
        assert float(f) == pytest.approx(float(exact), abs=1e-10 * scale)


def test_first_order_is_finite_and_starts_at_the_query_feature():
    """At t = 0 the exact f differs from f0 by v_s w_s, the query's own feature."""
    for v, w, psi, strength, t in starts():
        with np.errstate(all="raise", under="ignore"):
            zeroth, first = first_order(np.array([0.0, t]), v, w, psi, strength, 1.0)
        assert np.isfinite(zeroth).all() and np.isfinite(first).all()
        assert first[0] / psi == pytest.approx(v[0] * w[0], abs=1e-12 * (1 + abs(strength)) ** 4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("strength", [0.6, -0.6, 1e-3])
def test_first_order_solves_the_flow_to_second_order(kind, strength):
    """Four times the context, a sixteenth of the error, but for the third order."""
    errors = []
    for psi in (1e3, 4e3):
        v, w = np.array([0.9, 0.4]) / psi**0.5, np.array([0.5, -0.2]) / psi**0.5
        w = {"v = w": v, "v = -w": -v}.get(kind, w)
        if kind == "f0 = Lambda":
            v = v * strength / (psi * (v[0] + strength * v[1]) * (w[0] + strength * w[1]))
        t = np.linspace(0, 5, 30) / psi
        exact = riccati.flow_outputs(v[None], w[None], psi, strength, np.ones(1), t)[:, 0]
        zeroth, first = first_order(t, v, w, psi, strength, 1.0)
        errors.append(np.abs(zeroth + first / psi - exact).max())
    assert errors[1] < errors[0] / 12 + 1e-12 and errors[1] < 1e-6


def test_the_corrected_formulas_agree_where_they_hold():
    """Eqs. 137 to 151 without their slips, for v and w along (1, Lambda)."""
    psi, strength, t = 300.0, 0.7, np.linspace(0, 0.03, 20)
    v = 0.05 * np.array([1, strength])
    zeroth, first = first_order(t, v, 0.4 * v, psi, strength, 0.6)
    corrected = equation_137(t, v, 0.4 * v, psi, strength, 0.6, slips=())
    np.testing.assert_allclose(corrected, zeroth + first / psi, atol=1e-12)
    printed = equation_137(t, v, 0.4 * v, psi, strength, 0.6)
    assert np.abs(printed - corrected).max() > 1e-3


def test_tasks_broadcast():
    """Arrays over tasks and times give what one task at a time gives."""
    random = np.random.default_rng(0)
    v, w = 0.1 * random.standard_normal((2, 3, 2))
    t, strength = np.linspace(0, 2, 5)[:, None], np.array([0.5, -0.5, 1.5])
    for ours, part in zip(first_order(t, v, w, 20.0, strength, 0.3), range(2)):
        for s in range(3):
            one = first_order(t[:, 0], v[s], w[s], 20.0, strength[s], 0.3)[part]
            np.testing.assert_allclose(ours[:, s], one, rtol=1e-13)
