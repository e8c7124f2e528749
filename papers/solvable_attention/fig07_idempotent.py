"""Figure 7: where the closed form is exact at any context length."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from claimbook.records import Component
from icllib.theory import riccati
from papers.solvable_attention.laws import STARTS, shortened, start


@dataclass(frozen=True)
class IdempotentCheck(Component):
    """Figure 7: one task whose H is mu times a projection; the closed form is exact at the rate mu."""

    start: Literal[*STARTS[:2]]  # balanced: v = w or v = -w; unbalanced: independent
    mu: float = 2.0  # E_1 = E_2 = E_3, Appendix H.3
    rank: int = 3  # Appendix H.3
    dimension: int = 8  # ASSUMED: not given; any larger than the rank
    strength: float = 0.5  # Lambda. ASSUMED: not given; the value of Figure 3
    scale: float = 0.1  # A of Eq. 106, for the curves
    learning_rate: float = 1e-3  # Appendix G
    steps: int = 5000  # Appendix G
    draws: int = 50  # ASSUMED: random matrices and starts, for the largest deviation
    shown: int = 60  # ASSUMED: points kept for the curves, spaced evenly
    seed: int = 0
    version: ClassVar[int] = 2  # 2: the control

    def axes(self, metric: str) -> dict:
        return {} if metric.endswith("deviation") else {"t": (self.learning_rate * self.kept).tolist()}

    @property
    def kept(self) -> np.ndarray:
        """The steps that the curves show."""
        return np.linspace(0, self.steps, self.shown).astype(int)

    def measure(self) -> dict:
        """The closed form's largest distance to the flow, in the control at 1.01 mu; losses of Eq. 106."""
        random = np.random.default_rng(self.seed)
        deviations, off = [], []
        for _ in range(self.draws):
            matrix, (v0, w0) = self.matrix(random), random.standard_normal((2, self.dimension))
            if self.start == "balanced start":
                w0 = v0 * random.choice([-1, 1])
            times = np.linspace(0, 5, 50)
            flow = self.flow_outputs(v0, w0, matrix, times)
            for found, rate in ((deviations, self.mu), (off, 1.01 * self.mu)):
                closed = self.closed_form(v0, w0, matrix, times, rate)
                found.append(float(np.abs(closed - flow).max()))
        curves = self.curves(self.matrix(random))
        return {"deviation": max(deviations), "control_deviation": max(off)} | curves

    def matrix(self, random):
        """mu times a random projection: (dimension, dimension)."""
        basis, _ = np.linalg.qr(random.standard_normal((self.dimension, self.rank)))
        return self.mu * basis @ basis.T

    def closed_form(self, v, w, matrix, times, rate):
        """f(t) of Theorem 3.1 with g and h from H itself."""
        g0, h0 = (v + w) @ matrix @ (v + w), (v - w) @ matrix @ (v - w)
        return riccati.closed_form(times, g0, max(h0, 0), self.strength, rate)[2]

    def flow_outputs(self, v0, w0, matrix, times):
        """f(t) by numerical integration of Eq. 9."""
        v, w = riccati.integrate_flow(v0[None], w0[None], matrix[None], self.strength, np.ones(1), times)
        return ((v[:, 0] @ matrix) * w[:, 0]).sum(-1)

    def curves(self, matrix) -> dict:
        """Losses of gradient descent and of the closed form from the paper's start."""
        v, w = start(self.scale, self.dimension)
        w = v if self.start == "balanced start" else w  # Eq. 107
        time = self.learning_rate * np.arange(self.steps + 1)
        closed = self.closed_form(v, w, matrix, time, self.mu)
        outputs = np.empty(self.steps + 1)
        for step in range(self.steps + 1):
            outputs[step] = v @ matrix @ w
            pull = self.learning_rate * (outputs[step] - self.strength)
            v, w = v - pull * matrix @ w, w - pull * matrix @ v
        losses = (riccati.loss(1, f[self.kept, None], self.strength) for f in (outputs, closed))
        return dict(zip(("time", "simulated", "closed_form"), (time[self.kept], *losses)))


def runs(profile: str) -> list[IdempotentCheck]:
    """Figure 7: balanced and unbalanced starts; few of each at smoke."""
    return shortened(profile, [IdempotentCheck(start) for start in STARTS[:2]], draws=3)
