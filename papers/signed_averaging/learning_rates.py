"""A learning rate for each scoring function."""

from dataclasses import replace

from icllib.training import Run
from papers.signed_averaging.affine import (
    SCORINGS, SIGMAS, SIZES, ShiftedErrors, affine_run, decoder, scorings)

RATES = (5e-4, 1e-3, 2e-3)  # ASSUMED: tried for all scoring functions
TRIED_STEPS = 4000  # ASSUMED: steps in the search
TRIED_SEED = 1000  # not among the seeds of the models that are compared
SEARCHED = tuple(row.name for row in SCORINGS if row.rate)


def runs(profile: str) -> list[Run]:
    """The search for the rate of each scoring function: the same at every profile but smoke."""
    size = SIZES[profile if profile == "smoke" else "cpu"]
    size = replace(size, steps=min(size.steps, TRIED_STEPS))
    known = scorings(size)
    evaluation = ShiftedErrors(SIGMAS, functions=size.functions, prompts=size.prompts)
    runs = [affine_run(replace(size, learning_rate=rate), decoder(size, known[name]), TRIED_SEED)
            for name in SEARCHED for rate in RATES]
    return [replace(run, evaluation=evaluation, along=None) for run in runs]
