"""Whether models have learned their task: their errors over those of ridge regression or of 0."""

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd

from icllib.baselines import RidgeSweep

PENALTIES = np.geomspace(1e-3, 1e3, 25)  # ASSUMED: of ridge regression, if the best is not known
MOST_PROMPTS = 2**12  # ASSUMED: of a baseline, as many as in Figure 1


@cache  # gates ask it for every part of a claim
def best_ridge(task, evaluation) -> pd.Series:
    """The error of ridge regression with the best penalty at each length, on prompts that seeds share."""
    shared = replace(evaluation, own_prompts=False, prompts=min(evaluation.prompts, MOST_PROMPTS))
    return pd.Series(shared.measure(task, RidgeSweep(PENALTIES))["error"].min(axis=0), shared.lengths)


def over_ridge(errors, task, evaluation, n: int | None = None) -> pd.Series:
    """Errors, a column for each length, at n pairs, by default the most, over ridge regression's."""
    n = n or max(evaluation.lengths)
    return errors[n] / best_ridge(task, replace(evaluation, lengths=(n,)))[n]


def at_papers_dimension(values, task) -> np.ndarray:
    """A gate's values; infinite if the task does not have the paper's 20 dimensions: with fewer all contexts
    have more pairs than dimensions, another regime."""
    return np.asarray(values) if task.dimension == 20 else np.full(len(values), np.inf)


def seen_twice(values, records, T: int = 10**6) -> np.ndarray:
    """A gate's values; infinite if training saw fewer than two prompts for each of T tasks."""
    recipe = records[0].component.recipe
    enough = recipe.steps * recipe.batch >= 2 * T
    return np.asarray(values) if enough else np.full(len(values), np.inf)


def worst(*values) -> np.ndarray:
    """The largest of several models' values at each seed: (seeds,)."""
    return np.max(values, axis=0)
