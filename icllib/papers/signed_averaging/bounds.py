"""Appendix J: largest weights, Jacobians and entropies of random scores beside their bounds."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from icllib.papers.signed_averaging.common import (
    extreme, jacobians, rest, value_and_slope, weights)
from icllib.theory import scoring as theory


@dataclass(frozen=True)
class BoundsByRange:
    """What the largest of k weights leaves, and Jacobians of pairs, for scores in [-M, M]."""

    n: float | None  # 1.5 and b = 1, where training starts (Appendix B); None: softmax
    b: float | None
    scores: int = 40  # k. ASSUMED: the longest prompt of training; any number above 1
    largest: float = 10.0  # ASSUMED: the paper's M is any number
    # ASSUMED: enough for smooth curves and extremes near the bounds.
    ranges: int = 25  # spaced evenly in log M, from 0.3
    rows: int = 2000  # random rows for each M, uniform in [-M, M]; pairs in part of it
    shown: int = 120  # rows kept for the entropies, of 8 scores each
    seed: int = 0
    version: ClassVar[int] = 1

    def measure(self) -> dict:
        """Curves over M; and the largest weight and entropy of some rows."""
        random = np.random.default_rng(self.seed)
        bounds = np.geomspace(0.3, self.largest, self.ranges)[:, None]
        top = value_and_slope(bounds, self.n, self.b)[0]
        return {"bound": bounds[:, 0],
                "least_rest": theory.smallest_rest(top, 1 / top, self.scores)[:, 0],
                "extreme_rest": rest(weights(extreme(bounds, self.scores), self.n, self.b)),
                "random_rest": self.random_rest(random, bounds),
                "extreme_norm": norms(jacobians(extreme(bounds, 2), self.n, self.b)),
                "random_norm": self.random_norm(random, bounds),
                "norm_bound": float(value_and_slope(np.zeros(1), self.n, self.b)[1][0] / 2)
                } | self.entropies(random)

    def random_rest(self, random, bounds) -> list:
        """The smallest rest among random rows of each range."""
        shape = self.rows, self.scores
        return [rest(weights(bound * random.uniform(-1, 1, shape), self.n, self.b)).min()
                for bound in bounds]

    def random_norm(self, random, bounds) -> list:
        """The largest spectral norm of the Jacobian among random pairs of each range.

        Each pair is uniform in its own share of the range, between 1/1000 and all of it.
        """
        found = []
        for bound in bounds:
            share = 10 ** random.uniform(-3, 0, (self.rows, 1))
            pairs = bound * share * random.uniform(-1, 1, (self.rows, 2))
            found.append(norms(jacobians(pairs, self.n, self.b)).max())
        return found

    def entropies(self, random) -> dict:
        """Largest weights and entropies of rows of 8 normal scores, of small to large size."""
        size = np.geomspace(0.1, 20, self.shown)[:, None]
        alpha = weights(size * random.standard_normal((self.shown, 8)), self.n, self.b)
        return {"top": alpha.max(-1), "entropy": theory.entropy(alpha)}


def printed_sentences(ssa, softmax) -> dict:
    """Three sentences of Appendix J as printed, each number over its reference: above 1 if true.

    The references are the printed entropy, and growth by a tenth. Takes two records.
    """
    entropies = ssa["entropy"] / theory.largest_entropy(np.array(ssa["top"]), 8)
    odds = [weight / (1 - weight) for weight in (weight_at_gap(1.0, 40, low) for low in (0, 9))]
    norm = softmax["random_norm"]
    return {"J.3 entropy": entropies.min(), "J.5 softmax Jacobian": norm[-1] / norm[0] / 1.1,
            "J.6 softmax, gap 1": odds[1] / odds[0] / 1.1}


def weight_at_gap(gap: float, k: int, low: float = 0.0) -> float:
    """The softmax weight of the largest of k scores, the others being `gap` below it at `low`."""
    return float(weights(np.array([low + gap, *[low] * (k - 1)]), None, None)[0])


def reversed_order(shift: float | None = None, seeds: int = 5, pairs: int = 100_000) -> np.ndarray:
    """How often abs(x) < abs(y) and yet the embedding of y is the shorter one: (seeds,).

    Section 5.2. Of numbers from N(0, 1) and x W + b, drawn as PyTorch draws a linear layer of one
    input, W and b uniform in [-1, 1], 256 wide; or b = shift W.
    """
    found = []
    for seed in range(seeds):
        random = np.random.default_rng(seed)
        weight, bias = random.uniform(-1, 1, (2, 256))
        bias = bias if shift is None else shift * weight
        x, y = np.sort(np.abs(random.standard_normal((2, pairs))), axis=0) * random.choice(
            (-1, 1), (2, pairs))
        # |x W + b|^2 - |y W + b|^2
        excess = (x**2 - y**2) * (weight @ weight) + 2 * (x - y) * (weight @ bias)
        found.append(np.mean(excess >= 0))
    return np.array(found)


def norms(matrices) -> np.ndarray:
    """Spectral norms of (rows, k, k)."""
    return np.linalg.norm(matrices, 2, (1, 2))
