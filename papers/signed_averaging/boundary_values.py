"""Figures 1 and 9: do predictions stop at a boundary value?"""

from dataclasses import replace

import numpy as np

from icllib.evaluate import Together
from icllib.training import Run
from papers.signed_averaging.affine import (
    ATTENTION_ONLY, FULL, LineAnswers, SIZES, ShiftedErrors, all_runs, models_by_law, models_by_scoring,
    models_by_shape)
from papers.signed_averaging.comparisons import ridge_answers

QUERIES = LineAnswers().queries  # where answers on a line are measured


def boundary_models(profile: str) -> dict[str, list[Run]]:
    """Models with and without perceptrons, with softmax and with SSA: {name: runs}."""
    return models_by_shape(profile, (FULL, ATTENTION_ONLY)) | models_by_scoring(profile)


FAR_LINES = (-40, -20, 20, 40)  # twice and four times the range of training, for N(0, 10)


def runs(profile: str) -> list[Run]:
    """All models of the page."""
    return shown(profile) + wider(profile)


def shown(profile: str) -> list[Run]:
    """Figures 1 and 9."""
    return all_runs(boundary_models(profile))


def wider(profile: str) -> list[Run]:
    """Claim 60: models trained on N(0, 10), measured on lines far from there."""
    lines = LineAnswers(queries=FAR_LINES, prompts=SIZES[profile].line_prompts)
    ends = ShiftedErrors((), (10,), (1,), functions=20, prompts=4)
    return [replace(run, evaluation=Together((lines, ends)), along=None)
            for run in models_by_law(profile)["N(0, 10)"]]


def on_line(answers, slope: float) -> np.ndarray:
    """The mean predictions on y = slope x, of a metric (seeds, slopes, queries): (seeds, queries)."""
    return answers[:, LineAnswers().slopes.index(slope)]


def rise(answers, slope: float, near: float = 10, far: float = 20, queries=QUERIES) -> np.ndarray:
    """How far predictions rise between two abs(x), as a share of the true rise: (seeds,).

    answers: (seeds, queries) on y = slope x, at these queries. A model that follows the line has 1; one whose
    predictions have reached their boundary has 0.
    """
    size = lambda x: np.abs(answers[:, [queries.index(-x), queries.index(x)]]).mean(axis=1)
    return (size(far) - size(near)) / (slope * (far - near))


def rises_beyond(records) -> dict[str, np.ndarray]:
    """Claim 60: the rise from abs(x) = 20 to 40 on each line: {part: (seeds,)}. records: of `wider`."""
    answers = np.array([record["answer"] for record in records])
    return {f"{slope}x": rise(on_line(answers, slope), slope, 20, 40, FAR_LINES)
            for slope in LineAnswers().slopes}


def ridge_rise(slope: float) -> list[float]:
    """Claim 7: the rise of ridge regression on a line; 1 if it follows the line."""
    return rise(on_line(ridge_answers()["answer"], slope), slope).tolist()
