"""Figure 6: the closed form where features are sparse up to noise of the order of 1 / psi."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
import torch

from claimbook.pages.plotting import BLACK, GOLD, OLIVE, ROSE, VIOLET, series
from claimbook.records.values import values
from icllib.streams import Stream
from icllib.tasks import SparseFeatureRegression
from icllib.theory import full_model, noisy_features, riccati, scaling_laws
from papers.solvable_attention.laws import InTime, log10_gap, start

CONTEXT_LENGTHS = 10, 100  # psi


@dataclass(frozen=True)
class NearlySparse(InTime):
    """The model, its start and its closed form, which both trainings of Figure 6 share."""

    noise: float = 1.0  # over psi: the standard deviation of zeta, Appendix H.2
    from_start: ClassVar[bool] = True

    @property
    def shares(self) -> np.ndarray:
        """P(s)."""
        return riccati.task_shares(self.tasks, self.alpha)

    def closed_form(self) -> tuple[np.ndarray, np.ndarray]:
        """The times of the steps kept and the loss in closed form, without noise: (kept,) each."""
        v, w = start(self.scale, 2)
        g0, h0 = riccati.quadratic_forms(v, w, self.context_length, self.strength)
        time = self.learning_rate * self.kept
        return time, scaling_laws.time_losses(self.shares, self.strength, self.context_length, g0, h0, time)


@dataclass(frozen=True)
class ApproximatelySparse(NearlySparse):
    """Figure 6: the loss in time with all of V and W, as noise couples the tasks, on sampled prompts. A task
    has about its share of them, but at least a few; weights give it its share of the loss."""

    seed: int = 0  # of signs and noise
    trained: tuple[int, int] = (900, 6)  # prompts, fewest of a task. ASSUMED: not given
    tested: tuple[int, int] = (600, 4)  # the same for the test loss. ASSUMED

    def measure(self) -> dict:
        """Losses at the steps kept, sparse and flow without noise, and their gaps to the closed form."""
        shares, psi, strength = self.shares, self.context_length, self.strength
        trained, tested = self.data()
        kept = self.kept
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
        time, closed = self.closed_form()
        flow = riccati.loss(shares, riccati.flow_outputs(
            v[:, :2], w[:, :2], psi, strength, shares, time), strength)
        curves = {"test": np.array(test), "training": np.array(train), "sparse": sparse[kept], "flow": flow}
        gaps = {f"{name}_gap": log10_gap(closed, loss) for name, loss in curves.items()}
        return {"time": time, "closed_form": closed} | curves | gaps

    def data(self) -> list[full_model.Data]:
        """Training and test prompts: the first ones of each task in a long list of draws."""
        task = SparseFeatureRegression(self.tasks, self.alpha, self.strength, feature_noise=self.noise)
        stream = Stream.of([self.seed], "training")
        types = task.types(stream, torch.arange(1_000_000)[None])[0].numpy()
        used, parts = np.zeros(self.tasks, dtype=int), []
        for total, least in (self.trained, self.tested):
            counts = np.maximum(least, np.round(total * self.shares)).astype(int)
            ids = np.concatenate([np.flatnonzero(types == s + 1)[used[s]:][:counts[s]]
                                  for s in range(self.tasks)])
            prompt = task.sample(stream, torch.from_numpy(ids)[None], self.context_length + 1, torch.float64)
            parts.append(full_model.data_of(prompt, types[ids], np.repeat(self.shares / counts, counts)))
            used += counts
        return parts


@dataclass(frozen=True)
class ApproximatelySparseLimit(NearlySparse):
    """Figure 6 with infinitely many prompts: gradient descent on the exact expected loss."""

    def measure(self) -> dict:
        """The expected loss in time, beside the closed form."""
        psi, kept, losses = self.context_length, self.kept, []
        shares = torch.from_numpy(self.shares)
        v, w = map(torch.from_numpy, start(self.scale, self.tasks, self.tasks + 1))
        v, w = v.requires_grad_(), w.T.contiguous().requires_grad_()
        for step in range(self.steps + 1):
            loss = shares @ noisy_features.expected_losses(v, w, psi, self.strength, (self.noise / psi) ** 2)
            if step in kept:
                losses.append(loss.item())
            slopes = torch.autograd.grad(loss, (v, w))
            with torch.no_grad():
                for weights, slope in zip((v, w), slopes):
                    weights -= self.learning_rate * slope
        time, closed = self.closed_form()
        return {"time": time, "closed_form": closed, "expected": np.array(losses),
                "expected_gap": log10_gap(closed, np.array(losses))}


def runs(profile: str) -> list:
    """Figure 6: a short and a long context; ten draws of prompts, three at smoke, then infinitely many."""
    size, draws = ({"tasks": 10, "steps": 50}, 3) if profile == "smoke" else ({}, 10)
    return [run for psi in CONTEXT_LENGTHS
            for run in (*(ApproximatelySparse(psi, seed=seed, **size) for seed in range(draws)),
                        ApproximatelySparseLimit(psi, **size))]


CURVES = {"closed_form": ("closed form", BLACK, "-"),
          "expected": ("infinitely many prompts", ROSE, "-"),
          "test": ("900 prompts, loss on new ones", GOLD, "--"),
          "training": ("900 prompts, training loss", VIOLET, "--"),
          "sparse": ("no noise", OLIVE, ":")}


def of_length(records, metric: str) -> pd.Series:
    """A metric of the records that have it, by psi and seed, -1 of infinitely many prompts."""
    found = [record for record in records if metric in record.metrics]
    return values(found, metric, psi="context_length", seed=lambda run: getattr(run, "seed", -1))


def curve_tables(records, profile: str) -> list:
    """Tables of the losses after the start, and of log10 of their ratio to the closed form."""
    tables, curves = [], {name: of_length(records, name).unstack().iloc[:, 1:] for name in CURVES}
    for psi in CONTEXT_LENGTHS:
        closed = curves["closed_form"].loc[psi].iloc[0]
        for name, losses in curves.items():
            own = losses.loc[psi] if name in ("test", "training") else losses.loc[psi].iloc[:1]
            for panel, rows in (("loss", own), ("distance", np.log10(own / closed))):
                tables.append(series(f"{panel}, psi = {psi}", name, list(rows), rows, profile))
    return tables
