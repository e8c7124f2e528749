"""Appendix J: the theory of scaled signed averaging: what is printed, what is true, and what decides."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np
import torch

from claimbook.records import ADDED, Component
from claimbook.records.files import read_text, read_yaml
from icllib import attention
from icllib.theory import scoring as theory
from papers.signed_averaging.attention_weights import transform, value_and_slope


def weights(z, n, b) -> np.ndarray:
    """Attention weights of rows of scores in which every token is visible."""
    return visible_weights(transform(z, n, b)).numpy()


def visible_weights(s):
    """softmax of transformed scores (..., k), through the models' masked softmax."""
    return attention.softmax(s, torch.ones(s.shape[-1], dtype=torch.bool))


def jacobians(z, n, b) -> np.ndarray:
    """d alpha_i / d z_m of rows (rows, k) by automatic differentiation: (rows, k, k)."""
    z = torch.tensor(z, dtype=torch.float64, requires_grad=True)
    alpha = visible_weights(transform(z, n, b))
    return torch.stack([torch.autograd.grad(own.sum(), z, retain_graph=True)[0]
                        for own in alpha.unbind(dim=1)], dim=1).numpy()


def rest(alpha) -> np.ndarray:
    """1 minus the largest weight of each row, summed without cancellation: (..., k) -> (...)."""
    return np.sort(alpha)[..., :-1].sum(-1)


def extreme(bound, k: int) -> np.ndarray:
    """Rows (M, -M, ..., -M) of k scores, for bounds M (rows, 1)."""
    return np.where(np.arange(k) == 0, bound, -np.asarray(bound))


# ---- curves over the range of scores ---------------------------------------------------------


@dataclass(frozen=True)
class BoundsByRange(Component):
    """1 minus the largest of k weights ("rest"), and Jacobians of pairs, for scores in [-M, M]."""

    n: float | None  # 1.5 and b = 1, where training starts (Appendix B); None: softmax
    b: float | None
    scores: int = 40  # k. ASSUMED: the longest prompt of training; any number above 1
    largest: float = 10.0  # ASSUMED: the paper's M is any number
    # ASSUMED: enough for smooth curves and extremes near the bounds.
    ranges: int = 25  # spaced evenly in log M, from 0.3
    rows: int = 2000  # random rows for each M, uniform in [-M, M]; pairs also in parts of it
    shown: int = 120  # rows kept for the entropies, of 8 scores each
    seed: int = 0

    def axes(self, metric: str) -> dict:
        if metric in ("top", "entropy"):
            return {"row": None}
        return {"bound": np.geomspace(0.3, self.largest, self.ranges).tolist()}

    def measure(self) -> dict:
        """Curves over M, (ranges,) each; the largest weight and entropy of `shown` rows."""
        random = np.random.default_rng(self.seed)
        bounds = np.array(self.axes("bound")["bound"])[:, None]
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
        return [rest(weights(bound * random.uniform(-1, 1, shape), self.n, self.b)).min() for bound in bounds]

    def random_norm(self, random, bounds) -> list:
        """The largest spectral norm of the Jacobian among random pairs in random parts of each range."""
        found = []
        for bound in bounds:
            share = 10 ** random.uniform(-3, 0, (self.rows, 1))
            pairs = bound * share * random.uniform(-1, 1, (self.rows, 2))
            found.append(norms(jacobians(pairs, self.n, self.b)).max())
        return found

    def entropies(self, random) -> dict:
        """Largest weights and entropies of rows of 8 normal scores, from small to large."""
        size = np.geomspace(0.1, 20, self.shown)[:, None]
        alpha = weights(size * random.standard_normal((self.shown, 8)), self.n, self.b)
        return {"top": alpha.max(-1), "entropy": theory.entropy(alpha)}


def printed_sentences(ssa, softmax) -> dict:
    """A number for each of three printed sentences of Appendix J, above 1 if the sentence is true."""
    entropies = ssa["entropy"] / theory.largest_entropy(np.array(ssa["top"]), 8)
    odds = [weight / (1 - weight) for weight in (weight_at_gap(1.0, 40, low) for low in (0, 9))]
    norm = softmax["random_norm"]
    return {"J.3 entropy": entropies.min(), "J.5 softmax Jacobian": norm[-1] / norm[0] / 1.1,
            "J.6 softmax, gap 1": odds[1] / odds[0] / 1.1}


def weight_at_gap(gap: float, k: int, low: float = 0.0) -> float:
    """The softmax weight of the largest of k scores; the others are `low`, which is `gap` less."""
    return float(weights(np.array([low + gap, *[low] * (k - 1)]), None, None)[0])


def reversed_order(shift: float | None = None, seeds: int = 5, pairs: int = 100_000) -> np.ndarray:
    """How often abs(x) < abs(y) but the embedding of y is shorter (Section 5.2), (seeds,); x, y ~ N(0, 1),
    and the embedding x W + b of width 256 has W and b uniform in [-1, 1], as in PyTorch's linear layer, or b
    = shift W."""
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


# ---- corrections -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Corrections(Component):
    """The numbers of `corrections`, at the n and b with which training starts."""

    n: float = 1.5  # Appendix B
    b: float = 1.0  # Appendix B
    scores: int = 40  # k in Theorem 1. ASSUMED: the longest prompt of training
    rows: int = 20_000  # ASSUMED: in a search for large Jacobians; enough to come near the bounds
    seed: int = 0

    def measure(self) -> dict:
        """{name: number}; appendix_j_theory.yml says what each is."""
        return {name: float(value) for part in (
            self.smoothness(), self.ratios(), self.entropies(), self.jacobians(),
            self.collapse(), self.limit()) for name, value in part.items()}

    def smoothness(self) -> dict:
        """J.2, J.4: slopes at 0, second derivatives on both sides, and L(M) for an n below 1."""
        step = 1e-6
        value, slope = value_and_slope(np.array([-step, 0, step]), self.n, self.b)
        left, right = np.diff(value * slope) / step
        z = torch.zeros(1, dtype=torch.float64, requires_grad=True)
        literal = (1 + self.b * z.abs()) ** (z.sign() * self.n)
        return {"slope_at_0": slope[1], "literal_slope_at_0": torch.autograd.grad(literal, z)[0],
                "second_left": left, "second_right": right,
                "slope_at_0_half": value_and_slope(np.zeros(1), 0.5, 1.0)[1][0],
                "lipschitz_half": 0.5 * (1 + 4) ** (0.5 - 1)}

    def ratios(self) -> dict:
        """J.3: the ratio of two weights, its degree in the gap and its value for a gap of 1/2."""
        gaps = np.array([1e6, 1e7])
        pairs = {"one_sign": np.stack([gaps, 0 * gaps], -1), "two_signs": np.stack([gaps / 2, -gaps / 2], -1)}
        found = {}
        for name, rows in pairs.items():
            alpha = weights(rows, self.n, self.b)
            found[f"degree_{name}"] = np.log10(alpha[:, 0] / alpha[:, 1]) @ [-1, 1]
        small = np.array([0.25, -0.25])
        for name, setting in (("ssa", (self.n, self.b)), ("softmax", (None, None))):
            alpha = weights(small, *setting)
            found[f"small_ratio_{name}"] = alpha[0] / alpha[1]
        return found

    def entropies(self) -> dict:
        """J.3: the weights (1/2, 1/2, 0, 0)."""
        alpha = np.array([0.5, 0.5, 0, 0])
        return {"entropy": theory.entropy(alpha), "minus_log_top": -np.log(alpha.max()),
                "printed_entropy": theory.largest_entropy(0.5, 4)}

    def jacobians(self) -> dict:
        """J.5: largest entries and norms of Jacobians, in a search, at scores 0, 0, at a gap of 20."""
        random = np.random.default_rng(self.seed)
        size = 10 ** random.uniform(-2, 2, (self.rows, 1))
        rows = size * random.standard_normal((self.rows, 3))
        found = {}
        for name, setting in (("ssa", (self.n, self.b)), ("softmax", (None, None))):
            searched, known, far = (jacobians(z, *setting) for z in (
                rows, np.zeros((1, 2)), np.array([[10.0, -10.0]])))
            found |= {f"searched_entry_{name}": np.abs(searched).max(),
                      f"searched_norm_{name}": norms(searched).max(),
                      f"known_entry_{name}": np.abs(known).max(),
                      f"known_norm_{name}": norms(known)[0], f"far_norm_{name}": norms(far)[0]}
        return found

    def collapse(self) -> dict:
        """J.6: 1 minus the top weight of (M, -M, ..., -M) for M = 1/2 and 5, and for large b."""
        left = lambda bound, *setting: rest(weights(extreme([bound], self.scores), *setting))
        found = {"rest_large_b": left(0.5, self.n, 1000.0)}
        for name, setting in (("ssa", (self.n, self.b)), ("softmax", (None, None))):
            found |= {f"rest_half_{name}": left(0.5, *setting), f"rest_5_{name}": left(5.0, *setting)}
        return found

    def limit(self) -> dict:
        """Section 7: f(x) / e^x - 1 for n = m = 10^6, b = 1/m; weights after a shift by 10."""
        x = np.array([3.0, -3.0])
        above, below = value_and_slope(x, 1e6, 1e-6)[0] / np.exp(x) - 1
        shifted = {f"shift_{shift}_{name}": weights(np.array([1.0, 0.0]) + shift, *setting)[0]
                   for name, setting in (("ssa", (self.n, self.b)), ("softmax", (None, None)))
                   for shift in (0, 10)}
        return {"limit_above": above, "limit_below": below} | shifted


def corrections(record) -> list[tuple]:
    """What is printed, what is true, and the number that decides, of a record of `Corrections`."""
    listed = read_yaml(read_text(Path(__file__).with_suffix(".yml")))
    return [tuple(text.format(**record.metrics) if name == "number" else text for name, text in one.items())
            for one in listed]


# ---- the check of every statement ------------------------------------------------------------


@dataclass(frozen=True)
class AppendixJCheck(Component):
    """The largest relative violation of each statement of Appendix J, on rows uniform in [-M, M], each with
    its own n, b and M; in the first ten rows the first logit is exactly 0."""

    # ASSUMED, since the statements are for any k, n >= 1, b > 0 and M: ranges around the start of
    # training, n = 1.5 and b = 1 (Appendix B), and up to the longest prompt of training, k = 40.
    counts: tuple = (2, 3, 8, 40)  # k, the numbers of logits
    rows: int = 500  # for each k
    n: tuple = (1.0, 2.5)  # uniform
    b: tuple = (0.2, 2.0)  # uniform in the logarithm
    bound: tuple = (0.1, 4.0)  # M, uniform in the logarithm
    seed: int = 0
    factor: float = field(default=1.0, metadata=ADDED)  # on printed values; 0.99 is a control
    version: ClassVar[int] = 2

    def measure(self) -> dict:
        """The largest violation over all rows, for each part of the two claims."""
        random = np.random.default_rng(self.seed)
        found = [self.violations(random, k) for k in self.counts]
        return {part: max(of_count[part] for of_count in found) for part in found[0]}

    def violations(self, random, k: int) -> dict:
        """The largest violations over rows of k logits."""
        n, b, bound = (random.uniform(*limits, (self.rows, 1))
                       for limits in (self.n, np.log(self.b), np.log(self.bound)))
        b, bound = np.exp(b), np.exp(bound)
        z = bound * random.uniform(-1, 1, (self.rows, k))
        z[:10, 0] = 0
        values, slopes = value_and_slope(z, n, b)
        apart, excess = self.apart, self.excess
        top, constant = (1 + b * bound) ** n, n * b * (1 + b * bound) ** (n - 1)  # of f and f' on [-M, M]
        far = np.array([1e13, -1e13]) / b  # where f is a power
        secants = np.abs(np.diff(values)) / np.abs(np.diff(z))
        value, slope = value_and_slope(bound, n, b)
        ordered = -np.sort(-np.abs(z))
        alpha, first, second = weights(ordered, n, b), ordered[:, :1], ordered[:, 1:2]
        ratios = ((1 + b * first) / (1 + b * second), 1 + b * (first - second) / (1 + b * second))
        derived, printed = jacobians(z, n, b), self.factor * theory.jacobian(values, values * slopes)
        off = np.abs(derived - printed).max((1, 2)) / np.abs(printed).max((1, 2))
        return {
            "J.1 growth": max(apart(values, theory.power(z, n, b)),
                              apart(value_and_slope(far, n, b)[0], np.abs(b * far) ** (np.sign(far) * n))),
            "J.2 derivative": apart(values * slopes, theory.derivative(z, n, b)),
            "J.2 effective slope": apart(slopes, theory.effective_slope(z, n, b)),
            "J.3 ratio": max(apart(alpha[:, :1] / alpha[:, 1:2], form**n) for form in ratios),
            "J.4 Lipschitz constant": max(excess(values * slopes, constant), excess(secants, constant),
                                          apart(value * slope, constant)),
            "J.5 Jacobian": max(float(off.max()), excess(values, top), excess(1 / values, top),
                                excess(values * slopes, constant)),
            "J.6 Theorem 1": theorem_1(self, z, (n, b), top, bound),
            # our corrections:
            "J.3 entropy bounds": entropy_bounds(self, weights(z, n, b), k),
            "J.5 Jacobian bounds": max(jacobian_excess(self, derived, (n * b)[:, 0]),
                                       jacobian_excess(self, jacobians(z, None, None), 1)),
            "J.6 Theorem 1 of softmax": theorem_1(self, z, (None, None), np.exp(bound), bound)}

    def apart(self, ours, expected) -> float:
        """The largest relative difference."""
        return float(np.abs(ours / (self.factor * expected) - 1).max())

    def excess(self, value, bound) -> float:
        """The largest relative amount by which a bound is exceeded; 0 if it never is."""
        return float(np.max(value / (self.factor * bound) - 1).clip(0))


def entropy_bounds(check: AppendixJCheck, alpha, k: int) -> float:
    """J.3: -log(largest weight) <= H <= the printed expression."""
    top, entropy = alpha.max(-1), theory.entropy(alpha)
    return max(check.excess(entropy, theory.largest_entropy(top, k)), check.excess(-np.log(top), entropy))


def jacobian_excess(check: AppendixJCheck, matrices, slope) -> float:
    """Our bounds: how far entries exceed slope / 4, or norms slope / 2; the slope is n b, 1 for softmax."""
    return max(check.excess(np.abs(matrices).max((1, 2)), slope / 4),
               check.excess(norms(matrices), slope / 2))


def theorem_1(check: AppendixJCheck, z, setting, top, bound) -> float:
    """J.6: 1 minus the top weight is at least epsilon, and that for (M, -M, ..., -M); top: the largest f."""
    k = z.shape[1]
    least = theory.smallest_rest(top, 1 / top, k)[:, 0]
    return max(check.excess(least, rest(weights(z, *setting))),
               check.apart(rest(weights(extreme(bound, k), *setting)), least))


def runs(profile: str) -> list:
    """The check of every statement, its control, the curves of SSA and softmax, the corrections."""
    return [AppendixJCheck(), AppendixJCheck(factor=0.99), BoundsByRange(1.5, 1.0),
            BoundsByRange(None, None), Corrections()]
