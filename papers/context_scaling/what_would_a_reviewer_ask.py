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
    of = lambda rule, predictor: pd.Series(rule.measure(LINEAR_8, predictor)["error"][0], rule.lengths)
    ridge = of(evaluation(LENGTHS, profile), Ridge.bayes(LINEAR_8))
    panels = {"A": {}, "B": {}, "C": {}, "D": {}}

    errors = values(depths, "error", layers="model.layers").unstack("layers")  # A: against layers
    for n in (10, 40):
        panels["A"] |= {f"SGPT, n = {n}": errors.xs(n, level="length"),
                        f"ridge, n = {n}": pd.Series(ridge[n], errors.columns)}

    deep = SGPTS[profile][0].layers  # B: with phi and without, where deep models are too far apart for a mean
    errors = values(of_kind(SGPT, records), "error", layers="model.layers",
                    phi="model.normalization").unstack("length")
    for name, phi in (("normalized", "l1"), ("not normalized", "none")):
        for layers in sorted({1, deep}):
            own = errors.xs((layers, phi), level=("layers", "phi"))
            curve, apart = f"{name}, {layers} layer{'s' * (layers > 1)}", (layers, phi) == (deep, "none")
            panels["B"] |= ({f"{curve}, seed {seed}": row for seed, row in own.iterrows()} if apart
                            else {curve: own})
    panels["B"]["ridge"] = ridge

    for name, kind in (("one-layer SGPT", FeatureMLP), ("GPT-2", Transformer)):  # C: against T at 10 pairs
        panels["C"][name] = by_count(of_kind(kind, records), "error")[10].unstack("T")
    panels["C"]["ridge"] = pd.Series(ridge[10], panels["C"]["one-layer SGPT"].columns)

    perceptrons = of_kind(MLP, records)  # D: the narrower perceptron first
    errors = values(perceptrons, "error", width="model.width").unstack("length")
    panels["D"] = {f"MLP, width {width}": own.droplevel("width") for width, own in errors.groupby("width")}
    panels["D"]["zero"] = of(perceptrons[0].component.evaluation, Zero())
    return panels


def of_kind(kind: type, records) -> list:
    """The records of one kind of model."""
    return [record for record in records if isinstance(record.component.model, kind)]


def one_layer_over_deep(records) -> dict[str, pd.Series]:
    """One-layer over deep errors at 10 pairs for claim 30, by T. records: of `one_layer_and_deep`."""
    one_layer, deep = (by_count(of_kind(kind, records), "error")[10] for kind in (FeatureMLP, SGPT))
    ratios = (one_layer / deep).unstack("T")
    return {f"T = {name}": ratios[T] for name, T in (("1e4", 10**4), ("1e5", 10**5), ("1e6", 10**6))}
