"""What several pages train: tasks, models and recipes."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from claimbook.pages.page import settings_of
from claimbook.pages.plotting import dots
from claimbook.records.values import values
from icllib.baselines import Ridge
from icllib.evaluate import ErrorByLength
from icllib.models import FeatureMLP, MLP, SGPT, Transformer
from icllib.tasks import DecisionTree, LinearRegression, ReluNetwork, SparseLinear
from icllib.training import Recipe, Run

# ---- tasks, sizes and recipes of Figures 1, 7 and 8 -----------------------------------------

# Figures 1, 7 and 8: d = 8, sigma = 0.22 (Appendix A). The paper follows Tong and Pehlevan
# (2024), whose noise variance is 0.05; 0.22 is its root, rounded.
LINEAR_8 = LinearRegression(dimension=8, noise_std=0.05**0.5, weight_std=8**-0.5)
RELU_8 = ReluNetwork(dimension=8)  # Figures 5 to 8, Appendix A
LENGTHS = (5, 10, 20, 30, 40)  # Figures 1 and 7, Appendix A
EVERY = tuple(range(min(LENGTHS), max(LENGTHS) + 1))
RELU_LENGTHS = (10, 20, 30, 40, 50, 60, 70, 80)  # Figure 7, Appendix A
FIGURE_4_COUNT = 2 * 10**6  # T, caption of Figure 4. ASSUMED for like tasks in figures without T
FIGURE_1_MOST = 10**6  # the largest T of Figure 1. ASSUMED for Figure 6 and panels against n
TASKS = {"linear": (LINEAR_8, LENGTHS), "ReLU network": (RELU_8, RELU_LENGTHS)}  # Figures 6 to 8
# Settings that the paper does not give, by name, for the table on the page.
ASSUMED = (
    "recipe.steps", "recipe.batch", "recipe.learning_rate", "recipe.schedule", "recipe.warmup",
    "recipe.weight_decay", "evaluation.prompts", "evaluation.seed", "seed",
)
LINEAR_ASSUMED = (*ASSUMED, "task.noise_std")
SGPT_ASSUMED = (*ASSUMED, "model.normalization", "model.mlp_skip")


def evaluation(lengths, profile: str, prompts: int = 4096, kind=ErrorByLength):
    """Errors on new prompts, by default as many as in Figure 1. kind: the class of evaluation."""
    return kind(lengths, prompts=64 if profile == "smoke" else prompts)


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
# seed at T = 1e6 ended below 1.25 times ridge regression's error, as the claims' gate asks.
CONTEXT_COUNTS = (10**5, 10**6)
CONTEXT_DECODER = Transformer(3, 4, 64)
CONTEXT_RECIPE = Recipe(LENGTHS, 15_000, 32, learning_rate=2e-3, schedule="cosine", warmup=0.1)
CONTEXT_EVALUATION = replace(evaluation(LENGTHS, "cpu", prompts=2**14), own_prompts=True)
# Figure 1A at cpu. ASSUMED: panel B's decoder, only on contexts of 10 pairs, as in panel A, and of
# 20, so that training can go through 10^6 prompts twice. A pilot of one seed at T = 1e6 ended
# at 1.13 times ridge regression's error; on contexts of 5 and 10 pairs it had ended at 1.42.
TASKS_COUNTS = (10**3, 10**4, 10**5, 10**6)
TASKS_RECIPE = Recipe((10, 20), 15_625, 128, learning_rate=2e-3, schedule="cosine", warmup=0.1)
TASKS_EVALUATION = replace(CONTEXT_EVALUATION, lengths=TASKS_RECIPE.lengths)
# Figure 8 at cpu. ASSUMED: SGPT of the paper's depth on linear functions, where four layers only
# just reach the gate's bound if trained as in panel B; on ReLU networks four are enough.
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
# At cpu on tasks with the paper's 20 dimensions: each model with its rate. ASSUMED: the decoder of
# panel B, and SGPT of the paper's depth; all but the steps is as for panel B.
IN_20_DIMENSIONS = {"SGPT": (SGPT(8, 64), 4e-3), "GPT-2": (CONTEXT_DECODER, 2e-3)}


def seeds_of_profile(profile: str) -> range:
    """The seeds of a profile, as many as in Figure 1."""
    return range(FIGURE_1[profile].seeds)


def at_seeds(task, models, measure, profile: str, counts=(FIGURE_1_MOST,), seeds=None) -> list[Run]:
    """Models, each (settings, recipe), at these T and, by default, every seed of a profile."""
    return [Run(task, *model, measure, seed, count)
            for model in models for count in counts for seed in seeds or seeds_of_profile(profile)]


def transformers(profile: str, **recipe) -> dict:
    """{name: (model, recipe)} of both models of the paper; recipe: what differs from Figure 1's."""
    size, (sgpt, rate) = FIGURE_1[profile], SGPTS[profile]
    of_decoder = replace(size.decoder_recipe, **recipe)
    return {"SGPT": (sgpt, replace(of_decoder, learning_rate=rate)), "GPT-2": (size.decoder, of_decoder)}


def in_20_dimensions(lengths, steps: dict) -> dict:
    """{name: (model, recipe)} of both models for `cpu` on tasks with the paper's 20 dimensions."""
    return {name: (model, replace(CONTEXT_RECIPE, lengths=lengths, learning_rate=rate, steps=steps[name]))
            for name, (model, rate) in IN_20_DIMENSIONS.items()}


def fig01_decoders(profile: str) -> list[Run]:
    """The decoders of Figure 1; at `cpu` small ones, with which other pages compare."""
    size = FIGURE_1[profile]
    return against_tasks(LINEAR_8, size.decoder, size.decoder_recipe, profile)


def fig01_perceptrons(profile: str) -> list[Run]:
    """The perceptrons of Figure 1, which train on a CPU at `gpu` too."""
    size = FIGURE_1[profile]
    return against_tasks(LINEAR_8, size.mlp, size.mlp_recipe, profile)


def fig01_against_tasks(profile: str) -> list[Run]:
    """The decoders of Figure 1A; at `cpu` larger ones, trained for longer on shorter contexts."""
    return shown_against_tasks(fig01_decoders(profile), TASKS_COUNTS, profile)


def shown_against_tasks(runs: list[Run], counts, profile: str) -> list[Run]:
    """The runs of a panel A; at `cpu` larger models in their place, at these T."""
    return runs if profile != "cpu" else [larger(run, TASKS_RECIPE, TASKS_EVALUATION) for run in runs
                                          if run.pretraining_tasks in counts]


def against_tasks(task, model, recipe: Recipe, profile: str) -> list[Run]:
    """A model at every T of Figure 1 and seed, measured at the lengths of its training."""
    measure = evaluation(recipe.lengths, profile)
    return at_seeds(task, [(model, recipe)], measure, profile, FIGURE_1[profile].counts)


def scaling_tasks(profile: str) -> dict:
    """The tasks of Figure 8 by name, each with its context lengths. ASSUMED: those of Figure 7, since
    Appendix C gives none; but for profile paper up to 40 pairs on ReLU networks, as the claim, to save
    time."""
    lengths = RELU_LENGTHS if profile == "paper" else RELU_LENGTHS[:4]
    return TASKS | {"ReLU network": (RELU_8, lengths)}


def fig08_transformers(profile: str) -> list[Run]:
    """The models of Figure 8, each at every T and seed; at `cpu` small ones."""
    return [run for task, lengths in scaling_tasks(profile).values()
            for model in transformers(profile, lengths=lengths).values()
            for run in against_tasks(task, *model, profile)]


def fig08_against_tasks(profile: str) -> list[Run]:
    """The models of Figure 8A; at `cpu` trained and measured as the decoders of Figure 1A are."""
    return shown_against_tasks(fig08_transformers(profile), SGPT_COUNTS, profile)


def larger(run: Run, recipe: Recipe, measure) -> Run:
    """A run of the larger model that Figures 1 and 8 show at `cpu` in place of this small one."""
    model = CONTEXT_DECODER
    if isinstance(run.model, SGPT):
        model = DEEP_SGPT if run.task == LINEAR_8 else run.model
    recipe = replace(recipe, learning_rate=run.recipe.learning_rate)
    return replace(run, model=model, recipe=recipe, evaluation=measure)


# ---- ratios and slopes of errors ------------------------------------------------------------


def by_count(records, metric: str) -> pd.DataFrame:
    """A metric of records of one model and task: a row for each seed and T, a column for each length."""
    return values(records, metric, T="pretraining_tasks").unstack("length")


def context_ratios(errors: pd.DataFrame, before: str = "", n: int = 40) -> dict[str, pd.Series]:
    """The error at n pairs over that at 10 for two T, by part of claims 3, 4 and 16; before: in its name."""
    ratios = (errors[n] / errors[10]).unstack("T")
    return {f"{before}T = {name}": ratios[T] for name, T in (("1e5", 10**5), ("1e6", 10**6))}


def slopes_over_tasks(excess: pd.DataFrame) -> dict[str, np.ndarray]:
    """Slopes of log10 excess error at 10 pairs against log10 T, for claims 1, 2 and 31, by range of T."""
    at_10 = excess[10].unstack("T")
    return {f"from T = {name}": log_slope(at_10.loc[:, first:])
            for name, first in (("1e3", 10**3), ("1e4", 10**4))}


def log_slope(errors: pd.DataFrame) -> np.ndarray:
    """The slope of log10 error against log10 of what the columns are, such as claim 1's: one per row."""
    return np.polyfit(np.log10(errors.columns), np.log10(errors).T, 1)[0]


# ---- Figures 2, 3, 5 and 7 ------------------------------------------------------------------

DIMENSIONS = {"smoke": 4, "cpu": 20, "gpu": 20, "paper": 20}  # 20: Appendix A
NOISE_STDS = (0.1, 0.5)  # Figure 3, Appendix A; Figure 2 has only the second
FIGURE_2_LENGTHS = (10, 15, 20, 25, 30, 35, 40)  # Appendix A
# Figures 2 and 3 at cpu. ASSUMED: in pilots of Figure 2 with one seed SGPT's errors were at most 1.09
# times ridge regression's after 8,000 steps; those of GPT-2 up to 1.42 times then, and at most 1.12
# times after 30,000. So GPT-2 trains for twice that.
FIGURE_2_STEPS = {"SGPT": 8000, "GPT-2": 60_000}
FIGURE_2_SEEDS = 5
PENALTY_PAIRS = 20  # ASSUMED: the pairs of the panels against the penalty


def one_noise_level(profile: str) -> LinearRegression:
    """The task of Figure 2."""
    d = DIMENSIONS[profile]
    return LinearRegression(d, NOISE_STDS[1], d**-0.5)


def both_models(profile: str, task, measure) -> list[Run]:
    """Both models at every seed, trained at the lengths at which they are measured."""
    models, seeds = transformers(profile, lengths=measure.lengths), None
    if profile == "cpu":
        models, seeds = in_20_dimensions(measure.lengths, FIGURE_2_STEPS), range(FIGURE_2_SEEDS)
    return at_seeds(task, models.values(), measure, profile, (FIGURE_4_COUNT,), seeds)


def penalties(dimension: int) -> np.ndarray:
    """Ridge penalties of the right panels: 20 from the best at one noise level to the best at the other, and
    four more at each end. ASSUMED: a geometric grid."""
    low, high = (dimension * noise_std**2 for noise_std in NOISE_STDS)
    return low * (high / low) ** (np.arange(-4, 24) / 19)


def both_settings(runs_of_page, profile: str) -> tuple:
    """Two tables: the settings of SGPT, and those in which GPT-2 may differ."""
    of_decoder = settings_of(runs_of_page, profile, ASSUMED, -1)
    return (settings_of(runs_of_page, profile, (*SGPT_ASSUMED, "pretraining_tasks")),
            of_decoder.filter(regex=r"model|recipe\.(steps|learning_rate)", axis=0))


def trained_errors(records, metric: str) -> dict[str, pd.DataFrame]:
    """A metric of SGPT and GPT-2, by name: a row for each seed, a column for each length."""
    found = values(records, metric, model="model").unstack("length")
    return {name: found.xs(kind, level="model")
            for name, kind in (("SGPT", "SGPT"), ("GPT-2", "Transformer"))}


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
# perceptron of Figure 1, whose runs are also Figure 7's. ASSUMED: not given in the paper. Models
# with nine inputs need few steps, and T never matters to them. Claims 14 and 15 need only the ends
# of the range of T, and models of prompt and features are most of the cost.
ENDS, FOUR = (10**4, 10**6), (10**3, 10**4, 10**5, 10**6)
FIGURE_7 = {
    "smoke": (ENDS, ENDS, 4, 4),
    "cpu": (ENDS, ENDS, 1500, 3000),
    "gpu": (FOUR, ENDS, 20_000, 50_000),
    "paper": (FOUR, FOUR, 500_000, 500_000),
}


def perceptron(task, profile: str, features_alone: bool = False):
    """The perceptron of a profile and how it is trained on one of the two tasks."""
    size, (*_, alone, networks) = FIGURE_1[profile], FIGURE_7[profile]
    recipe = size.mlp_recipe
    if task == RELU_8:
        recipe = replace(recipe, lengths=RELU_LENGTHS, steps=networks)
    return size.mlp, replace(recipe, steps=alone) if features_alone else recipe


def reads(model) -> str:
    """What a model of Figures 6 and 7 reads: "prompt", "psi_L", ..."""
    if isinstance(model, MLP):
        return "prompt"
    name = next(name for name, features in KERNELS.items() if features == model.features)
    return f"prompt + {name}" if getattr(model, "prompt", False) else name


def bayes_floor(evaluation: ErrorByLength) -> pd.Series:
    """The error of optimal ridge regression on linear functions, in units of zero's, by length."""
    evaluation = replace(evaluation, prompts=min(evaluation.prompts, 2**15))  # enough for a line
    floor, = evaluation.measure(LINEAR_8, Ridge.bayes(LINEAR_8))["error"]
    return pd.Series(floor / LINEAR_8.label_variance, evaluation.lengths)


def fig01_against_context(profile: str) -> list[Run]:
    """The decoders of Figure 1B; at `cpu` larger ones, which train for longer."""
    return shown_against_context(fig01_decoders(profile), profile)


def shown_against_context(runs: list[Run], profile: str) -> list[Run]:
    """Of the runs those of a panel B; at `cpu` larger models in place of those of linear functions."""
    return [larger(run, CONTEXT_RECIPE, CONTEXT_EVALUATION)
            if profile == "cpu" and run.task == LINEAR_8 else run
            for run in runs if run.pretraining_tasks in CONTEXT_COUNTS]


def fig08_against_context(profile: str) -> list[Run]:
    """The models of Figure 8B; on ReLU networks the small ones have learned at `cpu` too."""
    return shown_against_context(fig08_transformers(profile), profile)


def trained_on_five(profile: str) -> list[Run]:
    """The decoder of Figure 1B and then the deep SGPT of Figure 8B, after every number of pairs."""
    five = [run for run in fig01_against_context(profile) + fig08_against_context(profile)
            if run.task == LINEAR_8 and run.pretraining_tasks == FIGURE_1_MOST]
    return [replace(run, evaluation=evaluation(EVERY, profile)) for kind in (Transformer, SGPT)
            for run in dict.fromkeys(five) if isinstance(run.model, kind)]


def model_name(run: Run) -> str:
    """A model as the page names it."""
    name = "SGPT" if isinstance(run.model, SGPT) else "GPT-2"
    return name + " without positions" * (getattr(run.model, "positions", "") == "none")


def draw_seeds(axes, errors, color, **style) -> None:
    """A line through the means over seeds, and their dots; or, of a Series, a line."""
    xs, samples = errors.axes[-1], np.atleast_2d(errors)
    axes.plot(xs, samples.mean(axis=0), color=color, **style)
    if len(samples) > 1:
        dots(axes, xs, samples, color=color)
