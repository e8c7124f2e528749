"""Is the best mask prefix or leave-one-out?"""

import numpy as np
import pandas as pd

from icllib.evaluate import ErrorByLength
from icllib.training import Run
from papers.across.shifts import SEED, table_1_models
from papers.causal_lm.trained import SIZES

MASKS = ("prefix", "leave-one-out", "causal")


def models(profile: str) -> dict[str, list[Run]]:
    """The models of causal_lm's Table 1 on linear functions, under three masks; two of them are kept.

    Measured on new prompts, with as many pairs as in training and with fewer.
    """
    size = SIZES[profile]
    rule = ErrorByLength(size.fewer_pairs, 8 if profile == "smoke" else 4096, seed=SEED)
    found = table_1_models(profile, rule, MASKS)
    return found if profile in ("smoke", "cpu") else dict.fromkeys(found, [])


def runs(profile: str) -> list[Run]:
    """All models of the page."""
    return [run for own in models(profile).values() for run in own]


def over(errors: dict[str, pd.DataFrame], mask: str) -> dict[str, pd.DataFrame]:
    """Leave-one-out errors over those under another mask, by sharing: a row per seed, a column per pairs."""
    return {sharing: errors[f"leave-one-out, {sharing}"] / errors[f"{mask}, {sharing}"]
            for sharing in ("shared", "unshared")}


def apart_from_seeds(errors: dict[str, pd.DataFrame], sharing: str) -> pd.DataFrame:
    """A control: prefix errors over those of the seed before."""
    own = errors[f"prefix, {sharing}"]
    return own / np.roll(own.to_numpy(), 1, axis=0)
