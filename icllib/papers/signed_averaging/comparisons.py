"""The scoring functions of Table 1 beside each other: at equal steps, and at equal error in
distribution.

Errors are (seeds, 10), at sigma = 1, ..., 10. Members of a seed were trained on the same prompts
and are tested on the same ones, so ratios are taken seed by seed, over those that both have.
"""

from itertools import takewhile

import numpy as np
import pandas as pd
from matplotlib.ticker import LogLocator

from icllib.decisions import interval
from icllib.pages import settings_of, shown_profile
from icllib.papers.signed_averaging.ablations import geometric_mean
from icllib.papers.signed_averaging.affine import (
    ASSUMED, SIGMAS, TEMPERATURES, scorings, scorings_on_affine_functions)
from icllib.papers.signed_averaging.printed_ablations import TABLE_6
from icllib.plotting import band
from icllib.results import Record, dealt, find_record
from icllib.training.records import tell_shown

PRINTED = {  # Table 1, at sigma = 1, ..., 10
    "SSA": (4e-5, 3e-4, 1e-3, 0.02, 0.02, 0.15, 1.24, 1.04, 2.74, 8.50),
    "softmax": (8e-5, 3e-4, 6e-3, 0.42, 1.62, 3.84, 9.42, 13.51, 27.99, 45.35),
    "sparsemax": (2e-4, 3e-3, 0.28, 1.35, 3.07, 8.73, 11.06, 29.15, 45.39, 78.16),
    "entmax": (1e-4, 2.9e-3, 0.27, 1.16, 2.78, 9.62, 11.60, 25.66, 51.30, 81.74),
    "temperature 5": (3e-4, 1e-2, 0.81, 3.17, 7.37, 16.33, 21.43, 51.28, 74.55, 103.71),
    "temperature 10": (1e-4, 3e-3, 0.29, 1.25, 2.98, 7.61, 10.43, 23.43, 41.96, 68.81),
    "temperature 20": (5.2e-5, 2.9e-3, 0.30, 1.22, 2.97, 8.05, 11.25, 28.48, 47.13, 78.53),
    "temperature 50": (1e-4, 3.1e-3, 0.29, 1.29, 3.18, 8.14, 11.68, 24.15, 42.81, 73.51),
    "temperature 100": (1e-4, 2.5e-3, 0.26, 1.11, 2.82, 8.53, 12.07, 29.02, 51.43, 80.49),
    "softmax and average": (7e-5, 3e-3, 0.30, 1.22, 2.91, 7.52, 10.32, 22.97, 38.97, 60.03),
    "four functions": (5e-5, 3e-3, 0.34, 1.33, 3.18, 8.28, 10.99, 26.31, 42.42, 70.33),
    "cosFormer": (2e-4, 5.6e-3, 0.43, 2.07, 5.10, 12.54, 16.91, 46.68, 66.22, 91.02),
    "SA-softmax": (6e-5, 2.8e-3, 0.37, 1.83, 3.83, 11.94, 13.72, 39.29, 58.43, 80.31),
}
PATHS = (3, 5, 10)  # sigmas of the paths along training that are drawn
HELD_AGAINST_SOFTMAX = ("sparsemax", "entmax", "softmax and average", "four functions",
                        "cosFormer", "SA-softmax")  # claims 6 and 24


# ---- what is compared -----------------------------------------------------------------------


class EqualSteps:
    """Every scoring function at the end of its training."""

    def __init__(self, errors: dict):
        self.errors = {name: np.atleast_2d(values) for name, values in errors.items()}

    def __call__(self, one: str, other: str):
        return shared(self.errors[one], self.errors[other])


class EqualError:
    """Both at the same error at sigma = 1: the larger of their two final ones, seed by seed.

    paths: name -> (seeds, stops, 10), the errors along training.
    """

    def __init__(self, paths: dict):
        self.paths = paths

    def __call__(self, one: str, other: str):
        one, other = shared(self.paths[one], self.paths[other])
        levels = np.maximum(one[:, -1, 0], other[:, -1, 0])
        return tuple(np.array([errors_at(path, level) for path, level in zip(paths, levels)])
                     for paths in (one, other))


def shared(one, other):
    """Two functions' numbers at the seeds that both have, the first ones."""
    seeds = min(len(one), len(other))
    return one[:seeds], other[:seeds]


def errors_at(path, level: float) -> np.ndarray:
    """The errors where the one at sigma = 1 first falls to a level: (10,).

    Between two stops all logarithms go along straight lines. path: (stops, 10); its first column
    must reach the level. NaN for a level that is none, where one of two models has diverged.
    """
    if not np.isfinite(level):
        return np.full(path.shape[1], np.nan)
    reached = int(np.argmax(path[:, 0] <= level))
    if reached == 0:
        return path[0]
    before, after = np.log(path[reached - 1 : reached + 1])
    share = (before[0] - np.log(level)) / (before[0] - after[0])
    return np.exp(before + share * (after - before))


# ---- the statistics of claims 2 to 6 ----------------------------------------------------------


def growth(errors) -> dict[str, np.ndarray]:
    """Claim 2: error / sigma^2 against that at sigma = 2."""
    relative = np.atleast_2d(errors) / np.square(SIGMAS)
    return {f"sigma = {sigma}": relative[:, place] / relative[:, 1]
            for place, sigma in enumerate(SIGMAS) if sigma > 2}


def ssa_to_softmax(compared) -> dict[str, np.ndarray]:
    """Claim 3: the ratio of the errors at each sigma from 3 on."""
    ssa, softmax = compared("SSA", "softmax")
    return {f"sigma = {sigma}": ssa[:, place] / softmax[:, place]
            for place, sigma in enumerate(SIGMAS) if sigma > 2}


def ssa_to_alternatives(compared) -> dict[str, np.ndarray]:
    """Claim 4: the largest ratio over sigma = 4 to 10."""
    found = {}
    for name in list(PRINTED)[2:]:
        ssa, other = compared("SSA", name)
        found[name] = (ssa / other)[:, 3:].max(axis=1)
    return found


def mean_ratio(compared, name: str) -> np.ndarray:
    """The geometric mean over sigma = 3 to 10 of the ratio to the error of softmax: (seeds,)."""
    own, softmax = compared(name, "softmax")
    return geometric_mean((own / softmax)[:, 2:])


def temperatures_to_softmax(compared) -> dict[str, np.ndarray]:
    """Claim 5."""
    names = [f"temperature {value}" for value in TEMPERATURES]
    return {name: mean_ratio(compared, name) for name in names}


def alternatives_to_softmax(compared) -> dict[str, np.ndarray]:
    """Claim 6."""
    return {name: mean_ratio(compared, name) for name in HELD_AGAINST_SOFTMAX}


def gates(errors: dict, number: int):
    """What the models of claims 3 to 6 have reached at sigma = 1: (seeds,), or that by part."""
    compared = EqualSteps(errors)
    of_pair = lambda *pair: np.maximum(*compared(*pair))[:, 0]
    if number == 3:
        return of_pair("SSA", "softmax")
    if number == 4:
        return {name: of_pair("SSA", name) for name in list(PRINTED)[2:]}
    names = HELD_AGAINST_SOFTMAX if number == 6 else [f"temperature {value}"
                                                      for value in TEMPERATURES]
    return {name: of_pair(name, "softmax") for name in names}


STATISTICS = (ssa_to_softmax, ssa_to_alternatives, temperatures_to_softmax,
              alternatives_to_softmax)  # of claims 3 to 6, and of claims 21 to 24


# ---- what the pages show ----------------------------------------------------------------------


def training_settings(runs_of_page, profile: str) -> pd.DataFrame:
    """The settings of a page's first run; the pages say in words what is measured on it."""
    along = runs_of_page(profile)[0].along
    assumed = [name for name in ASSUMED if along or not name.startswith("along.")]
    table = settings_of(runs_of_page, profile, assumed)
    return table[~table.index.str.contains("evaluation")]


def geometric_rows(panel: str, name: str, values: dict, profile: str) -> pd.DataFrame:
    """Rows of a figure's table: geometric means over seeds. values: x -> (seeds,) or a number."""
    samples = [np.atleast_1d(value) for value in values.values()]
    columns = zip(*(interval(sample, "log") for sample in samples))
    return band(panel, name, list(values), *columns, max(map(len, samples)), profile)


def path_tables(paths: dict, profile: str) -> list[pd.DataFrame]:
    """Errors along training at the sigmas of PATHS against that at sigma = 1: each seed, the mean.

    paths: name -> (seeds, stops, 10).
    """
    tables = []
    for sigma in PATHS:
        for name, samples in paths.items():
            own = [(f"seed {seed}", path, 1) for seed, path in enumerate(samples)]
            for which, path, seeds in [*own, ("mean", mean_path(samples), len(samples))]:
                tables.append(band(f"sigma = {sigma}", f"{name}, {which}", path[:, 0],
                                   *[path[:, sigma - 1]] * 3, seeds, profile))
    return tables


def mean_path(samples) -> np.ndarray:
    """The geometric mean over seeds: (seeds, stops, 10) -> (stops, 10)."""
    return np.exp(np.log(samples).mean(axis=0))


def draw_paths(panels, paths: dict, colors: dict) -> None:
    """A panel for each of PATHS: faint seeds, and their mean with a dot at the end.

    colors: of some names, the first of which are drawn on top; all others are grey below them.
    """
    for axes, sigma in zip(panels, PATHS):
        for name in [*(name for name in paths if name not in colors), *reversed(colors)]:
            color = colors.get(name, "0.7")
            axes.plot(*paths[name][..., [0, sigma - 1]].T, color=color, alpha=0.2, lw=1)
            axes.plot(*mean_path(paths[name]).T[[0, sigma - 1]], "-o", color=color,
                      markevery=[-1])
        axes.grid(True, which="both", axis="y")
        axes.set(xscale="log", yscale="log", xlabel=r"error at $\sigma$ = 1",
                 ylabel=rf"error at $\sigma$ = {sigma}")
        axes.yaxis.set_minor_locator(LogLocator(subs=(2, 3, 5, 7)))  # more would overlap
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter("{x:g}")
    for name, color in colors.items():
        panels[0].plot([], [], color=color, label=name)


def beyond_spread(ratios: dict) -> pd.DataFrame:
    """Ratios with their intervals, and whether these leave out 1: name -> (seeds,)."""
    rows = {}
    for name, samples in ratios.items():
        mean, low, high = interval(samples, "log")
        verdict = "below" if high < 1 else "above" if low > 1 else "within the spread"
        rows[name] = {"ratio": f"{mean:.2g} [{low:.2g}, {high:.2g}]", "against 1": verdict}
    return pd.DataFrame.from_dict(rows, orient="index")


def cells_with_ssa_below(grids: dict, stds) -> pd.DataFrame:
    """Figure 3: the ratio of the errors of SSA and softmax over parts of the grid.

    Geometric means over cells. grids: name -> (seeds, I, F), over the deviations `stds`.
    """
    ratio, wide = np.log(grids["SSA"] / grids["softmax"]), np.array(stds) > 1
    parts = {"all": np.ones_like(ratio[0], dtype=bool), "inputs only": np.outer(wide, ~wide),
             "functions only": np.outer(~wide, wide), "both": np.outer(wide, wide)}
    rows = beyond_spread({name: np.exp(ratio[:, cells].mean(axis=1))
                          for name, cells in parts.items()})
    share = lambda cells: f"{(ratio.mean(axis=0)[cells] < 0).sum()} of {cells.sum()}"
    return rows.assign(**{"cells with SSA below": [share(cells) for cells in parts.values()]})


def nearer_row(errors) -> pd.DataFrame:
    """The softmax errors (seeds, 10) over the two printed rows that ought to be one, from sigma =
    3 on: which is nearer, as they are and after one common factor."""
    rows = {}
    for name, row in (("Table 1, softmax", PRINTED["softmax"]),
                      ("Table 6, 12L8AH", TABLE_6["12L8AH"])):
        logs = np.log(np.atleast_2d(errors)[:, 2:]).mean(axis=0) - np.log(row[2:])
        rows[name] = {"ours / printed, geometric mean": np.exp(logs.mean()),
                      "smallest": np.exp(logs.min()), "largest": np.exp(logs.max()),
                      "typical factor": np.exp(np.sqrt(np.mean(logs**2))),
                      "after one common factor": np.exp(logs.std())}
    return pd.DataFrame.from_dict(rows, orient="index").map("{:.3g}".format)


def printed_steps() -> pd.DataFrame:
    """Each printed error over the one at the sigma before, from sigma = 5 on, of Tables 1 and 6.

    Models that are tested on the same functions (Appendix M) should rise at the same sigmas.
    """
    own = {name: [PRINTED[name]] for name in ("SSA", "softmax")}
    groups = own | {"the others of Table 1": [row for name, row in PRINTED.items()
                                              if name not in own],
                    "all of Table 6": list(TABLE_6.values())}
    found = {}
    for name, rows in groups.items():
        steps = np.array([np.divide(row[4:], row[3:-1]) for row in rows])
        found[name] = [f"{low:.2f}" if low == high else f"{low:.2f} to {high:.2f}"
                       for low, high in zip(steps.min(axis=0), steps.max(axis=0))]
    columns = [f"{sigma - 1} to {sigma}" for sigma in SIGMAS[4:]]
    return pd.DataFrame.from_dict(found, orient="index", columns=columns)


# ---- the runs of the pages that read Table 1's ------------------------------------------------


def fig03_softmax_ssa(profile: str) -> list:
    """Figure 3: the runs of Table 1 with softmax, then those with SSA."""
    runs_of = dealt(scorings_on_affine_functions(profile), scorings())
    return runs_of["softmax"] + runs_of["SSA"]


def by_function(found: list[Record]) -> dict[str, list[Record]]:
    """Table 1's records of each function: of the seeds that all functions have, which are given,
    and of the next ones as far as it has them."""
    own, profile = dealt(found, scorings()), shown_profile(found)
    if profile != "smoke":  # of which nothing is kept
        last = max(record.run["seed"] for record in found)
        runs_of = dealt(scorings_on_affine_functions(profile), scorings())
        for name, runs in runs_of.items():
            further = (find_record(run, "signed_averaging") for run in runs if run.seed > last)
            own[name] = own[name] + list(takewhile(lambda record: record is not None, further))
        tell_shown(record for records in own.values() for record in records)
    return own


def training_control(profile: str) -> list:
    """Errors along training: the runs of Table 1."""
    return scorings_on_affine_functions(profile)
