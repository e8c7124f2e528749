"""Models trained on every context length, so that they answer after any number of pairs.

Not in the paper, whose decoders are trained on five lengths and are at chance between these. These
models are the ones that have a name (icllib/shipped.py).
"""

from dataclasses import replace

import numpy as np

from icllib.baselines import Ridge
from icllib.evaluate import ErrorByLength
from icllib.models import SGPT, Transformer
from icllib.papers.context_scaling.common import LINEAR_8, evaluation
from icllib.training import Recipe, Run

LONGEST = 40  # of LENGTHS
# From so many pairs on, 1.25 times the dimension, a named model must be within 1.25 of ridge
# regression at each length. Both numbers were fixed before the first of these models was trained.
FEWEST, MOST_RATIO = 10, 1.25
SEEDS = 3

# ASSUMED: all of it, as the paper has no such models. A decoder answers after every number of pairs
# in one pass; half the batch of Figure 1B, as each prompt now has eight times the queries, and a
# layer more. SGPT, of which each length is a sequence of its own, carries over between lengths and
# has seven, closer together where few pairs are.
DECODER = Transformer(4, 4, 64)
DECODER_RECIPE = Recipe(tuple(range(5, LONGEST + 1)), 15_000, 16, 2e-3, "cosine", 0.1)
DEEP_SGPT = SGPT(8, 32)
SGPT_RECIPE = Recipe((10, 12, 14, 17, 20, 30, 40), 15_000, 32, 4e-3, "cosine", 0.1)
MODELS = {
    "GPT-2": (DECODER, DECODER_RECIPE),
    "SGPT": (DEEP_SGPT, SGPT_RECIPE),
    "GPT-2 without positions": (replace(DECODER, positions="none"), DECODER_RECIPE),
}


def every_length(profile: str) -> list[Run]:
    """Three models on linear functions, measured after every number of pairs."""
    measure = evaluation(tuple(range(5, LONGEST + 1)), profile)
    small = profile == "smoke"
    return [Run(LINEAR_8, replace(model, layers=1) if small else model,
                replace(recipe, steps=4, batch=4) if small else recipe, measure, seed)
            for model, recipe in MODELS.values() for seed in range(2 if small else SEEDS)]


def ridge_errors(measure: ErrorByLength) -> np.ndarray:
    """The error of ridge regression with the best penalty, at each length: (K,)."""
    return measure.measure(LINEAR_8, Ridge.bayes(LINEAR_8))["error"][0]


def worst_ratio(errors, measure: ErrorByLength) -> np.ndarray:
    """The largest error over ridge regression's from FEWEST pairs on: (seeds, K) -> (seeds,)."""
    counted = np.array(measure.lengths) >= FEWEST
    return (np.asarray(errors) / ridge_errors(measure))[:, counted].max(axis=1)
