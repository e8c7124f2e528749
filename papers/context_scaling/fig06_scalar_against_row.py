"""Figure 6: one number of the features against the whole row."""

from dataclasses import replace

from icllib.models import FeatureMLP, ScalarRegression
from icllib.training import Run
from papers.context_scaling.scaling import (
    FIGURE_1_MOST, KERNELS, TASKS, evaluation, perceptron, seeds_of_profile)


def runs(profile: str) -> list[Run]:
    """Figure 6: models of a row of features, as in Figure 7, and of its last entry alone."""
    runs = []
    for task, _ in TASKS.values():
        mlp, recipe = perceptron(task, profile, features_alone=True)
        for kernel in KERNELS.values():
            row = FeatureMLP(kernel, width=mlp.width), recipe
            scalar = ScalarRegression(kernel), replace(recipe, weight_decay=0.0)
            runs += [Run(task, *model, evaluation(recipe.lengths, profile), seed, FIGURE_1_MOST)
                     for model in (row, scalar) for seed in seeds_of_profile(profile)]
    return runs
