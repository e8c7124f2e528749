"""Figures 1 and 9: do predictions stop at a boundary value?"""

import numpy as np

from icllib.training import Run
from papers.signed_averaging.affine import (
    ATTENTION_ONLY, FULL, LineAnswers, all_runs, models_by_scoring, models_by_shape)
from papers.signed_averaging.comparisons import ridge_answers

QUERIES = LineAnswers().queries  # where answers on a line are measured


def boundary_models(profile: str) -> dict[str, list[Run]]:
    """Models with and without perceptrons, with softmax and with SSA: {name: runs}."""
    return models_by_shape(profile, (FULL, ATTENTION_ONLY)) | models_by_scoring(profile)


def runs(profile: str) -> list[Run]:
    """Figures 1 and 9."""
    return all_runs(boundary_models(profile))


def on_line(answers, slope: float) -> np.ndarray:
    """The mean predictions on y = slope x, of a metric (seeds, slopes, queries): (seeds, queries)."""
    return answers[:, LineAnswers().slopes.index(slope)]


def rise(answers, slope: float, near: float = 10, far: float = 20) -> np.ndarray:
    """How far predictions rise between two abs(x), as a share of the true rise: (seeds,).

    answers: (seeds, queries) on y = slope x. A model that follows the line has 1; one whose
    predictions have reached their boundary has 0.
    """
    size = lambda x: np.abs(answers[:, [QUERIES.index(-x), QUERIES.index(x)]]).mean(axis=1)
    return (size(far) - size(near)) / (slope * (far - near))


def ridge_rise(slope: float) -> list[float]:
    """Claim 7: the rise of ridge regression on a line; 1 if it follows the line."""
    return rise(on_line(ridge_answers()["answer"], slope), slope).tolist()
