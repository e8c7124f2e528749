"""The closed form of the Riccati equations at extremes, its inverse in time, and descent in small steps.

Against high precision: test_first_order.py; against the paper's Equation 13: errata.SolutionFormulas, on record.
"""

import itertools

import numpy as np
import pytest

from claimbook.records.errors import InputError
from icllib.theory import riccati
from icllib.theory.any_length import time_to_reach

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
