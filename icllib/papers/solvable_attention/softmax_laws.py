"""What Figures 8 to 10 read from the records of softmax attention, and what it is held against."""

from typing import NamedTuple

import numpy as np

from icllib.papers.solvable_attention.softmax import (BUDGETS, FIT_STEPS, SIGN_LAWS, SIZES,
                                                      SoftmaxDataLimit, SoftmaxSizeLimit)
from icllib.plotting import BLUE, ORANGE, draw
from icllib.results import Record
from icllib.theory import riccati, scaling_laws

TABLE_1 = {"size": lambda alpha: 1 - alpha, "time": lambda alpha: (1 - alpha) / alpha,
           "data": lambda alpha: (1 - alpha) / alpha,
           "compute": lambda alpha: (1 - alpha) / (1 + alpha)}


class LawCurve(NamedTuple):
    """One law, as one record has it."""

    law: str  # size, time, data or compute
    alpha: float
    signs: str  # random signs or all +1
    xs: np.ndarray
    losses: np.ndarray  # (starts, len(xs))
    exponents: np.ndarray  # (starts,)


def law_curve(record: Record) -> LawCurve:
    """The law of a record of Figures 8 to 10."""
    run = record.run
    signs = {share: law for law, share in SIGN_LAWS.items()}[run["positive_share"]]
    kind = run["type"].split(".")[-1]
    if kind == "SoftmaxSizeLimit":
        found = "size", run["sizes"], record["loss"], "exponent"
    elif kind == "SoftmaxDataLimit":
        found = "data", run["counts"], record["loss"], "exponent"
    elif len(run["sizes"]) > 1:
        found = "compute", record["budget"], record["envelope"], "compute_exponent"
    else:
        found = "time", record["step"], record["loss"][:, 0], "time_exponent"
    law, xs, losses, exponent = found
    return LawCurve(law, run["alpha"], signs, np.array(xs), losses, record[exponent][:, 0])


def one_by_one(law: str, alpha: float, tasks: int = 500) -> float:
    """The exponent in a fit's window of a model that learns its tasks one by one.

    Its loss on task s falls as e^{-P(s) t}, or is zero once the task occurs or has room. What is
    left between this and Table 1 is the finite number of tasks and the window.
    """
    shares = riccati.task_shares(tasks, alpha)
    steps = np.geomspace(*FIT_STEPS, 30)
    if law == "size":
        xs = np.array(SoftmaxSizeLimit.sizes)
        losses = scaling_laws.size_losses(shares, 1.0, xs)
    elif law == "data":
        xs = np.array(SoftmaxDataLimit.counts)
        losses = scaling_laws.data_losses(shares, 1.0, 0.0, xs)
    elif law == "time":
        xs, losses = steps, np.exp(-np.outer(steps, shares)) @ shares
    else:
        xs, steps = BUDGETS, np.geomspace(1, 5000, 300)
        learning = 0.5 * shares * np.exp(-np.outer(steps, shares))
        curves = [learning[:, :size].sum(1) + rest for size, rest in
                  zip(SIZES, scaling_laws.size_losses(shares, 1.0, SIZES))]
        losses = scaling_laws.lower_envelope(SIZES, steps, curves, xs)
    return scaling_laws.fit_exponent(xs, losses)[0]


def draw_law(axes, table, name: str, curve: LawCurve) -> None:
    """A series of a figure's table, and the power law of Table 1 above it, from step 30 in time."""
    color = BLUE if curve.alpha == 1.8 else ORANGE
    axes.set(xscale="log", yscale="log")
    axes.xaxis.set_minor_formatter("")
    draw(axes, table, curve.law, name, color=color, label=rf"softmax, $\alpha$ = {curve.alpha}")
    xs = curve.xs[curve.xs >= FIT_STEPS[0]] if curve.law == "time" else curve.xs
    start = 1.6 * curve.losses.mean(0)[-len(xs)]
    axes.plot(xs, start * (xs / xs[0]) ** TABLE_1[curve.law](curve.alpha), "--", color=color,
              label=rf"Table 1, $\alpha$ = {curve.alpha}")


def cost_of_learned(record: Record, steps) -> np.ndarray:
    """What the tasks of the smallest model of a record still cost it after these steps."""
    run = record.run
    beyond = scaling_laws.size_losses(riccati.task_shares(run["tasks"], run["alpha"]),
                                      run["strength"], run["sizes"][:1])
    return np.interp(steps, record["step"], record["loss"][:, 0].mean(0)) - beyond
