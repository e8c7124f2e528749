"""Figure 4 and Table 2: scaling laws with varied context length and strength.

psi_s = psi_1 s^-beta and Lambda_s = Lambda_1 s^-gamma. The windows of the fits were fixed before
any of them was computed.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from icllib.checks import one_of
from icllib.papers.solvable_attention.balance import BALANCE_STARTS, UNBALANCED, Balance
from icllib.papers.solvable_attention.common import shortened
from icllib.papers.solvable_attention.late_times import FiniteTime, QueryFeature, on_the_way
from icllib.papers.solvable_attention.laws import ALPHAS
from icllib.theory import riccati, scaling_laws
from icllib.theory.scaling_laws import fit_exponent

VARIED = (0.0, 0.5, 1.0)  # beta and gamma of Figure 4. ASSUMED: not given
BALANCED = 1e-5  # A of Eq. 107
# Fit windows at the paper's size: all of D and N; t and C from the end of the first task's plateau.
WINDOWS = {"size": (1, 250), "time": (0.2, 5), "data": (10, 1e5), "compute": (0.5, 20)}
# And in the limit, t and C in units of the first task's time constant 1 / (2 a_1 Lambda_1): tens to
# thousands of tasks are learned, and Lambda_s^2 << 1 for those that are being learned.
LIMIT_WINDOWS = {"size": (10, 1e3), "time": (1e4, 1e6), "data": (1e3, 1e6), "compute": (1e5, 1e8)}


def spread_tasks(run):
    """Shares, context lengths and strengths of a run's tasks, (tasks,) each."""
    return (riccati.task_shares(run.tasks, run.alpha),
            riccati.context_lengths(run.context_length, run.beta, run.tasks),
            riccati.strengths(run.strength, run.gamma, run.tasks))


def fitted(curves: dict, windows: dict) -> dict:
    """Exponent and half width of its 95% interval for each law, as `<law>_exponent`."""
    return {f"{law}_exponent": fit_exponent(curves[law], curves[f"{law}_loss"], window)
            for law, window in windows.items()}


@dataclass(frozen=True)
class VariedBySimulation:
    """Figure 4: gradient descent at the paper's size, from the paper's start."""

    alpha: float = 1.8  # Figure 4
    beta: float = 0.0  # ASSUMED: one of VARIED
    gamma: float = 0.0  # ASSUMED: one of VARIED
    tasks: int = 500  # N_s, Appendix G
    context_length: int = 100  # psi_1. ASSUMED: not given; psi of Figure 3
    strength: float = 1.0  # Lambda_1. ASSUMED: not given; gradient descent is stable there
    scale: float = BALANCED  # A of Eq. 107, v = w
    learning_rate: float = 1e-3  # Appendix G
    steps: int = 5000  # Appendix G
    draws: int = 5  # ASSUMED: random training sets of each size in the data law
    seed: int = 0  # of the training sets
    version: ClassVar[int] = 1

    def measure(self) -> dict:
        """Losses against size, time, data and compute, and their exponents in WINDOWS."""
        shares, psi, strength = spread_tasks(self)
        outputs = self.train(shares, psi, strength)
        by_size = self.losses_by_size(shares, strength, outputs)
        sizes = np.unique(np.geomspace(1, self.tasks / 2, 30).astype(int))
        kept = np.unique(np.geomspace(10, self.steps, 60).astype(int))
        some = np.geomspace(self.tasks / 100, self.tasks / 5, 8).astype(int)  # Figure 3d
        counts = np.geomspace(10, 1e5, 13).astype(int)
        samples = self.data_losses(shares, psi, strength, counts)
        budgets = np.geomspace(0.05, 25, 50)
        curves = {"size": sizes, "size_loss": by_size[-1, sizes],
                  "time": self.learning_rate * kept, "time_loss": by_size[kept, -1],
                  "data": counts, "data_loss": samples.mean(axis=0),
                  "compute": budgets, "compute_loss": self.best_losses(by_size, budgets)}
        return curves | fitted(curves, WINDOWS) | {
            "data_samples": samples,
            "some": some, "some_compute": np.outer(some, curves["time"]),
            "some_loss": by_size[np.ix_(kept, some)].T,
            # After infinite training:
            "size_limit": scaling_laws.size_losses(shares, strength, sizes),
            "data_limit": scaling_laws.data_losses(shares, strength, outputs[0], counts),
        } | self.plateau(shares, psi, strength, outputs)

    def train(self, shares, psi, strength, kept=None):
        """f_s at the steps kept: (steps, tasks)."""
        start = np.full((len(shares), 2), self.scale)
        return riccati.gradient_descent_outputs(start, start, psi, strength, shares,
                                                self.learning_rate, self.steps, kept)

    def losses_by_size(self, shares, strength, outputs):
        """Loss at every step of a model of every size D = 0 ... N_s: (steps + 1, tasks + 1)."""
        learning = np.cumsum(0.5 * shares * (outputs - strength) ** 2, axis=1)
        rest = scaling_laws.size_losses(shares, strength, range(self.tasks + 1))
        return np.pad(learning, ((0, 0), (1, 0))) + rest

    def data_losses(self, shares, psi, strength, counts):
        """Losses on all tasks after training on random data sets: (draws, len(counts)).

        The tasks that occur in any of the sets are trained side by side; others keep their start.
        """
        random = np.random.default_rng(self.seed)
        seen = random.multinomial(counts, shares, (self.draws, len(counts))) / counts[:, None]
        trained = seen > 0  # (draws, counts, tasks)
        task = trained.nonzero()[-1]
        outputs = np.tile(self.train(shares, psi, strength, kept=[0])[0], (*seen.shape[:2], 1))
        outputs[trained] = self.train(seen[trained], psi[task], strength[task], [self.steps])[0]
        return riccati.loss(shares, outputs, strength)

    def best_losses(self, by_size, budgets):
        """The lowest loss for C = D t over every size D that trains for 1 to `steps` steps."""
        sizes = np.arange(1, self.tasks + 1)
        steps = (budgets[:, None] / sizes / self.learning_rate).round().astype(int)
        losses = by_size[np.clip(steps, 0, self.steps), sizes]
        return np.where((steps >= 1) & (steps <= self.steps), losses, np.inf).min(axis=1)

    def plateau(self, shares, psi, strength, outputs):
        """Tasks half learned at the end and when the first one was, beside theory."""
        rate = shares * psi * (1 + strength**2)
        expected = riccati.half_times(outputs[0], strength, rate)
        learned = outputs > strength / 2
        return {"learned": int(learned[-1].sum()),
                "learned_theory": int((expected < self.learning_rate * self.steps).sum()),
                "first_learned": self.learning_rate * float(learned[:, 0].argmax()),
                "first_learned_theory": float(expected[0])}


@dataclass(frozen=True)
class VariedInTheLimit:
    """Table 2: the same losses where the laws are meant to hold, from closed forms.

    So many tasks that the end of their list is not felt; infinite time in the laws of size and
    data. Times and budgets are in units of the first task's time constant.
    """

    alpha: float = 1.8  # Figure 4
    beta: float = 0.0  # ASSUMED: one of VARIED
    gamma: float = 0.0  # ASSUMED: one of VARIED
    strength: float = 1.0  # Lambda_1; ASSUMED, as in Figure 4
    start: str = "proportional"  # f_s(0) = Lambda_s / 2 (Appendix F.3), or "printed": Eq. 107
    tasks: int = 200_000  # ASSUMED: at least 1e5
    context_length: int = 100  # psi_1. ASSUMED, as in Figure 4
    seed: int = 0  # nothing is random
    version: ClassVar[int] = 1

    def __post_init__(self):
        one_of(("proportional", "printed"), start=self.start)

    def measure(self) -> dict:
        """x, loss and exponent of each law, and the sizes that are best for each budget."""
        shares, psi, strength = spread_tasks(self)
        f0 = strength / 2
        if self.start == "printed":
            f0 = psi * BALANCED**2 * (1 + strength) ** 2
        unit = 1 / (2 * shares[0] * psi[0] * (1 + self.strength**2) * self.strength)
        setting = shares, strength, psi, 4 * f0, 0.0  # h = 0: balanced
        sizes = np.unique(np.geomspace(1, 1e3, 60).astype(int))
        times, counts = np.geomspace(1, 1e6, 21), np.geomspace(10, 1e6, 21)
        budgets = np.geomspace(10, 1e8, 22)
        tried = np.unique(np.geomspace(1, 3000, 100).astype(int))
        by_size = scaling_laws.compute_losses(*setting, tried, unit * budgets)
        curves = {"size": sizes, "size_loss": scaling_laws.size_losses(shares, strength, sizes),
                  "time": times, "time_loss": scaling_laws.time_losses(*setting, unit * times),
                  "data": counts,
                  "data_loss": scaling_laws.data_losses(shares, strength, f0, counts),
                  "compute": budgets, "compute_loss": by_size.min(axis=0)}
        best = tried[by_size.argmin(axis=0)]
        window = LIMIT_WINDOWS["compute"]
        return curves | fitted(curves, LIMIT_WINDOWS) | {
            "unit": unit, "best_size": best,
            "best_size_exponent": fit_exponent(budgets, best, window),
            "best_time_exponent": fit_exponent(budgets, budgets / best, window)}


def fig04_varied_laws(profile: str) -> list:
    """Figure 4: beta varied at gamma = 0 and gamma at beta = 0, simulated and in the limit.

    Then the time law with all of H, the laws in D and N before and after rare tasks have had the
    time to be learned, and balanced against unbalanced contexts.
    """
    settings = [(beta, 0.0) for beta in VARIED] + [(0.0, gamma) for gamma in VARIED[1:]]
    laws = [run(1.8, *setting) for run in (VariedBySimulation, VariedInTheLimit)
            for setting in settings]
    late = [FiniteTime(beta, time) for time in (1e6, 1e8) for beta in VARIED[:2]]
    return [*shortened(profile, laws), *(QueryFeature(beta) for beta in VARIED[1:]),
            *shortened(profile, late), *(Balance(beta, start) for start in BALANCE_STARTS
                                         for beta in (0.0, *UNBALANCED))]


def linear_attention(profile: str) -> list[VariedInTheLimit]:
    """The limit at equal and at varied context lengths, beside softmax attention."""
    return [VariedInTheLimit(1.8, beta) for beta in VARIED[:2]]


def table02_exponents(profile: str) -> list:
    """Tables 1 and 2: three settings; in the limit a large strength, and both varied at once.

    Then the way to the limit of the laws in D and N, with varied strength.
    """
    settings = [(alpha, *varied) for alpha in ALPHAS
                for varied in ((0.0, 0.0), (0.5, 0.0), (0.0, 0.5))]
    large = [VariedInTheLimit(alpha, 0.0, 0.5, strength=1e4) for alpha in ALPHAS]
    return shortened(profile, [
        *(VariedBySimulation(*setting) for setting in settings),
        *(VariedInTheLimit(*setting, start=kind)
          for kind in ("proportional", "printed") for setting in settings),
        *large, *(VariedInTheLimit(1.8, 0.5, 0.5, strength=first) for first in (1.0, 1e4)),
        *on_the_way(profile, ALPHAS, 0.5)])
