"""Models trained on every context length, so that they answer after any number of pairs.

Not in the paper, whose decoders are trained on five lengths and are at chance between these. These
models are the ones that have a name (icllib/commands/export_models.py).
"""

from dataclasses import replace

import numpy as np

from icllib.baselines import Ridge
from icllib.evaluate import ErrorByLength
from icllib.models import SGPT, Transformer
from icllib.papers.context_scaling.scaling import (
    FIGURE_1_MOST, LENGTHS, LINEAR_8, evaluation, fig01_against_context, fig08_against_context)
from icllib.results import from_settings
from icllib.training import Recipe, Run

LONGEST = 40  # of LENGTHS
# From so many pairs on, 1.25 times the dimension, a named model must be within 1.25 of ridge
# regression at each length. Both numbers were fixed before the first of these models was trained.
FEWEST, MOST_RATIO = 10, 1.25

# ASSUMED: all of it, as the paper has no such models. A decoder answers after every number of pairs
# in one pass; half the batch of Figure 1B, as each prompt now has seven times the queries, and a
# layer more. One seed so far, of about fourteen minutes of a core: the pilot, which passed.
SEEDS = 1
DECODER = Transformer(4, 4, 64)
DECODER_RECIPE = Recipe(tuple(range(5, LONGEST + 1)), 15_000, 16, 2e-3, "cosine", 0.1)


def runs(profile: str) -> list[Run]:
    """The decoder trained on every length, the one of Figure 1B and the deep SGPT of Figure 8B, which
    are trained on five; all measured after every number of pairs."""
    measure, small = evaluation(tuple(range(5, LONGEST + 1)), profile), profile == "smoke"
    recipe = replace(DECODER_RECIPE, steps=4, batch=4) if small else DECODER_RECIPE
    decoder = replace(DECODER, layers=1) if small else DECODER
    on_five = [run for run in fig01_against_context(profile) + fig08_against_context(profile)
               if run.task == LINEAR_8 and run.pretraining_tasks == FIGURE_1_MOST]
    own = {kind: [replace(run, evaluation=measure) for run in dict.fromkeys(on_five)
                  if isinstance(run.model, kind)] for kind in (Transformer, SGPT)}
    return [Run(LINEAR_8, decoder, recipe, measure, seed) for seed in range(SEEDS)] + sum(
        own.values(), [])


def ratios_by_model(records) -> dict[str, np.ndarray]:
    """Errors over ridge regression's by model: (seeds, K) each."""
    found = {}
    for record in records:
        kind = "SGPT" if record.run["model"]["type"].endswith("SGPT") else "GPT-2"
        kind += " without positions" * (record.run["model"].get("positions") == "none")
        lengths = "five lengths" if len(record.run["recipe"]["lengths"]) == len(LENGTHS) else (
            "every length")
        found.setdefault(f"{kind}, {lengths}", []).append(record["error"])
    ridge = ridge_errors(from_settings(records[0].run["evaluation"]))
    return {name: np.array(own) / ridge for name, own in found.items()}


def ridge_errors(measure: ErrorByLength) -> np.ndarray:
    """The error of ridge regression with the best penalty, at each length: (K,)."""
    return measure.measure(LINEAR_8, Ridge.bayes(LINEAR_8))["error"][0]


def worst_from_ten(ratios, lengths) -> np.ndarray:
    """The largest ratio from FEWEST pairs on: (seeds, K) -> (seeds,)."""
    return np.asarray(ratios)[:, np.array(lengths) >= FEWEST].max(axis=1)
