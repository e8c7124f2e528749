"""Figure 5: is one layer of SGPT enough to use the context?"""

from dataclasses import replace

from icllib.training import Run
from papers.context_scaling.scaling import (
    FIGURE_4_COUNT, FIGURE_5, FIGURE_5_LENGTHS, FIGURE_5_TASKS, evaluation, seeds_of_profile)


def runs(profile: str) -> list[Run]:
    """Figure 5: one layer of SGPT on four tasks. Each seed has other prompts, since slopes on trees differ
    more by prompts than by training; with 131,072 their standard deviation is 0.0025."""
    model, recipe = FIGURE_5[profile]
    measure = evaluation(FIGURE_5_LENGTHS, profile, prompts=2**17)
    return [Run(task, model, recipe, replace(measure, seed=seed), seed, FIGURE_4_COUNT)
            for task in FIGURE_5_TASKS.values() for seed in seeds_of_profile(profile)]
