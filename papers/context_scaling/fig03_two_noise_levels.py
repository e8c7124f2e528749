"""Figure 3: do SGPT and GPT-2 adapt to the noise of a prompt?"""

import numpy as np

from icllib.baselines import MixtureRidge, Ridge, RidgeSweep
from icllib.evaluate import ErrorByNoiseLevel
from icllib.tasks import TwoNoiseLevels
from icllib.training import Run
from papers.context_scaling.scaling import (
    DIMENSIONS, NOISE_STDS, PENALTY_PAIRS, both_models, penalties, trained_errors)

FIGURE_3_DIMENSIONS = DIMENSIONS | {"cpu": 8}  # ASSUMED: 20, as in Figure 2, was not tried
FIGURE_3_LENGTHS = tuple(range(1, 41))  # Appendix A
FEWER_LENGTHS = (1, 2, 3, 7, 10, 15, 20, 25, 30, 40)  # ASSUMED: they fill four rows of 41 in SGPT


def two_noise_levels(profile: str) -> TwoNoiseLevels:
    """The task of Figure 3."""
    d = FIGURE_3_DIMENSIONS[profile]
    return TwoNoiseLevels(d, NOISE_STDS, d**-0.5)


def runs(profile: str) -> list[Run]:
    """Figure 3: SGPT and GPT-2 trained on prompts of either level, measured at each."""
    lengths = FEWER_LENGTHS if profile in ("smoke", "cpu") else FIGURE_3_LENGTHS
    return both_models(profile, two_noise_levels(profile), lengths, ErrorByNoiseLevel)


def errors_at_two_levels(records, run: Run) -> dict:
    """Metrics of Figure 3: {name: {metric: (seeds, 2, K)}}; (1, 2, K) for baselines.

    "ridge" has the best penalty of each level; "floor" is the best predictor that does not know the
    level; "sweep" has all `penalties`: (P, 2, K).
    """
    task, evaluation = run.task, run.evaluation
    tuned = [evaluation.measure(task, Ridge.bayes(task.at_level(level))) for level in (0, 1)]
    return trained_errors(records) | {
        "ridge": {metric: np.stack([tuned[level][metric][:, level] for level in (0, 1)], axis=1)
                  for metric in tuned[0]},
        "floor": evaluation.measure(task, MixtureRidge.bayes(task)),
        "sweep": evaluation.measure(task, RidgeSweep(penalties(task.dimension)))}


def over_one_penalty(errors: dict, run: Run) -> tuple:
    """Claim 29: SGPT's error over ridge regression's with one penalty, (seeds,), and a control.

    Errors are geometric means over the noise levels. The control is ridge regression with the best
    penalty for high noise, which does not adapt. errors, run: of `errors_at_two_levels`.
    """
    at = run.evaluation.lengths.index(PENALTY_PAIRS)
    over_levels = lambda found: found[..., at].prod(axis=-1) ** 0.5  # there are two
    swept = over_levels(errors["sweep"]["error"])
    wrong = np.abs(penalties(run.task.dimension)
                   - run.task.dimension * max(run.task.noise_stds) ** 2).argmin()
    return over_levels(errors["SGPT"]["error"]) / swept.min(), swept[[wrong]] / swept.min()
