"""Figures 5, 6 and 7: perceptrons on features, on the vectorized prompt, and on both."""

from dataclasses import replace

import numpy as np

from icllib.baselines import Ridge
from icllib.evaluate import ErrorByLength
from icllib.models import MLP, FeatureMLP, ScalarRegression
from icllib.papers.context_scaling.common import (
    FIGURE_1_MOST, FIGURE_4_COUNT, LINEAR_8, RELU_8, RELU_LENGTHS, TASKS, evaluation, near_bound)
from icllib.papers.context_scaling.learned import over_zero, worst
from icllib.papers.context_scaling.scaling import FIGURE_1, fig01_perceptrons, seeds
from icllib.results import samples
from icllib.tasks import DecisionTree, SparseLinear
from icllib.training import Recipe, Run

FIGURE_5_LENGTHS = (10, 20, 30, 40, 50)  # Appendix A
FIGURE_5_TASKS = {  # d = 8, Appendix A
    "linear": LINEAR_8, "ReLU network": RELU_8, "decision tree": DecisionTree(8),
    "sparse linear": SparseLinear(8)}
KERNELS = {"psi_L": "linear", "psi_H": "hilbert"}

# Per profile: the model of Eq. 9 and its recipe. ASSUMED: steps, and Adam as for the
# transformers of Figure 1.
FIGURE_5 = {
    "smoke": (FeatureMLP("l1", activation="gelu", width=16), Recipe(FIGURE_5_LENGTHS, 4, 4)),
    "cpu": (FeatureMLP("l1", activation="gelu", width=256),
              Recipe(FIGURE_5_LENGTHS, 2000, 64, 6e-3, schedule="cosine", warmup=0.05)),
    "gpu": (FeatureMLP("l1", activation="gelu"),
            Recipe(FIGURE_5_LENGTHS, 50_000, 64, 1e-3, schedule="cosine", warmup=0.05)),
    "paper": (FeatureMLP("l1", activation="gelu"), Recipe(FIGURE_5_LENGTHS, 500_000, 64, 1e-4)),
}

# Per profile: T of Figure 7, T of the models that read the prompt beside features, then steps for
# features alone and, on ReLU networks, for models that read the prompt. All else is as for the
# perceptron of Figure 1, whose runs are also Figure 7's. ASSUMED: Figure 7 is silent too. A model of
# nine inputs needs few steps, and T never matters. Claims 14 and 15 ask for the ends of the range of
# T alone, and prompt and features are most of the cost.
FIGURE_6_SEEDS = {"smoke": 2, "cpu": 3, "gpu": 5, "paper": 5}  # since claim 11 lies near its bound
ENDS, FOUR = (10**4, 10**6), (10**3, 10**4, 10**5, 10**6)
FIGURE_7 = {
    "smoke": (ENDS, ENDS, 4, 4),
    "cpu": (ENDS, ENDS, 1500, 3000),
    "gpu": (FOUR, ENDS, 20_000, 50_000),
    "paper": (FOUR, FOUR, 500_000, 500_000),
}


def fig05_one_layer(profile: str) -> list[Run]:
    """Figure 5: one layer of SGPT on four tasks.

    Each seed has prompts of its own, since slopes on trees differ more by prompts than by
    training: with 32,768 of them by 0.005 (standard deviation), with four times as many by half.
    """
    model, recipe = FIGURE_5[profile]
    measure = evaluation(FIGURE_5_LENGTHS, profile, prompts=2**17)
    return [Run(task, model, recipe, replace(measure, seed=seed), seed, FIGURE_4_COUNT)
            for task in FIGURE_5_TASKS.values() for seed in seeds(profile)]


def fig06_scalar_against_row(profile: str) -> list[Run]:
    """Figure 6: a row of features, which are runs of Figure 7, and its last entry alone."""
    runs = []
    for task, _ in TASKS.values():
        mlp, recipe = perceptron(task, profile, features_alone=True)
        for kernel in KERNELS.values():
            row = FeatureMLP(kernel, width=mlp.width), recipe
            scalar = ScalarRegression(kernel), replace(recipe, weight_decay=0.0)
            runs += [Run(task, *model, near_bound(recipe.lengths, profile), seed, FIGURE_1_MOST)
                     for model in (row, scalar) for seed in range(FIGURE_6_SEEDS[profile])]
    return runs


def fig07_features(profile: str) -> list[Run]:
    """Figure 7: perceptrons on the prompt, on features and on both, at every T and seed."""
    return (fig07_prompt_alone(profile) + fig07_prompt_and_features(profile)
            + fig07_features_alone(profile))


def fig07_prompt_alone(profile: str) -> list[Run]:
    """The models of Figure 7 that read the prompt; on linear functions those of Figure 1."""
    counts = FIGURE_7[profile][0]
    return ([run for run in fig01_perceptrons(profile) if run.pretraining_tasks in counts]
            + at_every_count([MLP()], counts, profile, {"ReLU network": TASKS["ReLU network"]}))


def fig07_prompt_and_features(profile: str) -> list[Run]:
    """The models of Figure 7 that read the prompt beside a row of features; most of the cost."""
    models = [FeatureMLP(kernel, prompt=True) for kernel in KERNELS.values()]
    return at_every_count(models, FIGURE_7[profile][1], profile)


def fig07_features_alone(profile: str) -> list[Run]:
    """The models of Figure 7 that read a row of features and nothing else; claim 14 is about the
    ends of the range of T."""
    models = [FeatureMLP(kernel) for kernel in KERNELS.values()]
    runs = at_every_count(models, FIGURE_7[profile][0], profile, features_alone=True)
    return [replace(run, evaluation=near_bound(run.recipe.lengths, profile))
            if run.pretraining_tasks in ENDS else run for run in runs]


def at_every_count(models, counts, profile: str, tasks=TASKS, features_alone: bool = False
                   ) -> list[Run]:
    """These models on these tasks, as wide and trained as a profile says, at these T, all seeds."""
    runs = []
    for task, _ in tasks.values():
        mlp, recipe = perceptron(task, profile, features_alone)
        measure = evaluation(recipe.lengths, profile)
        runs += [Run(task, replace(model, width=mlp.width), recipe, measure, seed, count)
                 for model in models for count in counts for seed in seeds(profile)]
    return runs


def perceptron(task, profile: str, features_alone: bool = False):
    """The perceptron of a profile and how it is trained on one of the two tasks."""
    size, (*_, alone, networks) = FIGURE_1[profile], FIGURE_7[profile]
    recipe = size.mlp_recipe
    if task == RELU_8:
        recipe = replace(recipe, lengths=RELU_LENGTHS, steps=networks)
    return size.mlp, replace(recipe, steps=alone) if features_alone else recipe


def reads(record) -> str:
    """What the model of a record of Figures 6 and 7 reads: "prompt", "psi_L", ..."""
    model = record.run["model"]
    if "features" not in model:
        return "prompt"
    name = next(name for name, features in KERNELS.items() if features == model["features"])
    return f"prompt + {name}" if model.get("prompt") else name


def errors_by_count(records, title: str, metric: str) -> dict:
    """T -> a metric of one model's records on one of TASKS: (seeds, context lengths)."""
    task = type(TASKS[title][0]).__name__
    counts = sorted({record.run["pretraining_tasks"] for record in records})
    return {T: samples(records, metric, task=task, pretraining_tasks=T) for T in counts}


def feature_ratios(records, title: str) -> tuple:
    """Claims 14, 15: error at most pairs over that at 10; at T = 1e6 over that at 1e4."""
    errors, at_10 = errors_by_count(records, title, "error"), TASKS[title][1].index(10)
    few, many = (errors[count] for count in ENDS)
    return many[:, -1] / many[:, at_10], many[:, at_10] / few[:, at_10]


def feature_parts(by_input: dict, reads_of) -> dict:
    """The ratios of `feature_ratios` by part of claims 14 and 15: (seeds,).

    by_input: what models read -> their records. reads_of: a feature map -> what the models read.
    """
    parts = {}
    for title in TASKS:
        for kernel in KERNELS:
            context, tasks = feature_ratios(by_input[reads_of(kernel)], title)
            parts |= {f"context {kernel} {title}": context, f"tasks {kernel} {title}": tasks}
    return parts


def over_margins(parts: dict) -> dict:
    """The statistic of claim 14: below 1 where a model gains from context, and not from tasks."""
    return {part: ratio / 0.9 if part.startswith("context") else 0.95 / ratio
            for part, ratio in parts.items()}


def features_learned(by_input: dict, *all_reads) -> dict:
    """What gates ask of the models that read these, the worst at each seed, by part as above and
    without "context" and "tasks": (seeds,)."""
    found = {}
    for title, (task, lengths) in TASKS.items():
        for kernel in KERNELS:
            largest = [errors_by_count(by_input[reads_of(kernel)], title, "error")[ENDS[1]]
                       for reads_of in all_reads]
            values = worst(*(over_zero(errors, task, lengths) for errors in largest))
            found |= {f"{kind}{kernel} {title}": values for kind in ("", "context ", "tasks ")}
    return found


def both_beside(by_input: dict, over_tasks: bool) -> tuple[dict, dict]:
    """The largest ratio of the error with prompt and features to that with either alone, by part:
    (seeds,); and the same of the answer 0.

    over_tasks: beside the prompt alone, at 10 pairs and the ends of the range of T (claim 35);
    otherwise beside features alone, at the largest T and every context length (claim 34).
    """
    ratios, of_zero = {}, {}
    for title, (task, lengths) in TASKS.items():
        at_10 = lengths.index(10)
        for kernel in KERNELS:
            both, alone = (errors_by_count(by_input[name], title, "error") for name in (
                f"prompt + {kernel}", "prompt" if over_tasks else kernel))
            both, alone = (np.stack([errors[T][:, at_10] for T in ENDS], axis=1) if over_tasks
                           else errors[ENDS[1]] for errors in (both, alone))
            part = f"{kernel} {title}"
            ratios[part] = (both / alone).max(axis=1)
            of_zero[part] = (task.label_variance / alone).max(axis=1)
    return ratios, of_zero


def bayes_floor(evaluation: ErrorByLength):
    """The error of optimal ridge regression on linear functions, in units of zero's: (K,)."""
    evaluation = ErrorByLength(evaluation.lengths, min(evaluation.prompts, 2**15),
                               evaluation.seed)  # enough for a line
    floor = evaluation.measure(LINEAR_8, Ridge.bayes(LINEAR_8))["error"][0]
    return floor / LINEAR_8.label_variance
