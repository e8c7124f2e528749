"""Section 4.1: do models with a closed form, and a trained ReLU perceptron, have the same scaling laws?"""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd
import torch

from claimbook.records import ADDED, Component
from claimbook.records.errors import InputError
from icllib.theory import riccati, scaling_laws
from icllib.theory.perceptron import Perceptrons, losses_and_gradients, random_perceptron, train
from icllib.theory.scaling_laws import fit_exponent, theory_exponents
from papers.solvable_attention.laws import (
    ALPHAS, LAWS, LETTERS, LawsInTheLimit, VariedInTheLimit, fitted, of_class, shortened)
from papers.solvable_attention.softmax import (
    FEW, SoftmaxDataLimit, SoftmaxSizeLimit, exponents, one_by_one)

# ---- the models and their runs --------------------------------------------------------------

MODELS = ("linear", "diagonal")
# Fit windows; t is in half times. Those of closed forms are the windows of Table 1's limit.
CLOSED_WINDOWS = {"size": (10, 1e3), "time": (10, 1e3), "data": (1e3, 1e6)}
# Of trained models t ends where having only 2,000 tasks changes an exponent by 0.01.
TRAINED_TIME = (10, 300)


def half_time(times, losses) -> float:
    """The first of `times` at which a loss is below half its first value; InputError if it never is."""
    below = np.asarray(losses) < losses[0] / 2
    if not below.any():
        raise InputError(f"losses: expected one below {losses[0] / 2:g}, got {np.min(losses):g}")
    return float(times[below.argmax()])


@dataclass(frozen=True)
class ClosedFormModel(Component):
    """A model with one answer f_s per task and a closed form of its training, in the limit."""

    model: Literal[*MODELS]
    alpha: float
    gamma: float = 0.0  # Lambda_s = Lambda s^-gamma
    tasks: int = 200_000  # ASSUMED: as in the limit of linear attention
    strength: float = 0.5  # Lambda, Appendix G
    start: float = 0.01  # f_s(0) / Lambda_s of "diagonal". ASSUMED: small; "linear" starts at 0
    seed: int = 0  # nothing is random

    def outputs(self, t, strength, shares):
        """f_s at time t: u_s with u' = P (Lambda - u); or u_s v_s, started at u = v: Eq. 14."""
        if self.model == "linear":
            return -strength * np.expm1(-shares * t)
        return riccati.closed_form(t, 4 * self.start * strength, 0.0, strength, shares)[2]

    def measure(self) -> dict:
        """x, loss and (exponent, half width of its 95% interval) of the laws in D, t and N."""
        shares = riccati.task_shares(self.tasks, self.alpha)
        strength = riccati.strengths(self.strength, self.gamma, self.tasks)
        loss = lambda t, upto: riccati.loss(
            shares[:upto], self.outputs(t, strength[:upto], shares[:upto]), strength[:upto])
        tried = np.append(0, np.geomspace(1e-3, 1e3, 2000)) / shares[0]
        unit = half_time(tried, [loss(t, 1) for t in tried])
        sizes = np.unique(np.geomspace(1, 1000, 40).astype(int))
        times, counts = np.geomspace(0.1, 1e3, 41), np.geomspace(10, 1e6, 41)
        curves = {
            "size": sizes, "size_loss": scaling_laws.size_losses(shares, strength, sizes),
            "time": times, "time_loss": [loss(unit * t, self.tasks) for t in times],
            "data": counts, "data_loss": scaling_laws.data_losses(
                shares, strength, self.outputs(0.0, strength, shares), counts)}
        return curves | fitted(curves, CLOSED_WINDOWS) | {"unit": unit}


@dataclass(frozen=True)
class SharedReadOut(Component):
    """A linear network f_s = A w_s, whose read-out A all tasks share as in a perceptron.

    A^2 - sum of w_s^2 is conserved, so A^4 grows as K Lambda^2 with K tasks learned, and task s takes a time
    of the order of s^alpha / A^2 = s^(alpha - 1/2).
    """

    alpha: float
    tasks: int = 2000  # ASSUMED: that of the perceptron
    strength: float = 0.5  # Lambda, Appendix G
    read_out: float = 3**-0.5  # ASSUMED: the norm of torch.nn.Linear's read-out; w starts at 0
    learning_rate: float = 0.05  # ASSUMED: small
    steps: int = 20_000  # ASSUMED: to 300 half times
    seed: int = 0  # nothing is random

    def measure(self) -> dict:
        """Loss over time in half times, and the exponent in the perceptron's window."""
        shares = riccati.task_shares(self.tasks, self.alpha)
        read_out, weights, losses, first = self.read_out, np.zeros(self.tasks), [], []
        kept = kept_steps(self.steps)
        for step in range(self.steps + 1):
            pull = shares * (self.strength - read_out * weights)
            if step in kept:
                losses.append(riccati.loss(shares, read_out * weights, self.strength))
                first.append(pull[0] ** 2)
            read_out, weights = (read_out + self.learning_rate * pull @ weights,
                                 weights + self.learning_rate * pull * read_out)
        times = kept / half_time(kept, first)
        return {"time": times, "time_loss": losses,
                "time_exponent": fit_exponent(times, losses, TRAINED_TIME)}


def kept_steps(steps: int):
    """Steps at which a loss in time is recorded: 0, and about 30 for each factor of 10."""
    return np.unique(np.append(0, np.geomspace(1, steps, 120).astype(int)))


# ASSUMED: a control whose read-out a hardly changes; the learning rate is divided by a^2.
LARGE_READ_OUT = {"read_out": 10.0, "learning_rate": 0.0025}


def side_by_side(models: list[Perceptrons]) -> Perceptrons:
    """Several perceptrons of the same shape, stacked in one."""
    return Perceptrons(*map(torch.cat, zip(*(model.tensors() for model in models))))


@dataclass(frozen=True)
class PerceptronTraining(Component):
    """Perceptrons of one hidden layer, and how they are trained."""

    alpha: float  # 1.8 or 2.1
    tasks: int = 2000  # N_s. ASSUMED: with the paper's 500 the end of the list steepens the laws
    strength: float = 0.5  # Lambda, Appendix G
    width: int = 32  # ASSUMED: two units, one of each sign of a, can answer every task
    read_out: float = 1.0  # factor on torch.nn.Linear's initial a. ASSUMED: none
    learning_rate: float = 0.25  # ASSUMED: stable, and some 20 steps to a half time
    seed: int = 0  # of the first start
    starts: int = 3  # ASSUMED
    biases: bool = field(default=True, metadata=ADDED)  # b and c; if False they are 0

    def shares(self) -> np.ndarray:
        """P(s) of every task."""
        return riccati.task_shares(self.tasks, self.alpha)

    def start(self, number: int) -> Perceptrons:
        """One perceptron at step 0."""
        one = random_perceptron(self.tasks, self.width, self.read_out, self.seed + number)
        if not self.biases:
            one.bias.zero_()
            one.offset.zero_()
        return one

    def fit(self, weights: Perceptrons, features, shares, steps: int, kept=()) -> np.ndarray:
        """Train in place; returns the loss of each input at the steps kept."""
        return train(weights, torch.from_numpy(features), torch.from_numpy(shares), self.strength,
                     self.learning_rate, steps, kept, self.biases)


@dataclass(frozen=True)
class PerceptronTime(PerceptronTraining):
    """Test losses in time of a perceptron that sees all features and all data."""

    steps: int = 10_000  # ASSUMED: to 300 half times

    def measure(self) -> dict:
        """Losses (starts, steps kept) by half times, exponents, |a|^2 before and after."""
        kept, found = kept_steps(self.steps), []
        for number in range(self.starts):
            weights = self.start(number)
            before = float(weights.read_out.square().sum())
            shares = np.tile(self.shares() / 2, (1, 2, 1))
            losses = self.fit(weights, np.ones((1, self.tasks)), shares, self.steps, kept)
            times = kept / half_time(kept, losses[:, 0, :, 0].sum(-1))
            losses = (shares * losses).sum((1, 2, 3))
            found.append({"time": times, "time_loss": losses,
                          "time_exponent": fit_exponent(times, losses, TRAINED_TIME),
                          "read_out": [before, float(weights.read_out.square().sum())]})
        return {name: [one[name] for one in found] for name in found[0]}


@dataclass(frozen=True)
class PerceptronSize(PerceptronTraining):
    """Losses of perceptrons that see the D most frequent features, after long training."""

    sizes: tuple[int, ...] = SoftmaxSizeLimit.sizes
    steps: int = 40_000  # ASSUMED: enough to learn all tasks seen

    def measure(self) -> dict:
        """Losses (starts, sizes), exponents, and the loss on the tasks seen."""
        rows = max(self.sizes) + 1
        features, shares = np.zeros((len(self.sizes), rows)), np.zeros((len(self.sizes), 2, rows))
        for number, size in enumerate(self.sizes):
            features[number, :size] = 1  # the next row stands for all other tasks: a feature of 0
            shares[number, :, :size] = self.shares()[:size] / 2
            shares[number, :, size] = self.shares()[size:].sum() / 2
        found, learned = [], []
        for start in range(self.starts):
            model = self.start(start)
            model.hidden = model.hidden[:, :rows]
            losses = shares * self.fit(side_by_side([model] * len(self.sizes)), features, shares,
                                       self.steps, [self.steps])[0]
            found.append(losses.sum((1, 2)))
            learned.append((features[:, None] * losses).sum((1, 2)))
        return {"size": self.sizes, "size_loss": found,
                "size_exponent": exponents(self.sizes, found), "size_learned": learned}


@dataclass(frozen=True)
class PerceptronData(PerceptronTraining):
    """Test losses after long training on random data sets, each from another start."""

    starts: int = 20  # ASSUMED: data sets vary more than starts do
    counts: tuple[int, ...] = SoftmaxDataLimit.counts
    steps: int = 5000  # Appendix G; at least steps_per_point N
    steps_per_point: int = 20  # ASSUMED: enough to learn an input that occurs once

    def measure(self) -> dict:
        """Losses on all tasks (starts, counts), exponents, and training losses (starts, counts)."""
        losses, left = np.transpose([self.losses(count) for count in self.counts], (1, 2, 0))
        return {"data": self.counts, "data_loss": losses,
                "data_exponent": exponents(self.counts, losses), "data_left": left}

    def losses(self, count: int):
        """Test and training losses of every start after training on N data points: (2, starts)."""
        chances = np.tile(self.shares() / 2, 2)
        seen = [np.random.default_rng([self.seed + number, count]).multinomial(count, chances)
                .reshape(2, -1) for number in range(self.starts)]
        rows = [np.flatnonzero(one.sum(0)) for one in seen]
        most = max(map(len, rows))
        # All data sets get `most` rows: those without data fill up the shorter ones.
        rows = [np.append(row, np.setdiff1d(np.arange(most), row)[: most - len(row)]) for row in rows]
        shares = np.array([one[:, row] / count for one, row in zip(seen, rows)])
        models = [self.start(number) for number in range(self.starts)]
        weights = side_by_side([Perceptrons(model.hidden[:, row], *model.tensors()[1:])
                                for model, row in zip(models, rows)])
        steps = max(self.steps, self.steps_per_point * count)
        trained = self.fit(weights, np.ones((self.starts, most)), shares, steps, [steps])[0]
        return [[self.loss_on_all(model, row, weights, number)
                 for number, (model, row) in enumerate(zip(models, rows))],
                (shares * trained).sum((1, 2))]

    def loss_on_all(self, model: Perceptrons, rows, trained: Perceptrons, number: int) -> float:
        """Test loss of one perceptron; tasks without data keep their hidden weights."""
        model.hidden[0, rows] = trained.hidden[number]
        whole = Perceptrons(model.hidden, *(tensor[number : number + 1] for tensor in trained.tensors()[1:]))
        shares = torch.from_numpy(np.tile(self.shares() / 2, (1, 2, 1)))
        losses, _ = losses_and_gradients(whole, torch.ones(1, self.tasks, dtype=torch.float64),
                                         shares, self.strength)
        return float((losses * shares).sum())


def runs(profile: str) -> list:
    """Section 4.1 for each alpha; then strengths that fall with the rank, and without biases."""
    runs, few = [], FEW | {"steps": 400}
    for alpha in ALPHAS:
        runs += [LawsInTheLimit(alpha), ClosedFormModel("diagonal", alpha),
                 ClosedFormModel("linear", alpha), SharedReadOut(alpha), *shortened(profile, [
                     PerceptronTime(alpha), PerceptronSize(alpha), PerceptronData(alpha),
                     PerceptronTime(alpha, **LARGE_READ_OUT)], **few)]
    without = [PerceptronTime(alpha, **LARGE_READ_OUT, biases=False) for alpha in ALPHAS]
    return shortened(profile, [
        *runs, VariedInTheLimit(1.8, 0.0, 0.5), ClosedFormModel("diagonal", 1.8, 0.5),
        ClosedFormModel("linear", 1.8, 0.5), *shortened(profile, without, **few)])


# ---- curves and tables ----------------------------------------------------------------------

CLOSED = ("linear attention", "diagonal network", "linear model")
SHARED = "shared read-out"
SAME_WINDOWS = "linear model, tasks and windows of the rows below"
LARGE = "large read-out"
NO_BIASES = "large read-out, no biases"
TRAINED = ("perceptron", LARGE, NO_BIASES)


def by_architecture(records) -> dict:
    """{alpha: {name: record}}; the metrics of the perceptron's three records in one dict."""
    found = {}
    for alpha in ALPHAS:
        one = lambda kind, **settings: of_class(records, kind, alpha=alpha, **settings)[0]
        perceptron = one(PerceptronTime, read_out=1.0), one(PerceptronSize), one(PerceptronData)
        found[alpha] = {
            "linear attention": one(LawsInTheLimit),
            "diagonal network": one(ClosedFormModel, model="diagonal", gamma=0.0),
            "linear model": one(ClosedFormModel, model="linear", gamma=0.0),
            SHARED: one(SharedReadOut),
            "perceptron": {name: own[name] for own in perceptron for name in own.metrics},
            LARGE: one(PerceptronTime, read_out=10.0, biases=True),
            NO_BIASES: one(PerceptronTime, read_out=10.0, biases=False)}
    return found


def laws_of(model) -> list[str]:
    """The laws in D, t and N that a model's record has."""
    names = model if isinstance(model, dict) else model.metrics
    return [law for law in LAWS[:3] if law in names]


def exponents_of(model, law: str) -> list[float]:
    """A model's exponents, one for each start."""
    return list(np.atleast_2d(model[f"{law}_exponent"])[:, 0])


def learned_one_by_one(alpha: float) -> dict[str, float]:
    """A linear model's exponents with the number of tasks and in the windows of the perceptron."""
    half_time = np.log(2) / riccati.task_shares(PerceptronTime.tasks, alpha)[0]
    times = half_time * np.geomspace(0.1, 300, 50)
    times = times[times >= half_time * TRAINED_TIME[0]]
    return {law: one_by_one(law, alpha, PerceptronTime.tasks, times) for law in LAWS[:3]}


def architecture_table(found: dict) -> pd.DataFrame:
    """Fitted exponents below those of Table 1: means over starts."""
    columns = {}
    for law in LAWS[:3]:
        for alpha, models in found.items():
            values = {"Table 1": theory_exponents(alpha)[law]} | {
                name: np.mean(exponents_of(model, law))
                for name, model in models.items() if law in laws_of(model)}
            values[SAME_WINDOWS] = learned_one_by_one(alpha)[law]
            columns[LETTERS[law], alpha] = values
    rows = ["Table 1", *CLOSED, SAME_WINDOWS, SHARED, *TRAINED]
    return pd.DataFrame(columns).loc[rows].map(lambda x: "" if np.isnan(x) else f"{x:.3f}"
                                               ).rename_axis(columns=["law", "alpha"])


def read_out_table(found: dict) -> pd.DataFrame:
    """How much the squared norm of a perceptron's read-out grows in training."""
    rows = {}
    for alpha, models in found.items():
        for name in TRAINED:
            before, after = models[name]["read_out"].mean(0)
            rows[alpha, name] = {"at the start": f"{before:.2f}", "at the end": f"{after:.2f}",
                                 "factor": f"{after / before:.1f}"}
    return pd.DataFrame(rows).T.rename_axis(["alpha", "squared norm of the read-out"])


def strength_table(records) -> pd.DataFrame:
    """Laws in time at fixed context and gamma = 0.5: linear attention, diagonal, linear."""
    alpha, gamma = 1.8, 0.5
    closed = (*of_class(records, VariedInTheLimit, alpha=alpha, gamma=gamma),
              *of_class(records, ClosedFormModel, alpha=alpha, gamma=gamma))
    generic = theory_exponents(alpha, 0, gamma)["time"]
    of_linear = -(alpha + 2 * gamma - 1) / alpha  # a task's rate does not contain its strength
    return pd.DataFrame({name: {"expected": f"{expected:.3f}",
                                "fitted": f"{record['time_exponent'][0]:.3f}"}
                         for name, record, expected in zip(
                             CLOSED, closed, (generic, generic, of_linear))}).T
