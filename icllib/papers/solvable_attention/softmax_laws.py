"""What Figures 8 to 10 read from the records of softmax attention, and what it is held against."""

from typing import NamedTuple

import numpy as np

from icllib.papers.solvable_attention.softmax import (BUDGETS, FIT_STEPS, SIGN_LAWS, SIZES,
                                                      SoftmaxDataLimit, SoftmaxSizeLimit)
from icllib.plotting import BLUE, ORANGE, draw
from icllib.results import Record
from icllib.theory import riccati, scaling_laws
from icllib.theory.scaling_laws import theory_exponents


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


def first_below(curve: LawCurve, fraction: float) -> np.ndarray:
    """The first step kept at which a start's loss is below a fraction of its first: (starts,).

    Infinite where it never is.
    """
    below = curve.losses < fraction * curve.losses[:, :1]
    return np.where(below.any(axis=1), curve.xs[below.argmax(axis=1)], np.inf)


def one_by_one(law: str, alpha: float, tasks: int = SoftmaxSizeLimit.tasks,
               steps=np.geomspace(*FIT_STEPS, 30)) -> float:
    """The exponent in a fit's window of a model that learns its tasks one by one.

    Its loss on task s falls as e^{-P(s) t}, or is zero once the task occurs or has room. What is
    left between this and Table 1 is the finite number of tasks and the window. steps: those of the
    law in time.
    """
    shares = riccati.task_shares(tasks, alpha)
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


def shifted_sizes(curves, alpha: float) -> dict[str, float]:
    """Mean exponents in D for D one more than the tasks that a model learns, as the paper counts.

    By sign law, and of a model that learns its tasks one by one.
    """
    sizes = np.array(SoftmaxSizeLimit.sizes)
    shares = riccati.task_shares(SoftmaxSizeLimit.tasks, alpha)
    losses = scaling_laws.size_losses(shares, 1.0, sizes)
    found = {"one by one": scaling_laws.fit_exponent(sizes + 1, losses)[0]}
    for curve in curves:
        if (curve.law, curve.alpha) == ("size", alpha):
            found[curve.signs] = np.mean([scaling_laws.fit_exponent(curve.xs + 1, own)[0]
                                          for own in curve.losses])
    return found


def draw_law(axes, table, name: str, curve: LawCurve) -> None:
    """A series of a figure's table, and the power law of Table 1 above it."""
    color = BLUE if curve.alpha == 1.8 else ORANGE
    axes.set(xscale="log", yscale="log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_formatter("")
    draw(axes, table, curve.law, name, color=color, label=rf"softmax, $\alpha$ = {curve.alpha}")
    draw_power_law(axes, table, curve.law, name, theory_exponents(curve.alpha)[curve.law],
                   least=FIT_STEPS[0] if curve.law == "time" else 0, color=color,
                   ls="--", label=rf"Table 1, $\alpha$ = {curve.alpha}")


def draw_power_law(axes, table, panel: str, name: str, exponent: float, least: float = FIT_STEPS[0],
                   **style) -> None:
    """A power law above a series of a figure's table.

    least: the first x of it; by default where the fits in t start.
    """
    rows = table[(table.panel == panel) & (table.series == name) & (table.x >= least)]
    first = rows.iloc[0]
    axes.plot(rows.x, 1.6 * first.y * (rows.x / first.x) ** exponent, **style)


def cost_of_learned(record: Record, steps) -> np.ndarray:
    """What the tasks of the smallest model of a record still cost it after these steps."""
    run = record.run
    beyond = scaling_laws.size_losses(riccati.task_shares(run["tasks"], run["alpha"]),
                                      run["strength"], run["sizes"][:1])
    return np.interp(steps, record["step"], record["loss"][:, 0].mean(0)) - beyond
