"""Which algorithm is a network nearest to, layer by layer?"""

from dataclasses import dataclass, fields
from typing import Literal

import numpy as np
import pandas as pd
import torch

from claimbook.records import Component
from icllib.attention import causal_pairs, full_pairs
from icllib.evaluate import OnTask, Together
from icllib.tasks import LinearRegression, Prompt
from icllib.tasks.laws import variance
from icllib.tasks.prompt import dot
from icllib.theory import gradient_descent as theory
from icllib.training import Run
from papers.across.shifts import PAIRS, SEED, OnNewPrompts, linear_models, table_1_models
from papers.causal_lm.layers import draw_prompts, run_layers
from papers.causal_lm.trained import MASKS, SIZES
from papers.context_scaling.scaling import LINEAR_8

STEPS = tuple(range(2, 9))
STEP_SIZE = 1.6 / 3  # over the variance of inputs: 1.6 on (-1, 1), Appendix E.1 of causal_lm
LAYERS = 5  # of hand-set networks: those of the trained ones
ALGORITHMS = ("ridge", "one step", *(f"{k} steps" for k in STEPS), *(f"{k} causal steps" for k in STEPS),
              "one pass", "kernel")
LEARNED = 0.1  # ASSUMED: the most of the labels' variance that a model may leave unexplained


@dataclass(frozen=True)
class NarrowedInputs(LinearRegression):
    """Linear functions of inputs the first half of whose coordinates is halved, which least squares does not
    feel; gradient descent learns their weights a quarter as fast."""

    def draw(self, stream, ids, n, dtype, active=None) -> Prompt:
        xs, ys, means = super().draw(stream, ids, n, dtype, active)
        xs = torch.cat((xs[..., : self.dimension // 2] / 2, xs[..., self.dimension // 2 :]), dim=-1)
        narrowed = dot(xs, self.draw_weights(stream, ids, dtype)[..., None, :])
        return Prompt(xs, ys - means + narrowed, narrowed)


@dataclass(frozen=True)
class AlgorithmDistances(OnNewPrompts):
    """How far answers are from those of known algorithms: the share of their variance left unexplained.

    Measures `distance`, (M, algorithms), of the models' answers, and `layer_distance`, (M, layers,
    algorithms), of a linear probe: fitted to the labels of half of the prompts on the query's state after
    each layer, and asked on the other half. And `unexplained`, (M,): of the labels, by the answers.
    """

    prompts: int = 4096

    def axes(self, metric: str) -> dict:
        layer = {"layer": None} if metric.startswith("layer") else {}
        return layer | ({} if metric == "unexplained" else {"algorithm": ALGORITHMS})

    def measure(self, tasks, predictor, device="cpu") -> dict:
        members, states = predictor.members, []
        prompt = self.sample(tasks[0], members, device)
        keep = lambda module, given, made: states.append(made.flatten(2, -2)[:, :, -1].double())
        hooks = [block.register_forward_hook(keep) for block in predictor.module.blocks]
        try:
            with torch.no_grad():
                answers = predictor.predict(prompt.xs, prompt.ys, (self.pairs,))[..., 0].double()
        finally:
            for hook in hooks:
                hook.remove()
        known = answers_of(prompt.xs[0], prompt.ys[0], tasks[0])
        labels = prompt.means[0, :, -1].double()
        found = [distances(torch.stack([own[member] for own in states]), answers[member], known, labels)
                 for member in range(members)]
        return {name: np.stack([own[name] for own in found]) for name in found[0]}


@dataclass(frozen=True)
class HandSetDistances(Component):
    """`AlgorithmDistances` of layers with the weights of Propositions 1 and 2 (Ding et al., 2024)."""

    mask: Literal["prefix", "causal"]
    dimension: int = 8
    pairs: int = 20
    prompts: int = 4096
    narrowed: bool = False
    seed: int = SEED

    def axes(self, metric: str) -> dict:
        return AlgorithmDistances(self.pairs).axes(metric)

    def measure(self) -> dict:
        task = (NarrowedInputs if self.narrowed else LinearRegression)(self.dimension, inputs="uniform")
        prompt = draw_prompts(task, self.seed, self.prompts, self.pairs + 1)
        mask = causal_pairs if self.mask == "causal" else full_pairs
        outputs = run_layers(prompt, self.pairs, STEP_SIZE / variance(task.inputs), LAYERS, mask)[1:, :, -1]
        states = torch.cat((prompt.xs[:, -1].expand(LAYERS, -1, -1), outputs[..., None]), dim=-1)
        return distances(states, -outputs[-1], answers_of(prompt.xs, prompt.ys, task), prompt.means[:, -1])


def answers_of(xs, ys, task) -> torch.Tensor:
    """The answers of all algorithms at the last point: (B, n + 1, d), (B, n + 1) -> (algorithms, B).

    Gradient descent has the step of hand-set layers; ridge regression the penalty of the task, the kernel
    exp(q . x) of inputs at variance 1. Of causal descent the last pair's weights answer, which see all pairs.
    """
    pairs, query, labels = xs[:, :-1].double(), xs[:, -1].double(), ys[:, :-1].double()
    penalty = max((task.noise_std / task.weight_std) ** 2, 1e-9)
    matrix = pairs.mT @ pairs + penalty * torch.eye(pairs.shape[-1], dtype=pairs.dtype)
    step, most = STEP_SIZE / variance(task.inputs), max(STEPS)
    descent = theory.gradient_descent(pairs, labels, step, most)
    causal = theory.causal_gradient_descent(pairs, labels, step, most)[:, :, -1]
    weights = [torch.linalg.solve(matrix, pairs.mT @ labels[..., None])[..., 0], descent[1],
               *(descent[k] for k in STEPS), *(causal[k] for k in STEPS),
               theory.online_gradient_descent(pairs, labels)[-1]]
    kernel = (dot(pairs, query[:, None]) / variance(task.inputs)).softmax(dim=-1)
    return torch.stack([*((own * query).sum(-1) for own in weights), (kernel * labels).sum(-1)])


def distances(states, answers, known, labels) -> dict[str, np.ndarray]:
    """The metrics of a model: states (layers, B, width), answers (B,), known (algorithms, B), labels (B,)."""
    half = len(labels) // 2
    states = torch.cat((states, torch.ones_like(states[..., :1])), dim=-1)
    fitted, asked = states[:, :half], states[:, half:]
    width = states.shape[-1]
    gram = fitted.mT @ fitted + 1e-8 * half * torch.eye(width, dtype=states.dtype)  # dead features stay 0
    probe = torch.linalg.solve(gram, fitted.mT @ labels[:half, None])
    return {"distance": unexplained(known, answers).numpy(),
            "layer_distance": torch.stack([unexplained(known[:, half:], own) for own in
                                           (asked @ probe)[..., 0]]).numpy(),
            "unexplained": float(unexplained(labels, answers))}


def unexplained(known, answers) -> torch.Tensor:
    """1 - r^2, r being the correlation of some answers with known ones: (..., B), (B,) -> (...)."""
    known, answers = (own - own.mean(dim=-1, keepdim=True) for own in (known, answers))
    norms = known.square().sum(-1) * answers.square().sum(-1)
    return 1 - (known * answers).sum(-1).square() / norms.clamp_min(1e-30)


def models(profile: str) -> dict[str, list[Run]]:
    """The kept models of linear functions, of causal_lm and of context scaling."""
    prompts = 64 if profile == "smoke" else 4096
    pairs, uniform = SIZES[profile].pairs, LinearRegression(SIZES[profile].dimension, inputs="uniform")
    named = table_1_models(profile, both(uniform, pairs, prompts))
    return named | linear_models(profile, both(LINEAR_8, PAIRS, prompts))


def both(task: LinearRegression, pairs: int, prompts: int) -> Together:
    """The distances on the task of training and, as "narrowed", on narrowed inputs."""
    measure = AlgorithmDistances(pairs, prompts)
    narrow = NarrowedInputs(**{field.name: getattr(task, field.name) for field in fields(task)})
    return Together((measure, OnTask(narrow, measure, "narrowed")))


def hand_set(profile: str) -> list[HandSetDistances]:
    """Networks with the weights of Propositions 1 and 2, on prompts of five seeds."""
    return [HandSetDistances(mask, narrowed=narrowed, seed=SEED + seed)
            for mask in MASKS for narrowed in (False, True) for seed in range(5)]


def runs(profile: str) -> list:
    """All models of the page, and the hand-set layers."""
    return [run for own in models(profile).values() for run in own] + hand_set(profile)


def share_named(of_layers: pd.DataFrame, mask: str) -> float:
    """The share of hand-set layers that the probe names: layer k is k steps, causal ones under that mask.

    of_layers: a row per seed and layer, from 1, a column per algorithm.
    """
    word = "causal steps" if mask == "causal" else "steps"
    known = ["one step" if layer == 1 else f"{layer} {word}"
             for layer in of_layers.index.get_level_values("layer")]
    return float((of_layers.idxmin(axis=1) == known).mean())


def named_over_others(trained: pd.DataFrame, changed: pd.DataFrame) -> pd.Series:
    """On changed prompts, the distance from the algorithm that is nearest on those of training, over that
    from the nearest other one: a row per seed, a column per algorithm."""
    both = {seed: (changed.loc[seed, name], changed.loc[seed].drop(name).min())
            for seed, name in trained.idxmin(axis=1).items()}
    own, other = pd.DataFrame(both).to_numpy()
    return pd.Series(own, both) / other


FAMILIES = ("ridge", "gradient steps", "causal steps", "one pass", "kernel")


def by_family(distances: pd.DataFrame) -> pd.DataFrame:
    """The distance from the nearest algorithm of each family, a column each; one step is a gradient step."""
    family = lambda name: (name if name in FAMILIES else
                           "causal steps" if "causal" in name else "gradient steps")
    return distances.T.groupby(family).min().T[list(FAMILIES)].rename_axis(columns=None)
