"""Softmax, SSA and SSMax trained further than in Figure 3: does SSA's lead appear in better models?"""

from dataclasses import replace

import numpy as np
import pandas as pd

from claimbook.claims.sentences import short
from claimbook.records import dealt
from icllib.models import SSMax, SignedAveraging, Softmax
from icllib.training import Along, Run
from papers.signed_averaging.affine import (
    FIRST_COUNTED, PRINTED, SIGMAS, SIZES, affine_run, decoder, geometric_mean)
from papers.signed_averaging.another_engine import PointErrors
from papers.signed_averaging.comparisons import TABLE_6, shared

# Fixed before these models were trained: the shape of Table 6 that is next to Figure 3's, and steps
# after which a pilot of softmax alone, which is not counted, had an error in distribution of 0.00062,
# about a quarter of that of Figure 3's softmax models. All else is as there, the rate too.
DEEPER = {"smoke": replace(SIZES["smoke"], layers=1),
          "cpu": replace(SIZES["cpu"], layers=3, steps=30_000)}
STOPPED = (1 / 8, 1 / 4, 1 / 2, 0.6, 0.7, 0.8, 0.9, 1)  # shares of training at which errors are read
SCORINGS = {"softmax": Softmax(), "SSA": SignedAveraging(), "SSMax": SSMax()}


def runs(profile: str) -> list[Run]:
    """Softmax, then SSA, then SSMax, of the same seeds, so that those of a seed have the same prompts.

    Only smoke and cpu have runs.
    """
    seeds = range(DEEPER[profile].seeds) if profile in DEEPER else ()
    return [run_of(profile, scoring, seed) for scoring in SCORINGS.values() for seed in seeds]


def run_of(profile: str, scoring, seed: int) -> Run:
    """One model, with its errors at every point along training."""
    size = DEEPER[profile]
    prompts = 2 if profile == "smoke" else 2048
    errors = PointErrors(SIGMAS, prompts)
    stops = tuple(sorted({max(1, round(size.steps * share)) for share in STOPPED}))
    run = affine_run(size, decoder(size, scoring), seed)
    return replace(run, evaluation=errors, along=Along(stops, errors))


def paths(records, first: int = FIRST_COUNTED) -> dict[str, np.ndarray]:
    """The errors along training, counted from the `first` point on: {name: (seeds, stops, 10)}."""
    found = dealt(records, SCORINGS)
    return {name: np.array([record["error_at_along"][..., first - 1:].mean(axis=-1)
                            for record in own]) for name, own in found.items()}


def leads(paths: dict) -> tuple[np.ndarray, np.ndarray]:
    """How good a pair is, and SSA's lead, at each stop: two arrays of (seeds, stops).

    The larger of the two errors at sigma = 1, and the ratio of SSA's error to softmax's, a geometric
    mean over sigma = 3 to 10. paths: {name: (seeds, stops, 10)}.
    """
    ssa, softmax = shared(paths["SSA"], paths["softmax"])
    reached = np.maximum(ssa[..., 0], softmax[..., 0])
    return reached, geometric_mean((ssa / softmax)[..., 2:])


# ---- tables ---------------------------------------------------------------------------------


def beside_printed(records) -> pd.DataFrame:
    """The final errors from the third and from the fourth point on, and the printed ones."""
    counted = {"third": paths(records), "fourth": paths(records, FIRST_COUNTED + 1)}
    rows = {}
    for name in SCORINGS:
        for point, errors in counted.items():
            means = geometric_mean(errors[name][:, -1].T)
            rows[f"{name}, from the {point} point"] = [short(mean, 2) for mean in means]
        if name in PRINTED:
            rows[f"{name}, Table 1"] = [f"{error:g}" for error in PRINTED[name]]
    rows["softmax, Table 6"] = [f"{error:g}" for error in TABLE_6["3L4AH"]]
    return pd.DataFrame.from_dict(rows, orient="index", columns=SIGMAS)


def final_ratios(pairs: dict) -> pd.DataFrame:
    """The error over softmax's of the same seed after training. pairs: {name: (its paths, softmax's)}."""
    rows = {}
    for name, (own, softmax) in pairs.items():
        own, softmax = shared(own[:, -1], softmax[:, -1])
        rows |= {f"{name}, seed {seed}": [f"{ratio:.2f}" for ratio in pair]
                 for seed, pair in enumerate(own / softmax)}
    return pd.DataFrame.from_dict(rows, orient="index", columns=SIGMAS)
