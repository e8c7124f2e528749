"""The first-order solution and the closed form, on starts with zeros, equal vectors and small and large sizes."""

import mpmath
import numpy as np
import pytest

from icllib.theory import riccati
from icllib.theory.first_order import first_order
from papers.solvable_attention.formulas import equation_137

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
