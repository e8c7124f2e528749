"""Beyond the paper: would twice the training steps change a verdict?"""

from dataclasses import replace

from icllib.training import Run
from papers.context_scaling.scaling import (
    FIGURE_1, LINEAR_8, fig01_decoders, fig01_perceptrons, fig08_transformers)


def runs(profile: str) -> list[Run]:
    """Figures 1 and 8 on linear regression, at `cpu` small models; then for twice the steps. ASSUMED: only
    Figure 1's smallest T and the two of its panel B, to save time."""
    counts = {min(FIGURE_1[profile].counts), 10**5, 10**6}
    runs = fig01_decoders(profile) + fig01_perceptrons(profile)
    runs += [run for run in fig08_transformers(profile) if run.task == LINEAR_8 and run not in runs]
    runs = [run for run in runs if run.pretraining_tasks in counts]
    longer = [replace(run, recipe=replace(run.recipe, steps=2 * run.recipe.steps)) for run in runs]
    return runs + longer
