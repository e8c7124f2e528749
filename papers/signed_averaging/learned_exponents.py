"""What SSA learns in each head, and how long a training step takes with SSA and with softmax."""

import time
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
import torch

from claimbook.records import ADDED, Component
from claimbook.records.checks import Size
from icllib import attention, checks
from icllib.models import SignedAveraging, Softmax, Transformer
from icllib.models.scoring import Plain
from icllib.tasks import AffineFunctions
from icllib.training import Fleet, Recipe
from icllib.training.capture import captured_step
from icllib.training.cpu import one_core
from papers.signed_averaging.affine import scorings_on_affine_functions


@dataclass(frozen=True)
class UnfusedSoftmax(Plain):
    """Softmax computed in the way of SSA: with the matrix of weights in memory."""

    def weigh(self, z, mask):
        return attention.softmax(z, mask)


TIMED = {"softmax": Softmax(), "softmax, not fused": UnfusedSoftmax(), "SSA": SignedAveraging()}
REPLAYS = 20  # steps per round on a GPU, since starting one takes about as long as the step


@dataclass(frozen=True)
class TrainingTime(Component):
    """Seconds per training step of each of TIMED, which take turns; on a CPU processor time."""

    layers: int = 12  # Section 3
    heads: int = 8  # Section 3
    width: int = 256  # Section 3
    pairs: Size = 40  # Section 3
    batch: Size = 64  # Section 3
    rounds: Size = 9  # ASSUMED: in each, every scoring takes one step, or REPLAYS on a GPU
    seed: int = 0
    device: Literal["cpu", "cuda"] = field(default="cpu", metadata=ADDED)  # the first GPU
    version: ClassVar[int] = 3

    def axes(self, metric: str) -> dict:
        return {"scoring": list(TIMED), "round": None}

    def measure(self) -> dict:
        """`seconds`: (scorings, rounds)."""
        checks.device(self.device)
        with one_core():
            takers = [self.step_taker(scoring) for scoring in TIMED.values()]
            rounds = [[seconds(take_step, self.device) for take_step in takers] for _ in range(self.rounds)]
        return {"seconds": np.transpose(rounds)}

    def step_taker(self, scoring):
        """A function that takes a training step; its first call, which prepares things, is done."""
        model = Transformer(self.layers, self.heads, self.width, scoring, tokens="separate")
        recipe = Recipe(tuple(range(self.pairs)), 10**6, self.batch)
        fleet = Fleet([AffineFunctions()], model, recipe, [self.seed], [None], self.device)
        take_step = captured_step(fleet) if self.device == "cuda" else fleet.take_step
        take_step()
        return take_step


def seconds(take_step, device: str) -> float:
    """The seconds of one step."""
    if device == "cpu":
        started = time.process_time()
        take_step()
        return time.process_time() - started
    torch.cuda.synchronize()
    started = time.perf_counter()
    for _ in range(REPLAYS):
        take_step()
    torch.cuda.synchronize()
    return (time.perf_counter() - started) / REPLAYS


TOKEN_TABLE = 50_257 * 256  # GPT-2's token embedding at width 256, which a model of numbers does not use


def parameters(layers: int = 12, heads: int = 8, width: int = 256, scoring=Softmax()) -> int:
    """Parameters of a decoder, by default the paper's with softmax, for prompts of 40 pairs."""
    module = Transformer(layers, heads, width, scoring, tokens="separate").build([0], 1, 40)
    return sum(values.numel() for values in module.parameters())


def step_times(profile: str) -> list[TrainingTime]:
    """The time of a step: on a GPU at `gpu` and `paper`, else on a CPU; small models at smoke."""
    if profile == "smoke":
        return [TrainingTime(layers=1, width=16, batch=2, rounds=3)]
    return [TrainingTime(device="cuda" if profile in ("gpu", "paper") else "cpu")]


def runs(profile: str) -> list:
    """The runs of Table 1 with SSA, then the time of a step."""
    return [*(run for run in scorings_on_affine_functions(profile)
              if run.model.scoring == SignedAveraging()), *step_times(profile)]
