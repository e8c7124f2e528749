"""Decoders of affine functions side by side: ratios of their errors, gates, controls and tables.

Errors are frames with a row for each model, (name, seed), and a column for each sigma; errors along training
have rows (name, seed, step). The control puts ridge regression in place of a model: it is exact from the
third point on, as labels have no noise.
"""

from functools import cache
from itertools import product, takewhile

import numpy as np
import pandas as pd
import torch
from matplotlib.ticker import LogLocator

from claimbook.claims.rule import interval
from claimbook.claims.sentences import with_interval
from claimbook.pages.page import settings_of, shown_profile
from claimbook.pages.plotting import band
from claimbook.records import Record, find_records
from claimbook.records.compute import tell_shown
from icllib.baselines import Ridge
from icllib.tasks import AffineFunctions
from icllib.training import records
from papers.colors import MODELS, marked
from papers.signed_averaging.affine import (
    ALTERNATIVES, ASSUMED, LAWS, LineAnswers, PRINTED, SIGMAS, ShiftedErrors, TEMPERED, geometric_mean,
    printed, scoring_of, shared)

TABLE_6 = printed(6)


# ---- tables, and ridge regression as the control --------------------------------------------


def beside(ours: pd.DataFrame, printed: dict, spread: bool = False, scale: str = "log") -> pd.DataFrame:
    """Rows {name: numbers} of a printed table with the means of ours, rows (name, seed), below them; spread:
    with 95% intervals over seeds, and transposed."""
    table = {}
    for name in ours.index.unique(0):
        if name in printed:
            table[name, "paper"] = [f"{value:g}" for value in printed[name]]
        columns = [column for _, column in ours.loc[name].items()]
        table[name, "ours"] = ([with_interval(column, scale=scale) for column in columns] if spread
                               else [f"{interval(column, scale)[0]:.3g}" for column in columns])
    rows = pd.DataFrame.from_dict(table, orient="index", columns=list(ours)).set_axis(
        pd.MultiIndex.from_tuples(table, names=("model", "")))
    return rows.T if spread else rows


ROUNDING = 1e-10  # smaller errors are rounding, which differs between processors


class RidgeLine:
    """Ridge regression with an intercept; 0 before the first pair."""

    def predict(self, xs, ys, lengths):
        """(..., N, 1), (..., N) -> (..., K)."""
        with_ones = torch.cat((xs, torch.ones_like(xs)), dim=-1).double()
        known = [n for n in lengths if n]
        answers = Ridge(1e-9).predict(with_ones, ys.double(), known)
        none = answers.new_zeros((*answers.shape[:-1], len(lengths) - len(known)))
        return torch.cat((none, answers), dim=-1).to(xs.dtype)


@cache
def ridge_errors() -> pd.Series:
    """RidgeLine's errors at SIGMAS, at least ROUNDING, on 10 functions of 2 prompts."""
    errors = ShiftedErrors(SIGMAS, functions=10, prompts=2).measure([AffineFunctions()], RidgeLine())
    return pd.Series(errors["error"][0], SIGMAS).clip(lower=ROUNDING)


THROUGH_ORIGIN = Ridge(1e-9)  # least squares on lines without an intercept: the control of three claims


def error_through_origin() -> float:
    """The error of THROUGH_ORIGIN at sigma = 1."""
    return float(ShiftedErrors((1,)).measure([AffineFunctions()], THROUGH_ORIGIN)["error"][0, 0])


def ridge_over(errors) -> pd.Series:
    """RidgeLine's errors over those of a model, geometric mean over sigma = 3 to 10, by seed."""
    return geometric_mean((ridge_errors() / errors).loc[:, 3:])


def ridge_answers() -> dict:
    """RidgeLine's answers on lines and on the sequence of Section 5.3: metrics of `LineAnswers`."""
    return LineAnswers(prompts=4).measure([AffineFunctions()], RidgeLine())


def rise(answers, slope: float, near: float = 10, far: float = 20) -> pd.Series:
    """How far answers, columns x, rise between two abs(x) on y = slope x, as a share of the true rise."""
    size = lambda x: answers[[-x, x]].abs().mean(axis=1)
    return (size(far) - size(near)) / (slope * (far - near))


def ridge_rise(slope: float) -> list[float]:
    """The rise of ridge regression on a line; 1 if it follows the line."""
    lines = LineAnswers()
    answers = dict(zip(lines.slopes, ridge_answers()["answer"][0]))[slope]
    return rise(pd.DataFrame([answers], columns=lines.queries), slope).tolist()


def reached(errors, *names) -> pd.Series:
    """The gate of the claims: the largest error of these models at sigma = 1, by seed."""
    return shared(errors[1], *names).max(axis=1, skipna=False)


def reached_on_own_law(grid) -> pd.DataFrame:
    """The error on the inputs nearest to those of training over that of always answering 0, 1 + I^2: rows
    (law, seed) and one column, 1, the sigma of the functions. grid: rows (law, seed), columns (I, F)."""
    inputs, found = grid.columns.unique("input_std"), {}
    for law in grid.index.unique("law"):
        nearest = min(inputs, key=lambda std: abs(std - LAWS[law]))
        found[law] = grid[nearest, 1][law] / (1 + nearest**2)
    return pd.concat(found).to_frame(1)


# ---- ratios of claims ------------------------------------------------------------------------

PATHS = (3, 5, 10)  # sigmas for which errors along training are drawn
COMPARED = {  # of claims 4 to 6 and 22 to 24: the two functions that each part compares
    4: {name: ("SSA", name) for name in list(PRINTED)[2:]},
    5: {name: (name, "softmax") for name in TEMPERED},
    6: {name: (name, "softmax") for name in ALTERNATIVES},
}


def at_share(paths, share: float = 1):
    """The errors at the stop that is nearest to this share of training: rows (name, seed)."""
    steps = paths.index.unique("step")
    return paths.xs(min(steps, key=lambda step: abs(step - share * max(steps))), level="step")


def ratio(errors, one: str, other: str) -> pd.DataFrame:
    """The errors of one model over those of another: a row for each seed that both have."""
    pair = shared(errors, one, other)
    return pair[one] / pair[other]


def ratio_at_equal_error(paths, one: str, other: str) -> pd.DataFrame:
    """The `ratio` where both have the same error at sigma = 1, the larger of the two final ones, seed by
    seed. paths: the errors along training."""
    found = {}
    for seed, pair in shared(paths, one, other).groupby("seed"):
        pair = [pair[name].droplevel("seed") for name in (one, other)]
        level = np.max([path[1].iloc[-1] for path in pair])
        found[seed] = np.divide(*(errors_at(path, level) for path in pair))
    return pd.DataFrame(found).T


def errors_at(path, level: float) -> pd.Series:
    """The errors of a path, a row for each stop, when the one at sigma = 1 first falls to a level; NaN if
    that is not finite. Between two stops logarithms are interpolated linearly."""
    if not np.isfinite(level):
        return pd.Series(np.nan, path.columns)
    first = int(np.argmax(path[1] <= level))
    if first == 0:
        return path.iloc[0]
    before, after = (np.log(path.iloc[place]) for place in (first - 1, first))
    share = (before[1] - np.log(level)) / (before[1] - after[1])
    return np.exp(before + share * (after - before))


def ssa_to_softmax(ratios) -> dict[str, pd.Series]:
    """Claim 3: the ratio of SSA's error to softmax's at each sigma from 3 on, by seed."""
    return {f"sigma = {sigma}": own for sigma, own in ratios.loc[:, 3:].items()}


def mean_ratio(ratios) -> pd.Series:
    """The geometric mean of ratios of errors over sigma = 3 to 10, by seed."""
    return geometric_mean(ratios.loc[:, 3:])


def evidence(number: int, ratio) -> dict[str, pd.Series]:
    """Claim 4: the largest ratio of SSA's error to each other's over sigma = 4 to 10. Claims 5 and 6:
    `mean_ratio` to softmax. ratio: from two names to a frame of ratios."""
    of_pair = mean_ratio if number > 4 else lambda ratios: ratios.loc[:, 4:].max(axis=1, skipna=False)
    return {part: of_pair(ratio(*pair)) for part, pair in COMPARED[number].items()}


# ---- settings, drawing and records ----------------------------------------------------------


def training_settings(runs_of_page, profile: str) -> pd.DataFrame:
    """The settings of a page's first run without its evaluation, which the page describes."""
    along = runs_of_page(profile)[0].along
    assumed = [name for name in ASSUMED if along or not name.startswith("along.")]
    table = settings_of(runs_of_page, profile, assumed)
    return table[~table.index.str.contains("evaluation")]


def geometric_rows(panel: str, name: str, values: dict, profile: str) -> pd.DataFrame:
    """Rows of a figure's table: geometric means over seeds. values: {x: (seeds,) or a number}."""
    samples = [np.atleast_1d(value) for value in values.values()]
    columns = zip(*(interval(sample, "log") for sample in samples))
    return band(panel, name, list(values), *columns, max(map(len, samples)), profile)


def path_tables(paths, names, profile: str) -> list[pd.DataFrame]:
    """Errors along training at PATHS against that at sigma = 1, for each seed and their mean."""
    tables = []
    for sigma, name in product(PATHS, names):
        seeds = {f"seed {seed}": (path, 1) for seed, path in paths.loc[name].groupby("seed")}
        for which, (path, count) in (seeds | {"mean": (mean_path(paths, name), len(seeds))}).items():
            tables.append(band(f"sigma = {sigma}", f"{name}, {which}", path[1].tolist(),
                               *[path[sigma].tolist()] * 3, count, profile))
    return tables


def mean_path(paths, name: str) -> pd.DataFrame:
    """The geometric mean of a model's errors over seeds: a row for each step."""
    return np.exp(np.log(paths.loc[name]).groupby("step").mean())


def path_numbers(paths, names) -> pd.DataFrame:
    """The means of the errors along training as text, at some steps."""
    steps = sorted(paths.index.unique("step"))[::-3][::-1]
    return pd.DataFrame({(f"sigma = {sigma}", f"step {step}"):
                         {name: f"{mean_path(paths, name).loc[step, sigma]:.3g}" for name in names}
                         for sigma in (1, 10) for step in steps})


def draw_paths(panels, paths, colors: dict) -> None:
    """Draw a panel for each of PATHS: faint lines for seeds, and their mean with a final marker, in colors
    from the top down; all others are grey below."""
    names = paths.index.unique(0)
    markers = {name: marked(name)["marker"] if name in MODELS else "D" for name in {*names, *colors}}
    for axes, sigma in zip(panels, PATHS):
        for name in [*names.difference(list(colors), sort=False), *reversed(colors)]:
            own, mean = paths.loc[name].unstack("seed"), mean_path(paths, name)
            color = colors.get(name, "0.7")
            axes.plot(own[1], own[sigma], color=color, alpha=0.2, lw=1)
            axes.plot(mean[1], mean[sigma], color=color, marker=markers[name], markevery=[-1])
        axes.grid(True, which="both", axis="y")
        axes.set(xscale="log", yscale="log", xlabel=r"error at $\sigma$ = 1",
                 ylabel=rf"error at $\sigma$ = {sigma}")
        axes.yaxis.set_minor_locator(LogLocator(subs=(2, 3, 5, 7)))  # more would overlap
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter("{x:g}")
    for name, color in colors.items():
        panels[0].plot([], [], color=color, marker=markers[name], label=name)


def beyond_spread(ratios: dict) -> pd.DataFrame:
    """Ratios with intervals, and whether the intervals exclude 1. ratios: {name: (seeds,)}."""
    rows = {}
    for name, samples in ratios.items():
        mean, low, high = interval(samples, "log")
        verdict = "below" if high < 1 else "above" if low > 1 else "within the spread"
        rows[name] = {"ratio": f"{mean:.2g} [{low:.2g}, {high:.2g}]", "against 1": verdict}
    return pd.DataFrame.from_dict(rows, orient="index")


def of_every_function(runs_of_scorings, profile: str, page: str) -> list[Record]:
    """The records of the scoring functions in their order, of each function those of its first seeds; at
    "stored" of the best profile for which all of the paper's rows have records."""
    if profile != "stored":
        return records(runs_of_scorings, profile, page)
    of_paper = lambda profile: [run for run in runs_of_scorings(profile) if scoring_of(run) in PRINTED]
    shown = shown_profile(records(of_paper, profile, page))
    runs, by_scoring = runs_of_scorings(shown), {}
    for run, record in zip(runs, find_records(runs, "signed_averaging")):
        by_scoring.setdefault(scoring_of(run), []).append(record)
    found = [record for own in by_scoring.values() for record in takewhile(lambda record: record, own)]
    tell_shown(found)
    return found
