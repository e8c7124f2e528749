"""Kept models of several papers, and shifts that they are put to."""

from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

import numpy as np
import torch

from claimbook.records import Component
from claimbook.records.checks import Positive, Size
from icllib.baselines import Ridge
from icllib.evaluate import ErrorByLength, OnTask, Together
from icllib.models import SGPT
from icllib.models.mixing import FusedSoftmax
from icllib.streams import Stream
from icllib.tasks import LinearRegression, Prompt
from icllib.tasks.laws import drawn
from icllib.tasks.prompt import masked_inputs
from icllib.training import Run
from papers.causal_lm.trained import MASKS, SIZES, Cell
from papers.context_scaling.scaling import trained_on_five
from papers.signed_averaging.affine import ShiftedErrors, base_runs

PAIRS = 40  # the longest context of training
SEED = 1000  # ASSUMED: of prompts that no other page has seen
KEPT_SEEDS = 5  # of causal_lm's Table 1
TEMPERATURES = tuple(2.0 ** (power / 2) for power in range(-4, 9))  # ASSUMED: a quarter to sixteen
SIGMAS = (1, 3, 5, 10)  # of lines; 1 is that of training


@dataclass(frozen=True)
class OtherInputs(LinearRegression):
    """y = w . x + noise as in training, but for the law of the inputs; their variance stays 1.

    "student": Student's t with five degrees of freedom; "laplace"; "autoregressive": each input is 0.9
    times the one before it plus normal noise.
    """

    law: Literal["student", "laplace", "autoregressive"] = "student"

    def draw(self, stream, ids, n, dtype, active=None) -> Prompt:
        # The names that its records were drawn under.
        xs = drawn(self.law, stream, ids, "xs", (n, self.dimension), dtype, also="")
        xs = masked_inputs(xs, active)
        means = (xs @ self.draw_weights(stream, ids, dtype)[..., None])[..., 0]
        return Prompt(xs, means + self.noise_std * stream.normal(ids, "noise", (n,), dtype), means)


@dataclass(frozen=True)
class OnNewPrompts(Component):
    """What is measured after so many pairs, on prompts that no other page has seen."""

    pairs: Size = 20
    prompts: Size = 1024
    seed: int = SEED

    @property
    def longest(self) -> int:
        return self.pairs

    def sample(self, task, members: int, device) -> Prompt:
        """The prompts, each with a query behind its pairs; the same ones for all members."""
        stream = Stream.of([self.seed] * members, "evaluation", device)
        ids = torch.arange(self.prompts, device=device).expand(members, -1)
        return task.sample(stream, ids, self.pairs + 1)


@dataclass(frozen=True)
class AtTemperatures(Component):
    """An evaluation with the scores of every softmax divided by each of these temperatures, the first axis of
    its metrics: (M, temperatures, ...). Demir and Dogan (2025) tune one for all layers."""

    evaluation: object
    temperatures: tuple[Positive, ...]

    @property
    def longest(self) -> int:
        return self.evaluation.longest

    def axes(self, metric: str) -> dict:
        return {"temperature": self.temperatures} | self.evaluation.axes(metric)

    def measure(self, tasks, predictor, device="cpu") -> dict:
        found = []
        for temperature in self.temperatures:
            with heated(predictor.module, temperature):
                found.append(self.evaluation.measure(tasks, predictor, device))
        return {name: np.stack([own[name] for own in found], axis=1) for name in found[0]}


@contextmanager
def heated(module, temperature: float):
    """The module with its softmax temperatures multiplied."""
    buffers = [own.temperature for own in module.modules() if isinstance(own, FusedSoftmax)]
    before = [buffer.clone() for buffer in buffers]
    for buffer in buffers:
        buffer.mul_(temperature)
    try:
        yield
    finally:
        for buffer, values in zip(buffers, before):
            buffer.copy_(values)


def error_rule(profile: str) -> ErrorByLength:
    """Errors after the longest context of training, on new prompts."""
    return ErrorByLength((PAIRS,), prompts=8 if profile == "smoke" else 4096, seed=SEED)


def on_tasks(tasks: dict, profile: str) -> Together:
    """The error on the task of training and, by name, on others."""
    rule = error_rule(profile)
    return Together((rule, *(OnTask(task, rule, name) for name, task in tasks.items())))


def line_rule(profile: str) -> ShiftedErrors:
    """Errors on lines that are as steep as in training and steeper, on new prompts."""
    few = profile == "smoke"
    return ShiftedErrors(SIGMAS, functions=2 if few else 64, prompts=2 if few else 16, seed=SEED)


def heated_lines(profile: str) -> list[Run]:
    """Softmax models of Figure 3 of signed averaging, at every temperature."""
    heated = AtTemperatures(line_rule(profile), TEMPERATURES)
    return [replace(run, evaluation=heated, along=None) for run in base_runs(profile)]


def linear_models(profile: str, evaluation) -> dict[str, list[Run]]:
    """The kept models of linear functions in eight dimensions (context scaling), measured once more."""
    runs = [replace(run, evaluation=evaluation, along=None) for run in trained_on_five(profile)]
    is_sgpt = lambda run: isinstance(run.model, SGPT)
    return {"SGPT": [*filter(is_sgpt, runs)], "GPT-2": [run for run in runs if not is_sgpt(run)]}


def table_1_models(profile: str, evaluation, **changed) -> dict[str, list[Run]]:
    """The kept models of linear functions of causal_lm's Table 1, but for changed fields of their Cell,
    measured once more, by mask and sharing."""
    cells = [Cell("linear", mask, shared, extra_loss=shared, **changed)
             for shared in (True, False) for mask in MASKS]
    return {f"{cell.mask}, {cell.sharing}": [
        replace(cell.run(SIZES[profile], seed), evaluation=evaluation)
        for seed in range(min(SIZES[profile].seeds, KEPT_SEEDS))] for cell in cells}


@cache
def optimum(task, profile: str, metric: str = "error") -> float:
    """The error of ridge regression on the same prompts: with normal weights and noise the least possible,
    whatever the law of the inputs. metric: "excess" for that against labels without noise."""
    return float(error_rule(profile).measure([task], Ridge.bayes(task))[metric][0, 0])
