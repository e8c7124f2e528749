"""What the chapter's runs share: the start of training, a distance, and a task of one number."""

from dataclasses import replace

import numpy as np

from icllib.theory import riccati

SMOKE = {"tasks": 5000, "steps": 500}  # at most


def shortened(profile: str, runs: list) -> list:
    """These runs, at profile smoke with fewer tasks and steps."""
    if profile != "smoke":
        return runs
    return [replace(run, **{name: min(most, getattr(run, name)) for name, most in SMOKE.items()
                            if hasattr(run, name)}) for run in runs]


def start(scale: float, *shape: int):
    """v and w at time 0, all entries alike (Eq. 106)."""
    return np.full(shape, scale), np.full(shape, scale + 0.1 * scale)


def log10_gap(ours, reference) -> float:
    """The largest |log10 ratio| of two curves."""
    return float(np.abs(np.log10(ours / reference)).max())


def flow_and_closed_forms(v: float, w: float, size: float, strength: float, rates, times):
    """f of one task whose H is a number, integrated numerically and in closed form.

    Theorem 3.1, with H = size and each of the rates: (times,), and a list of the same.
    """
    flow_v, flow_w = riccati.integrate_flow(
        np.full((1, 1), v), np.full((1, 1), w), np.full((1, 1, 1), size), strength, np.ones(1),
        times)
    g0, h0 = size * (v + w) ** 2, size * (v - w) ** 2
    closed = [riccati.closed_form(times, g0, h0, strength, rate)[2] for rate in rates]
    return size * (flow_v * flow_w)[:, 0, 0], closed
