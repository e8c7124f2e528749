"""Does the time law of the solvable model appear in trained GPT-2 and SGPT?"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import torch

from icllib.models import SGPT, Transformer
from icllib.streams import Stream
from icllib.tasks import SparseFeatureRegression
from icllib.theory import riccati, scaling_laws
from icllib.training import Along, Recipe, Run
from papers.across.shifts import OnNewPrompts
from papers.solvable_attention.laws import start

ALPHAS = (1.8, 2.1)  # Figure 3 of the solvable model
TASKS, PAIRS = 200, 8  # ASSUMED: fewer than the paper's 500 and 100, for an hour's tenth on one core
MODELS = {"GPT-2": (Transformer(2, 2, 32), 1e-4), "SGPT": (SGPT(2, 32), 1e-3)}  # ASSUMED: small; their rates
# ASSUMED: a constant rate, as the law is of one; steps for a hundred half times of the most frequent task,
# which a model of another seed took 10 to 20 steps to half learn.
RECIPE = Recipe((PAIRS,), steps=3000, batch=32)
STOPS = tuple(sorted({int(step) for step in np.geomspace(1, RECIPE.steps, 60).round()}))
WINDOW = (5, 100)  # ASSUMED: of the fit, in half times


@dataclass(frozen=True)
class LossByTask(OnNewPrompts):
    """The loss of the solvable model on every one of its tasks, each with as many prompts as the others.

    Measures, (M,): `loss`, half the squared error, weighted by the tasks' shares; and `first_loss`, that of
    the most frequent task alone.
    """

    pairs: int = PAIRS
    prompts: int = 8  # of each task

    def axes(self, metric: str) -> dict:
        return {}

    def measure(self, tasks, predictor, device="cpu") -> dict:
        task, members = tasks[0], predictor.members
        types = torch.arange(task.tasks).repeat_interleave(self.prompts)
        ids = torch.arange(len(types)).expand(1, -1)
        signs = 1 - 2 * Stream.of([self.seed], "evaluation").integers(ids, "signs", 2, (self.pairs + 1,))
        xs = signs[..., None].float() * torch.nn.functional.one_hot(types, task.tasks)[None, :, None]
        ys = task.strength * signs.float()
        xs, ys = (own.expand(members, *own.shape[1:]).to(device) for own in (xs, ys))
        with torch.no_grad():
            answers = predictor.predict(xs, ys, (self.pairs,))[..., 0]
        errors = (answers - ys[..., -1]).double().square().unflatten(1, (task.tasks, -1)).mean(dim=2)
        shares = torch.from_numpy(riccati.task_shares(task.tasks, task.alpha))
        return {"loss": (errors.cpu() @ shares / 2).numpy(), "first_loss": (errors[:, 0] / 2).cpu().numpy()}


def models(profile: str) -> dict[str, list[Run]]:
    """Both models on both laws, named as the claim's parts; five seeds of each at cpu, one at smoke."""
    recipe, stops, seeds = RECIPE, STOPS, 5
    if profile == "smoke":
        recipe, stops, seeds = Recipe((PAIRS,), steps=4, batch=4), (1, 2, 4), 1
    along = Along(stops, LossByTask())
    return {f"{name}, alpha = {alpha}": [
        Run(SparseFeatureRegression(TASKS, alpha), model, replace(recipe, learning_rate=rate), LossByTask(),
            seed, along=along) for seed in range(seeds if profile in ("smoke", "cpu") else 0)]
        for name, (model, rate) in MODELS.items() for alpha in ALPHAS}


def runs(profile: str) -> list[Run]:
    """All models of the page."""
    return [run for own in models(profile).values() for run in own]


def in_half_times(losses: pd.DataFrame, first: pd.DataFrame) -> dict[int, pd.Series]:
    """Each seed's loss against time in half times: the first stop at which the most frequent task has lost
    half of its loss is 1. losses, first: a row per seed, a column per stop."""
    unit = lambda own: own.lt(own.iloc[0] / 2).idxmax()
    return {seed: pd.Series(own.to_numpy(), own.index / unit(first.loc[seed]))
            for seed, own in losses.iterrows()}


def exponent(curve: pd.Series) -> float:
    """The slope of log loss against log time in WINDOW; NaN for a training that is too short for it."""
    if curve.index.max() < WINDOW[1] / 2:
        return float("nan")
    return scaling_laws.fit_exponent(curve.index.to_numpy(), curve.to_numpy(), WINDOW)[0]


def solvable(alpha: float, tasks: int = TASKS) -> pd.Series:
    """The solvable model's loss against half times, in its closed form, at the paper's context.

    From a tenth of the paper's start, which answers above the label: trained models start near 0 too.
    """
    shares, strength, psi = riccati.task_shares(tasks, alpha), 0.5, 100
    g0, h0 = riccati.quadratic_forms(*start(0.01, 2), psi, strength)
    times = np.geomspace(1e-6, 1e3, 4000)
    rate = shares[0] * psi * (1 + strength**2)
    left = (riccati.closed_form(times, g0, h0, strength, rate)[2] - strength) ** 2
    unit = times[(left < left[0] / 2).argmax()]
    stops = unit * np.geomspace(0.1, WINDOW[1], 80)
    return pd.Series(scaling_laws.time_losses(shares, strength, psi, g0, h0, stops), stops / unit)
