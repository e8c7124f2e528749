"""Beyond the paper: depth, normalization, tasks and width of SGPT and of the perceptron."""

from dataclasses import replace

import pandas as pd

from claimbook.records.values import values
from icllib.baselines import Ridge, Zero
from icllib.models import FeatureMLP, MLP, SGPT, Transformer
from icllib.training import Run
from papers.context_scaling.scaling import (
    CONTEXT_EVALUATION, CONTEXT_RECIPE, FIGURE_1, FIGURE_5, FIGURE_5_LENGTHS, LENGTHS, LINEAR_8, SGPTS,
    at_seeds, by_count, evaluation, fig01_against_tasks, fig01_perceptrons, fig08_against_tasks, transformers)

DEPTHS = {"smoke": (1, 2), "cpu": (1, 2, 4, 8), "gpu": (1, 2, 4, 8, 16), "paper": (1, 2, 4, 8, 16)}
COUNTS = FIGURE_1["paper"].counts  # Figure 1A's, at every profile
WIDE_COUNT = 10**5  # ASSUMED: the smaller T of Figure 1B; training sees each prompt often


def runs(profile: str) -> list[Run]:
    """SGPT by depth and without phi; one-layer and deep SGPT against T; wider perceptrons."""
    return list(dict.fromkeys(by_depth(profile) + with_and_without_normalization(profile)
                              + perceptrons_by_width(profile) + one_layer_and_deep(profile)))


def one_layer_against_tasks(profile: str) -> list[Run]:
    """The one-layer SGPT of Figure 5 at every T; it trains fast."""
    return at_seeds(LINEAR_8, [FIGURE_5[profile]], evaluation(FIGURE_5_LENGTHS, profile), profile, COUNTS)


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
    models = [(replace(sgpt, layers=layers), recipe) for layers in DEPTHS[profile]]
    return at_seeds(LINEAR_8, models, measure, profile)


def with_and_without_normalization(profile: str) -> list[Run]:
    """SGPT with and without phi, of one and of many layers; Figure 1A's decoders for panel C."""
    sgpt, recipe = transformers(profile)["SGPT"]
    # ASSUMED: half the rate, since layers that cube their input overflow sooner.
    slower = replace(recipe, learning_rate=recipe.learning_rate / 2)
    cases = [(replace(sgpt, layers=layers, normalization=phi), how)
             for phi, how in ((sgpt.normalization, recipe), ("none", slower))
             for layers in sorted({1, sgpt.layers})]
    return at_seeds(LINEAR_8, cases, evaluation(LENGTHS, profile), profile) + fig01_against_tasks(profile)


def perceptrons_by_width(profile: str) -> list[Run]:
    """Figure 1's perceptron at the smaller T of panel B, and a perceptron twice as wide."""
    figure_1 = [run for run in fig01_perceptrons(profile) if run.pretraining_tasks == WIDE_COUNT]
    return figure_1 + [replace(run, model=replace(run.model, width=2 * run.model.width)) for run in figure_1]


def reviewer_curves(depths, records, profile: str) -> dict[str, dict]:
    """The page's curves by panel and name, of records of `by_depth` in A, of the others in B to D."""
    ridge = curve_of(evaluation(LENGTHS, profile), Ridge.bayes(LINEAR_8))
    return {"A": against_layers(depths, ridge), "B": with_and_without_phi(records, profile, ridge),
            "C": against_counts(records, ridge), "D": by_width(records)}


def curve_of(measure, predictor) -> pd.Series:
    """A baseline's error at each context length."""
    error, = measure.measure(LINEAR_8, predictor)["error"]
    return pd.Series(error, measure.lengths)


def by_count_of(kind: type, records, metric: str = "error") -> pd.DataFrame:
    """A metric of one kind of model, as in `by_count`."""
    return by_count([record for record in records if isinstance(record.component.model, kind)], metric)


def one_layer_over_deep(records) -> dict[str, pd.Series]:
    """One-layer over deep errors at 10 pairs for claim 30, by T. records: of `one_layer_and_deep`."""
    ratios = (by_count_of(FeatureMLP, records)[10] / by_count_of(SGPT, records)[10]).unstack("T")
    return {f"T = {name}": ratios[T] for name, T in (("1e4", 10**4), ("1e5", 10**5), ("1e6", 10**6))}


def against_layers(records, ridge) -> dict:
    """Panel A, against the number of layers."""
    errors, curves = values(records, "error", layers="model.layers").unstack("layers"), {}
    for n in (10, 40):
        curves |= {f"SGPT, n = {n}": errors.xs(n, level="length"),
                   f"ridge, n = {n}": pd.Series(ridge[n], errors.columns)}
    return curves


def with_and_without_phi(records, profile: str, ridge) -> dict:
    """Panel B; deep models without phi have a curve per seed, too far apart for a mean."""
    deep, curves = SGPTS[profile][0].layers, {}
    named = lambda name, layers: f"{name}, {layers} layer{'s' * (layers > 1)}"
    errors = values([record for record in records if isinstance(record.component.model, SGPT)], "error",
                    layers="model.layers", phi="model.normalization").unstack("length")
    for name, phi in (("normalized", "l1"), ("not normalized", "none")):
        for layers in sorted({1, deep}):
            curves[named(name, layers)] = errors.xs((layers, phi), level=("layers", "phi"))
    scattered = named("not normalized", deep)
    curves |= {f"{scattered}, seed {seed}": own for seed, own in curves.pop(scattered).iterrows()}
    return curves | {"ridge": ridge}


def against_counts(records, ridge) -> dict:
    """Panel C, against T at 10 pairs."""
    models = {"one-layer SGPT": FeatureMLP, "GPT-2": Transformer}
    curves = {name: by_count_of(kind, records)[10].unstack("T") for name, kind in models.items()}
    return curves | {"ridge": pd.Series(ridge[10], curves["one-layer SGPT"].columns)}


def by_width(records) -> dict:
    """Panel D, the narrower perceptron first."""
    found = [record for record in records if isinstance(record.component.model, MLP)]
    errors = values(found, "error", width="model.width").unstack("length")
    curves = {f"MLP, width {width}": own.droplevel("width") for width, own in errors.groupby("width")}
    return curves | {"zero": curve_of(found[0].component.evaluation, Zero())}
