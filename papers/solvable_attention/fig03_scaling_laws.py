"""Figure 3 and Table 1: scaling laws of linear attention where all tasks are alike."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd

from claimbook.records import Component
from icllib.theory import riccati, scaling_laws
from icllib.theory.scaling_laws import fit_exponent, lower_envelope, theory_exponents
from papers.solvable_attention.laws import ALPHAS, LETTERS, LawsInTheLimit, on_the_way, shortened, start


@dataclass(frozen=True)
class LawsBySimulation(Component):
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
        """The laws in size, time, data and compute: x under its name, losses under <name>_loss. To tasks
        beyond its size a model answers 0, and in `kept_size_loss` f(0), as in Eqs. 63 and 64."""
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
        """f_s at every step, or at the steps in `kept`: (steps, tasks)."""
        return riccati.gradient_descent_outputs(
            *start(self.scale, len(shares), 2), self.context_length, self.strength, shares,
            self.learning_rate, self.steps, kept)

    def data_losses(self, shares, counts):
        """Losses on all tasks after training on `counts` random data points: (len(counts),)."""
        seen = [np.random.default_rng([self.seed, count]).multinomial(count, shares) / count
                for count in counts]  # trained side by side
        trained = self.outputs(np.concatenate(seen), kept=[self.steps])
        return riccati.loss(shares, trained.reshape(len(counts), -1), self.strength)


def runs(profile: str) -> list:
    """Figure 3 and Table 1: simulations at the paper's size, the limits, and finite times."""
    seeds = range(1 if profile == "smoke" else 3)
    return shortened(profile, [
        *(LawsBySimulation(alpha, seed=seed) for alpha in ALPHAS for seed in seeds),
        *map(LawsInTheLimit, ALPHAS), *on_the_way(profile, ALPHAS)])


# Of Figure 3d. Below these the smallest size is best; above, larger ones are not yet trained.
ENVELOPE_BUDGETS = np.geomspace(1, 100, 40)
ANSWERS = {"answers 0": "size_loss", "keeps f(0)": "kept_size_loss"}  # to tasks it does not learn


def simulated_exponents(records) -> dict[str, list[float]]:
    """Exponents of Figure 3's simulations: {part: one per seed in N, one in D, by ANSWERS, and in t}."""
    found = {}
    for record in records:
        curves = {f"D alpha = {{}}, {answer}": (record["size"] + 1, record[losses])
                  for answer, losses in ANSWERS.items()}
        curves |= {f"{LETTERS[law]} alpha = {{}}": (record[law], record[f"{law}_loss"])
                   for law in ("time", "data")}
        for part, curve in curves.items():
            found.setdefault(part.format(record.component.alpha), []).append(fit_exponent(*curve)[0])
    return {part: list(dict.fromkeys(fits)) for part, fits in found.items()}


def simulated_envelope(record) -> np.ndarray:
    """The lowest loss over the sizes of Figure 3d at each of ENVELOPE_BUDGETS, in a simulation."""
    times = record["time"]
    sizes = record["compute"][:, 0] / times[0]
    return lower_envelope(sizes, times, record["compute_loss"], ENVELOPE_BUDGETS)


def exponents_at_500(simulated) -> dict:
    """The mean exponents of Figure 3's simulations: {(law, alpha): exponent}, in D if other tasks get 0."""
    fits, found = simulated_exponents(simulated), {}
    for run in simulated:
        alpha = run.component.alpha
        for law in ("size", "time", "data"):
            answer = ", answers 0" if law == "size" else ""
            found[law, alpha] = np.mean(fits[f"{LETTERS[law]} alpha = {alpha}{answer}"])
        found["compute", alpha] = fit_exponent(ENVELOPE_BUDGETS, simulated_envelope(run))[0]
    return found


def law_table(limit: dict, at_500: dict) -> pd.DataFrame:
    """Figure 3's exponents: those of Table 1, of the limit, {alpha: record}, and of `exponents_at_500`."""
    rows = {}
    for alpha, record in limit.items():
        for law, exponent in theory_exponents(alpha).items():
            slope, half = record[f"{law}_exponent"]
            rows[alpha, law] = {
                "theory": f"{exponent:.3f}", "limit": f"{slope:.3f}", "half width": f"{half:.4f}",
                "N_s = 500": f"{at_500[law, alpha]:.2f}"}
    return pd.DataFrame(rows).T.rename_axis(["alpha", "law"])


def cutoff_table(records) -> pd.DataFrame:
    """Exponents of Figure 3's simulated law in D, by ANSWERS, for two definitions of D and two ranges."""
    rows = {}
    for record in records:
        alpha, sizes = record.component.alpha, record["size"]
        for answer, name in ANSWERS.items():
            losses = record[name]
            fit = lambda xs, window: f"{fit_exponent(xs, losses, window)[0]:.3f}"
            rows[alpha, answer] = {
                "Table 1": f"{theory_exponents(alpha)['size']:.3f}",
                "D is tasks + 1": fit(sizes + 1, (2, 251)),
                "the same, D 5 to 100": fit(sizes + 1, (5, 100)),
                "D is tasks": fit(sizes, (1, 250)),
                "loss is least at D =": int(sizes[losses.argmin()]) + 1}
    return pd.DataFrame(rows).T.rename_axis(["alpha", "a task beyond the model"])
