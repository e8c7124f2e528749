"""Figure 7: a perceptron on the prompt, on features, or on both."""

from dataclasses import replace

import numpy as np

from claimbook.records import samples
from icllib.models import FeatureMLP, MLP
from icllib.training import Run
from papers.context_scaling.gates import over_zero, worst
from papers.context_scaling.scaling import (
    ENDS, FIGURE_7, KERNELS, TASKS, evaluation, perceptron, seeds)


def runs(profile: str) -> list[Run]:
    """Figure 7: perceptrons on the prompt, on features and on both, at every T and seed."""
    return (fig07_prompt_alone(profile) + fig07_prompt_and_features(profile)
            + fig07_features_alone(profile))


def fig07_prompt_alone(profile: str) -> list[Run]:
    """The models of Figure 7 that read the prompt; on linear functions those of Figure 1."""
    return at_every_count([MLP()], FIGURE_7[profile][0], profile)


def fig07_prompt_and_features(profile: str) -> list[Run]:
    """The models of Figure 7 that read the prompt and a row of features; most of the cost."""
    models = [FeatureMLP(kernel, prompt=True) for kernel in KERNELS.values()]
    return at_every_count(models, FIGURE_7[profile][1], profile)


def fig07_features_alone(profile: str) -> list[Run]:
    """The models of Figure 7 that read only a row of features."""
    models = [FeatureMLP(kernel) for kernel in KERNELS.values()]
    return at_every_count(models, FIGURE_7[profile][0], profile, features_alone=True)


def at_every_count(models, counts, profile: str, features_alone: bool = False) -> list[Run]:
    """These models on both tasks at these T and every seed, with the profile's width and recipe."""
    runs = []
    for task, _ in TASKS.values():
        mlp, recipe = perceptron(task, profile, features_alone)
        measure = evaluation(recipe.lengths, profile)
        runs += [Run(task, replace(model, width=mlp.width), recipe, measure, seed, count)
                 for model in models for count in counts for seed in seeds(profile)]
    return runs


def errors_by_count(records, title: str, metric: str) -> dict:
    """{T: a metric of one model's records on one of TASKS, (seeds, context lengths)}."""
    task = type(TASKS[title][0]).__name__
    counts = sorted({record.run["pretraining_tasks"] for record in records})
    return {T: samples(records, metric, task=task, pretraining_tasks=T) for T in counts}


def feature_ratios(records, title: str) -> tuple:
    """For claims 14 and 15, (seeds,) each: the error at the most pairs over that at 10 pairs; the
    error at T = 1e6 over that at T = 1e4."""
    errors, at_10 = errors_by_count(records, title, "error"), TASKS[title][1].index(10)
    few, many = (errors[count] for count in ENDS)
    return many[:, -1] / many[:, at_10], many[:, at_10] / few[:, at_10]


def feature_parts(by_input: dict, reads_of) -> dict:
    """The ratios of `feature_ratios` for claims 14 and 15: {part: (seeds,)}.

    by_input: {what models read: their records}; reads_of: from a feature map to what models read.
    """
    parts = {}
    for title in TASKS:
        for kernel in KERNELS:
            context, tasks = feature_ratios(by_input[reads_of(kernel)], title)
            parts |= {f"context {kernel} {title}": context, f"tasks {kernel} {title}": tasks}
    return parts


def over_margins(parts: dict) -> dict:
    """The statistic of claim 14: below 1 if a model gains from context, and not from tasks."""
    return {part: ratio / 0.9 if part.startswith("context") else 0.95 / ratio
            for part, ratio in parts.items()}


def features_learned(by_input: dict, *all_reads) -> dict:
    """For gates, errors over that of 0 of the worst model at each seed: {part: (seeds,)}.

    Parts are those of `feature_parts`, also without "context" and "tasks".
    """
    found = {}
    for title, (task, lengths) in TASKS.items():
        for kernel in KERNELS:
            largest = [errors_by_count(by_input[reads_of(kernel)], title, "error")[ENDS[1]]
                       for reads_of in all_reads]
            values = worst(*(over_zero(errors, task, lengths) for errors in largest))
            found |= {f"{kind}{kernel} {title}": values for kind in ("", "context ", "tasks ")}
    return found


def both_beside(by_input: dict, over_tasks: bool) -> tuple[dict, dict]:
    """The largest ratio of the error with prompt and features to that with one alone: {part:
    (seeds,)}; and the same with the answer 0 in place of the model.

    over_tasks: relative to the prompt alone, at 10 pairs and both ENDS of T (claim 35); otherwise
    to features alone, at the largest T and every context length (claim 34).
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
