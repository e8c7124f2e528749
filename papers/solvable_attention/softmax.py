"""Softmax attention in place of linear attention: how it is trained, and the laws of its loss."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch

from claimbook.pages.plotting import GOLD, VIOLET, draw
from claimbook.records import Component, Record
from icllib.theory import riccati, scaling_laws, softmax_attention as softmax
from icllib.theory.scaling_laws import theory_exponents

FIT_STEPS = (30, 1000)  # window of the fits in t
BUDGETS = np.geomspace(300, 3e4, 25)  # of the fits in C
SIZES = (2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40, 50, 63, 79, 100)  # to N_s / 5, Appendix G
SIGN_LAWS = {"random signs": 0.5, "all +1": 1.0}  # Eq. 2 allows both
TABLE_4 = {"betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 1e-5}  # of AdamW


# ---- training -------------------------------------------------------------------------------


@dataclass(frozen=True)
class SoftmaxTraining(Component):
    """Softmax attention models and how they are trained."""

    alpha: float  # 1.8 or 2.1
    optimizer: str = "gradient descent"  # or "AdamW", Appendix I
    # ASSUMED: 1 for gradient descent. Appendix G's 1e-3 barely trains it (Figure 8's page shows
    # both); above 2 / (P(1)(1 + Lambda^2)) the most frequent task is not stable. AdamW: Table 4.
    learning_rate: float = 1.0
    beta: float = 0.0  # psi_s = psi s^-beta, rounded and at least 1
    positive_share: float = 0.5  # of +e_s among the features. ASSUMED: Eq. 2 allows both signs
    tasks: int = 500  # N_s, as Figure 3
    context_length: int = 100  # psi, as Figure 3
    strength: float = 0.5  # Lambda, as Figure 3
    width: int = 64  # d_e. ASSUMED: not given; its size matters little, since entries are random
    # ASSUMED: every entry starts at N(0, scale^2), with A of Eq. 106. Its constant start would keep
    # all d_e components equal.
    scale: float = 0.1
    seed: int = 0  # of the first start
    starts: int = 3  # ASSUMED: independent starts, trained side by side; not given

    def shares(self) -> np.ndarray:
        """P(s) of every task."""
        return riccati.task_shares(self.tasks, self.alpha)

    def prompts(self) -> softmax.Contexts:
        """All prompts of every task."""
        ranks = np.arange(1, self.tasks + 1)
        lengths = np.maximum(1, np.round(self.context_length * ranks**-self.beta)).astype(int)
        return softmax.contexts(lengths, self.positive_share)

    def start(self, number: int) -> softmax.Weights:
        """One model at step 0."""
        return softmax.random_weights(self.tasks, self.width, self.scale, self.seed + number)

    def fit(self, models: list, steps: int, kept=()):
        """Train models side by side: (number of the start, its tasks, their shares) each; returns losses
        (kept, rows) and the weights of all rows, one for each task of a model."""
        weights = softmax.side_by_side([self.start(number).of(tasks) for number, tasks, _ in models])
        tasks = np.concatenate([tasks for _, tasks, _ in models])
        shares = np.concatenate([shares for _, _, shares in models])
        kinds = {"gradient descent": torch.optim.SGD, "AdamW": torch.optim.AdamW}
        optimizer = kinds[self.optimizer](weights.tensors(), lr=self.learning_rate,
                                          **(TABLE_4 if self.optimizer == "AdamW" else {}))
        losses = softmax.train(
            weights, torch.from_numpy(owners(models)), torch.from_numpy(shares), self.strength,
            self.prompts().of(tasks), optimizer, steps, kept)
        return losses, weights

    def size_curves(self, sizes, steps: int, kept) -> np.ndarray:
        """Test losses of models with room for the D most frequent tasks: (starts, sizes, kept)."""
        shares = self.shares()
        models = [(number, np.arange(size), shares[:size]) for number in range(self.starts) for size in sizes]
        losses, _ = self.fit(models, steps, kept)
        model = owners(models)
        learned = [losses[:, model == number] @ seen for number, (*_, seen) in enumerate(models)]
        beyond = scaling_laws.size_losses(shares, self.strength, sizes)
        return np.reshape(learned, (self.starts, len(sizes), -1)) + beyond[:, None]


def owners(models: list) -> np.ndarray:
    """The number of the model that each row belongs to."""
    return np.repeat(np.arange(len(models)), [len(tasks) for _, tasks, _ in models])


def exponents(xs, curves) -> list:
    """Exponent and half width of its 95% interval for each curve; NaN where training has diverged."""
    return [(np.nan, np.nan) if np.isnan(curve).any() else scaling_laws.fit_exponent(xs, curve)
            for curve in curves]


@dataclass(frozen=True)
class SoftmaxCurves(SoftmaxTraining):
    """Test losses in time for models of several sizes: the laws in time and compute."""

    sizes: tuple[int, ...] = (500,)  # D; N_s for the law in time
    steps: int = 5000  # Appendix G

    def measure(self) -> dict:
        """Losses (starts, sizes, steps kept); exponents in time for the last size, in compute."""
        kept = np.unique(np.geomspace(1, self.steps, 80).round().astype(int))
        losses = self.size_curves(self.sizes, self.steps, kept)
        inside = (FIT_STEPS[0] <= kept) & (kept <= FIT_STEPS[1])
        metrics = {"step": kept, "loss": losses,
                   "time_exponent": exponents(kept[inside], losses[:, -1, inside])}
        if len(self.sizes) > 1:
            envelopes = [scaling_laws.lower_envelope(self.sizes, kept, curves, BUDGETS) for curves in losses]
            metrics |= {"budget": BUDGETS, "envelope": envelopes,
                        "compute_exponent": exponents(BUDGETS, envelopes)}
        return metrics


@dataclass(frozen=True)
class SoftmaxSizeLimit(SoftmaxTraining):
    """The law in size after a training that learns all tasks that a model has room for."""

    sizes: tuple[int, ...] = (4, 6, 8, 11, 15, 21, 29, 40)  # D. ASSUMED: far below N_s
    steps: int = 40_000  # ASSUMED: 5,000 leave the rarest of these tasks unlearned

    def measure(self) -> dict:
        """Losses (starts, sizes), and exponents with the half widths of their 95% intervals."""
        losses = self.size_curves(self.sizes, self.steps, [self.steps])[..., 0]
        return {"loss": losses, "exponent": exponents(self.sizes, losses)}


@dataclass(frozen=True)
class SoftmaxDataLimit(SoftmaxTraining):
    """The law in data: random data sets, trained until all tasks in them are learned."""

    starts: int = 20  # ASSUMED: each has other data sets, which vary more than starts do
    # ASSUMED: N at which rare tasks are missing, evenly spaced in log N.
    counts: tuple[int, ...] = (10, 18, 32, 56, 100, 178, 316, 562, 1000)
    steps: int = 5000  # Appendix G; at least steps_per_point N
    steps_per_point: int = 20  # ASSUMED: enough to learn a task that occurs once

    def measure(self) -> dict:
        """Losses on all tasks (starts, counts), and exponents with their half widths."""
        losses = np.transpose([self.losses(count) for count in self.counts])
        return {"loss": losses, "exponent": exponents(self.counts, losses)}

    def losses(self, count: int) -> list[float]:
        """Test losses of every start after training on N random data points."""
        models = []
        for number in range(self.starts):
            random = np.random.default_rng([self.seed + number, count])
            seen = random.multinomial(count, self.shares())
            models.append((number, np.flatnonzero(seen), seen[seen > 0] / count))
        steps = max(self.steps, self.steps_per_point * count)
        _, trained = self.fit(models, steps)
        return [self.loss_on_all(number, tasks, trained, owners(models) == number, steps)
                for number, tasks, _ in models]

    def loss_on_all(self, number: int, learned, trained, rows, steps: int) -> float:
        """Test loss of one model; tasks without data keep their start, but for weight decay."""
        model = self.start(number)
        decay = TABLE_4["weight_decay"] if self.optimizer == "AdamW" else 0
        for tensor, found in zip(model.tensors(), trained.tensors()[:3]):
            tensor *= (1 - self.learning_rate * decay) ** steps
            tensor[learned] = found[rows]
        model.label_keys = trained.label_keys[number : number + 1]
        shares = torch.from_numpy(self.shares())
        losses, _ = softmax.losses_and_gradients(
            model, torch.zeros(self.tasks, dtype=torch.long), shares, self.strength, self.prompts())
        return float(losses @ shares)


FEW = {"steps": 100, "starts": 1, "steps_per_point": 0}  # the most at the profile smoke


def curves(signs: str, **settings) -> SoftmaxCurves:
    """Curves in time for a sign law; more starts for random signs, where they differ more."""
    starts = {"random signs": 12, "all +1": 3}[signs]
    return SoftmaxCurves(starts=starts, positive_share=SIGN_LAWS[signs], **settings)


def limits(**settings) -> list[SoftmaxTraining]:
    """The laws in size and data, by gradient descent."""
    return [SoftmaxSizeLimit(**settings), SoftmaxDataLimit(**settings)]


# ---- the laws and how they are drawn --------------------------------------------------------


class LawCurve(NamedTuple):
    """One law, measured by one record."""

    law: str  # size, time, data or compute
    alpha: float
    signs: str  # random signs or all +1
    xs: np.ndarray
    losses: np.ndarray  # (starts, len(xs))
    exponents: np.ndarray  # (starts,)


def law_curve(record: Record) -> LawCurve:
    """The law of a record of Figures 8 to 10."""
    run = record.component
    signs = {share: law for law, share in SIGN_LAWS.items()}[run.positive_share]
    if isinstance(run, SoftmaxSizeLimit):
        found = "size", run.sizes, record["loss"], "exponent"
    elif isinstance(run, SoftmaxDataLimit):
        found = "data", run.counts, record["loss"], "exponent"
    elif len(run.sizes) > 1:
        found = "compute", record["budget"], record["envelope"], "compute_exponent"
    else:
        found = "time", record["step"], record["loss"].squeeze(axis=1), "time_exponent"
    law, xs, losses, exponent = found
    slopes, _ = record[exponent].T
    return LawCurve(law, run.alpha, signs, np.array(xs), losses, slopes)


def one_by_one(law: str, alpha: float, tasks: int = SoftmaxSizeLimit.tasks,
               steps=np.geomspace(*FIT_STEPS, 30)) -> float:
    """The exponent of a model that learns each task independently, in the fit's window: its loss on task s
    falls as e^{-P(s) t}, and in the laws in N and D it is 0 if the task occurs or has room. steps: of the law
    in time."""
    shares = riccati.task_shares(tasks, alpha)
    if law == "size":
        xs = np.array(SoftmaxSizeLimit.sizes)
        losses = scaling_laws.size_losses(shares, 1.0, xs)
    elif law == "data":
        xs = np.array(SoftmaxDataLimit.counts)
        losses = scaling_laws.data_losses(shares, 1.0, 0.0, xs)
    elif law == "time":
        xs, losses = steps, np.exp(-np.outer(steps, shares)) @ shares
    else:
        xs, steps = BUDGETS, np.geomspace(1, 5000, 300)
        learning = 0.5 * shares * np.exp(-np.outer(steps, shares))
        curves = [learning[:, :size].sum(1) + rest for size, rest in
                  zip(SIZES, scaling_laws.size_losses(shares, 1.0, SIZES))]
        losses = scaling_laws.lower_envelope(SIZES, steps, curves, xs)
    return scaling_laws.fit_exponent(xs, losses)[0]


def draw_law(axes, table, name: str, curve: LawCurve) -> None:
    """Draw a series of a figure's table, and the power law of Table 1 above it."""
    color = VIOLET if curve.alpha == 1.8 else GOLD
    axes.set(xscale="log", yscale="log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_formatter("")
    draw(axes, table, curve.law, name, color=color, label=rf"softmax, $\alpha$ = {curve.alpha}")
    draw_power_law(axes, table, curve.law, name, theory_exponents(curve.alpha)[curve.law],
                   least=FIT_STEPS[0] if curve.law == "time" else 0, color=color,
                   ls="--", label=rf"Table 1, $\alpha$ = {curve.alpha}")


def draw_power_law(axes, table, panel: str, name: str, exponent: float, least: float = FIT_STEPS[0],
                   **style) -> None:
    """Draw a power law above a series of a figure's table, from x = least on."""
    rows = table[(table.panel == panel) & (table.series == name)]
    rows = rows[rows.x.infer_objects() >= least]  # other panels may have names for x
    first = rows.iloc[0]
    axes.plot(rows.x, 1.6 * first.y * (rows.x / first.x) ** exponent, **style)
