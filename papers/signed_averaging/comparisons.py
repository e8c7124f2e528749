"""Decoders of affine functions side by side: ratios of their errors, gates, controls and tables.

Errors are (seeds, 10), at sigma = 1, ..., 10. Models of one seed have the same training and test
prompts, so ratios are taken seed by seed, for the seeds that both have. The control puts ridge
regression in place of a model. With an intercept and almost no penalty it is exact from the third
point on, since labels have no noise, also outside the training distribution.
"""

from itertools import takewhile

import numpy as np
import pandas as pd
import torch
from matplotlib.ticker import LogLocator

from claimbook.claims.rule import interval
from claimbook.claims.sentences import with_interval
from claimbook.pages.page import settings_of, shown_profile
from claimbook.pages.plotting import band
from claimbook.records import Record, dealt, find_records
from claimbook.records.compute import tell_shown
from icllib.baselines import Ridge
from icllib.tasks import AffineFunctions
from icllib.training import records
from papers.colors import MODELS, marked
from papers.signed_averaging.affine import (
    ALTERNATIVES, ASSUMED, LineAnswers, NAMES, PRINTED, SIGMAS, SIZES, ShiftedErrors, TEMPERED,
    all_runs, by_model, geometric_mean, models_by_law)

TABLE_6 = {  # by sigma_F = 1, ..., 10
    "1L1AH": (0.1, 0.8, 5.1, 13.1, 26.9, 39.7, 53.0, 84.8, 120.0, 153.2),
    "1L2AH": (0.1, 0.8, 5.3, 14.4, 29.8, 41.1, 55.0, 93.8, 120.4, 159.2),
    "1L4AH": (0.0, 0.2, 2.7, 8.7, 19.9, 32.0, 42.8, 64.5, 92.3, 131.2),
    "2L1AH": (0.0, 0.1, 2.0, 4.9, 13.7, 27.0, 36.1, 64.9, 99.0, 134.0),
    "2L2AH": (0.0, 0.0, 1.6, 3.2, 9.3, 25.5, 32.0, 61.1, 92.9, 127.8),
    "2L4AH": (0.0, 0.0, 0.9, 2.6, 7.5, 19.3, 27.3, 51.8, 90.2, 119.4),
    "3L1AH": (0.0, 0.0, 0.9, 3.0, 8.2, 16.8, 24.4, 48.4, 76.7, 113.2),
    "3L2AH": (0.0, 0.0, 0.7, 2.3, 6.5, 15.9, 22.5, 43.1, 74.0, 102.5),
    "3L4AH": (0.0, 0.0, 0.6, 1.9, 5.5, 13.8, 20.4, 42.2, 70.3, 100.4),
    "6L4AH": (0.0, 0.0, 0.5, 1.6, 4.6, 11.6, 16.8, 33.7, 58.3, 87.9),
    "12L8AH": (0.0, 0.0, 0.3, 1.1, 2.9, 7.9, 11.9, 28.3, 46.9, 73.5),
    "18L8AH": (0.0, 0.0, 0.2, 1.1, 2.8, 7.1, 10.3, 22.9, 40.3, 64.6),
    "2Al32AH": (1.17, 2.64, 3.47, 5.01, 7.88, 16.85, 24.1, 40.98, 66.04, 95.03),
    "12Al8AH": (0.0, 0.0, 0.41, 1.70, 3.92, 10.40, 14.04, 30.20, 52.69, 79.13),
}


# ---- tables, and ridge regression as the control --------------------------------------------


def beside(ours: dict, printed: dict, columns, spread: bool = False,
           scale: str = "log") -> pd.DataFrame:
    """Rows of a printed table with our means below them; geometric means on the scale "log".

    ours: {name: (seeds, columns)}; printed: {name: (columns,)}, for some names; spread: with 95%
    intervals over seeds, and transposed, so that it fits on a page.
    """
    table = {}
    for name, samples in ours.items():
        if name in printed:
            table[name, "paper"] = [f"{value:g}" for value in printed[name]]
        table[name, "ours"] = ([with_interval(column, scale=scale) for column in samples.T] if spread
                               else [f"{interval(column, scale)[0]:.3g}" for column in samples.T])
    rows = pd.DataFrame.from_dict(table, orient="index", columns=columns).set_axis(
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


def ridge_errors() -> np.ndarray:
    """RidgeLine's errors at SIGMAS, at least ROUNDING, on 10 functions of 2 prompts: (10,)."""
    errors = ShiftedErrors(SIGMAS, functions=10, prompts=2).measure(
        [AffineFunctions()], RidgeLine())["error"][0]
    return np.maximum(errors, ROUNDING)


def ridge_over(errors) -> list[float]:
    """RidgeLine's errors over a model's, geometric mean over sigma = 3 to 10: (seeds,)."""
    return geometric_mean(ridge_errors()[2:] / np.atleast_2d(errors)[:, 2:]).tolist()


def ridge_answers() -> dict:
    """RidgeLine's answers on lines and on the sequence of Section 5.3: metrics of `LineAnswers`."""
    return LineAnswers(prompts=4).measure([AffineFunctions()], RidgeLine())


def reached(errors: dict, *names) -> np.ndarray:
    """The largest error of these models at sigma = 1: (seeds,). errors: {name: (seeds, 10)}."""
    return np.max([np.atleast_2d(errors[name])[:, 0] for name in names], axis=0)


def reached_on_law(grid, stds, input_std: float) -> np.ndarray:
    """The error on the inputs of training over that of always answering 0, 1 + I^2: (seeds,).

    grid: (seeds, I, F) over the deviations `stds`, of which I is the one nearest to training's.
    """
    place = min(range(len(stds)), key=lambda i: abs(stds[i] - input_std))
    return grid[:, place, stds.index(1)] / (1 + stds[place] ** 2)


def reached_on_own_law(profile: str, records) -> dict[str, np.ndarray]:
    """The same for the models of the page training_laws: {law: (seeds,)}."""
    models, stds = models_by_law(profile), SIZES[profile].grid
    return {name: reached_on_law(grid, stds, models[name][0].task.input_std)
            for name, grid in by_model(records, models, "error_grid").items()}


# ---- ratios and gates of claims -------------------------------------------------------------

PATHS = (3, 5, 10)  # sigmas for which errors along training are drawn


class EqualSteps:
    """Errors of two scoring functions at the end of training, called with their names."""

    def __init__(self, errors: dict):
        self.errors = {name: np.atleast_2d(values) for name, values in errors.items()}

    def __call__(self, one: str, other: str):
        return shared(self.errors[one], self.errors[other])


class EqualError:
    """Errors of two scoring functions at equal error at sigma = 1, called with their names.

    That error is the larger of the two final ones, seed by seed. paths: {name: (seeds, stops, 10)},
    the errors along training.
    """

    def __init__(self, paths: dict):
        self.paths = paths

    def __call__(self, one: str, other: str):
        one, other = shared(self.paths[one], self.paths[other])
        levels = np.maximum(one[:, -1, 0], other[:, -1, 0])
        return tuple(np.array([errors_at(path, level) for path, level in zip(paths, levels)])
                     for paths in (one, other))


def shared(one, other):
    """Two functions' numbers for the seeds that both have, which are the first ones."""
    seeds = min(len(one), len(other))
    return one[:seeds], other[:seeds]


def errors_at(path, level: float) -> np.ndarray:
    """The errors when the one at sigma = 1 first falls to a level: (10,).

    Between two stops logarithms are interpolated linearly. path: (stops, 10); its first column must
    reach the level. NaN if the level is not finite, since a model has diverged.
    """
    if not np.isfinite(level):
        return np.full(path.shape[1], np.nan)
    reached = int(np.argmax(path[:, 0] <= level))
    if reached == 0:
        return path[0]
    before, after = np.log(path[reached - 1 : reached + 1])
    share = (before[0] - np.log(level)) / (before[0] - after[0])
    return np.exp(before + share * (after - before))


def ssa_to_softmax(compared) -> dict[str, np.ndarray]:
    """Claim 3: the ratio of SSA's error to softmax's at each sigma from 3 on: {part: (seeds,)}."""
    ssa, softmax = compared("SSA", "softmax")
    return {f"sigma = {sigma}": ssa[:, place] / softmax[:, place]
            for place, sigma in enumerate(SIGMAS) if sigma > 2}


def ssa_to_alternatives(compared) -> dict[str, np.ndarray]:
    """Claim 4: the largest ratio of SSA's error to each other's over sigma = 4 to 10."""
    found = {}
    for name in list(PRINTED)[2:]:
        ssa, other = compared("SSA", name)
        found[name] = (ssa / other)[:, 3:].max(axis=1)
    return found


def mean_ratio(compared, name: str) -> np.ndarray:
    """The geometric mean over sigma = 3 to 10 of the ratio to the error of softmax: (seeds,)."""
    errors, softmax = compared(name, "softmax")
    return geometric_mean((errors / softmax)[:, 2:])


def temperatures_to_softmax(compared) -> dict[str, np.ndarray]:
    """Claim 5: `mean_ratio` of each temperature."""
    return {name: mean_ratio(compared, name) for name in TEMPERED}


def alternatives_to_softmax(compared) -> dict[str, np.ndarray]:
    """Claim 6: `mean_ratio` of each of ALTERNATIVES."""
    return {name: mean_ratio(compared, name) for name in ALTERNATIVES}


def gates(errors: dict, number: int):
    """The gates of claims 3 to 6: the larger error at sigma = 1, (seeds,) or {part: (seeds,)}."""
    compared = EqualSteps(errors)
    of_pair = lambda *pair: np.maximum(*compared(*pair))[:, 0]
    if number == 3:
        return of_pair("SSA", "softmax")
    if number == 4:
        return {name: of_pair("SSA", name) for name in list(PRINTED)[2:]}
    names = ALTERNATIVES if number == 6 else TEMPERED
    return {name: of_pair(name, "softmax") for name in names}


STATISTICS = (ssa_to_softmax, ssa_to_alternatives, temperatures_to_softmax,
              alternatives_to_softmax)  # of claims 3 to 6, and of claims 21 to 24


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


def path_tables(paths: dict, profile: str) -> list[pd.DataFrame]:
    """Errors along training at PATHS against that at sigma = 1, for each seed and their mean.

    paths: {name: (seeds, stops, 10)}.
    """
    tables = []
    for sigma in PATHS:
        for name, samples in paths.items():
            single = [(f"seed {seed}", path, 1) for seed, path in enumerate(samples)]
            for which, path, seeds in [*single, ("mean", mean_path(samples), len(samples))]:
                tables.append(band(f"sigma = {sigma}", f"{name}, {which}", path[:, 0],
                                   *[path[:, sigma - 1]] * 3, seeds, profile))
    return tables


def mean_path(samples) -> np.ndarray:
    """The geometric mean over seeds: (seeds, stops, 10) -> (stops, 10)."""
    return np.exp(np.log(samples).mean(axis=0))


def draw_paths(panels, paths: dict, colors: dict) -> None:
    """Draw a panel for each of PATHS: faint lines for seeds, and their mean with a final marker.

    colors: {name: color}; earlier names are drawn on top of later ones, all others grey below.
    """
    markers = {name: marked(name)["marker"] if name in MODELS else "D" for name in {**paths, **colors}}
    for axes, sigma in zip(panels, PATHS):
        for name in [*(name for name in paths if name not in colors), *reversed(colors)]:
            color = colors.get(name, "0.7")
            axes.plot(*paths[name][..., [0, sigma - 1]].T, color=color, alpha=0.2, lw=1)
            axes.plot(*mean_path(paths[name]).T[[0, sigma - 1]], color=color,
                      marker=markers[name], markevery=[-1])
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


def by_function(runs_of_scorings, profile: str, page: str) -> dict[str, list[Record]]:
    """The records of each scoring function: {name: records}, in the order of `SCORINGS`.

    At "stored" they are of the best profile for which all of the paper's rows have records. Each
    function has its first seeds that are recorded, some more than others; an added function that is
    not trained yet is left out.
    """
    if profile != "stored":
        return dealt(records(runs_of_scorings, profile, page), NAMES)
    of_paper = lambda profile: all_runs({name: runs for name, runs in dealt(
        runs_of_scorings(profile), NAMES).items() if name in PRINTED})
    shown = shown_profile(records(of_paper, profile, page))
    found = {name: list(takewhile(lambda record: record is not None,
                                  find_records(runs, "signed_averaging")))
             for name, runs in dealt(runs_of_scorings(shown), NAMES).items()}
    found = {name: of_name for name, of_name in found.items() if of_name}
    tell_shown(record for of_name in found.values() for record in of_name)
    return found
