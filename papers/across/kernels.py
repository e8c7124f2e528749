"""Which attention kernels find the function as pairs are added? Averages of labels, nothing trained."""

from dataclasses import dataclass

import numpy as np

from claimbook.records import Component
from claimbook.records.checks import Size

COUNTS = (40, 400, 4000, 40_000)
KERNELS = ("Hilbert", "exponential", "SSA", "log n", "linear")


@dataclass(frozen=True)
class KernelErrors(Component):
    """Errors of weighted means of n labels, y = w . x + noise with x ~ N(0, I) in two dimensions.

    The scores z = q . x. Weights: 1 / |q - x|^d (Hilbert), exp(z), SSA's (1 + b |z|)^(n sgn z) at n = 1.5
    and b = 1, exp(z log n) (scalable softmax), each over its sum; and z / n (linear attention). Measures
    `error`, (kernels, counts), against labels without noise, over E (w . x)^2; `shuffled` the same with
    labels in another order, a control.
    """

    dimension: Size = 2
    noise_std: float = 0.5
    functions: Size = 64
    queries: Size = 16
    counts: tuple = COUNTS
    seed: int = 0

    def axes(self, metric: str) -> dict:
        return {"kernel": KERNELS, "n": self.counts}

    def measure(self) -> dict:
        draw, total = np.random.default_rng(self.seed), 0.0
        for _ in range(self.functions):
            weights = draw.normal(size=self.dimension)
            xs = draw.normal(size=(max(self.counts), self.dimension))
            queries = draw.normal(size=(self.queries, self.dimension))
            labels = xs @ weights + self.noise_std * draw.normal(size=len(xs))
            both = np.stack([labels, draw.permutation(labels)], axis=1)
            right = (queries @ weights)[:, None]
            total = total + np.array([[
                ((answers(kernel, queries, xs[:n], both[:n]) - right) ** 2).mean(axis=0)
                for n in self.counts] for kernel in KERNELS])
        error, shuffled = np.moveaxis(total / self.functions / self.dimension, -1, 0)
        return {"error": error, "shuffled": shuffled}


def answers(kernel: str, queries, xs, labels) -> np.ndarray:
    """The weighted means of each column of labels, for each query: (queries, columns)."""
    scores = queries @ xs.T
    if kernel == "linear":
        return scores @ labels / len(xs)
    if kernel == "Hilbert":
        powers = -xs.shape[1] * np.log(np.linalg.norm(queries[:, None] - xs, axis=2))
    elif kernel == "SSA":
        powers = 1.5 * np.sign(scores) * np.log1p(np.abs(scores))
    else:
        powers = scores * (np.log(len(xs)) if kernel == "log n" else 1)
    weights = np.exp(powers - powers.max(axis=1, keepdims=True))
    return weights @ labels / weights.sum(axis=1, keepdims=True)


def runs(profile: str) -> list[KernelErrors]:
    """Five seeds; these train nothing and are the same in each profile."""
    return [KernelErrors(seed=seed) for seed in range(5)]
