"""What caps the answers: runs without the cap, and the bounds that printed rows need."""

from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from icllib.training import Run
from papers.signed_averaging.affine import (
    LineAnswers, PRINTED, SIGMAS, SIZES, affine_run, decoder)
from papers.signed_averaging.answer_sizes import SCORINGS, floor, kept, sizes_at
from papers.signed_averaging.comparisons import TABLE_6, ridge_answers, shared

# ---- runs -----------------------------------------------------------------------------------

# Fixed before any was trained: five pairs of softmax and SSA as in Figure 3, of new seeds, without the
# final normalization, and five with a read-out trained at ten times the rate; claims 64 to 67.
CHANGES = {"without the final normalization": {"final_norm": False},
           "a faster read-out": {"read_out_rate": 10.0}}
SEEDS = range(20, 25)


def changed(profile: str, change: str) -> list[Run]:
    """Softmax, then SSA, as in Figure 3 but for one of CHANGES. Only smoke and cpu have runs."""
    if profile not in ("smoke", "cpu"):
        return []
    size = SIZES[profile]
    return [replace(affine_run(size, decoder(size, scoring, **CHANGES[change]), seed),
                    evaluation=sizes_at(profile), along=None)
            for scoring in SCORINGS.values() for seed in SEEDS[: size.seeds]]


def without_norm(profile: str) -> list[Run]:
    """The first of CHANGES."""
    return changed(profile, "without the final normalization")


def faster_read_out(profile: str) -> list[Run]:
    """The second of CHANGES."""
    return changed(profile, "a faster read-out")


def runs(profile: str) -> list[Run]:
    """All models of the page."""
    return kept(profile) + without_norm(profile) + faster_read_out(profile)


# ---- floors, and the bounds that printed rows need -------------------------------------------


def bound_needed(error: float, sigma: float) -> float:
    """The least bound with which an error is possible: that whose floor it is."""
    return float(brentq(lambda bound: floor(bound, sigma) - error, 0, 200 * sigma))


def bounds_needed() -> pd.DataFrame:
    """The bounds that printed rows need at least, from sigma = 3 on."""
    rows = {"Table 1, SSA": PRINTED["SSA"], "Table 1, softmax": PRINTED["softmax"],
            "Table 6, 2L4AH": TABLE_6["2L4AH"], "Table 6, 12L8AH": TABLE_6["12L8AH"]}
    return pd.DataFrame.from_dict(
        {name: [bound_needed(error, sigma) for error, sigma in zip(row[2:], SIGMAS[2:])]
         for name, row in rows.items()}, orient="index", columns=SIGMAS[2:])


# ---- from records to evidence ----------------------------------------------------------------


def ratios(models: dict, metric: str, sigmas=SIGMAS[2:]) -> dict[str, np.ndarray]:
    """SSA's metric over softmax's, at each sigma: {part: (seeds,)}. models: {name: records}."""
    ssa, softmax = (np.array([record[metric] for record in models[name]]) for name in ("SSA", "softmax"))
    return {f"sigma = {sigma}": (ssa / softmax)[:, sigma - 1] for sigma in sigmas}


def reached(models: dict) -> np.ndarray:
    """The larger of a pair's two errors at sigma = 1: (seeds,)."""
    return np.maximum(*(np.array([record["error"][0] for record in models[name]]) for name in SCORINGS))


def room_to_rise(models: dict) -> dict[str, np.ndarray]:
    """Claim 59: a bound over the true rise from abs(x) = 10 to 20 on the line 10x: {name: (seeds,)}."""
    return {name: np.array([float(record["bound"]) for record in own]) / 100 for name, own in models.items()}


def ridge_rise() -> list[float]:
    """Claim 59: the rise of ridge regression there, as a share of the true rise."""
    lines = LineAnswers()
    on_10x = ridge_answers()["answer"][:, lines.slopes.index(10)]
    near, far = (on_10x[:, lines.queries.index(x)] for x in (10, 20))
    return ((far - near) / 100).tolist()


def against(one, other, sigmas=(3, 5, 10)) -> dict[str, np.ndarray]:
    """Errors of one kind of softmax model over those of another, pair by pair: {part: (pairs,)}."""
    one, other = shared(*(np.array([record["error"] for record in own]) for own in (one, other)))
    return {f"sigma = {sigma}": (one / other)[:, sigma - 1] for sigma in sigmas}


def sizes_table(models: dict) -> pd.DataFrame:
    """Of each model its bound, its largest answer on lines of sigma = 10, and the share of its error there
    that is the floor."""
    rows = {}
    for name, own in models.items():
        for record in own:
            share = record["floor"][-1] / record["error"][-1]
            rows[f"{name}, seed {record.run['seed']}"] = {
                "bound": f"{record['bound']:.1f}", "largest answer": f"{record['largest_answer'][-1]:.1f}",
                "floor / error": f"{share:.0%}"}
    return pd.DataFrame.from_dict(rows, orient="index")
