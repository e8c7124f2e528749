"""Appendix A and Section 4: which depth, width and number of heads is best?"""

from dataclasses import replace
from itertools import product

import pandas as pd

from claimbook.records.values import values
from icllib.training import Run
from papers.context_scaling.scaling import (
    FIGURE_2_LENGTHS, FIGURE_4_COUNT, LENGTHS, LINEAR_8, at_seeds, evaluation, one_noise_level, transformers)

# Per profile: the task, T, and what differs from the recipe of Figure 1. paper: as in Figure 2.
# gpu: a quarter of the steps, since width 1024 costs sixteen times as much as 256. cpu: the task
# and T of Figure 1.
FROM_10 = {"lengths": FIGURE_2_LENGTHS}
TRAINING = {
    "smoke": (LINEAR_8, 10**6, {"lengths": LENGTHS}),
    "cpu": (LINEAR_8, 10**6, {"lengths": LENGTHS}),
    "gpu": (one_noise_level("gpu"), FIGURE_4_COUNT, FROM_10 | {"steps": 5000}),
    "paper": (one_noise_level("paper"), FIGURE_4_COUNT, FROM_10),
}
PAPER_AXES = {"layers": (2, 4, 6, 8), "width": (256, 512, 1024), "heads": (2, 4, 8)}  # Appendix A
AXES = {
    "smoke": {"layers": (1, 2), "width": (8, 16), "heads": (1, 2)},
    "cpu": {"layers": (1, 2, 4), "width": (16, 32, 64), "heads": (1, 2, 4)},
    "gpu": PAPER_AXES,
    "paper": PAPER_AXES,
}


def best_size(profile: str) -> dict:
    """The size that the paper found best or its like: most layers and heads, least width."""
    pick = {"layers": max, "width": min, "heads": max}
    return {axis: pick[axis](values) for axis, values in AXES[profile].items()}


def sizes_of(model, profile: str) -> list:
    """A model at every size at `paper`, elsewhere at those that differ from the best one in one setting."""
    axes = {axis: values for axis, values in AXES[profile].items() if hasattr(model, axis)}
    best, most = best_size(profile), len(axes) if profile == "paper" else 1
    every = [dict(zip(axes, values)) for values in product(*axes.values())]
    return [replace(model, **size) for size in every
            if sum(size[axis] != best[axis] for axis in axes) <= most]


def runs(profile: str) -> list[Run]:
    """Section 4: both models of the paper's comparisons at every size and seed."""
    task, count, training = TRAINING[profile]
    models = [(model, recipe) for start, recipe in transformers(profile, **training).values()
              for model in sizes_of(start, profile)]
    return at_seeds(task, models, evaluation(training["lengths"], profile), profile, (count,))


def errors_by_size(records, metric: str = "error") -> pd.DataFrame:
    """A metric: a row for each model, size, with 0 heads of SGPT, and seed, a column for each length."""
    errors = values(records, metric, model="model", layers="model.layers", width="model.width",
                    heads="model.heads").unstack("length")
    rows = errors.index.to_frame().fillna({"heads": 0}).replace({"model": {"Transformer": "GPT-2"}})
    return errors.set_index(pd.MultiIndex.from_frame(rows.astype({"heads": int})))


def by_size(records) -> pd.DataFrame:
    """One row per run: its model, size and seed, and its errors averaged over context lengths."""
    means = {metric: errors_by_size(records, metric).mean(axis=1) for metric in ("error", "excess")}
    return pd.DataFrame(means).reset_index()


def over_axis(sizes: pd.DataFrame, axis: str, best: dict, metric: str = "error") -> pd.DataFrame:
    """A model's errors along one axis, with the rest as in the best size: (seeds, values)."""
    for other, value in best.items():
        if other != axis:
            sizes = sizes[sizes[other].isin((0, value))]
    return sizes.pivot(index="seed", columns=axis, values=metric)


def against_best(sizes: pd.DataFrame, best: dict) -> pd.DataFrame:
    """A model's error at every size over its error at the best one: (seeds, sizes)."""
    errors = sizes.pivot(index="seed", columns=list(best), values="error")
    heads = 0 if (sizes.heads == 0).all() else best["heads"]
    return errors.div(errors[best["layers"], best["width"], heads], axis=0)
