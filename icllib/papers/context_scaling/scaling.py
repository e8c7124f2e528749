"""Figures 1 and 8: decoder, perceptron and SGPT, against pre-training tasks and context length;
the same with twice the steps."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from icllib.errors import InputError
from icllib.models import MLP, SGPT, Transformer
from icllib.papers.context_scaling.common import (
    LENGTHS, LINEAR_8, RELU_8, RELU_LENGTHS, TASKS, evaluation)
from icllib.training import Recipe, Run


class Size(NamedTuple):
    """What differs between profiles in Figure 1."""

    decoder: Transformer
    decoder_recipe: Recipe
    mlp: MLP
    mlp_recipe: Recipe
    counts: tuple[int, ...]  # T
    seeds: int


# ASSUMED everywhere: steps and batch (Appendix A gives neither); the same number of steps for
# every T. paper: Adam at a constant 1e-4 with batch 64 (Garg et al., 2022) and AdamW at 1e-4
# with batch 128 (Tong and Pehlevan, 2024), the works whose code the paper follows.
FIGURE_1 = {
    "smoke": Size(Transformer(1, 2, 16), Recipe(LENGTHS, steps=4, batch=4),
                  MLP(16), Recipe(LENGTHS, steps=4, batch=4), (10**4, 10**5, 10**6), 2),
    "cpu": Size(Transformer(2, 4, 64),
                  Recipe(LENGTHS, 3000, 16, learning_rate=2e-3, schedule="cosine", warmup=0.1),
                  MLP(1024),
                  Recipe(LENGTHS, 8000, 128, learning_rate=4e-3, schedule="cosine", warmup=0.05),
                  (100, 10**3, 10**4, 10**5, 10**6), 3),
    "gpu": Size(Transformer(8, 8, 256),
                Recipe(LENGTHS, 20_000, 64, learning_rate=5e-4, schedule="cosine", warmup=0.1),
                MLP(1024),
                Recipe(LENGTHS, 100_000, 128, learning_rate=1e-3, schedule="cosine", warmup=0.05),
                (100, 10**3, 10**4, 10**5, 10**6), 3),
    "paper": Size(Transformer(8, 8, 256), Recipe(LENGTHS, 500_000, 64, learning_rate=1e-4),
                  MLP(1024), Recipe(LENGTHS, 500_000, 128, learning_rate=1e-4, weight_decay=0.01),
                  (100, 10**3, 10**4, 10**5, 10**6), 3),
}

# Figure 1B at cpu. ASSUMED: a layer more than in panel A, and ten times the prompts. A pilot of one
# seed at T = 1e6 ended within 1.25 of ridge regression, which is what the claims ask.
CONTEXT_COUNTS = (10**5, 10**6)
CONTEXT_DECODER = Transformer(3, 4, 64)
CONTEXT_RECIPE = Recipe(LENGTHS, 15_000, 32, learning_rate=2e-3, schedule="cosine", warmup=0.1)
CONTEXT_EVALUATION = replace(evaluation(LENGTHS, "cpu", prompts=2**14), own_prompts=True)

# Figure 1A at cpu. ASSUMED: panel B's decoder, on contexts of 10 pairs, which panel A shows, and of
# 20 alone, so that training can go through 10^6 prompts twice. A pilot of one seed at T = 1e6 ended
# at 1.13 times ridge regression's error; on contexts of 5 and 10 pairs it had ended at 1.42.
TASKS_COUNTS = (10**3, 10**4, 10**5, 10**6)
TASKS_RECIPE = Recipe((10, 20), 15_625, 128, learning_rate=2e-3, schedule="cosine", warmup=0.1)
TASKS_EVALUATION = replace(CONTEXT_EVALUATION, lengths=TASKS_RECIPE.lengths)

# Figure 8 at cpu. ASSUMED: SGPT of the paper's depth on linear functions, where four layers,
# trained as in panel B, end just at the bound of the gate; on ReLU networks four are enough.
DEEP_SGPT = SGPT(8, 32)
SGPT_COUNTS = (10**4, 10**5, 10**6)  # the range of claim 16

# Per profile: SGPT and the learning rate at which it trains; all else is as for the decoder.
# Appendix A: 8 layers of width 256. ASSUMED: everything at cpu, and the rate at gpu.
SGPTS = {
    "smoke": (SGPT(1, 16), 1e-4),
    "cpu": (SGPT(4, 32), 4e-3),
    "gpu": (SGPT(8, 256), 5e-4),
    "paper": (SGPT(8, 256), 1e-4),
}

# At cpu, where a page has the paper's 20 dimensions: each model with its rate. ASSUMED: the decoder
# of panel B, and SGPT of the paper's depth; all else is as for panel B, but for the steps.
IN_20_DIMENSIONS = {"SGPT": (SGPT(8, 64), 4e-3), "GPT-2": (CONTEXT_DECODER, 2e-3)}


def seeds(profile: str) -> range:
    """As many as in Figure 1."""
    return range(FIGURE_1[profile].seeds)


def transformers(profile: str, **recipe) -> dict:
    """The two models of the paper's comparisons by name, each with how it trains.

    recipe: what differs from the recipe of Figure 1, such as the context lengths.
    """
    size, (sgpt, rate) = FIGURE_1[profile], SGPTS[profile]
    of_decoder = replace(size.decoder_recipe, **recipe)
    return {"SGPT": (sgpt, replace(of_decoder, learning_rate=rate)),
            "GPT-2": (size.decoder, of_decoder)}


def in_20_dimensions(lengths, steps: dict) -> dict:
    """The same at `cpu` on tasks with the paper's 20 dimensions. steps: of each by name."""
    return {name: (model, replace(CONTEXT_RECIPE, lengths=lengths, learning_rate=rate,
                                  steps=steps[name]))
            for name, (model, rate) in IN_20_DIMENSIONS.items()}


def fig01_scaling(profile: str) -> list[Run]:
    """Figure 1: a decoder and a perceptron, each at every T and seed, and the decoders of its panels."""
    runs = fig01_decoders(profile) + fig01_perceptrons(profile)
    others = fig01_against_context(profile) + fig01_against_tasks(profile)
    return runs + [run for run in others if run not in runs]


def fig01_decoders(profile: str) -> list[Run]:
    """The decoders of Figure 1; at `cpu` small ones, which other pages compare with, see below."""
    size = FIGURE_1[profile]
    return against_tasks(LINEAR_8, size.decoder, size.decoder_recipe, profile)


def fig01_perceptrons(profile: str) -> list[Run]:
    """The perceptrons of Figure 1, which train on a CPU at `gpu` too."""
    size = FIGURE_1[profile]
    return against_tasks(LINEAR_8, size.mlp, size.mlp_recipe, profile)


def fig01_against_context(profile: str) -> list[Run]:
    """The decoders of Figure 1B; at `cpu` larger ones, which train for longer."""
    runs = [run for run in fig01_decoders(profile) if run.pretraining_tasks in CONTEXT_COUNTS]
    if profile != "cpu":
        return runs
    return [larger(run, CONTEXT_RECIPE, CONTEXT_EVALUATION) for run in runs]


def fig01_against_tasks(profile: str) -> list[Run]:
    """The decoders of Figure 1A; at `cpu` larger ones, trained for longer on shorter contexts."""
    runs = fig01_decoders(profile)
    if profile != "cpu":
        return runs
    return [larger(run, TASKS_RECIPE, TASKS_EVALUATION) for run in runs
            if run.pretraining_tasks in TASKS_COUNTS]


def against_tasks(task, model, recipe: Recipe, profile: str) -> list[Run]:
    """A model at every T of Figure 1 and seed, measured at the lengths of its training."""
    measure = evaluation(recipe.lengths, profile)
    return [Run(task, model, recipe, measure, seed, count)
            for count in FIGURE_1[profile].counts for seed in seeds(profile)]


def scaling_tasks(profile: str) -> dict:
    """The tasks of Figure 8 by name, each with its context lengths.

    ASSUMED: the lengths are Figure 7's, since Appendix C gives none. Below the profile paper ReLU
    networks have those up to 40 pairs, where the claim ends, so that all T fit into the time.
    """
    lengths = RELU_LENGTHS if profile == "paper" else RELU_LENGTHS[:4]
    return TASKS | {"ReLU network": (RELU_8, lengths)}


def fig08_sgpt_scaling(profile: str) -> list[Run]:
    """Figure 8: SGPT and GPT-2 on two tasks, those of its panel A and what panel B has besides."""
    return list(dict.fromkeys(fig08_against_tasks(profile) + fig08_against_context(profile)))


def fig08_transformers(profile: str) -> list[Run]:
    """The models of Figure 8, each at every T and seed; at `cpu` small ones, see below."""
    return [
        run
        for task, lengths in scaling_tasks(profile).values()
        for model, recipe in transformers(profile, lengths=lengths).values()
        for run in against_tasks(task, model, recipe, profile)
    ]


def fig08_against_tasks(profile: str) -> list[Run]:
    """The models of Figure 8A; at `cpu` trained and measured as the decoders of Figure 1A are."""
    runs = fig08_transformers(profile)
    if profile != "cpu":
        return runs
    return [larger(run, TASKS_RECIPE, TASKS_EVALUATION) for run in runs
            if run.pretraining_tasks in SGPT_COUNTS]


def fig08_against_context(profile: str) -> list[Run]:
    """The models of Figure 8B; at `cpu` trained and measured as the decoders of Figure 1B are, but
    for ReLU networks, on which the small ones have learned."""
    runs = [run for run in fig08_transformers(profile) if run.pretraining_tasks in CONTEXT_COUNTS]
    if profile != "cpu":
        return runs
    return [run if run.task == RELU_8 else larger(run, CONTEXT_RECIPE, CONTEXT_EVALUATION)
            for run in runs]


def larger(run: Run, recipe: Recipe, measure) -> Run:
    """The run at `cpu` that panels of Figures 1 and 8 show in place of a small one, at its rate."""
    model = CONTEXT_DECODER
    if isinstance(run.model, SGPT):
        model = DEEP_SGPT if run.task == LINEAR_8 else run.model
    recipe = replace(recipe, learning_rate=run.recipe.learning_rate)
    return replace(run, model=model, recipe=recipe, evaluation=measure)


def optimizer_steps(profile: str) -> list[Run]:
    """Figures 1 and 8 on linear regression, at `cpu` their small models, then twice the steps.

    ASSUMED: of the T of Figure 1 the smallest and the two of its panel B, to save time.
    """
    counts = {min(FIGURE_1[profile].counts), 10**5, 10**6}
    runs = fig01_decoders(profile) + fig01_perceptrons(profile)
    runs += [run for run in fig08_transformers(profile) if run.task == LINEAR_8 and run not in runs]
    runs = [run for run in runs if run.pretraining_tasks in counts]
    longer = [replace(run, recipe=replace(run.recipe, steps=2 * run.recipe.steps)) for run in runs]
    return runs + longer


def tasks_ratio(errors: dict, lengths) -> np.ndarray:
    """The error at T = 1e6 over that at 1e4 for 10 pairs, as claim 16 judges it: (seeds,).

    errors: T -> (seeds, len(lengths)). Raises InputError where a T is missing.
    """
    check_counts(errors, (10**4, 10**6))
    at_10 = lengths.index(10)
    return errors[10**6][:, at_10] / errors[10**4][:, at_10]


def check_counts(errors: dict, judged) -> None:
    """Raises InputError unless there are errors at every T that claims 3, 4 or 16 judge."""
    if not set(judged) <= set(errors):
        raise InputError(f"T: expected {', '.join(map(str, judged))}, as claims 3, 4 and 16 judge "
                         f"the errors there, got {', '.join(map(str, errors))}")


def context_ratios(errors: dict, lengths, before: str = "") -> dict:
    """The error at n = 40 over that at 10 for two T, as claims 3, 4 and 16 judge it: (seeds,).

    before: what the names of the parts begin with. Raises InputError where a T is missing.
    """
    check_counts(errors, (10**5, 10**6))
    at_10, at_40 = map(lengths.index, (10, 40))
    return {f"{before}T = {name}": errors[T][:, at_40] / errors[T][:, at_10]
            for name, T in (("1e5", 10**5), ("1e6", 10**6))}


def ratios_by_length(errors: dict, lengths) -> dict:
    """The errors at 20, 30 and 40 pairs over that at 10 for two T, as claim 4 judges them: (seeds,).

    Raises InputError where a T is missing.
    """
    check_counts(errors, (10**5, 10**6))
    at_10 = lengths.index(10)
    return {f"T = {name} n = {n}": errors[T][:, lengths.index(n)] / errors[T][:, at_10]
            for name, T in (("1e5", 10**5), ("1e6", 10**6)) for n in (20, 30, 40)}


def slopes_over_tasks(excess: dict, lengths) -> dict:
    """Slopes of log10 excess error at 10 pairs against log10 T, as claims 1, 2 and 31 judge them, by
    range of T: (seeds,). excess: T -> (seeds, len(lengths))."""
    at_10 = lengths.index(10)
    found = {}
    for name, first in (("1e3", 10**3), ("1e4", 10**4)):
        counts = sorted(T for T in excess if T >= first)
        found[f"from T = {name}"] = log_slope(counts, [excess[T][:, at_10] for T in counts])
    return found


def log_slope(xs, ys) -> np.ndarray:
    """The slope of log10 y against log10 x, such as claim 1's: (K,), (K, seeds) -> (seeds,)."""
    return np.polyfit(np.log10(xs), np.log10(ys), 1)[0]
