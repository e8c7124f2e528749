"""Appendix A: context lengths that training left out, for GPT-2 and SGPT (item 4)."""

from dataclasses import replace

import numpy as np

from icllib.evaluate import ErrorByLength
from icllib.tasks import ReluNetwork
from icllib.training import Run
from papers.context_scaling.scaling import (
    FIGURE_4_COUNT, RELU_8, evaluation, fig01_against_context, in_20_dimensions, seeds, transformers)

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


def on_linear(profile: str) -> list[Run]:
    """Claim 17's control: Figure 1's decoders of the most tasks, also between their trained lengths."""
    decoders = fig01_against_context(profile)
    most = max(run.pretraining_tasks for run in decoders)
    trained = decoders[0].recipe.lengths
    halfway = [(low + high) // 2 for low, high in zip(trained[1:], trained[2:])]
    measure = ErrorByLength(tuple(sorted({*trained, *halfway})), prompts=16 if profile == "smoke" else 2048)
    return [replace(run, evaluation=measure, along=None) for run in decoders if run.pretraining_tasks == most]


def ratios_on_linear(records) -> np.ndarray:
    """Their mean ratio between trained lengths: (seeds,)."""
    run = records[0].run
    trained, tested = run["recipe"]["lengths"], run["evaluation"]["lengths"]
    ratios = over_neighbors([record["error"] for record in records], trained, tested)
    return ratios[:, ~np.isin(tested, trained)].mean(axis=1)


def runs(profile: str) -> list[Run]:
    """All models of the page."""
    return shown(profile) + on_linear(profile)


def shown(profile: str) -> list[Run]:
    """Appendix A, item 4: SGPT, the decoder, and, not in the paper, one without positions."""
    task, trained = UNTRAINED_LENGTHS[profile]
    between = [length + more for length in trained[:-1] for more in BETWEEN]
    beyond = [max(trained) + more for more in BEYOND]
    tested = tuple(sorted([*trained, *between, *beyond]))
    small = profile == "cpu"
    measure = replace(evaluation(tested, profile, prompts=8192), own_prompts=small)
    trains = (in_20_dimensions(trained, UNTRAINED_STEPS) if small
              else transformers(profile, lengths=trained))
    sgpt, (decoder, recipe) = trains.values()
    models = (sgpt, (replace(decoder, positions_up_to=max(tested)), recipe),
              (replace(decoder, positions="none"), recipe))
    return [Run(task, *model, measure, seed, FIGURE_4_COUNT)
            for model in models for seed in seeds(profile)]


def over_neighbors(errors, trained, tested) -> np.ndarray:
    """Errors over those interpolated between trained lengths: (seeds, len(tested))."""
    errors, tested = np.asarray(errors), np.asarray(tested)
    known = np.isin(tested, trained)
    return errors / [np.interp(tested, tested[known], row) for row in errors[:, known]]


def untrained_ratios(errors, trained, tested) -> dict:
    """Mean ratios of errors at untrained lengths to a reference, for claim 17: (seeds,) each.

    "between": lengths between trained ones; the reference interpolates the errors of the neighbors.
    "beyond": longer ones; the reference is the error at the longest trained length. errors: (seeds,
    len(tested)); tested holds trained.
    """
    ratios, tested = over_neighbors(errors, trained, tested), np.asarray(tested)
    known = np.isin(tested, trained)
    return {"between": ratios[:, ~known & (tested < max(trained))].mean(axis=1),
            "beyond": ratios[:, tested > max(trained)].mean(axis=1)}
