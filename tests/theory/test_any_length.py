"""The exact solution at any context length, against integration."""

import numpy as np
import pytest

from claimbook.records.errors import InputError
from icllib.theory import riccati
from icllib.theory.any_length import time_to_reach


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
