"""Trainings of three papers by two engines: ours and the plain loop of `another_engine`."""

from dataclasses import replace

import numpy as np
import pandas as pd

from claimbook.claims.sentences import short
from claimbook.pages.plotting import band
from claimbook.records.values import values
from icllib.models import Transformer
from icllib.tasks import AffineFunctions
from icllib.training import Curriculum, Recipe, Run
from papers.causal_lm.trained import MASKS, SHORT_SIZES, Cell
from papers.context_scaling.scaling import fig01_decoders
from papers.signed_averaging.affine import FIRST_COUNTED, PointErrors, geometric_mean
from papers.signed_averaging.another_engine import PlainLoop
from papers.signed_averaging.quantifiers import AS_PRINTED, QuantifierErrors, cells
from papers.signed_averaging.quantifiers import SIZES as QUANTIFIER_SIZES

# Lines: this was fixed before these models were trained. A first look, at four models of the plain
# loop and five of ours, left a doubt (means 0.0106 and 0.0134 at s = 1). So ten models of each kind
# decide: plain loop, ours trained alone, ours in fleets of five. The engines differ if the 95%
# interval of the ratio of geometric means (Welch's t on logarithms of the error at s = 1 from the
# third point on) excludes 1; for the two comparisons with the plain loop it is the 97.5% interval.
LINE_SEEDS = 10  # our models with smaller seeds are in fleets, those from here on trained alone
OTHER_SEEDS = 5  # in the other settings
QUANTIFIER_SEEDS = 10  # they train in seconds, and differ more


def runs(profile: str) -> list:
    """Our engine and the plain loop in each setting, all fixed before the first run; smoke and cpu alone."""
    if profile not in ("smoke", "cpu"):
        return []
    count, seeds = (2, range(2)) if profile == "smoke" else (LINE_SEEDS, range(OTHER_SEEDS))
    in_fleets = lines(profile, range(count))
    found = [*in_fleets, *lines(profile, range(LINE_SEEDS, LINE_SEEDS + count)), *map(PlainLoop, in_fleets),
             *(PlainLoop(run, start="linear") for run in in_fleets[: len(seeds)])]
    # Linear functions: the small decoders of context_scaling's Figure 1, at its largest T.
    largest = max(fig01_decoders(profile), key=lambda run: run.pretraining_tasks)
    linear = [replace(largest, seed=seed) for seed in seeds]
    found += [*linear, *map(PlainLoop, linear)]
    # Both masks of causal_lm, in plain blocks of unshared layers without the extra loss.
    masks = [Cell("linear", mask, shared=False, extra_loss=False, plain=True).run(SHORT_SIZES[profile], seed)
             for mask in MASKS for seed in seeds]
    found += [*masks, *(PlainLoop(replace(run, evaluation=replace(
        run.evaluation, lengths=run.recipe.lengths))) for run in masks)]
    # "every", with labels 0 and 1 as ours, then -1 and 1 as the public code.
    errors = lambda run: next(part for part in run.evaluation.parts if isinstance(part, QuantifierErrors))
    every = [replace(run, evaluation=errors(run)) for run in every_ours(profile)]
    return [*found, *map(PlainLoop, every), *(PlainLoop(run, signs=True) for run in every)]


def lines(profile: str, seeds) -> list[Run]:
    """Our engine on lines, with the decoder of the first look."""
    small = profile == "smoke"
    recipe = Recipe(tuple(range(40)), 4 if small else 5000, 2 if small else 32, 2e-3, "cosine", 0.1,
                    curriculum=Curriculum(3, 2, 80))
    model = Transformer(*((1, 2, 8) if small else (2, 4, 64)), tokens="separate")
    evaluation = PointErrors(prompts=2) if small else PointErrors()
    return [Run(AffineFunctions(), model, recipe, evaluation, seed) for seed in seeds]


def every_ours(profile: str) -> list[Run]:
    """Our engine's runs of "every", with softmax, which have records."""
    cell, size = cells("every", (AS_PRINTED,))[0], QUANTIFIER_SIZES[profile]
    return [cell.run(size, seed) for seed in range(2 if profile == "smoke" else QUANTIFIER_SEEDS)]


def engine_of(run) -> str:
    """The name of the engine of a run, with options that differ."""
    if isinstance(run, Run):
        fleet = isinstance(run.task, AffineFunctions) and run.seed < LINE_SEEDS
        return "ours in a fleet" if fleet else "ours"
    return "plain loop" + ", start linear" * (run.start == "linear") + ", signs True" * run.signs


BY_ENGINE = {"engine": engine_of, "seed": lambda run: run.seed}  # labels for `page.values`


def point_errors(records) -> pd.DataFrame:
    """The errors on lines: rows (engine, seed, sigma), columns points."""
    on_lines = [record for record in records if "error_at" in record.metrics]
    return values(on_lines, "error_at", **BY_ENGINE).unstack(sort=False)


def errors(records) -> pd.Series:
    """The numbers that are compared, by name, engine and seed; on "every" the share of wrong sequences."""
    lines, found = point_errors(records), {}
    for sigma, own in lines.groupby("sigma"):
        found[f"lines, s = {sigma}"] = own.loc[:, FIRST_COUNTED:].mean(axis=1).droplevel("sigma")
    found["lines, s = 1, from the fourth point"] = lines.xs(1, level="sigma").loc[
        :, FIRST_COUNTED + 1 :].mean(axis=1)
    training = lambda record: getattr(record.component, "run", record.component)
    having = lambda metric, inputs: [record for record in records if metric in record.metrics and getattr(
        training(record).task, "inputs", None) == inputs]
    linear = values(having("error", "normal"), "error", **BY_ENGINE).unstack()
    found |= {f"linear functions, {length} pairs": linear[length] for length in (10, 40) if length in linear}
    mask_of = lambda run: getattr(run, "run", run).model.mask
    masks = values(having("error", "uniform"), "error", mask=mask_of, **BY_ENGINE)
    masks = masks.xs(max(masks.index.unique("length")), level="length")
    found |= {f"{mask} mask": masks[mask] for mask in masks.index.unique("mask")}
    every = values([record for record in records if "wrong" in record.metrics], "wrong", **BY_ENGINE)
    return pd.concat(found | {"every": every.groupby(["engine", "seed"]).mean()}, names=["name"])


def ratio(first, second, level: float = 0.95) -> tuple[float, float, float]:
    """The ratio of two geometric means, and the ends of its interval (Welch's t on logarithms)."""
    from scipy.stats import ttest_ind  # takes a third of a second

    first, second = np.log(first), np.log(second)
    ends = ttest_ind(first, second, equal_var=False).confidence_interval(level)
    return tuple(np.exp([first.mean() - second.mean(), *ends]))


def ratios(found, first: str, second: str) -> dict[str, tuple]:
    """The `ratio` of one engine's `errors` to another's, for all names that both have."""
    pairs = {name: own.droplevel("name") for name, own in found.groupby("name", sort=False)}
    return {name: ratio(own[first], own[second]) for name, own in pairs.items() if {first, second} <= {
        *own.index.unique("engine")}}


def ratio_table(found, pairs: dict, profile: str) -> pd.DataFrame:
    """The ratios as rows of a figure's table. pairs: {name of a series: its two engines}."""
    tables = []
    for series, engines in pairs.items():
        for name, (mean, low, high) in ratios(found, *engines).items():
            fewest = min(len(found[name][engine]) for engine in engines)
            tables.append(band("ratio", series, [name], [mean], [low], [high], fewest, profile))
    return pd.concat(tables)


def error_rows(found, first: str, second: str) -> pd.DataFrame:
    """A table of both geometric means, with numbers of models, and the ratio with its interval."""
    rows = {}
    for name, (mean, low, high) in ratios(found, first, second).items():
        own = found[name]
        means = {by: f"{short(geometric_mean(own[by], 0), 2)} ({len(own[by])})" for by in (first, second)}
        rows[name] = means | {"ratio": f"{mean:.2f} [{low:.2f}, {high:.2f}]"}
    return pd.DataFrame(rows).T
