"""Softmax, SSA and SSMax trained further than in Figure 3: does SSA's lead appear in better models?"""

import numpy as np
import pandas as pd

from claimbook.claims.sentences import short
from icllib.training import Run
from papers.signed_averaging import trained_further
from papers.signed_averaging.affine import FIRST_COUNTED, PRINTED, SIGMAS, geometric_mean
from papers.signed_averaging.comparisons import TABLE_6, shared
from papers.signed_averaging.trained_further import paths


def runs(profile: str) -> list[Run]:
    """All pairs that are trained further, and SSMax beside the first ones."""
    return trained_further.runs(profile)


def ratios_by_level(levels: dict) -> dict[str, np.ndarray]:
    """SSA's error over softmax's at each level of competence: {how good softmax is: (seeds, 10)}.

    levels: {what they are: their paths and the stop that is read}.
    """
    found = {}
    for name, (own, stop) in levels.items():
        stop = min(stop, own["SSA"].shape[1] - 1)  # models of smoke have fewer
        ssa, softmax = shared(own["SSA"][:, stop], own["softmax"][:, stop])
        found[f"{name}: {short(geometric_mean(softmax[:, 0]), 2)}"] = ssa / softmax
    return found


# ---- tables ---------------------------------------------------------------------------------


def beside_printed(models: dict) -> pd.DataFrame:
    """The final errors from the third and from the fourth point on, and the printed ones."""
    counted = {"third": paths(models), "fourth": paths(models, FIRST_COUNTED + 1)}
    rows = {}
    for name in models:
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
