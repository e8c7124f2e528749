"""Appendix J: what is printed, what holds, and the number that decides between the two."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch

from icllib.papers.signed_averaging.bounds import norms
from icllib.papers.signed_averaging.common import (
    extreme, jacobians, rest, value_and_slope, weights)
from icllib.theory import scoring as theory


@dataclass(frozen=True)
class Corrections:
    """The numbers that decide, at n and b where training starts."""

    n: float = 1.5  # Appendix B
    b: float = 1.0  # Appendix B
    scores: int = 40  # k in Theorem 1. ASSUMED: the longest prompt of training
    rows: int = 20_000  # ASSUMED: of a search for large Jacobians, enough to come near the bounds
    seed: int = 0
    version: ClassVar[int] = 1

    def measure(self) -> dict:
        """Numbers by name; CORRECTIONS says what each is."""
        return {name: float(value) for part in (
            self.smoothness(), self.ratios(), self.entropies(), self.jacobians(),
            self.collapse(), self.limit()) for name, value in part.items()}

    def smoothness(self) -> dict:
        """J.2, J.4: slopes at 0, second derivatives beside it, and L(M) for an n below 1."""
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
        """J.3: degree in the gap of the ratio of two weights; concentration for a gap of 1/2."""
        gaps = np.array([1e6, 1e7])
        pairs = {"one_sign": np.stack([gaps, 0 * gaps], -1),
                 "two_signs": np.stack([gaps / 2, -gaps / 2], -1)}
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
        """J.5: the largest entry and norm of a search and of two scores of 0; both at a gap of 20.

        The rows of the search have 3 scores, normal times a size between 0.01 and 100.
        """
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
        """J.6: what the top weight of (M, -M, ..., -M) leaves, at M = 1/2 and 5 and for large b."""
        left = lambda bound, *setting: rest(weights(extreme([bound], self.scores), *setting))
        found = {"rest_large_b": left(0.5, self.n, 1000.0)}
        for name, setting in (("ssa", (self.n, self.b)), ("softmax", (None, None))):
            found |= {f"rest_half_{name}": left(0.5, *setting),
                      f"rest_5_{name}": left(5.0, *setting)}
        return found

    def limit(self) -> dict:
        """Section 7: f(x) / e^x - 1 for n = m = 10^6, b = 1/m; weights after a shift by 10."""
        x = np.array([3.0, -3.0])
        above, below = value_and_slope(x, 1e6, 1e-6)[0] / np.exp(x) - 1
        shifted = {f"shift_{shift}_{name}": weights(np.array([1.0, 0.0]) + shift, *setting)[0]
                   for name, setting in (("ssa", (self.n, self.b)), ("softmax", (None, None)))
                   for shift in (0, 10)}
        return {"limit_above": above, "limit_below": below} | shifted


CORRECTIONS = (  # where, what is printed, what holds, the number that decides
    ("J.2, J.4: smoothness", "nothing on second derivatives; $f'(0) = n b$",
     "$f'$ is continuous, $f''$ jumps at 0: $n (n + 1) b^2$ on the left, $n (n - 1) b^2$ on the "
     "right; automatic differentiation of the formula gives 0 at $z = 0$, the models' own backward "
     "$n b$",
     "$f''$ {second_left:.2f} and {second_right:.2f}; slope at 0 of the formula "
     "{literal_slope_at_0:.1f}, of the models {slope_at_0:.1f}"),
    ("J.3: ratio", r"polynomial in the gap, with degree $n$, for scores $\ge 0$",
     "right for fixed $n$; between scores of different signs the degree is $2n$",
     "{degree_one_sign:.2f} and {degree_two_signs:.2f}"),
    ("J.3: concentration", "SSA avoids the concentration of softmax",
     "for large gaps; for small scores SSA is the more concentrated if $n b > 1$",
     "ratio of the weights of $1/4$ and $-1/4$: SSA {small_ratio_ssa:.3f}, "
     "softmax {small_ratio_softmax:.3f}"),
    ("J.3: entropy",
     r"$H \ge -a \log a - (1 - a) \log \frac{1 - a}{k - 1}$, $a$ the largest weight",
     r"$H \le$ that; $H \ge -\log a$",
     r"weights $(1/2, 1/2, 0, 0)$: $H$ = {entropy:.3f} = $-\log a$ = {minus_log_top:.3f}, "
     "printed {printed_entropy:.3f}"),
    ("J.4: Lipschitz constant", r"$n b (1 + b M)^{n - 1}$; Eq. 6 asks for $n \ge 1$",
     "right; below $n = 1$ it fails, and the constant is $n b$",
     "$n = 1/2$, $b = 1$, $M = 4$: slope at 0: {slope_at_0_half:.3f}, formula: {lipschitz_half:.3f}"),
    ("J.5: Jacobian of softmax", "can grow exponentially with the scores",
     r"entries $\le 1/4$, spectral norm $\le 1/2$; for two scores it vanishes exponentially in the "
     "gap",
     "found {searched_entry_softmax:.3f} and {searched_norm_softmax:.3f}, at two equal scores: "
     "{known_entry_softmax:.3f} and {known_norm_softmax:.3f}; "
     "norm at $(10, -10)$ {far_norm_softmax:.1e}"),
    ("J.5: Jacobian of SSA", "polynomially bounded in $M$, $b$ and $n$",
     r"entries $\le n b / 4$, spectral norm $\le n b / 2$, whatever $M$; more than softmax if "
     "$n b > 1$",
     "found {searched_entry_ssa:.3f} and {searched_norm_ssa:.3f}, at two scores of 0: "
     "{known_entry_ssa:.3f} and {known_norm_ssa:.3f}; norm at $(10, -10)$ {far_norm_ssa:.1e}"),
    ("J.6: softmax", "any constant gap makes collapse unavoidable",
     r"$e^\text{gap}$ is finite: softmax obeys Theorem 1 with $e^{\pm M}$ in place of "
     r"$(1 + b M)^{\pm n}$, and leaves more than SSA for small $M$ if $n b > 1$",
     "left beside the largest of 40 weights: $M = 1/2$ softmax {rest_half_softmax:.3f}, "
     "SSA {rest_half_ssa:.3f}; $M = 5$ softmax {rest_5_softmax:.4f}, SSA {rest_5_ssa:.4f}"),
    ("J.6: Theorem 1", "no collapse unless scores or $n$ go to infinity",
     "or $b$, which is trained too",
     "left beside the largest of 40 weights, $M = 1/2$, $b = 1000$: {rest_large_b:.1e}"),
    ("Section 7: limit", r"$(1 + x/m)^m \to e^x$ for $x \ge 0$", "for both signs",
     "$m = 10^6$, relative distance at $x = 3$ and $-3$: {limit_above:.1e} and {limit_below:.1e}"),
    ("Section 7: shifts", "nothing",
     "softmax does not change when all scores are shifted, SSA does",
     "largest weight of $(1, 0)$ and of $(11, 10)$: softmax {shift_0_softmax:.3f} and "
     "{shift_10_softmax:.3f}, SSA {shift_0_ssa:.3f} and {shift_10_ssa:.3f}"),
)


def corrections(record) -> list[tuple]:
    """CORRECTIONS with the numbers of a record of `Corrections` filled in."""
    return [(*words, number.format(**record.metrics)) for *words, number in CORRECTIONS]
