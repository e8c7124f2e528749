"""Settings of "A solvable attention for neural scaling laws".

A page's runs are listed by the function that has the page's name. Nothing here trains by
backpropagation: gradient descent on the paper's model is a short recursion, so every figure runs
at full size in every profile.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from icllib.theory import riccati, scaling_laws

ALPHAS = (1.8, 2.1)  # Figure 3
STARTS = ("balanced start", "unbalanced start", "f0 above Lambda", "negative Lambda")


@dataclass(frozen=True)
class ClosedFormCheck:
    """Theorem 3.1 against numerical integration of Eq. 9 at zeroth order, on random starts."""

    start: str  # one of STARTS
    draws: int = 50
    times: int = 60  # instants compared, until the slowest mode has decayed
    seed: int = 0
    version: ClassVar[int] = 1

    def measure(self) -> dict:
        """Largest deviations over all draws and times, and the curves of the first draw."""
        random = np.random.default_rng(self.seed)
        results = [self.compare(*self.random_start(random)) for _ in range(self.draws)]
        time, integrated, closed, _, _ = results[0]
        return {"deviation": max(result[3] for result in results),
                "conservation": max(result[4] for result in results),
                "time": time, "integrated": integrated, "closed_form": closed}

    def random_start(self, random):
        """v0, w0, psi, Lambda and the share of the task."""
        psi, share = random.uniform(20, 200), random.uniform(0.05, 1)
        strength = random.uniform(0.2, 2) * (-1 if self.start == "negative Lambda" else 1)
        v0, w0 = 0.05 * random.standard_normal((2, 2))
        if self.start == "balanced start":
            w0 = v0 * random.choice([-1, 1])
        if self.start == "f0 above Lambda":
            direction = np.array([1, strength])
            w0 = w0 * np.sign((v0 @ direction) * (w0 @ direction))  # f0 > 0
            f0 = psi * (v0 @ direction) * (w0 @ direction)
            scale = np.sqrt(random.uniform(1.5, 5) * strength / f0)
            v0, w0 = v0 * scale, w0 * scale
        return v0, w0, psi, strength, share

    def compare(self, v0, w0, psi, strength, share):
        """Times, both solutions, their distance, and how well g h is conserved."""
        g0, h0 = riccati.quadratic_forms(v0, w0, psi, strength)
        rate = share * psi * (1 + strength**2)
        pace = rate * np.sqrt(strength**2 + g0 * h0 / 4)
        times = np.linspace(0, 10 / pace, self.times)
        matrix = psi * riccati.zeroth_order_matrix(strength)
        v, w = riccati.integrate_flow(v0[None], w0[None], matrix[None], strength,
                                      np.array([share]), times)
        g, h = riccati.quadratic_forms(v[:, 0], w[:, 0], psi, strength)
        _, _, closed = riccati.closed_form(times, g0, h0, strength, rate)
        integrated = (g - h) / 4
        size = max(g0 * h0, g0**2, h0**2)
        return (times, integrated, closed, float(np.abs(closed - integrated).max()),
                float(np.abs(g * h - g0 * h0).max() / size))


@dataclass(frozen=True)
class LossCurves:
    """Figure 2: the loss in time, by gradient descent and by the closed form.

    Also by gradient flow on the same finite context (Eq. 9), which is what the theorem is about:
    it tells what the finite step does from what the finite context does.
    """

    context_length: int  # psi: 5 or 100
    tasks: int = 100  # N_s, Appendix G
    alpha: float = 1.8  # ASSUMED: not given for Figure 2; a value that Figure 3 uses
    strength: float = 0.5  # Lambda. ASSUMED: not given for Figure 2; the value of Figure 3
    scale: float = 0.1  # A of Eq. 106
    learning_rate: float = 1e-3  # Appendix G
    steps: int = 5000  # Appendix G
    shown: int = 120  # points kept for the curve, spaced evenly in log t
    seed: int = 0  # nothing is random: the shares of the tasks are their expectations
    version: ClassVar[int] = 1

    def measure(self) -> dict:
        """The losses at some steps, and the closed form's largest |log10 ratio| to the others."""
        shares = riccati.task_shares(self.tasks, self.alpha)
        v0, w0 = start(self.scale, self.tasks, 2)
        psi, strength = self.context_length, self.strength
        outputs = riccati.gradient_descent_outputs(v0, w0, psi, strength, shares,
                                                   self.learning_rate, self.steps)
        g0, h0 = riccati.quadratic_forms(v0, w0, psi, strength)
        time = self.learning_rate * np.arange(self.steps + 1)
        simulated = riccati.loss(shares, outputs, strength)
        closed = scaling_laws.time_losses(shares, strength, psi, g0[0], h0[0], time)
        kept = np.unique(np.geomspace(1, self.steps, self.shown).astype(int))
        flow = riccati.loss(
            shares, riccati.flow_outputs(v0, w0, psi, strength, shares, time[kept]), strength)
        return {"time": time[kept], "simulated": simulated[kept], "closed_form": closed[kept],
                "flow": flow, "largest_log10_ratio": log10_gap(closed, simulated),
                "largest_log10_ratio_to_flow": log10_gap(closed[kept], flow)}


@dataclass(frozen=True)
class IdempotentCheck:
    """Figure 7: one task whose matrix obeys H^2 = mu H, for which the closed form is exact.

    H = mu times the projection on `rank` random directions. No context length enters: the rate
    is a = mu (Appendix H.3 prints psi mu).
    """

    start: str  # "balanced start": v = w or v = -w; "unbalanced start": independent
    mu: float = 2.0  # E_1 = E_2 = E_3, Appendix H.3
    rank: int = 3  # Appendix H.3
    dimension: int = 8  # ASSUMED: not given; any larger than the rank
    strength: float = 0.5  # Lambda. ASSUMED: not given; the value of Figure 3
    scale: float = 0.1  # A of Eq. 106, for the curves
    learning_rate: float = 1e-3  # Appendix G
    steps: int = 5000  # Appendix G
    draws: int = 50  # random matrices and starts for the largest deviation
    shown: int = 60  # points kept for the curves, spaced evenly
    seed: int = 0
    version: ClassVar[int] = 1

    def measure(self) -> dict:
        """Largest distance of closed form and integrated flow; both losses from Eq. 106."""
        random = np.random.default_rng(self.seed)
        deviations = []
        for _ in range(self.draws):
            matrix, (v0, w0) = self.matrix(random), random.standard_normal((2, self.dimension))
            if self.start == "balanced start":
                w0 = v0 * random.choice([-1, 1])
            times = np.linspace(0, 5, 50)
            flow = self.flow_outputs(v0, w0, matrix, times)
            deviations.append(np.abs(self.closed_form(v0, w0, matrix, times) - flow).max())
        return {"deviation": float(max(deviations))} | self.curves(self.matrix(random))

    def matrix(self, random):
        """mu times a random projection: (dimension, dimension)."""
        basis, _ = np.linalg.qr(random.standard_normal((self.dimension, self.rank)))
        return self.mu * basis @ basis.T

    def closed_form(self, v, w, matrix, times):
        """f(t) of Theorem 3.1 with g and h from H itself."""
        g0, h0 = (v + w) @ matrix @ (v + w), (v - w) @ matrix @ (v - w)
        return riccati.closed_form(times, g0, max(h0, 0), self.strength, self.mu)[2]

    def flow_outputs(self, v0, w0, matrix, times):
        """f(t) by numerical integration of Eq. 9."""
        v, w = riccati.integrate_flow(v0[None], w0[None], matrix[None], self.strength,
                                      np.ones(1), times)
        return ((v[:, 0] @ matrix) * w[:, 0]).sum(-1)

    def curves(self, matrix) -> dict:
        """Losses of gradient descent and of the closed form from the paper's start."""
        v, w = start(self.scale, self.dimension)
        if self.start == "balanced start":
            w = v  # Eq. 107
        time = self.learning_rate * np.arange(self.steps + 1)
        closed = self.closed_form(v, w, matrix, time)
        outputs = np.empty(self.steps + 1)
        for step in range(self.steps + 1):
            outputs[step] = v @ matrix @ w
            pull = self.learning_rate * (outputs[step] - self.strength)
            v, w = v - pull * matrix @ w, w - pull * matrix @ v
        kept = np.linspace(0, self.steps, self.shown).astype(int)
        losses = (riccati.loss(1, f[kept, None], self.strength) for f in (outputs, closed))
        return dict(zip(("time", "simulated", "closed_form"), (time[kept], *losses)))


@dataclass(frozen=True)
class LawsBySimulation:
    """Figure 3: gradient descent at the paper's size, one curve per panel."""

    alpha: float  # 1.8 or 2.1
    tasks: int = 500  # N_s, Appendix G
    context_length: int = 100  # psi, Appendix G
    strength: float = 0.5  # Lambda, Appendix G
    scale: float = 0.1  # A of Eq. 106
    learning_rate: float = 1e-3  # Appendix G
    steps: int = 5000  # Appendix G; t = 5 is not infinity, which bends the laws in D and N
    seed: int = 0  # of the data sets in the data law
    version: ClassVar[int] = 1

    def measure(self) -> dict:
        """Losses against size, time, data and compute, with what they are plotted against."""
        shares = riccati.task_shares(self.tasks, self.alpha)
        outputs = self.outputs(shares)
        losses = 0.5 * shares * (outputs - self.strength) ** 2  # (steps + 1, tasks)
        sizes = np.unique(np.geomspace(1, self.tasks / 2, 30).astype(int))
        kept = np.unique(np.geomspace(10, self.steps, 60).astype(int))
        some = np.geomspace(self.tasks / 100, self.tasks / 5, 8).astype(int)  # Appendix G
        counts = np.geomspace(10, 1e5, 13).astype(int)
        beyond = lambda of: scaling_laws.size_losses(shares, self.strength, of)
        upto = losses.cumsum(axis=1)
        return {"size": sizes, "size_loss": upto[-1, sizes - 1] + beyond(sizes),
                "time": self.learning_rate * kept, "time_loss": losses[kept].sum(axis=1),
                "data": counts, "data_loss": [self.data_loss(shares, n) for n in counts],
                "compute": np.outer(some, self.learning_rate * kept),
                "compute_loss": (upto[kept][:, some - 1] + beyond(some)).T}

    def outputs(self, shares):
        """f_s at every step."""
        return riccati.gradient_descent_outputs(
            *start(self.scale, self.tasks, 2), self.context_length, self.strength, shares,
            self.learning_rate, self.steps)

    def data_loss(self, shares, count: int) -> float:
        """Loss on all tasks after training on so many random data points."""
        random = np.random.default_rng([self.seed, count])
        trained = self.outputs(random.multinomial(count, shares) / count)[-1]
        return float(riccati.loss(shares, trained, self.strength))


@dataclass(frozen=True)
class LawsInTheLimit:
    """Table 1: the same losses where the laws are meant to hold, from closed forms.

    So many tasks that the end of their list is not felt; infinite time in the laws of size and
    data. Fits are straight lines in log-log over the whole of each range.
    """

    alpha: float
    tasks: int = 200_000  # ASSUMED: at least 1e5
    context_length: int = 100
    strength: float = 0.5
    scale: float = 0.1
    seed: int = 0  # nothing is random
    version: ClassVar[int] = 1

    def measure(self) -> dict:
        """x, loss and (exponent, half width of its 95% interval) of each law."""
        shares, strength = riccati.task_shares(self.tasks, self.alpha), self.strength
        g0, h0 = riccati.quadratic_forms(*start(self.scale, 2), self.context_length, strength)
        sizes, times = np.geomspace(10, 1000, 30).astype(int), np.geomspace(0.01, 1, 40)
        counts, budgets = np.geomspace(1e3, 1e6, 25), np.geomspace(1e3, 1e6, 25)
        envelope = scaling_laws.compute_losses(
            shares, strength, self.context_length, g0, h0,
            np.unique(np.geomspace(2, 3000, 80).astype(int)), budgets).min(axis=0)
        laws = {
            "size": (sizes, scaling_laws.size_losses(shares, strength, sizes)),
            "time": (times, scaling_laws.time_losses(shares, strength, self.context_length,
                                                     g0, h0, times)),
            "data": (counts, scaling_laws.data_losses(shares, strength, (g0 - h0) / 4, counts)),
            "compute": (budgets, envelope)}
        metrics = {}
        for name, (xs, losses) in laws.items():
            metrics |= {name: xs, f"{name}_loss": losses,
                        f"{name}_exponent": scaling_laws.fit_exponent(xs, losses)}
        return metrics


def start(scale: float, *shape: int):
    """v and w at time 0, all entries alike (Eq. 106)."""
    return np.full(shape, scale), np.full(shape, scale + 0.1 * scale)


def log10_gap(ours, reference) -> float:
    """The largest |log10 ratio| of two curves."""
    return float(np.abs(np.log10(ours / reference)).max())


def thm31_closed_form(profile: str) -> list[ClosedFormCheck]:
    """Theorem 3.1 for four kinds of starts."""
    return [ClosedFormCheck(start) for start in STARTS]


def fig03_scaling_laws(profile: str) -> list:
    """Figure 3 and Table 1: simulations at the paper's size, and the limits."""
    return [LawsBySimulation(alpha, seed=seed) for alpha in ALPHAS for seed in range(3)] + [
        LawsInTheLimit(alpha) for alpha in ALPHAS]


def fig07_idempotent(profile: str) -> list[IdempotentCheck]:
    """Figure 7: balanced and unbalanced starts."""
    return [IdempotentCheck(start) for start in STARTS[:2]]


def fig02_loss_curves(profile: str) -> list[LossCurves]:
    """Figure 2: a short and a long context."""
    return [LossCurves(5), LossCurves(100)]
