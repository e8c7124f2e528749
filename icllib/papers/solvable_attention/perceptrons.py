"""Section 4.1: the laws in D, t and N of a ReLU perceptron, trained by gradient descent."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import torch

from icllib.papers.solvable_attention.architectures import (
    TRAINED_TIME, ClosedFormModel, SharedReadOut, half_time, kept_steps)
from icllib.papers.solvable_attention.common import shortened
from icllib.papers.solvable_attention.laws import ALPHAS, LawsInTheLimit
from icllib.papers.solvable_attention.softmax import (
    SoftmaxDataLimit, SoftmaxSizeLimit, at_size_of, exponents)
from icllib.papers.solvable_attention.varied import VariedInTheLimit
from icllib.results import ADDED
from icllib.theory import riccati
from icllib.theory.perceptron import Perceptrons, losses_and_gradients, random_perceptron, train
from icllib.theory.scaling_laws import fit_exponent

# ASSUMED: the control whose read-out hardly changes; its learning rate makes up for the read-out.
LARGE_READ_OUT = {"read_out": 10.0, "learning_rate": 0.0025}


def side_by_side(models: list[Perceptrons]) -> Perceptrons:
    """Several perceptrons with as many rows each, in one."""
    return Perceptrons(*map(torch.cat, zip(*(model.tensors() for model in models))))


@dataclass(frozen=True)
class PerceptronTraining:
    """Perceptrons of one hidden layer, and how they are trained."""

    alpha: float  # 1.8 or 2.1
    tasks: int = 2000  # N_s. ASSUMED: with the paper's 500 the end of the list steepens the laws
    strength: float = 0.5  # Lambda, Appendix G
    width: int = 32  # ASSUMED: two units, one of each sign of a, can answer every task
    read_out: float = 1.0  # ASSUMED: a at the start, over that of torch.nn.Linear
    learning_rate: float = 0.25  # ASSUMED: stable, and some 20 steps to a half time
    seed: int = 0  # of the first start
    starts: int = 3  # ASSUMED
    biases: bool = field(default=True, metadata=ADDED)  # b and c; without they are 0

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
        """Train in place; the losses of the inputs at the steps kept."""
        return train(weights, torch.from_numpy(features), torch.from_numpy(shares), self.strength,
                     self.learning_rate, steps, kept, self.biases)


@dataclass(frozen=True)
class PerceptronTime(PerceptronTraining):
    """Test losses in time of a perceptron that sees all features and all data."""

    steps: int = 10_000  # ASSUMED: to 300 half times
    version: ClassVar[int] = 1

    def measure(self) -> dict:
        """Losses (starts, steps kept) against time in half times, exponents, |a|^2 at both ends."""
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
    steps: int = 40_000  # ASSUMED: enough to learn what has room
    version: ClassVar[int] = 1

    def measure(self) -> dict:
        """Losses (starts, sizes), exponents, and the part of the loss on tasks that have room."""
        rows = max(self.sizes) + 1
        features, shares = np.zeros((len(self.sizes), rows)), np.zeros((len(self.sizes), 2, rows))
        for number, size in enumerate(self.sizes):
            features[number, :size] = 1  # the row after them is every other task: a feature of 0
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
    """Test losses after long training on random data sets, each with a start of its own."""

    starts: int = 20  # ASSUMED: data sets vary more than starts do
    counts: tuple[int, ...] = SoftmaxDataLimit.counts
    steps: int = 5000  # Appendix G; or, if that is more,
    steps_per_point: int = 20  # ASSUMED: times N, so that an input that occurs once is learned
    version: ClassVar[int] = 1

    def measure(self) -> dict:
        """Losses on all tasks (starts, counts), exponents, and what training leaves of the loss."""
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
        # Rows without data stand in for those that a data set lacks.
        rows = [np.append(own, np.setdiff1d(np.arange(most), own)[: most - len(own)])
                for own in rows]
        shares = np.array([one[:, own] / count for one, own in zip(seen, rows)])
        models = [self.start(number) for number in range(self.starts)]
        weights = side_by_side([Perceptrons(model.hidden[:, own], *model.tensors()[1:])
                                for model, own in zip(models, rows)])
        steps = max(self.steps, self.steps_per_point * count)
        trained = self.fit(weights, np.ones((self.starts, most)), shares, steps, [steps])[0]
        return [[self.loss_on_all(model, own, weights, number)
                 for number, (model, own) in enumerate(zip(models, rows))],
                (shares * trained).sum((1, 2))]

    def loss_on_all(self, model: Perceptrons, rows, trained: Perceptrons, number: int) -> float:
        """Test loss of one perceptron; tasks without data keep their hidden weights."""
        model.hidden[0, rows] = trained.hidden[number]
        whole = Perceptrons(model.hidden, *(tensor[number : number + 1]
                                            for tensor in trained.tensors()[1:]))
        shares = torch.from_numpy(np.tile(self.shares() / 2, (1, 2, 1)))
        losses, _ = losses_and_gradients(whole, torch.ones(1, self.tasks, dtype=torch.float64),
                                         shares, self.strength)
        return float((losses * shares).sum())


def other_architectures(profile: str) -> list:
    """The comparison of Section 4.1, by alpha; strengths that fall with the rank; no biases."""
    runs = []
    for alpha in ALPHAS:
        limit = at_size_of(profile, 400, alpha=alpha)
        per_point = 0 if profile == "smoke" else PerceptronData.steps_per_point
        runs += [LawsInTheLimit(alpha), ClosedFormModel("diagonal", alpha),
                 ClosedFormModel("linear", alpha), SharedReadOut(alpha),
                 PerceptronTime(**limit), PerceptronSize(**limit),
                 PerceptronData(steps_per_point=per_point, **limit),
                 PerceptronTime(**limit, **LARGE_READ_OUT)]
    return shortened(profile, [
        *runs, VariedInTheLimit(1.8, 0.0, 0.5), ClosedFormModel("diagonal", 1.8, 0.5),
        ClosedFormModel("linear", 1.8, 0.5),
        *(PerceptronTime(**at_size_of(profile, 400, alpha=alpha), **LARGE_READ_OUT, biases=False)
          for alpha in ALPHAS)])
