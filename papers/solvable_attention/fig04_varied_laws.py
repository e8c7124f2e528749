"""Figure 4: scaling laws where context lengths or strengths differ between tasks."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from scipy import special

from claimbook.claims.sentences import POSITIVE
from claimbook.pages.plotting import series
from claimbook.records import Component
from claimbook.records.values import values
from icllib.theory import riccati, scaling_laws
from icllib.theory.scaling_laws import fit_exponent, theory_exponents
from papers.solvable_attention.laws import (
    FiniteTime, LETTERS, VARIED, VariedBySimulation, VariedInTheLimit, WINDOWS, of_class, outputs_at,
    setting_of, shortened, start)

# ---- curves ---------------------------------------------------------------------------------

PANELS = (("time", "beta"), ("compute", "beta"), ("time", "gamma"),
          ("size", "gamma"), ("data", "gamma"), ("compute", "gamma"))  # (a) to (f)


def law_curves(records, anchors: dict, profile: str) -> list:
    """Tables of Figure 4: each record's losses, and power laws through the loss at an anchor, {law: x}."""
    tables = []
    for law, varied in PANELS:
        other, = {"beta", "gamma"} - {varied}
        for record in records:
            if getattr(record.component, other) == 0:
                value = f"{varied} = {getattr(record.component, varied):g}"
                tables += [series(f"{law}, {varied}", f"{value}{name}", record[law], ys, profile, POSITIVE)
                           for name, ys in _lines(record, law, anchors[law]).items()]
    return tables


def _lines(record, law, anchor) -> dict:
    """A record's losses and power laws: {how the series' name ends: ys}."""
    xs, losses = record[law], record[f"{law}_loss"]
    lines = {"": record["data_samples"] if law == "data" else losses}
    printed = theory_exponents(*setting_of(record), large_strength=True)[law]
    generic = theory_exponents(*setting_of(record))[law]
    exponents = {", Table 2": printed} | ({", generic": generic} if generic != printed else {})
    nearest = abs(xs - anchor).argmin()
    for form, exponent in exponents.items():
        lines[form] = losses[nearest] * (xs / xs[nearest]) ** exponent
    return lines


# ---- the query's feature in the law in time -------------------------------------------------

# Fit windows in time constants of the first task. EARLY is the limit's; in LATE the tasks with
# psi_s (1 + Lambda^2) = 1 are being learned (beta = 0.5) or have been learned (beta = 1).
EARLY, LATE = (1e4, 1e6), {0.0: (1e10, 1e12), 0.5: (1e10, 1e12), 1.0: (1e8, 1e10)}


@dataclass(frozen=True)
class QueryFeature(Component):
    """The law in time with and without the query's feature, the 1 that Eq. 7 adds to psi_s. If v = w is along
    an eigenvector of H_s with eigenvalue mu, f_s is logistic: Eq. 14 with a = c mu."""

    beta: float  # 0.5 and 1 in the claim
    alpha: float = 1.8  # Figure 4
    strength: float = 1.0  # Lambda. ASSUMED, as in Figure 4
    context_length: int = 100  # psi_1. ASSUMED, as in Figure 4
    tasks: int = 10**9  # ASSUMED: so many that more would change nothing
    seed: int = 0  # nothing is random

    def measure(self) -> dict:
        """Times in time constants of the first task; losses and exponents without the feature and with it."""
        times = np.geomspace(1e3, 1e12, 37)
        ranks, shares, weights = grouped_tasks(self.tasks, self.alpha)
        psi = self.context_length * ranks**-self.beta
        metrics = {"time": times}
        largest = np.linalg.eigvalsh(riccati.context_matrix(psi, self.strength))[:, -1]  # of H of Eq. 7
        for name, sizes in (("zeroth", psi * (1 + self.strength**2)), ("full", largest)):
            outputs = (outputs_at(t, shares * sizes, shares[0] * sizes[0], self.strength) for t in times)
            losses = np.array([riccati.loss(weights, f, self.strength) for f in outputs])
            metrics |= {f"{name}_loss": losses,
                        f"{name}_early": fit_exponent(times, losses, EARLY),
                        f"{name}_late": fit_exponent(times, losses, LATE[self.beta])}
        return metrics


def grouped_tasks(tasks: int, alpha: float):
    """Groups of tasks, at most about 2% apart in rank: ranks, shares of a task and of the group."""
    edges = np.unique(np.geomspace(1, tasks + 1, 2000).astype(int))
    ranks = np.sqrt(edges[:-1] * (edges[1:] - 1.0))
    beyond = special.zeta(alpha, edges)
    total = beyond[0] - beyond[-1]
    return ranks, ranks**-alpha / total, -np.diff(beyond) / total


def query_feature_table(records) -> pd.DataFrame:
    """Exponents in time of QueryFeature records in both windows, beside those of Table 2."""
    rows = {}
    for record in records:
        beta = record.component.beta
        printed = scaling_laws.theory_exponents(record.component.alpha, beta)["time"]
        for name, window in (("early", EARLY), ("late", LATE[beta])):
            rows[beta, name] = {
                "window": "{:.0e} to {:.0e}".format(*window), "Table 2": f"{printed:.3f}",
                "zeroth order": f"{record[f'zeroth_{name}'][0]:.3f}",
                "all of H": f"{record[f'full_{name}'][0]:.3f}"}
    return pd.DataFrame(rows).T.rename_axis(["beta", "time"])


# ---- laws in D and N at a finite time -------------------------------------------------------


def finite_exponents(records) -> dict[str, pd.DataFrame]:
    """Exponents in D and N of FiniteTime records: rows (beta, time), in N a column for each draw."""
    of = lambda metric: values(
        records, metric, beta="beta", time="time", seed="seed").droplevel("seed").unstack()
    return {"model size D": of("size_exponent")[["exponent"]], "data N": of("data_exponents")}


def beta_changes(records, time: float) -> dict[str, pd.Series]:
    """Exponents in D and N at a time where contexts fall minus those of equal ones: in N one per draw."""
    flat, falling = VARIED[:2]
    return {part: own.loc[falling].loc[time] - own.loc[flat].loc[time]
            for part, own in finite_exponents(records).items()}


def finite_time_table(records) -> pd.DataFrame:
    """Exponents in D and N of FiniteTime records at each time, and their change with beta."""
    rows, found = {}, finite_exponents(records)
    for time in found["data N"].index.unique("time"):
        for part, change in beta_changes(records, time).items():
            means = {beta: found[part].loc[beta].loc[time].mean() for beta in VARIED[:2]}
            rows[f"{time:.0e}", part] = {f"beta = {beta:g}": f"{own:.3f}" for beta, own in means.items()} | {
                "change": f"{change.mean():.3f}"}
    return pd.DataFrame(rows).T.rename_axis(["time", "law"])


# ---- contexts of equal and unequal lengths --------------------------------------------------

UNBALANCED = (0.5, -0.5)  # beta: shorter and longer contexts for rare tasks
FEWER_STEPS = (300, 1000, 5000)  # the last is that of Appendix G
BALANCE_STARTS = ("equal answers", "printed")


@dataclass(frozen=True)
class Balance(Component):
    """The loss in time of gradient descent, at one mean context length; Figure 3's setting."""

    beta: float  # psi_s falls as s^-beta
    # "equal answers": f_s(0) = Lambda / 2 for all tasks, as the derivation of the laws assumes;
    # "printed": Eq. 106, by which f_s(0) grows with psi_s.
    start: Literal[*BALANCE_STARTS] = "equal answers"
    alpha: float = 1.8  # Figure 4
    tasks: int = 500  # N_s, Appendix G
    context_length: int = 100  # sum of P(s) psi_s. ASSUMED: psi of Figure 3
    strength: float = 0.5  # Lambda, Appendix G
    scale: float = 0.1  # A of Eq. 106
    learning_rate: float = 1e-3  # Appendix G
    steps: int = 5000  # Appendix G
    seed: int = 0  # nothing is random

    def lengths(self):
        """psi_s of every task: (tasks,)."""
        lengths = np.arange(1, self.tasks + 1.0) ** -self.beta
        return self.context_length * lengths / (riccati.task_shares(self.tasks, self.alpha) @ lengths)

    def axes(self, metric: str) -> dict:
        kept = np.union1d(np.geomspace(1, self.steps, 80).astype(int), FEWER_STEPS)
        return {"step": kept[kept <= self.steps].tolist()}

    def measure(self) -> dict:
        """Losses at some steps, and the longest and the shortest context."""
        shares, lengths = riccati.task_shares(self.tasks, self.alpha), self.lengths()
        kept = self.axes("loss")["step"]
        outputs = riccati.gradient_descent_outputs(
            *self.vectors(lengths), lengths, self.strength, shares, self.learning_rate, self.steps, kept)
        return {"step": kept, "loss": riccati.loss(shares, outputs, self.strength),
                "longest": lengths.max(), "shortest": lengths.min()}

    def vectors(self, lengths):
        """v and w at time 0: (tasks, 2) each."""
        if self.start == "printed":
            return start(self.scale, self.tasks, 2)
        direction = np.array([1, self.strength])
        form = lengths * (direction @ direction) ** 2 + 1  # direction . H . direction
        v = np.sqrt(self.strength / 2 / form)[:, None] * direction
        return v, v


def balance_losses(records, start: str) -> pd.DataFrame:
    """The losses of Balance records from a start: a row for each beta, a column for each step."""
    found = values(of_class(records, Balance, start=start), "loss", beta="beta", seed="seed")
    return found.droplevel("seed").unstack()


def balance_ratios(records, start: str) -> dict[str, list[float]]:
    """The loss of unbalanced contexts over that of balanced ones, for each beta and step count."""
    losses = balance_losses(records, start)
    return {f"beta = {beta:g}, {steps} steps": [losses.loc[beta, steps] / losses.loc[0, steps]]
            for beta in UNBALANCED for steps in FEWER_STEPS}


def balance_table(records) -> pd.DataFrame:
    """Context lengths and losses of Balance records."""
    rows = {}
    for record in records:
        run = record.component
        losses = balance_losses(records, run.start).loc[run.beta]
        rows[run.start, f"beta = {run.beta:g}"] = {
            f"{which} context": f"{record[which]:.0f}" for which in ("longest", "shortest")} | {
            f"loss after {steps} steps": f"{losses[steps]:.3g}" for steps in FEWER_STEPS}
    return pd.DataFrame(rows).T


# ---- runs and exponents ---------------------------------------------------------------------


def runs(profile: str) -> list:
    """Figure 4, simulated and in the limit; the query's feature, D and N at two times, and equal contexts."""
    settings = [(beta, 0.0) for beta in VARIED] + [(0.0, gamma) for gamma in VARIED[1:]]
    laws = [run(1.8, *setting) for run in (VariedBySimulation, VariedInTheLimit) for setting in settings]
    late = [FiniteTime(beta, time) for time in (1e6, 1e8) for beta in VARIED[:2]]
    return [*shortened(profile, laws), *(QueryFeature(beta) for beta in VARIED[1:]),
            *shortened(profile, late), *(Balance(beta, start) for start in BALANCE_STARTS
                                         for beta in (0.0, *UNBALANCED))]


def varied_exponents(records) -> dict[str, list[float]]:
    """Exponents of Figure 4's simulations in WINDOWS, by panel and value; in N one for each draw."""
    found = {}
    for law, varied in PANELS:
        for record in records:
            if getattr(record.component, varied):
                part = f"{LETTERS[law]} {varied} = {getattr(record.component, varied):g}"
                low = 1 if law == "size" else 0
                curves = record["data_samples"] if law == "data" else [record[f"{law}_loss"]]
                found[part] = [fit_exponent(record[law] + low, curve, np.array(WINDOWS[law]) + low)[0]
                               for curve in curves]
    return found


def plateau_table(records) -> pd.DataFrame:
    """When the first task is half learned, and how many are at the end, also by `half_times`."""
    return pd.DataFrame([{
        "beta": r.component.beta, "gamma": r.component.gamma,
        "first half learned at t": f"{r['first_learned']:.3f}",
        "that t by the formula": f"{r['first_learned_theory']:.3f}",
        "half learned at the end": r["learned"], "that number by the formula": r["learned_theory"],
    } for r in records]).set_index(["beta", "gamma"])
