"""Section 4.2 at late times: laws at a context length that falls with the task's rank.

Large psi_s for all tasks and psi_s = psi_1 s^-beta exclude each other where tasks are many.
"""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pandas as pd
from scipy import special

from icllib.results import ADDED
from icllib.theory import riccati, scaling_laws
from icllib.theory.scaling_laws import fit_exponent

# Windows in time constants of the first task: that of the limit, and late ones, in which the tasks
# with psi_s (1 + Lambda^2) = 1 are being learned (beta = 0.5) or have been (beta = 1).
EARLY, LATE = (1e4, 1e6), {0.0: (1e10, 1e12), 0.5: (1e10, 1e12), 1.0: (1e8, 1e10)}
# Time constants at which the laws in D and N are looked at: 0 is the control, the last two decide.
LATER = (0.0, 1e2, 1e4, 1e6, 1e8, 1e10)


@dataclass(frozen=True)
class QueryFeature:
    """The time law with and without the query's own feature, the 1 that Eq. 7 adds to psi_s.

    With v = w along an eigenvector of H_s, mu its eigenvalue, f_s is logistic at the rate
    2 c mu Lambda: Eq. 14 with a = c mu. With the feature the largest mu does not fall below 1.
    """

    beta: float  # 0.5 and 1 in the claim
    alpha: float = 1.8  # Figure 4
    strength: float = 1.0  # Lambda. ASSUMED, as in Figure 4
    context_length: int = 100  # psi_1. ASSUMED, as in Figure 4
    tasks: int = 10**9  # ASSUMED: so many that their end is not felt
    seed: int = 0  # nothing is random
    version: ClassVar[int] = 1

    def measure(self) -> dict:
        """Times in time constants of the first task; losses and exponents of both."""
        times = np.geomspace(1e3, 1e12, 37)
        ranks, shares, weights = grouped_tasks(self.tasks, self.alpha)
        psi = self.context_length * ranks**-self.beta
        metrics = {"time": times}
        for name, sizes in (("zeroth", psi * (1 + self.strength**2)),
                            ("full", largest_eigenvalues(psi, self.strength))):
            outputs = (outputs_at(t, shares * sizes, shares[0] * sizes[0], self.strength)
                       for t in times)
            losses = np.array([riccati.loss(weights, f, self.strength) for f in outputs])
            metrics |= {f"{name}_loss": losses,
                        f"{name}_early": fit_exponent(times, losses, EARLY),
                        f"{name}_late": fit_exponent(times, losses, LATE[self.beta])}
        return metrics


def outputs_at(time, rates, first, strength):
    """f_s at a time in units of 1 / (2 a_1 Lambda_1), from f_s(0) = Lambda_s / 2: (tasks,).

    rates: of the tasks; first: that of the first task, in the same unit; strength: one for all, or
    (tasks,).
    """
    rates = rates / (2 * first * np.ravel(strength)[0])
    return riccati.closed_form(time, 2 * strength, 0.0, strength, rates)[2]


def grouped_tasks(tasks: int, alpha: float):
    """Ranks, shares of one task, and shares of the group that it stands for: (groups,) each.

    Groups are single tasks first and then at most about 2% wide in rank, so that sums over very
    many tasks are short.
    """
    edges = np.unique(np.geomspace(1, tasks + 1, 2000).astype(int))
    ranks = np.sqrt(edges[:-1] * (edges[1:] - 1.0))
    beyond = special.zeta(alpha, edges)
    total = beyond[0] - beyond[-1]
    return ranks, ranks**-alpha / total, -np.diff(beyond) / total


def largest_eigenvalues(psi, strength: float):
    """The larger eigenvalue of H of Eq. 7 for each context length: (tasks,)."""
    return np.linalg.eigvalsh(riccati.context_matrix(psi, strength))[:, -1]


@dataclass(frozen=True)
class FiniteTime:
    """Laws in D and N from the zeroth-order closed form at a finite time.

    Sizes are numbers of tasks that the model learns; the paper's D is one more.
    """

    beta: float
    time: float  # in time constants of the first task
    alpha: float = 1.8  # Figure 4
    strength: float = 1.0  # Lambda_1. ASSUMED, as in Figure 4
    context_length: int = 100  # psi_1. ASSUMED, as in Figure 4
    tasks: int = 200_000  # ASSUMED, as in the limit
    draws: int = 3  # ASSUMED: random training sets of each size
    seed: int = 0  # of the training sets, which are the same for every beta and gamma
    gamma: float = field(default=0.0, metadata=ADDED)  # Lambda_s = Lambda_1 s^-gamma
    version: ClassVar[int] = 1

    def measure(self) -> dict:
        """Losses against D and N, and their exponents over the windows of the limit."""
        shares = riccati.task_shares(self.tasks, self.alpha)
        psi = riccati.context_lengths(self.context_length, self.beta, self.tasks)
        strength = riccati.strengths(self.strength, self.gamma, self.tasks)
        sizes = np.geomspace(10, 1e3, 30).astype(int)
        counts = np.geomspace(1e3, 1e6, 13).astype(int)
        per_share = psi * (1 + strength**2)
        outputs = lambda seen: outputs_at(  # seen: shares of the data
            self.time, seen * per_share, shares[0] * per_share[0], strength)
        learned = 0.5 * shares * (outputs(shares) - strength) ** 2
        size_loss = learned.cumsum()[sizes - 1] + scaling_laws.size_losses(
            shares, strength, sizes)
        random = np.random.default_rng(self.seed)
        data_loss = np.array([[riccati.loss(shares, outputs(
            random.multinomial(count, shares) / count), strength)
            for count in counts] for _ in range(self.draws)])
        return {"size": sizes, "size_loss": size_loss,
                "size_exponent": fit_exponent(sizes, size_loss),
                "data": counts, "data_loss": data_loss,
                "data_exponents": [fit_exponent(counts, losses)[0] for losses in data_loss]}


def on_the_way(profile: str, alphas, gamma: float = 0.0) -> list[FiniteTime]:
    """The laws in D and N at each of LATER, alpha by alpha; few draws at smoke."""
    return [FiniteTime(0.0, time, alpha, gamma=gamma, draws=2 if profile == "smoke" else 12)
            for alpha in alphas for time in LATER]


def late_exponents(records, law: str, untrained: bool = False) -> dict[str, list[float]]:
    """The exponent in D or N for each alpha at the last two of LATER; for N of each draw.

    untrained: that at time 0, in the place of both.
    """
    found = {}
    for alpha in dict.fromkeys(record.run["alpha"] for record in records):
        own = {r.run["time"]: exponents_of(r, law) for r in records if r.run["alpha"] == alpha}
        found |= {f"alpha = {alpha}, {instant(time)}": own[LATER[0] if untrained else time]
                  for time in LATER[-2:]}
    return found


def instant(time: float) -> str:
    """A power of ten in words: "t = 1e8"."""
    return f"t = 1e{np.log10(time):.0f}" if time else "t = 0"


def exponents_of(record, law: str) -> list[float]:
    """The exponent of a FiniteTime record in the paper's D, or in N of each draw."""
    if law == "data":
        return list(np.round(record["data_exponents"], 9) + 0.0)  # at time 0 rounding errors
    return [fit_exponent(record["size"] + 1, record["size_loss"])[0]]


def way_table(records) -> pd.DataFrame:
    """Exponents in D and N of FiniteTime records, a row for each alpha and a column per time."""
    rows = {}
    for record in records:
        run = record.run
        for law in ("size", "data"):
            row = rows.setdefault((run["alpha"], "DN"[law == "data"]), {})
            row[instant(run["time"])] = f"{np.mean(exponents_of(record, law)):.3f}"
            row["printed"] = (
                f"{scaling_laws.theory_exponents(run['alpha'], 0, run.get('gamma', 0))[law]:.3f}")
    table = pd.DataFrame(rows).T.rename_axis(["alpha", "law"])
    return table[[*table.columns.drop("printed"), "printed"]]


def query_feature_exponents(records) -> dict[str, list[float]]:
    """Time exponents with all of H, for each beta and window."""
    return {f"beta = {record.run['beta']:g}, {name}": [record[f"full_{name}"][0]]
            for record in records for name in ("early", "late")}


def query_feature_table(records) -> pd.DataFrame:
    """Time exponents of QueryFeature records in both windows, beside those of Table 2."""
    rows = {}
    for record in records:
        beta = record.run["beta"]
        printed = scaling_laws.theory_exponents(record.run["alpha"], beta)["time"]
        for name, window in (("early", EARLY), ("late", LATE[beta])):
            rows[beta, name] = {
                "window": "{:.0e} to {:.0e}".format(*window), "Table 2": f"{printed:.3f}",
                "zeroth order": f"{record[f'zeroth_{name}'][0]:.3f}",
                "all of H": f"{record[f'full_{name}'][0]:.3f}"}
    return pd.DataFrame(rows).T.rename_axis(["beta", "time"])


def beta_changes(flat, falling) -> dict[str, np.ndarray]:
    """Exponents in D and N of one FiniteTime record minus those of another: one per draw in N."""
    change = lambda name: np.array(falling[name]) - np.array(flat[name])
    return {"model size D": change("size_exponent")[:1], "data N": change("data_exponents")}


def finite_time_table(records) -> pd.DataFrame:
    """Exponents in D and N of FiniteTime records in pairs, beta = 0 and another at each time."""
    rows = {}
    for flat, falling in zip(records[::2], records[1::2]):
        for part, change in beta_changes(flat, falling).items():
            ends = [np.mean(r["data_exponents"]) if part == "data N" else r["size_exponent"][0]
                    for r in (flat, falling)]
            rows[f"{flat.run['time']:.0e}", part] = {
                **{f"beta = {r.run['beta']:g}": f"{end:.3f}" for r, end in zip(
                    (flat, falling), ends)}, "change": f"{change.mean():.3f}"}
    return pd.DataFrame(rows).T.rename_axis(["time", "law"])
