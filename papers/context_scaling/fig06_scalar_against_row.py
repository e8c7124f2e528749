"""Figure 6: one number of the features against the whole row."""

from dataclasses import replace

from icllib.models import FeatureMLP, ScalarRegression
from icllib.training import Run
from papers.context_scaling.scaling import KERNELS, TASKS, at_seeds, evaluation, perceptron


def runs(profile: str) -> list[Run]:
    """Figure 6: models of a row of features, as in Figure 7, and of its last entry alone."""
    runs = []
    for task, _ in TASKS.values():
        mlp, recipe = perceptron(task, profile, features_alone=True)
        for kernel in KERNELS.values():
            row = FeatureMLP(kernel, width=mlp.width), recipe
            scalar = ScalarRegression(kernel), replace(recipe, weight_decay=0.0)
            runs += at_seeds(task, (row, scalar), evaluation(recipe.lengths, profile), profile)
    return runs
