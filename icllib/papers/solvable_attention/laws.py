"""Figure 3 and Table 1: scaling laws of linear attention."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from icllib.papers.solvable_attention.common import shortened, start
from icllib.papers.solvable_attention.late_times import on_the_way
from icllib.theory import riccati, scaling_laws

ALPHAS = (1.8, 2.1)  # Figure 3


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
    version: ClassVar[int] = 2  # 2: a task beyond the model may keep its start

    def measure(self) -> dict:
        """Losses against size, time, data and compute, with what they are plotted against.

        Sizes are numbers of tasks that the model learns; the paper's D is one more. A task that it
        does not learn answers 0, and in `kept_size_loss` f(0) as in Eqs. 63 and 64.
        """
        shares = riccati.task_shares(self.tasks, self.alpha)
        outputs = self.outputs(shares)
        losses = 0.5 * shares * (outputs - self.strength) ** 2  # (steps + 1, tasks)
        sizes = np.unique(np.geomspace(1, self.tasks / 2, 30).astype(int))
        kept = np.unique(np.geomspace(10, self.steps, 60).astype(int))
        some = np.geomspace(self.tasks / 100, self.tasks / 5, 8).astype(int)  # Appendix G
        counts = np.geomspace(10, 1e5, 13).astype(int)
        beyond = lambda of, answer=0.0: scaling_laws.size_losses(shares, self.strength, of, answer)
        upto = losses.cumsum(axis=1)
        return {"size": sizes, "size_loss": upto[-1, sizes - 1] + beyond(sizes),
                "kept_size_loss": upto[-1, sizes - 1] + beyond(sizes, outputs[0]),
                "time": self.learning_rate * kept, "time_loss": losses[kept].sum(axis=1),
                "data": counts, "data_loss": self.data_losses(shares, counts),
                "compute": np.outer(some, self.learning_rate * kept),
                "compute_loss": (upto[kept][:, some - 1] + beyond(some)).T}

    def outputs(self, shares, kept=None):
        """f_s at every step, or at those kept."""
        return riccati.gradient_descent_outputs(
            *start(self.scale, len(shares), 2), self.context_length, self.strength, shares,
            self.learning_rate, self.steps, kept)

    def data_losses(self, shares, counts):
        """Losses on all tasks after training on so many random data points: (len(counts),).

        All the sets are trained side by side.
        """
        seen = [np.random.default_rng([self.seed, count]).multinomial(count, shares) / count
                for count in counts]
        trained = self.outputs(np.concatenate(seen), kept=[self.steps])
        return riccati.loss(shares, trained.reshape(len(counts), -1), self.strength)


def closed_form_losses(run: dict, times):
    """Loss of Theorem 3.1 over time with the tasks of a simulation (Figure 3b): (len(times),).

    run: the settings of a LawsBySimulation.
    """
    return scaling_laws.time_losses(riccati.task_shares(run["tasks"], run["alpha"]),
                                    run["strength"], run["context_length"], *start_forms(run),
                                    times)


def start_forms(run: dict):
    """g(0) and h(0) of Theorem 3.1 at the start of a simulation."""
    return riccati.quadratic_forms(*start(run["scale"], 2), run["context_length"],
                                   run["strength"])


@dataclass(frozen=True)
class LawsInTheLimit:
    """Table 1: the same losses where the laws are meant to hold, from closed forms.

    So many tasks that the end of their list is not felt; infinite time in the laws of size and
    data. Sizes are numbers of tasks. Fits are straight lines in log-log over the whole of each
    range.
    """

    alpha: float
    tasks: int = 200_000  # ASSUMED: at least 1e5
    context_length: int = 100  # psi, Appendix G
    strength: float = 0.5  # Lambda, Appendix G
    scale: float = 0.1  # A of Eq. 106
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


def fig03_scaling_laws(profile: str) -> list:
    """Figure 3 and Table 1: simulations at the paper's size, the limits, and the way there."""
    seeds = range(1 if profile == "smoke" else 3)
    return shortened(profile, [
        *(LawsBySimulation(alpha, seed=seed) for alpha in ALPHAS for seed in seeds),
        *map(LawsInTheLimit, ALPHAS), *on_the_way(profile, ALPHAS)])
