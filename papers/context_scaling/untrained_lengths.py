"""Appendix A: context lengths that training left out, for GPT-2 and SGPT (item 4)."""

from dataclasses import replace

import numpy as np
import pandas as pd

from icllib.tasks import ReluNetwork
from icllib.training import Run
from papers.context_scaling.scaling import (
    FIGURE_4_COUNT, RELU_8, at_seeds, evaluation, in_20_dimensions, trained_on_five, transformers)

# Appendix A, item 4: ReLU networks, d = 20, "context lengths from 1 to 100 with a step size of
# 10", and T of Figure 4. cpu: the first five lengths.
UNTRAINED_LENGTHS = {
    "smoke": (RELU_8, (1, 11)),
    "cpu": (ReluNetwork(20), (1, 11, 21, 31, 41)),
    "gpu": (ReluNetwork(20), tuple(range(1, 101, 10))),
    "paper": (ReluNetwork(20), tuple(range(1, 101, 10))),
}
# ASSUMED: they take four minutes on one core for SGPT and six for GPT-2.
UNTRAINED_STEPS = {"SGPT": 4000, "GPT-2": 16_000}
# ASSUMED: the paper does not name the lengths at which GPT-2 fails.
BETWEEN, BEYOND = (2, 5, 8), (2, 5, 10, 20)  # pairs beyond a trained length, and the longest


def runs(profile: str) -> list[Run]:
    """All models of the page; those on linear functions are of another page."""
    return shown(profile) + trained_on_five(profile)


def shown(profile: str) -> list[Run]:
    """Appendix A, item 4: SGPT, the decoder, and, not in the paper, one without positions."""
    task, trained = UNTRAINED_LENGTHS[profile]
    between = [length + more for length in trained[:-1] for more in BETWEEN]
    beyond = [max(trained) + more for more in BEYOND]
    tested = tuple(sorted([*trained, *between, *beyond]))
    small = profile == "cpu"
    measure = replace(evaluation(tested, profile, prompts=8192), own_prompts=small)
    trains = (in_20_dimensions(trained, UNTRAINED_STEPS) if small else transformers(profile, lengths=trained))
    sgpt, (decoder, recipe) = trains.values()
    models = (sgpt, (replace(decoder, positions_up_to=max(tested)), recipe),
              (replace(decoder, positions="none"), recipe))
    return at_seeds(task, models, measure, profile, (FIGURE_4_COUNT,))


def over_neighbors(errors: pd.DataFrame, trained) -> pd.DataFrame:
    """Errors over those interpolated between trained lengths, which the columns hold among others."""
    rows = errors[list(trained)].to_numpy()
    return errors / np.array([np.interp(errors.columns, trained, row) for row in rows])


def untrained_ratios(errors: pd.DataFrame, trained) -> dict[str, pd.Series]:
    """Mean ratios of errors at untrained lengths for claim 17, one per row each: "between" trained lengths to
    those interpolated, "beyond" them to that of the longest."""
    new = over_neighbors(errors, trained).drop(columns=list(trained))
    beyond = new.columns > max(trained)
    return {"between": new.loc[:, ~beyond].mean(axis=1), "beyond": new.loc[:, beyond].mean(axis=1)}
