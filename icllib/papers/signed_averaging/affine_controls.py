"""Controls and gates of the claims on affine functions.

The control is ridge regression in a model's place. With an intercept and next to no penalty it is
exact from the third point on, since labels have no noise: what a model gets wrong outside its
training distribution, it does not.
"""

import numpy as np
import torch

from icllib.baselines import Ridge
from icllib.papers.signed_averaging.ablations import (by_model, failure_on_sequence, geometric_mean,
                                                      models_by_law, on_line, rise)
from icllib.papers.signed_averaging.affine import SIGMAS, SIZES
from icllib.papers.signed_averaging.affine_measures import LineAnswers, ShiftedErrors
from icllib.tasks import AffineFunctions

ROUNDING = 1e-10  # errors below it are 0 but for rounding, which processors do differently


class RidgeLine:
    """Ridge regression with an intercept; 0 before the first pair."""

    def predict(self, xs, ys, lengths):
        """(..., N, 1), (..., N) -> (..., K)."""
        with_ones = torch.cat((xs, torch.ones_like(xs)), dim=-1).double()
        known = [n for n in lengths if n]
        answers = Ridge(1e-9).predict(with_ones, ys.double(), known)
        none = answers.new_zeros((*answers.shape[:-1], len(lengths) - len(known)))
        return torch.cat((none, answers), dim=-1).to(xs.dtype)


def ridge_errors() -> np.ndarray:
    """Its errors at SIGMAS, on 10 functions and 2 prompts of each, or ROUNDING: (10,)."""
    errors = ShiftedErrors(SIGMAS, functions=10, prompts=2).measure(
        [AffineFunctions()], RidgeLine())["error"][0]
    return np.maximum(errors, ROUNDING)


def ridge_over(errors) -> list[float]:
    """The geometric mean over sigma = 3 to 10 of its error over a model's (seeds, 10): (seeds,)."""
    return geometric_mean(ridge_errors()[2:] / np.atleast_2d(errors)[:, 2:]).tolist()


def ridge_answers() -> dict:
    """What it answers on lines and on the sequence of Section 5.3, as `LineAnswers` measures it."""
    return LineAnswers(prompts=4).measure([AffineFunctions()], RidgeLine())


def ridge_rise(slope: float) -> list[float]:
    """Claim 7: its rise on a line, 1 where it follows."""
    return rise(on_line(ridge_answers()["answer"], slope), slope).tolist()


def ridge_failure() -> list[float]:
    """Claim 47: its failure on the sequence of Section 5.3."""
    return failure_on_sequence(ridge_answers()["deviant_answers"]).tolist()


# ---- gates ------------------------------------------------------------------------------------


def reached(errors: dict, *names) -> np.ndarray:
    """The largest error at sigma = 1 of these models: name -> (seeds, 10) gives (seeds,)."""
    return np.max([np.atleast_2d(errors[name])[:, 0] for name in names], axis=0)


def reached_on_law(grid, stds, input_std: float) -> np.ndarray:
    """The error on the inputs of training over that of always answering 0, 1 + I^2: (seeds,).

    grid: (seeds, I, F) over the deviations `stds`; I is the widest of them where training's is
    wider.
    """
    place = min(range(len(stds)), key=lambda i: abs(stds[i] - input_std))
    return grid[:, place, stds.index(1)] / (1 + stds[place] ** 2)


def reached_on_own_law(profile: str, records) -> dict[str, np.ndarray]:
    """The same of the models of the page training_laws: law -> (seeds,)."""
    models, stds = models_by_law(profile), SIZES[profile].grid
    return {name: reached_on_law(grid, stds, models[name][0].task.input_std)
            for name, grid in by_model(records, models, "error_grid").items()}
