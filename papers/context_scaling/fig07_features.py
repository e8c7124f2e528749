"""Figure 7: a perceptron on the prompt, on features, or on both."""

from dataclasses import replace

import pandas as pd

from icllib.models import FeatureMLP, MLP
from icllib.training import Run
from papers.context_scaling.gates import worst
from papers.context_scaling.scaling import (
    ENDS, FIGURE_7, KERNELS, TASKS, at_seeds, by_count, evaluation, perceptron)


def runs(profile: str) -> list[Run]:
    """Figure 7: perceptrons on the prompt, on features and on both, at every T and seed."""
    return (fig07_prompt_alone(profile) + fig07_prompt_and_features(profile) + fig07_features_alone(profile))


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
        runs += at_seeds(task, [(replace(model, width=mlp.width), recipe) for model in models],
                         evaluation(recipe.lengths, profile), profile, counts)
    return runs


def errors_on(title: str, records, metric: str = "error") -> pd.DataFrame:
    """A metric of one model's records on one of TASKS, as in `by_count`."""
    return by_count([record for record in records if record.component.task == TASKS[title][0]], metric)


def feature_ratios(records, title: str) -> tuple:
    """For claims 14 and 15: the errors at the most pairs over those at 10, at the most T over the least."""
    errors = errors_on(title, records)
    few, many = (errors.xs(count, level="T") for count in ENDS)
    return many[errors.columns.max()] / many[10], many[10] / few[10]


def feature_parts(by_input: dict, reads_of) -> dict:
    """The ratios of `feature_ratios`, by part; reads_of: from a feature map to what models read."""
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
    """For gates, errors over that of 0 of the worst model, by part with and without its kind."""
    found = {}
    for title, (task, _) in TASKS.items():
        for kernel in KERNELS:
            values = worst(*(errors_on(title, by_input[reads_of(kernel)]).xs(ENDS[1], level="T")[10]
                             / task.label_variance for reads_of in all_reads))
            found |= {f"{kind}{kernel} {title}": values for kind in ("", "context ", "tasks ")}
    return found


def both_beside(by_input: dict, over_tasks: bool) -> tuple[dict, dict]:
    """The largest ratio of the error with prompt and features to that with one alone, by part; and, as a
    control, of that with the other alone. over_tasks: the prompt alone, at 10 pairs and both ENDS of T (claim
    35); else features alone, at the largest T and every context length (claim 34)."""
    ratios, rivals = {}, {}
    judged = lambda errors: (errors[10].unstack("T")[list(ENDS)] if over_tasks
                             else errors.xs(ENDS[1], level="T"))
    for title in TASKS:
        for kernel in KERNELS:
            single = ["prompt", kernel] if over_tasks else [kernel, "prompt"]
            both, alone, rival = (judged(errors_on(title, by_input[name])) for name in (
                f"prompt + {kernel}", *single))
            part = f"{kernel} {title}"
            ratios[part] = (both / alone).max(axis=1)
            rivals[part] = (rival / alone).max(axis=1)
    return ratios, rivals
