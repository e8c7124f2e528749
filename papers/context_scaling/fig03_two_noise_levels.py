"""Figure 3: do SGPT and GPT-2 adapt to the noise of a prompt?"""

from dataclasses import replace

import pandas as pd

from icllib.baselines import MixtureRidge, Ridge, RidgeSweep, Zero
from icllib.evaluate import ErrorByLength, ErrorByNoiseLevel
from icllib.tasks import TwoNoiseLevels
from icllib.training import Run
from papers.context_scaling.scaling import (
    DIMENSIONS, NOISE_STDS, PENALTY_PAIRS, both_models, evaluation, penalties, trained_errors)

FIGURE_3_LENGTHS = tuple(range(1, 41))  # Appendix A
FEWER_LENGTHS = (1, 2, 3, 7, 10, 15, 20, 25, 30, 40)  # ASSUMED: they fill four rows of 41 in SGPT
CPU_RATE = 2e-3  # ASSUMED: of both models. At 0.004, its rate in Figure 2, one SGPT of three passed the gate


def runs(profile: str) -> list[Run]:
    """Figure 3: SGPT and GPT-2 trained on prompts of either level, measured at each."""
    d = DIMENSIONS[profile]
    lengths = FEWER_LENGTHS if profile in ("smoke", "cpu") else FIGURE_3_LENGTHS
    measure = evaluation(lengths, profile, kind=ErrorByNoiseLevel)
    rate = {"learning_rate": CPU_RATE} if profile == "cpu" else {}
    return [replace(run, recipe=replace(run.recipe, **rate))
            for run in both_models(profile, TwoNoiseLevels(d, NOISE_STDS, d**-0.5), measure)]


def errors_at_two_levels(records) -> dict[str, dict[float, dict]]:
    """Errors of Figure 3 by metric, noise and name: a row for each seed, or one, a column for each context
    length; as `errors_at_one_level`, and "floor" is the best predictor that does not know the level."""
    run, found = records[0].component, {"error": {}, "excess": {}}
    task, sweep = run.task, penalties(run.task.dimension)
    trained = {metric: trained_errors(records, metric) for metric in found}
    at_one = ErrorByLength(run.evaluation.lengths, run.evaluation.prompts)
    shown = replace(at_one, lengths=(PENALTY_PAIRS,))
    for level, sigma in enumerate(task.noise_stds):
        alone = task.at_level(level)
        baselines = {"ridge": Ridge.bayes(alone), "floor": MixtureRidge.bayes(task), "zero": Zero()}
        measured = {name: at_one.measure(alone, own) for name, own in baselines.items()}
        swept = shown.measure(alone, RidgeSweep(sweep))
        for metric in found:
            found[metric][sigma] = {
                name: own.xs(level, level="level") for name, own in trained[metric].items()} | {
                name: pd.Series(own[metric][0], at_one.lengths) for name, own in measured.items()} | {
                "sweep": pd.DataFrame(swept[metric], sweep, shown.lengths)}
    return found


def over_one_penalty(errors: dict) -> tuple:
    """Claim 29: SGPT's error over ridge regression's with one penalty, a geometric mean over the noise
    levels; the control is the best predictor that is not told the level, which adapts."""
    low, high = errors.values()
    over_levels = lambda name: (low[name][PENALTY_PAIRS] * high[name][PENALTY_PAIRS]) ** 0.5
    single = over_levels("sweep").min()
    return over_levels("SGPT") / single, [over_levels("floor") / single]
