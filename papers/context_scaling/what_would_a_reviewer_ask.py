"""Beyond the paper: depth, normalization, tasks and width.

Variants of SGPT and of the perceptron that the paper does not try.
"""

from dataclasses import replace

import numpy as np

from claimbook.records import from_settings, samples
from icllib.baselines import Ridge, Zero
from icllib.models import SGPT
from icllib.training import Run
from papers.context_scaling.scaling import (
    CONTEXT_EVALUATION, CONTEXT_RECIPE, FIGURE_1, FIGURE_1_MOST, FIGURE_5, FIGURE_5_LENGTHS,
    LENGTHS, LINEAR_8, SGPTS, evaluation, fig01_against_tasks, fig01_perceptrons,
    fig08_against_tasks, seeds, transformers)

DEPTHS = {"smoke": (1, 2), "cpu": (1, 2, 4, 8), "gpu": (1, 2, 4, 8, 16), "paper": (1, 2, 4, 8, 16)}
COUNTS = FIGURE_1["paper"].counts  # Figure 1A's, at every profile
WIDE_COUNT = 10**5  # ASSUMED: the smaller T of Figure 1B; training sees each prompt often


# ---- runs -----------------------------------------------------------------------------------


def runs(profile: str) -> list[Run]:
    """SGPT by depth and without phi; one-layer and deep SGPT against T; wider perceptrons."""
    runs = (by_depth(profile) + with_and_without_normalization(profile)
            + perceptrons_by_width(profile) + one_layer_and_deep(profile))
    return list(dict.fromkeys(runs))


def one_layer_against_tasks(profile: str) -> list[Run]:
    """The one-layer SGPT of Figure 5 at every T; it trains fast."""
    return [Run(LINEAR_8, *FIGURE_5[profile], evaluation(FIGURE_5_LENGTHS, profile), seed, count)
            for count in COUNTS for seed in seeds(profile)]


def one_layer_and_deep(profile: str) -> list[Run]:
    """For claim 30: one-layer SGPT and the deep SGPT of Figure 8, at every T."""
    return one_layer_against_tasks(profile) + [
        run for run in fig08_against_tasks(profile)
        if run.task == LINEAR_8 and isinstance(run.model, SGPT)]


def by_depth(profile: str) -> list[Run]:
    """SGPT by depth; at `cpu` trained and measured as the decoders of Figure 1B are there."""
    sgpt, recipe = transformers(profile)["SGPT"]
    measure = evaluation(LENGTHS, profile)
    if profile == "cpu":
        recipe = replace(CONTEXT_RECIPE, learning_rate=recipe.learning_rate)
        measure = CONTEXT_EVALUATION
    return [Run(LINEAR_8, replace(sgpt, layers=layers), recipe, measure, seed, FIGURE_1_MOST)
            for layers in DEPTHS[profile] for seed in seeds(profile)]


def with_and_without_normalization(profile: str) -> list[Run]:
    """SGPT with and without phi, of one and of many layers; Figure 1A's decoders for panel C."""
    sgpt, recipe = transformers(profile)["SGPT"]
    # ASSUMED: half the rate, since layers that cube their input overflow sooner.
    slower = replace(recipe, learning_rate=recipe.learning_rate / 2)
    cases = [(replace(sgpt, layers=layers, normalization=phi), how)
             for phi, how in ((sgpt.normalization, recipe), ("none", slower))
             for layers in sorted({1, sgpt.layers})]
    runs = [Run(LINEAR_8, model, how, evaluation(LENGTHS, profile), seed, FIGURE_1_MOST)
            for model, how in cases for seed in seeds(profile)]
    return runs + fig01_against_tasks(profile)


def perceptrons_by_width(profile: str) -> list[Run]:
    """Figure 1's perceptron at the smaller T of panel B, and a perceptron twice as wide."""
    figure_1 = [run for run in fig01_perceptrons(profile) if run.pretraining_tasks == WIDE_COUNT]
    return figure_1 + [replace(run, model=replace(run.model, width=2 * run.model.width))
                       for run in figure_1]


# ---- from records to curves -----------------------------------------------------------------


def reviewer_curves(depths, records, profile: str) -> dict:
    """The page's curves: {panel: {name: (x values, errors (seeds, x values))}}.

    A: SGPT against layers, from the records `depths` of `by_depth`; the others are from `records`.
    B: SGPT with and without phi against n. C: one-layer SGPT against T, at n = 10. D: perceptrons
    against n. Each panel has a function below.
    """
    ridge = evaluation(LENGTHS, profile).measure(LINEAR_8, Ridge.bayes(LINEAR_8))["error"]
    return {"A": against_layers(depths, profile, ridge),
            "B": with_and_without_phi(records, profile, ridge),
            "C": against_counts(records, profile, ridge),
            "D": by_width(records)}


def errors_of(records, model: str, count: int = FIGURE_1_MOST, **chosen) -> np.ndarray:
    """The errors of one model at one T: (seeds, K). chosen: settings of the model."""
    found = [record for record in records if chosen.items() <= record.run["model"].items()]
    return samples(found, "error", model=model, pretraining_tasks=count)


def at_pairs(records, model: str, n: int, count: int = FIGURE_1_MOST) -> np.ndarray:
    """The errors of one model at n pairs and one T, whatever its other lengths: (seeds,)."""
    found = [record for record in records if record.run["model"]["type"] == f"models.{model}"]
    place = tuple(found[0].run["evaluation"]["lengths"]).index(n)
    return errors_of(found, model, count)[:, place]


def one_layer_over_deep(records) -> dict:
    """One-layer over deep errors at 10 pairs for claim 30: {T: (seeds,)}.

    records: of `one_layer_and_deep`.
    """
    return {f"T = {name}": at_pairs(records, "FeatureMLP", 10, count)
            / at_pairs(records, "SGPT", 10, count)
            for name, count in (("1e4", 10**4), ("1e5", 10**5), ("1e6", 10**6))}


def against_layers(records, profile: str, ridge) -> dict:
    """Panel A: {name: (depths, errors)}."""
    depths, curves = DEPTHS[profile], {}
    errors = np.stack([errors_of(records, "SGPT", layers=depth) for depth in depths], axis=1)
    for n in (10, 40):
        at = LENGTHS.index(n)
        curves |= {f"SGPT, n = {n}": (depths, errors[..., at]),
                   f"ridge, n = {n}": (depths, ridge[:, [at] * len(depths)])}
    return curves


def with_and_without_phi(records, profile: str, ridge) -> dict:
    """Panel B; deep models without phi have a curve per seed, too far apart for a mean."""
    deep, curves = SGPTS[profile][0].layers, {}
    named = lambda name, layers: f"{name}, {layers} layer{'s' * (layers > 1)}"
    for name, phi in (("normalized", "l1"), ("not normalized", "none")):
        for layers in sorted({1, deep}):
            errors = errors_of(records, "SGPT", layers=layers, normalization=phi)
            curves[named(name, layers)] = LENGTHS, errors
    scattered = named("not normalized", deep)
    curves |= {f"{scattered}, seed {seed}": (LENGTHS, errors)
               for seed, errors in enumerate(curves.pop(scattered)[1])}
    return curves | {"ridge": (LENGTHS, ridge)}


def against_counts(records, profile: str, ridge) -> dict:
    """Panel C: {name: (T, errors)}."""
    def at_10(model, counts):
        errors = [at_pairs(records, model, 10, count) for count in counts]
        return counts, np.stack(errors, axis=1)

    counts = sorted({run.pretraining_tasks for run in fig01_against_tasks(profile)})
    return {"one-layer SGPT": at_10("FeatureMLP", COUNTS),
            "GPT-2": at_10("Transformer", counts),
            "ridge": (COUNTS, ridge[:, [LENGTHS.index(10)] * len(COUNTS)])}


def by_width(records) -> dict:
    """Panel D, the narrower perceptron first."""
    found = [record for record in records if record.run["model"]["type"] == "models.MLP"]
    zero = from_settings(found[0].run["evaluation"]).measure(LINEAR_8, Zero())["error"]
    widths = sorted({record.run["model"]["width"] for record in found})
    curves = {f"MLP, width {width}": (LENGTHS, errors_of(found, "MLP", WIDE_COUNT, width=width))
              for width in widths}
    return curves | {"zero": (LENGTHS, zero)}
