"""Figure 1: one data point of the paper's regression, and why its tasks are learned separately."""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import torch

from claimbook.records import ADDED, Component
from icllib.streams import Stream
from icllib.tasks import SparseFeatureRegression
from icllib.theory import full_model, riccati

DECOUPLED = ("fixed context", "varied context and strength")


@dataclass(frozen=True)
class DataPoint(Component):
    """Figure 1: one prompt of multitask sparse feature regression, step by step."""

    task: SparseFeatureRegression = SparseFeatureRegression(6, alpha=1.8, strength=0.5)
    context_length: int = 5  # psi. ASSUMED: small, so that every number can be read
    prompts: int = 1000  # in which the tasks are counted
    seed: int = 2  # ASSUMED: gives a prompt with a rare task and both signs

    def measure(self) -> dict:
        """The first prompt's task, label, Phi and Phi Phi^T beside Eq. 7; counts and shares of tasks."""
        stream, ids = Stream.of([self.seed], "figure"), torch.arange(self.prompts)[None]
        types = self.task.types(stream, ids)[0].numpy()
        prompt = self.task.sample(stream, ids[:, :1], self.context_length + 1, torch.float64)
        phi = full_model.data_matrices(prompt)[0]
        pair = [types[0] - 1, self.task.tasks]
        equation_7 = np.zeros((len(phi), len(phi)))
        equation_7[np.ix_(pair, pair)] = riccati.context_matrix(self.context_length, self.task.strength)
        return {"type": types[0], "phi": phi, "label": prompt.ys[0, 0, -1].item(),
                "counts": np.bincount(types, minlength=self.task.tasks + 1)[1:],
                "shares": riccati.task_shares(self.task.tasks, self.task.alpha),
                "product": phi @ phi.T, "equation_7": equation_7,
                "deviation": np.abs(phi @ phi.T - equation_7).max()}


@dataclass(frozen=True)
class Decoupling(Component):
    """Eq. 8: gradient descent on all of V and W against one pair of coordinates per task, on random prompts,
    and one prompt of each task with weight 0, which gives f also for tasks that no other has."""

    kind: Literal[*DECOUPLED]
    tasks: int = 20  # N_s. ASSUMED: small, all rows and columns are trained
    alpha: float = 1.8  # Figure 3
    strength: float = 0.5  # Lambda_1; Lambda of Figure 3, Appendix G
    context_length: int = 40  # psi_1. ASSUMED: so that beta leaves the last task some pairs
    prompts: int = 200  # N. ASSUMED: so few that several rare tasks have none
    scale: float = 0.1  # every entry starts at N(0, scale^2). ASSUMED: none is special
    learning_rate: float = 5e-3  # ASSUMED: the frequent tasks are learned in these steps
    steps: int = 300  # ASSUMED: few, as the identity holds at every step
    shown: int = 4  # tasks whose f is kept. ASSUMED: the most frequent
    seed: int = 0
    noise: float = field(default=0.0, metadata=ADDED)  # on features, times 1 / psi: a control

    def measure(self) -> dict:
        """The largest difference of f over all tasks and steps; f of the first tasks: (shown, steps + 1)."""
        varied = self.kind == DECOUPLED[1]
        task = SparseFeatureRegression(self.tasks, self.alpha, self.strength,
                                       gamma=0.5 if varied else 0.0, beta=0.5 if varied else 0.0,
                                       feature_noise=self.noise)
        data, types = self.data(task)
        v, w = self.scale * np.random.default_rng(self.seed).standard_normal((2, self.tasks, self.tasks + 1))
        descent = full_model.gradient_descent(data, v, w.T, self.learning_rate, self.steps)
        signs = data.queries[-self.tasks:].sum(-1)
        full = np.array([f[-self.tasks:] * signs for f, _, _ in descent])
        s = np.arange(self.tasks)
        two = lambda u: np.stack((u[s, s], u[:, -1]), axis=-1)
        context = np.round(self.context_length * (s + 1.0) ** -task.beta)
        strengths = self.strength * (s + 1.0) ** -task.gamma
        shares = np.bincount(types - 1, data.weights, self.tasks)
        reduced = riccati.gradient_descent_outputs(two(v), two(w), context, strengths, shares,
                                                   self.learning_rate, self.steps)
        return {"deviation": np.abs(full - reduced).max(), "unseen_tasks": int((shares == 0).sum()),
                "full": full[:, :self.shown].T, "reduced": reduced[:, :self.shown].T,
                "strengths": strengths[:self.shown]}

    def data(self, task):
        """The random prompts, then one of each task with weight 0; and the task of each."""
        stream = Stream.of([self.seed], "training")
        types = task.types(stream, torch.arange(100_000)[None])[0].numpy()
        one_each = np.unique(types, return_index=True)[1]
        ids = np.concatenate((np.arange(self.prompts), one_each))
        prompt = task.sample(stream, torch.from_numpy(ids)[None], self.context_length + 1, torch.float64)
        weights = np.repeat((1 / self.prompts, 0), (self.prompts, len(one_each)))
        return full_model.data_of(prompt, types[ids], weights), types[ids]


def runs(profile: str) -> list:
    """Figure 1; the reduction of Section 3.1, then again with noise, which couples the tasks."""
    return [DataPoint(), *(Decoupling(kind, noise=noise) for noise in (0.0, 1.0) for kind in DECOUPLED)]
