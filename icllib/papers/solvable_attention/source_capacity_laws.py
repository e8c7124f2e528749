"""What Figure 5 reads from its records."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from icllib.papers.solvable_attention.laws import ALPHAS
from icllib.papers.solvable_attention.source_capacity import least_curvature
from icllib.plotting import BLUE, GREEN, ORANGE, draw, series, with_interval
from icllib.results import samples
from icllib.theory.riccati import task_shares


class Figure5(NamedTuple):
    """The records by what they are for; each list has one record per seed."""

    by_alpha: dict  # alpha -> the records of the law in time
    best: list  # those with several sizes
    softmax: list
    limit: list  # of the same size as the softmax


def figure5(records) -> Figure5:
    """The records of Figure 5, sorted."""
    large = [r for r in records if r.run["tasks"] == records[0].run["tasks"]]
    softmax = [r for r in records if "context_length" in r.run]
    seeds = {r.run["seed"] for r in softmax}
    limit = [r for r in records if r not in large + softmax and r.run["seed"] in seeds]
    by_alpha = {alpha: [r for r in large if r.run["alpha"] == alpha] for alpha in ALPHAS}
    return Figure5(by_alpha, [r for r in large if len(r.run["sizes"]) > 1], softmax, limit)


def figure5_series(found: Figure5, profile: str) -> list:
    """The figure's table: curves in time and compute, single sizes, the softmax and its limit."""
    first = found.best[0]
    tables = [series("time", f"alpha = {alpha}", first["time"], [r["loss"][-1] for r in runs],
                     profile) for alpha, runs in found.by_alpha.items()]
    tables.append(series("compute", "envelope", first["budget"], samples(found.best, "envelope"),
                         profile))
    for size, curve in zip(first.run["sizes"], samples(found.best, "loss").mean(0)):
        tables.append(series("compute", f"size {size}", size * first["time"], curve, profile))
    for name, runs in (("softmax", found.softmax), ("limit", found.limit)):
        tables += [series("softmax", f"{name}, seed {r.run['seed']}", r["time"], r["loss"][-1],
                          profile) for r in runs]
    return tables


def draw_softmax_and_limit(axes, table, found: Figure5) -> None:
    """The softmax solid and its limit dotted, a color for each seed."""
    for r, color in zip(found.softmax, (BLUE, ORANGE, GREEN)):
        draw(axes, table, "softmax", f"softmax, seed {r.run['seed']}", color=color)
        draw(axes, table, "softmax", f"limit, seed {r.run['seed']}", color=color, ls=":")


def exponents_by_law(found: Figure5) -> dict[tuple[str, float], list[float]]:
    """The fitted exponents that decide: (law, alpha) -> one per seed, in the order of the seeds."""
    laws = {("time", alpha): [r["time_exponent"][0] for r in runs]
            for alpha, runs in found.by_alpha.items()}
    return laws | {("compute", 1.8): [r["compute_exponent"][0] for r in found.best]}


def first_and_other_seeds(laws: dict) -> pd.DataFrame:
    """Means with 95% intervals over the seeds of claim 16's first verdict, all others, and both."""
    groups = {"first three": slice(3), "the others": slice(3, None), "all": slice(None)}
    return pd.DataFrame({
        (law, alpha): {name: with_interval(values[seeds]) for name, seeds in groups.items()
                       if values[seeds]}
        for (law, alpha), values in laws.items()}).T.rename_axis(["law", "alpha"])


def stability_table(records) -> pd.DataFrame:
    """Which strengths of the most frequent task gradient descent can learn, with how it ends."""
    few, rows = figure5(records).softmax[0].run["tasks"], {}
    for r in records:
        run = r.run
        if run["tasks"] == few and "context_length" not in run:
            share = task_shares(few, run["alpha"])[0]
            curvature = run["learning_rate"] * least_curvature(r["first_strength"], share)
            ending = ", ".join(f"{loss:.4f}" for loss in r["ending"])
            rows[run["alpha"], run["seed"]] = {
                "strength of the most frequent task": f"{r['first_strength']:.2f}",
                "learning rate x least curvature": f"{curvature:.2f}",
                "loss at step 1,000 and the next two":
                    "diverged" if np.isnan(r["ending"]).all() else ending}
    return pd.DataFrame(rows).T.rename_axis(["alpha", "seed"]).sort_index()
