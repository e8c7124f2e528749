"""Figure 6: features that are sparse up to noise of the order of 1 / (context length)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch

from icllib.papers.solvable_attention.common import log10_gap, start
from icllib.streams import Stream
from icllib.tasks import SparseFeatureRegression
from icllib.theory import full_model, riccati, scaling_laws


# psi, and training prompts with the least of a task; the longest list of prompts decides
DESIGNS = (10, (900, 6)), (100, (900, 6)), (100, (8100, 54))


@dataclass(frozen=True)
class ApproximatelySparse:
    """Figure 6: the loss in time with all of V and W, by gradient descent and in closed form.

    Noise couples the tasks, so nothing is reduced. Only H = Phi Phi^T of each prompt matters,
    and it is made once. A task has about its share of the prompts but never less than a few;
    weights give it its share of the loss.
    """

    context_length: int  # psi: 10 or 100
    seed: int = 0  # of signs and noise
    tasks: int = 100  # N_s. ASSUMED: not given for Figure 6; that of Figure 2
    alpha: float = 1.8  # ASSUMED: that of our Figure 2
    strength: float = 0.5  # Lambda. ASSUMED: that of our Figure 2
    noise: float = 1.0  # times 1 / psi is the deviation of zeta, Appendix H.2
    trained: tuple[int, int] = (900, 6)  # prompts, least of a task. ASSUMED: not given
    tested: tuple[int, int] = (600, 4)  # the same for the test loss. ASSUMED
    scale: float = 0.1  # A of Eq. 106
    learning_rate: float = 1e-3  # Appendix G
    steps: int = 5000  # Appendix G
    shown: int = 120  # ASSUMED: instants compared besides the start, evenly spaced in log t
    version: ClassVar[int] = 1

    def measure(self) -> dict:
        """Losses on test and training prompts, with sparse features, and in closed form."""
        shares, psi, strength = self.shares, self.context_length, self.strength
        trained, tested = self.data()
        kept = np.unique(np.geomspace(1, self.steps, self.shown).astype(int))
        kept = np.concatenate(([0], kept))
        v, w = start(self.scale, self.tasks, self.tasks + 1)
        test, train = [], []
        for step, (f, vs, ws) in enumerate(full_model.gradient_descent(
                trained, v, w.T, self.learning_rate, self.steps)):
            if step in kept:
                train.append(riccati.loss(trained.weights, f, trained.targets))
                answers = full_model.outputs(tested, vs, ws)
                test.append(riccati.loss(tested.weights, answers, tested.targets))
        sparse = riccati.loss(shares, riccati.gradient_descent_outputs(
            v[:, :2], w[:, :2], psi, strength, shares, self.learning_rate, self.steps), strength)
        g0, h0 = riccati.quadratic_forms(v[0, :2], w[0, :2], psi, strength)
        time = self.learning_rate * kept
        closed = scaling_laws.time_losses(shares, strength, psi, g0, h0, time)
        flow = riccati.loss(shares, riccati.flow_outputs(
            v[:, :2], w[:, :2], psi, strength, shares, time), strength)
        curves = {"test": np.array(test), "training": np.array(train), "sparse": sparse[kept],
                  "flow": flow}
        gaps = {f"{name}_gap": log10_gap(closed, loss) for name, loss in curves.items()}
        return {"time": time, "closed_form": closed} | curves | gaps

    @property
    def shares(self):
        """P(s)."""
        return riccati.task_shares(self.tasks, self.alpha)

    def data(self) -> list[full_model.Data]:
        """Training and test prompts: the first ones of each task in a long list of draws."""
        task = SparseFeatureRegression(self.tasks, self.alpha, self.strength,
                                       feature_noise=self.noise)
        stream = Stream.of([self.seed], "training")
        types = task.types(stream, torch.arange(1_000_000)[None])[0].numpy()
        used, parts = np.zeros(self.tasks, dtype=int), []
        for total, least in (self.trained, self.tested):
            counts = np.maximum(least, np.round(total * self.shares)).astype(int)
            ids = np.concatenate([np.flatnonzero(types == s + 1)[used[s]:][:counts[s]]
                                  for s in range(self.tasks)])
            prompt = task.sample(stream, torch.from_numpy(ids)[None], self.context_length + 1,
                                 torch.float64)
            parts.append(full_model.data_of(prompt, types[ids],
                                            np.repeat(self.shares / counts, counts)))
            used += counts
        return parts


def fig06_approximately_sparse(profile: str) -> list[ApproximatelySparse]:
    """Figure 6: a short and a long context, ten draws of the noise; a small model at smoke."""
    size, draws = ({"tasks": 10, "steps": 50}, 3) if profile == "smoke" else ({}, 10)
    return [ApproximatelySparse(psi, seed, trained=trained, **size)
            for psi, trained in DESIGNS for seed in range(draws)]
