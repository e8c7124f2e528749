"""Figures 1 and 9: do predictions stop at a boundary value?"""

from dataclasses import replace

from icllib.evaluate import ErrorByLength, Together
from icllib.tasks import AffineFunctions
from icllib.training import Run
from papers.signed_averaging.affine import (
    ATTENTION_ONLY, FIRST_COUNTED, FULL, LineAnswers, SIZES, ShiftedErrors, affine_run, decoder, models_of,
    softmax_and_ssa, wider_inputs)

FAR_LINES = (-40, -20, 20, 40)  # twice and four times the range of training, for N(0, 10)


def runs(profile: str) -> list[Run]:
    """All models of the page."""
    shown = dict.fromkeys(with_and_without_perceptrons(profile) + softmax_and_ssa(profile))
    return [*shown, *wider(profile), *uniform(profile)]  # at `paper` 12L8AH is the softmax model


def with_and_without_perceptrons(profile: str) -> list[Run]:
    """Figures 1 and 9."""
    return models_of((FULL, ATTENTION_ONLY), profile)


def wider(profile: str) -> list[Run]:
    """Claim 60: models trained on N(0, 10), measured on lines far from there."""
    lines = LineAnswers(queries=FAR_LINES, prompts=SIZES[profile].line_prompts)
    ends = ShiftedErrors((), (10,), (1,), functions=20, prompts=4)
    return [replace(run, evaluation=Together((lines, ends)), along=None)
            for run in wider_inputs(profile) if run.task.input_std == 10]


def uniform(profile: str) -> list[Run]:
    """Claim 62: models as Figure 3's, trained on U(-1, 1), measured on lines at two and four times that."""
    size = SIZES[profile]
    lines = LineAnswers(queries=(-4, -2, 2, 4), prompts=size.line_prompts, inputs="uniform")
    errors = ErrorByLength(tuple(range(FIRST_COUNTED - 1, 40)), prompts=4 if profile == "smoke" else 2048)
    return [replace(affine_run(size, decoder(size), seed), task=AffineFunctions(inputs="uniform"),
                    evaluation=Together((lines, errors)), along=None) for seed in range(size.seeds)]
