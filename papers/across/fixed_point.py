"""Is the answer of looped layers a fixed point?"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import torch

from claimbook.records import Component
from claimbook.records.checks import Size
from icllib.attention import causal_pairs, full_pairs
from icllib.tasks import LinearRegression
from icllib.training import Run
from papers.across.shifts import SEED, OnNewPrompts, table_1_models
from papers.causal_lm.layers import draw_prompts, run_layers
from papers.causal_lm.trained import MASKS, SIZES

LOOPS = 50  # ASSUMED: ten times those of training
RANDOM_LOOPS, RANDOM = (3, 7), ", random loops"  # ASSUMED: half to one and a half times the five of training
STEP_SIZE = 1.6  # of hand-set layers: Appendix E.1 of causal_lm


@dataclass(frozen=True)
class ByLoop(OnNewPrompts):
    """Answers of shared layers after every loop, however often training looped them.

    Measures, each (M, loops): `error`, the mean squared error over the mean square of the labels; and
    `moved`, the mean squared change of the answer since the loop before, over the same. Before the first
    loop the answer is 0.
    """

    loops: Size = LOOPS

    def axes(self, metric: str) -> dict:
        return {"loop": range(1, self.loops + 1)}

    def measure(self, tasks, predictor, device="cpu") -> dict:
        module = predictor.module
        xs, ys, means = self.sample(tasks[0], predictor.members, device)
        with torch.no_grad(), module.repeated(self.loops):
            answers = [module.predict(states)[..., 0] for states in module.states(xs, ys, (self.pairs,))]
        return curves(torch.stack(answers).double(), means[..., self.pairs].double())


@dataclass(frozen=True)
class HandSetLoops(Component):
    """`ByLoop` of layers of linear attention with the weights of Propositions 1 and 2 (Ding et al., 2024)."""

    mask: Literal["prefix", "causal"]
    dimension: int = 8
    loops: int = LOOPS
    pairs: int = 20
    prompts: int = 1024
    seed: int = SEED

    def axes(self, metric: str) -> dict:
        return {"loop": range(1, self.loops + 1)}

    def measure(self) -> dict:
        prompt = draw_prompts(LinearRegression(self.dimension, inputs="uniform"), self.seed, self.prompts,
                              self.pairs + 1)
        mask = causal_pairs if self.mask == "causal" else full_pairs
        answers = -run_layers(prompt, self.pairs, STEP_SIZE, self.loops, mask)[1:, :, -1]
        return {name: own[0] for name, own in curves(answers[:, None], prompt.means[None, :, -1]).items()}


def curves(answers: torch.Tensor, labels: torch.Tensor) -> dict[str, np.ndarray]:
    """`error` and `moved` of answers (loops, M, B) to labels (M, B)."""
    size = labels.square().mean(dim=1)
    before = torch.cat((torch.zeros_like(answers[:1]), answers[:-1]))
    of = lambda misses: (misses.square().mean(dim=2) / size).T.cpu().numpy()
    return {"error": of(answers - labels), "moved": of(answers - before)}


def models(profile: str) -> dict[str, list[Run]]:
    """The kept models of Table 1 with shared layers on linear functions, by mask, and new with random loops.

    These have no probes, which are for a fixed number of loops; the rest trains alike without them.
    """
    kept = table_1_models(profile, ByLoop(SIZES[profile].pairs, 8 if profile == "smoke" else 1024))
    found = {mask: kept[f"{mask}, shared"] for mask in MASKS}
    return found | {mask + RANDOM: [
        replace(run, model=replace(run.model, probes=False), recipe=replace(run.recipe, loops=RANDOM_LOOPS))
        for run in own if profile in ("smoke", "cpu")] for mask, own in found.items()}


def hand_set(profile: str) -> list[HandSetLoops]:
    """Networks with the weights of Proposition 1 and of Proposition 2, on prompts of five seeds."""
    return [HandSetLoops(mask, seed=SEED + seed) for mask in MASKS for seed in range(5)]


def runs(profile: str) -> list:
    """All models of the page, and the hand-set layers."""
    return [run for own in models(profile).values() for run in own] + hand_set(profile)
