"""Trainings of three papers by both engines, ours and the plain loop of `another_engine`."""

from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.stats import ttest_ind

from icllib.models import Transformer
from icllib.papers.causal_lm.trained import MASKS, SHORT_SIZES, Cell
from icllib.papers.context_scaling.scaling import fig01_decoders
from icllib.papers.signed_averaging.affine import FIRST_COUNTED
from icllib.papers.signed_averaging.another_engine import PlainLoop, PointErrors
from icllib.papers.signed_averaging.quantifiers import AS_PRINTED, QuantifierErrors, cells
from icllib.papers.signed_averaging.quantifiers import SIZES as QUANTIFIER_SIZES
from icllib.plotting import band, short
from icllib.tasks import AffineFunctions
from icllib.training import Curriculum, Recipe, Run

# Lines: fixed before the first of these models was trained. A first look, at four models of the
# plain loop and five of ours, left a doubt (means 0.0106 and 0.0134 at s = 1), so ten models each
# decide: of the plain loop, of ours trained alone, and of ours in fleets of five. The engines differ
# if the 95% interval of the ratio of geometric means (Welch's t on logarithms of the error at s = 1
# from the third point on) leaves out 1, at 97.5% for the two comparisons with the plain loop.
LINE_SEEDS = 10  # of ours those below are for fleets, those from here on are trained alone
OTHER_SEEDS = 5  # of the other settings
QUANTIFIER_SEEDS = 10  # which train in seconds, and differ more
# What is trained so far of `planned`: five in a fleet, no linear functions and no masks.
FLEET, ALONE, PLAIN = range(5), range(LINE_SEEDS, 2 * LINE_SEEDS), range(LINE_SEEDS)
STARTED, EVERY = range(2), range(5)

# ---- the runs -------------------------------------------------------------------------------


def runs(profile: str) -> list:
    """What is trained so far: both engines on lines, the plain loop on "every", of which another
    page has records of ours. No sizes are fixed for other profiles."""
    if profile == "smoke":
        return planned(profile)
    if profile != "cpu":
        return []
    return [*lines_of_ours(profile, [*FLEET, *ALONE]), *map(PlainLoop, lines_of_ours(profile, PLAIN)),
            *(PlainLoop(run, start="linear") for run in lines_of_ours(profile, STARTED)),
            *(run for run in every(profile) if run.seed in EVERY)]


def planned(profile: str) -> list:
    """All that was fixed before the first run: lines, linear functions, two masks and "every"."""
    return [*lines(profile), *linear_functions(profile), *masks(profile), *every(profile)]


def lines(profile: str) -> list:
    """Lines: ours in fleets, ours alone, the plain loop, and the same from another start."""
    count = 2 if profile == "smoke" else LINE_SEEDS
    plain = lines_of_ours(profile, range(count))
    started = plain[: len(seeds(profile))]
    return [*plain, *lines_of_ours(profile, range(LINE_SEEDS, LINE_SEEDS + count)), *map(PlainLoop, plain),
            *(PlainLoop(run, start="linear") for run in started)]


def lines_of_ours(profile: str, chosen) -> list[Run]:
    """The decoder of the first look at these seeds."""
    small = profile == "smoke"
    recipe = Recipe(tuple(range(40)), 4 if small else 5000, 2 if small else 32, 2e-3, "cosine", 0.1,
                    curriculum=Curriculum(3, 2, 80))
    shape = (1, 2, 8) if small else (2, 4, 64)
    evaluation = PointErrors(prompts=2) if small else PointErrors()
    return [Run(AffineFunctions(), Transformer(*shape, tokens="separate"), recipe, evaluation, seed)
            for seed in chosen]


def linear_functions(profile: str) -> list[PlainLoop]:
    """The smaller decoders of Figure 1 of the paper on context scaling, at its largest T."""
    first = linear_ours(profile)[0]
    return [PlainLoop(replace(first, seed=seed)) for seed in seeds(profile)]


def linear_ours(profile: str) -> list[Run]:
    """Ours of these, which have records."""
    runs = fig01_decoders(profile)
    most = max(run.pretraining_tasks for run in runs)
    return [run for run in runs if run.pretraining_tasks == most]


def masks(profile: str) -> list[PlainLoop]:
    """Prefix and causal mask in plain blocks, of the paper on causal language models."""
    runs = of_masks(profile, seeds(profile))
    at_once = [replace(run.evaluation, lengths=run.recipe.lengths) for run in runs]
    return [PlainLoop(replace(run, evaluation=own)) for run, own in zip(runs, at_once)]


def of_masks(profile: str, chosen) -> list[Run]:
    """Layers of their own, no extra loss: each mask at these seeds."""
    kinds = [Cell("linear", mask, shared=False, extra_loss=False, plain=True) for mask in MASKS]
    return [kind.run(SHORT_SIZES[profile], seed) for kind in kinds for seed in chosen]


def every(profile: str) -> list[PlainLoop]:
    """The quantifier "every", with labels as ours and as the authors' public code writes them."""
    errors = lambda run: next(part for part in run.evaluation.parts
                              if isinstance(part, QuantifierErrors))
    alone = [replace(run, evaluation=errors(run)) for run in every_ours(profile)]
    return [*map(PlainLoop, alone), *(PlainLoop(run, signs=True) for run in alone)]


def every_ours(profile: str) -> list[Run]:
    """Ours of these, with softmax, which have records."""
    cell, size = cells("every", (AS_PRINTED,))[0], QUANTIFIER_SIZES[profile]
    return [cell.run(size, seed) for seed in range(2 if profile == "smoke" else QUANTIFIER_SEEDS)]


def seeds(profile: str) -> range:
    """Of the settings beside lines."""
    return range(2 if profile == "smoke" else OTHER_SEEDS)


# ---- from records to ratios -----------------------------------------------------------------


def engine(run: dict) -> str:
    """Which engine trained a model, and what it was told to do otherwise, of a run's settings."""
    if "start" not in run:
        on_lines = run["task"]["type"] == "tasks.AffineFunctions"
        return "ours in a fleet" if on_lines and run["seed"] < LINE_SEEDS else "ours"
    changed = {"start": "linear", "signs": True}.items() & run.items()
    return ", ".join(["plain loop", *(f"{name} {value}" for name, value in sorted(changed))])


def point_errors(records) -> dict[str, np.ndarray]:
    """The errors on lines by engine: (seeds, stds, points) each."""
    found = {}
    for record in records:
        if "error_at" in record.metrics:
            found.setdefault(engine(record.run), []).append(record["error_at"])
    return {name: np.array(own) for name, own in found.items()}


def errors(records) -> dict[tuple[str, str], np.ndarray]:
    """What is compared, by name and engine: (seeds,).

    Lines: the mean over points from the third on, and from the fourth. Linear functions: at 10 and
    at 40 pairs. Masks: with all pairs. "every": the share of wrong sequences, a mean over all
    deviations and lengths.
    """
    found = {}
    for record in records:
        own = record.run.get("run", record.run)
        for name, value in measured(record, own):
            found.setdefault((name, engine(record.run)), []).append(value)
    return {names: np.array(values) for names, values in found.items()}


def measured(record, run: dict):
    """Names and numbers of one record."""
    if "error_at" in record.metrics:
        for place, std in enumerate(run["evaluation"]["function_stds"]):
            yield f"lines, s = {std}", record["error_at"][place, FIRST_COUNTED - 1:].mean()
        yield "lines, s = 1, from the fourth point", record["error_at"][0, FIRST_COUNTED:].mean()
    elif "wrong" in record.metrics:
        yield "every", record["wrong"].mean()
    elif run["task"].get("inputs") == "uniform":
        yield f"{run['model'].get('mask', 'causal')} mask", record["error"][0]
    else:
        for place, length in enumerate(run["evaluation"]["lengths"]):
            if length in (10, 40):
                yield f"linear functions, {length} pairs", record["error"][place]


def ratio(first, second, level: float = 0.95) -> tuple[float, float, float]:
    """The ratio of two geometric means and its interval (Welch's t on logarithms)."""
    first, second = np.log(first), np.log(second)
    ends = ttest_ind(first, second, equal_var=False).confidence_interval(level)
    return tuple(np.exp([first.mean() - second.mean(), *ends]))


def ratios(found: dict, first: str, second: str) -> dict[str, tuple]:
    """The ratio of `errors` of one engine over another's, wherever both are there, by name."""
    return {name: ratio(own, found[name, second]) for (name, by), own in found.items()
            if by == first and (name, second) in found}


def ratio_table(found: dict, pairs: dict, profile: str) -> pd.DataFrame:
    """These ratios as rows of a figure. pairs: names of series with the two engines of each."""
    tables = []
    for series, (first, second) in pairs.items():
        for name, (mean, low, high) in ratios(found, first, second).items():
            fewest = min(len(found[name, first]), len(found[name, second]))
            tables.append(band("ratio", series, [name], [mean], [low], [high], fewest, profile))
    return pd.concat(tables)


def error_rows(found: dict, first: str, second: str) -> pd.DataFrame:
    """The geometric means of both, how many models each has, and the ratio with its interval."""
    rows = {}
    for name, (mean, low, high) in ratios(found, first, second).items():
        told = {by: f"{short(np.exp(np.log(found[name, by]).mean()), 2)} ({len(found[name, by])})"
                for by in (first, second)}
        rows[name] = told | {"ratio": f"{mean:.2f} [{low:.2f}, {high:.2f}]"}
    return pd.DataFrame(rows).T
