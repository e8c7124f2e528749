"""Models trained on every context length, which have names (papers/export_models.py).

The paper's decoders are trained on five lengths and fail between them.
"""

from dataclasses import replace

import pandas as pd

from claimbook.records.values import values
from icllib.baselines import Ridge
from icllib.models import SGPT, Transformer
from icllib.training import Recipe, Run
from papers.context_scaling.scaling import EVERY, LENGTHS, LINEAR_8, evaluation, model_name, trained_on_five

# From FEWEST pairs on, 1.25 times the dimension, the error of a named model must be at most
# MOST_RATIO times that of ridge regression at each length. Both were fixed before any was trained.
FEWEST, MOST_RATIO = 10, 1.25

# ASSUMED: all of it, as the paper has no such models. The decoder answers after every number of
# pairs in one pass; it has a layer more than in Figure 1B and half the batch, since each prompt has
# seven times the queries. SGPT needs a pass for each number of pairs and has a quarter of that
# batch. A model takes 13 minutes on one core, SGPT 21, and one without positions 27: after 15,000
# steps a first one had 1.30 times the error of ridge regression.
SEEDS = 3
DECODER_RECIPE = Recipe(EVERY, 15_000, 16, 2e-3, "cosine", 0.1)
NO_POSITIONS_RECIPE = replace(DECODER_RECIPE, steps=30_000)
SGPT_RECIPE = replace(DECODER_RECIPE, batch=8, learning_rate=4e-3)


def runs(profile: str) -> list[Run]:
    """Models trained on every length, the decoder of Figure 1B and the deep SGPT of Figure 8B."""
    return [*gpt2(profile), *gpt2_without_positions(profile), *sgpt(profile), *trained_on_five(profile)]


def gpt2(profile: str) -> list[Run]:
    """Decoders with learned positions."""
    return trained_on_every(Transformer(4, 4, 64), DECODER_RECIPE, profile)


def gpt2_without_positions(profile: str) -> list[Run]:
    """Decoders without a vector for each position, trained for twice as many steps."""
    return trained_on_every(Transformer(4, 4, 64, positions="none"), NO_POSITIONS_RECIPE, profile)


def sgpt(profile: str) -> list[Run]:
    """The deep SGPT of Figure 8B."""
    return trained_on_every(SGPT(8, 32), SGPT_RECIPE, profile)


def trained_on_every(model, recipe: Recipe, profile: str) -> list[Run]:
    """A model on all lengths with SEEDS seeds; at smoke it has one layer and trains four steps."""
    seeds = range(SEEDS)
    if profile == "smoke":
        model, recipe, seeds = replace(model, layers=1), replace(recipe, steps=4, batch=4), (0,)
    return [Run(LINEAR_8, model, recipe, evaluation(EVERY, profile), seed) for seed in seeds]


def ratios_by_model(records) -> dict[str, pd.DataFrame]:
    """Each model's errors over those of ridge regression with the best penalty: a row for each seed."""
    found = {}
    for record in records:
        run = record.component
        trained = "five lengths" if run.recipe.lengths == LENGTHS else "every length"
        found.setdefault(f"{model_name(run)}, {trained}", []).append(record)
    ridge, = run.evaluation.measure(LINEAR_8, Ridge.bayes(LINEAR_8))["error"]
    return {name: values(own, "error").unstack("length") / ridge for name, own in found.items()}


def worst_from_ten(ratios: pd.DataFrame) -> pd.Series:
    """The largest ratio from FEWEST pairs on, one per seed."""
    return ratios.loc[:, FEWEST:].max(axis=1)
