"""Figure 2: SGPT, GPT-2 and ridge regression at one noise level."""

from dataclasses import replace

import numpy as np
import pandas as pd

from icllib.baselines import Ridge, RidgeSweep
from icllib.baselines.gradient import one_step_error
from icllib.training import Run
from papers.context_scaling.gates import MOST_PROMPTS
from papers.context_scaling.scaling import (
    FIGURE_2_LENGTHS, PENALTY_PAIRS, both_models, evaluation, one_noise_level, penalties, trained_errors)


def on_prompts_of_seeds(task, evaluation, predictor, seeds) -> dict[str, np.ndarray]:
    """A baseline's metrics on the same prompts as the models: (seeds, K), or (1, K) if all have the same."""
    if not evaluation.own_prompts:
        return evaluation.measure(task, predictor)
    found = [replace(evaluation, own_prompts=False, seed=seed).measure(task, predictor) for seed in seeds]
    return {name: np.concatenate([metrics[name] for metrics in found]) for name in found[0]}


def runs(profile: str) -> list[Run]:
    """Figure 2: SGPT and GPT-2 with one noise level."""
    measure = evaluation(FIGURE_2_LENGTHS, profile)
    if profile == "cpu":
        measure = replace(measure, prompts=2**14, own_prompts=True)
    return both_models(profile, one_noise_level(profile), measure)


def errors_at_one_level(records) -> dict[str, dict]:
    """Errors of Figure 2 by metric and name: a row for each seed, a column for each context length; "ridge"
    has the best penalty, "sweep" a row for each of `penalties`; "one step" is expected, by length."""
    run, found = records[0].component, {}
    task, evaluation, sweep = run.task, run.evaluation, penalties(run.task.dimension)
    trained = {metric: trained_errors(records, metric) for metric in ("error", "excess")}
    own_seeds = trained["error"]["SGPT"].index
    shared = replace(evaluation, own_prompts=False, prompts=min(evaluation.prompts, MOST_PROMPTS),
                     lengths=(PENALTY_PAIRS,))
    ridge = on_prompts_of_seeds(task, evaluation, Ridge.bayes(task), own_seeds)
    swept = shared.measure(task, RidgeSweep(sweep))
    one_step = pd.Series({n: one_step_error(task, n) for n in evaluation.lengths})
    for metric, models in trained.items():
        found[metric] = models | {
            "ridge": pd.DataFrame(ridge[metric], own_seeds[: len(ridge[metric])],
                                  evaluation.lengths).squeeze("index"),
            "one step": one_step - (task.noise_std**2 if metric == "excess" else 0),
            "sweep": pd.DataFrame(swept[metric], sweep, shared.lengths)}
    return found
