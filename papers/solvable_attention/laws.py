"""Scaling laws of linear attention: losses by simulation and in the limit, tables of exponents."""

from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np
import pandas as pd

from claimbook.pages.plotting import BLACK, GOLD, OLIVE, STEEL, VIOLET, draw_rows, series
from claimbook.records import ADDED, Component
from icllib.theory import riccati, scaling_laws
from icllib.theory.scaling_laws import fit_exponent, theory_exponents


def shortened(profile: str, runs: list, **most) -> list:
    """The runs; at the profile smoke with at most so many of these, by default 5,000 tasks and 500 steps."""
    most = (most or {"tasks": 5000, "steps": 500}) if profile == "smoke" else {}
    return [replace(run, **{name: min(number, getattr(run, name)) for name, number in most.items()
                            if hasattr(run, name)}) for run in runs]


def start(scale: float, *shape: int):
    """v and w at time 0, all entries alike (Eq. 106)."""
    return np.full(shape, scale), np.full(shape, scale + 0.1 * scale)


def log10_gap(ours, reference) -> float:
    """The largest |log10 ratio| of two curves."""
    return float(np.abs(np.log10(ours / reference)).max())


def flow_and_closed_forms(v: float, w: float, size: float, strength: float, rates, times):
    """f of a task whose H is the number `size`: integrated, and by Theorem 3.1 for each rate."""
    flow_v, flow_w = riccati.integrate_flow(
        np.full((1, 1), v), np.full((1, 1), w), np.full((1, 1, 1), size), strength, np.ones(1), times)
    g0, h0 = size * (v + w) ** 2, size * (v - w) ** 2
    closed = [riccati.closed_form(times, g0, h0, strength, rate)[2] for rate in rates]
    return size * (flow_v * flow_w)[:, 0, 0], closed


@dataclass(frozen=True)
class InTime(Component):
    """A loss in time, in the settings that Figures 2 and 6 share."""

    context_length: int  # psi
    tasks: int = 100  # N_s, Appendix G for Figure 2. ASSUMED for Figure 6
    alpha: float = 1.8  # ASSUMED: not given for these figures; a value that Figure 3 uses
    strength: float = 0.5  # Lambda. ASSUMED: not given for these figures; the value of Figure 3
    scale: float = 0.1  # A of Eq. 106
    learning_rate: float = 1e-3  # Appendix G
    steps: int = 5000  # Appendix G
    shown: int = 120  # points of a curve. ASSUMED: even in log t; 96 distinct steps
    from_start: ClassVar[bool] = False  # whether step 0 is a point too

    @property
    def kept(self) -> np.ndarray:
        """The steps at which curves are shown."""
        steps = np.unique(np.geomspace(1, self.steps, self.shown).astype(int))
        return np.append([0] * self.from_start, steps).astype(int)

    def axes(self, metric: str) -> dict:
        return {} if "ratio" in metric or metric.endswith("gap") else {
            "t": (self.learning_rate * self.kept).tolist()}


# ---- laws at a finite time and in the limit ------------------------------------------------

FIT = ("exponent", "half width")  # of its 95% interval
# Times of the laws in D and N, in time constants; 0 is the control, the last two decide the claim.
LATER = (0.0, 1e2, 1e4, 1e6, 1e8, 1e10)


def outputs_at(time, rates, first, strength):
    """f_s at a time in units of 1 / (2 a_1 Lambda_1), from f_s(0) = Lambda_s / 2, at rates a_s: (tasks,)."""
    rates = rates / (2 * first * np.ravel(strength)[0])
    return riccati.closed_form(time, 2 * strength, 0.0, strength, rates)[2]


@dataclass(frozen=True)
class FiniteTime(Component):
    """Laws in D and N from the zeroth-order closed form at a finite time; sizes are tasks learned."""

    beta: float  # psi_s = psi_1 s^-beta
    time: float  # in time constants of the first task
    alpha: float = 1.8  # Figure 4
    strength: float = 1.0  # Lambda_1. ASSUMED, as in Figure 4
    context_length: int = 100  # psi_1. ASSUMED, as in Figure 4
    tasks: int = 200_000  # ASSUMED, as in the limit
    draws: int = 3  # ASSUMED: random training sets of each size
    seed: int = 0  # of the training sets, which are the same for every beta and gamma
    gamma: float = field(default=0.0, metadata=ADDED)  # Lambda_s = Lambda_1 s^-gamma

    def axes(self, metric: str) -> dict:
        return {"size_exponent": {"fit": FIT}, "data_exponents": {"draw": None}}[metric]

    def measure(self) -> dict:
        """Losses against D, (sizes,), and N, (draws, counts); exponents in the limit's windows."""
        shares, psi, strength = spread_tasks(self)
        sizes = np.geomspace(10, 1e3, 30).astype(int)
        counts = np.geomspace(1e3, 1e6, 13).astype(int)
        per_share = psi * (1 + strength**2)
        outputs = lambda seen: outputs_at(  # seen: shares of the data
            self.time, seen * per_share, shares[0] * per_share[0], strength)
        learned = 0.5 * shares * (outputs(shares) - strength) ** 2
        size_loss = learned.cumsum()[sizes - 1] + scaling_laws.size_losses(shares, strength, sizes)
        random = np.random.default_rng(self.seed)
        loss_of = lambda seen: riccati.loss(shares, outputs(seen), strength)
        data_loss = np.array([[loss_of(random.multinomial(count, shares) / count) for count in counts]
                              for _ in range(self.draws)])
        return {"size": sizes, "size_loss": size_loss,
                "size_exponent": fit_exponent(sizes, size_loss),
                "data": counts, "data_loss": data_loss,
                "data_exponents": [fit_exponent(counts, losses)[0] for losses in data_loss]}


def on_the_way(profile: str, alphas, gamma: float = 0.0) -> list[FiniteTime]:
    """The laws in D and N at each of LATER, alpha by alpha; few draws at smoke."""
    return [FiniteTime(0.0, time, alpha, gamma=gamma, draws=2 if profile == "smoke" else 12)
            for alpha in alphas for time in LATER]


def of_class(records, kind: type, **settings) -> list:
    """The records of this class of runs with these settings, in their order."""
    return [record for record in records if isinstance(run := record.component, kind)
            and all(getattr(run, name) == value for name, value in settings.items())]


def late_exponents(records, law: str, untrained: bool = False) -> dict[str, list[float]]:
    """Exponents in D, or in N of each draw, at the last two times; untrained: at time 0 for both."""
    found = {}
    for alpha in dict.fromkeys(record.component.alpha for record in records):
        at_time = {r.component.time: exponents_of(r, law) for r in records if r.component.alpha == alpha}
        found |= {f"alpha = {alpha}, {instant(time)}": at_time[LATER[0] if untrained else time]
                  for time in LATER[-2:]}
    return found


def instant(time: float) -> str:
    """A time, 0 or a power of ten, as text: "t = 1e8"."""
    return f"t = 1e{np.log10(time):.0f}" if time else "t = 0"


def exponents_of(record, law: str) -> list[float]:
    """The exponent of a FiniteTime record in the paper's D, or in N of each draw."""
    if law == "data":
        return list(np.round(record["data_exponents"], 9) + 0.0)  # rounding errors at time 0
    return [fit_exponent(record["size"] + 1, record["size_loss"])[0]]


def way_table(records) -> pd.DataFrame:
    """Exponents in D and N of FiniteTime records, a row for each alpha and a column per time."""
    rows = {}
    for record in records:
        run = record.component
        for law in ("size", "data"):
            row = rows.setdefault((run.alpha, LETTERS[law]), {})
            row[instant(run.time)] = f"{np.mean(exponents_of(record, law)):.3f}"
            row["printed"] = f"{theory_exponents(run.alpha, 0, run.gamma)[law]:.3f}"
    table = pd.DataFrame(rows).T.rename_axis(["alpha", "law"])
    return table[[*table.columns.drop("printed"), "printed"]]


ALPHAS = (1.8, 2.1)  # Figure 3


@dataclass(frozen=True)
class LawsInTheLimit(Component):
    """Table 1: losses in the limit that the laws are derived for, from closed forms: so many tasks that more
    would change nothing, and infinite time in the laws of size and data."""

    alpha: float
    tasks: int = 200_000  # ASSUMED: at least 1e5
    context_length: int = 100  # psi, Appendix G
    strength: float = 0.5  # Lambda, Appendix G
    scale: float = 0.1  # A of Eq. 106
    seed: int = 0  # nothing is random
    sooner: float = field(default=1.0, metadata=ADDED)  # factor on t and C; 1e-9: control

    def measure(self) -> dict:
        """x, loss and (exponent, half width of its 95% interval) of each law."""
        shares, strength = riccati.task_shares(self.tasks, self.alpha), self.strength
        g0, h0 = riccati.quadratic_forms(*start(self.scale, 2), self.context_length, strength)
        sizes, times = np.geomspace(10, 1000, 30).astype(int), np.geomspace(0.01, 1, 40)
        counts, budgets = np.geomspace(1e3, 1e6, 25), np.geomspace(1e3, 1e6, 25)
        times, budgets = self.sooner * times, self.sooner * budgets
        envelope = scaling_laws.compute_losses(
            shares, strength, self.context_length, g0, h0,
            np.unique(np.geomspace(2, 3000, 80).astype(int)), budgets).min(axis=0)
        laws = {
            "size": (sizes, scaling_laws.size_losses(shares, strength, sizes)),
            "time": (times, scaling_laws.time_losses(shares, strength, self.context_length,
                                                     g0, h0, times)),
            "data": (counts, scaling_laws.data_losses(shares, strength, (g0 - h0) / 4, counts)),
            "compute": (budgets, envelope)}
        curves = {name: xs for name, (xs, _) in laws.items()} | {
            f"{name}_loss": losses for name, (_, losses) in laws.items()}
        return curves | fitted(curves, dict.fromkeys(laws, (0, np.inf)))


STARTS = ("balanced start", "unbalanced start", "f0 above Lambda", "negative Lambda")


# ---- varied context lengths and strengths ---------------------------------------------------

VARIED = (0.0, 0.5, 1.0)  # beta and gamma of Figure 4. ASSUMED: not given
BALANCED = 1e-5  # A of Eq. 107
# Fit windows at the paper's size: all of D and N; t and C from the end of the first task's plateau.
WINDOWS = {"size": (1, 250), "time": (0.2, 5), "data": (10, 1e5), "compute": (0.5, 20)}
# In the limit t and C are in units of the first task's time constant 1 / (2 a_1 Lambda_1). In these
# windows tens to thousands of tasks are learned, and those being learned have Lambda_s^2 << 1.
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
class VariedBySimulation(Component):
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
        """Losses on all tasks after training on random data sets, side by side: (draws, len(counts))."""
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
        """How many tasks are half learned at the end, when the first one is, and both by theory."""
        rate = shares * psi * (1 + strength**2)
        expected = riccati.half_times(outputs[0], strength, rate)
        learned = outputs > strength / 2
        return {"learned": int(learned[-1].sum()),
                "learned_theory": int((expected < self.learning_rate * self.steps).sum()),
                "first_learned": self.learning_rate * float(learned[:, 0].argmax()),
                "first_learned_theory": float(expected[0])}


@dataclass(frozen=True)
class VariedInTheLimit(Component):
    """Table 2: losses in the limit as in LawsInTheLimit, times in units of the first task's time constant."""

    alpha: float = 1.8  # Figure 4
    beta: float = 0.0  # ASSUMED: one of VARIED
    gamma: float = 0.0  # ASSUMED: one of VARIED
    strength: float = 1.0  # Lambda_1; ASSUMED, as in Figure 4
    # f_s(0) = Lambda_s / 2 (Appendix F.3), or Eq. 107:
    start: Literal["proportional", "printed"] = "proportional"
    tasks: int = 200_000  # ASSUMED: at least 1e5
    context_length: int = 100  # psi_1. ASSUMED, as in Figure 4
    seed: int = 0  # nothing is random

    def measure(self) -> dict:
        """x, loss and exponent of each law, and the sizes that are best for each budget."""
        shares, psi, strength = spread_tasks(self)
        f0 = psi * BALANCED**2 * (1 + strength) ** 2 if self.start == "printed" else strength / 2
        unit = 1 / (2 * shares[0] * psi[0] * (1 + self.strength**2) * self.strength)
        setting = shares, strength, psi, 4 * f0, 0.0  # h = 0: balanced
        sizes = np.unique(np.geomspace(1, 1e3, 60).astype(int))
        times, counts = np.geomspace(1, 1e6, 21), np.geomspace(10, 1e6, 21)
        budgets = np.geomspace(10, 1e8, 22)
        tried = np.unique(np.geomspace(1, 3000, 100).astype(int))
        by_size = scaling_laws.compute_losses(*setting, tried, unit * budgets)
        curves = {"size": sizes, "size_loss": scaling_laws.size_losses(shares, strength, sizes),
                  "time": times, "time_loss": scaling_laws.time_losses(*setting, unit * times),
                  "data": counts, "data_loss": scaling_laws.data_losses(shares, strength, f0, counts),
                  "compute": budgets, "compute_loss": by_size.min(axis=0)}
        best = tried[by_size.argmin(axis=0)]
        window = LIMIT_WINDOWS["compute"]
        return curves | fitted(curves, LIMIT_WINDOWS) | {
            "unit": unit, "best_size": best,
            "best_size_exponent": fit_exponent(budgets, best, window),
            "best_time_exponent": fit_exponent(budgets, budgets / best, window)}


# ---- tables ---------------------------------------------------------------------------------

LAWS = ("size", "time", "data", "compute")
LETTERS = dict(zip(LAWS, "DtNC"))  # the variable of each law


def axis_names(time: str = "t") -> dict[str, str]:
    """The label of each law's axis; time: how t is written in it."""
    return {"size": "model size D", "time": f"time {time}", "data": "data points N",
            "compute": f"compute C = D {time}"}


def exponent_series(name: str, exponents: dict, profile: str, panel: str = "exponents") -> list:
    """Rows of a figure's table for `draw_exponents`. exponents: {row: one, or one for each seed}."""
    return [series(panel, name, [row], np.reshape(own, (-1, 1)), profile) for row, own in exponents.items()]


def draw_exponents(axes, table, panel: str = "exponents") -> None:
    """Exponents as points in rows: the series "printed" as hollow diamonds, others in their order."""
    styles = iter(({"color": VIOLET}, {"color": GOLD, "marker": "s", "mfc": "none"},
                   {"color": OLIVE, "marker": "^", "mfc": "none"}, {"color": STEEL, "marker": "v"}))
    for name in table[table.panel == panel].series.unique():
        draw_rows(axes, table, panel, name, **(
            {"color": BLACK, "marker": "D", "mfc": "none", "ms": 9} if name == "printed" else
            {"ms": 6} | next(styles)))
    rows = table[table.panel == panel].x.unique()
    greek = {"alpha": "α", "beta": "β", "gamma": "γ"}
    for name, letter in greek.items():
        rows = [row.replace(name, letter) for row in rows]
    axes.set(yticks=range(len(rows)), yticklabels=rows, ylim=(len(rows) - 0.5, -0.5), xlabel="exponent")


def setting_of(record) -> tuple[float, float, float]:
    """alpha, beta and gamma of a recorded run."""
    run = record.component
    return run.alpha, run.beta, run.gamma


def fit_of(record, law: str) -> str:
    """A law's exponent with the half width of its 95% interval, as text."""
    return "{:.3f} ± {:.3f}".format(*record[f"{law}_exponent"])


def exponent_table(records, **others) -> pd.DataFrame:
    """Fitted exponents beside both forms, and which is within 0.05; others: {column: records of the same
    tasks in another setting}."""
    rows = {}
    for record, *same in zip(records, *others.values()):
        printed = theory_exponents(*setting_of(record), large_strength=True)
        generic = theory_exponents(*setting_of(record))
        for law in LAWS:
            fit = record[f"{law}_exponent"][0]
            form = ("as printed" if abs(fit - printed[law]) < 0.05 else
                    "generic" if abs(fit - generic[law]) < 0.05 else "neither")
            rows[(*setting_of(record), law)] = {
                "printed": f"{printed[law]:.3f}", "generic": f"{generic[law]:.3f}",
                "fitted": fit_of(record, law)} | {
                column: fit_of(other, law) for column, other in zip(others, same)} | {
                "the fit is": form}
    return pd.DataFrame(rows).T.rename_axis(["alpha", "beta", "gamma", "law"])
