"""Section 4.1: the laws of linear attention beside those of models without attention.

A linear model (one weight per feature), a diagonal linear network (two, multiplied) and a ReLU
perceptron learn the same tasks from the query's feature. The first two are solved in closed form;
the perceptron is trained by gradient descent on exact means. Times are compared in units of
`half_time`. The windows of all fits were fixed before any exponent of a perceptron was seen.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from icllib.checks import one_of
from icllib.errors import InputError
from icllib.papers.solvable_attention.laws import start_forms
from icllib.papers.solvable_attention.varied import fitted
from icllib.theory import riccati, scaling_laws
from icllib.theory.scaling_laws import fit_exponent

MODELS = ("linear", "diagonal")
# Of closed forms: those of Table 1, and t in half times.
CLOSED_WINDOWS = {"size": (10, 1e3), "time": (10, 1e3), "data": (1e3, 1e6)}
# Of trained models t ends where the end of a list of 2,000 tasks changes an exponent by 0.01.
TRAINED_TIME = (10, 300)


def half_time(times, losses) -> float:
    """The first of these times at which the most frequent task's loss is below half its first.

    Raises InputError where it never is.
    """
    below = np.asarray(losses) < losses[0] / 2
    if not below.any():
        raise InputError(f"losses: expected one below {losses[0] / 2:g}, got {np.min(losses):g}")
    return float(times[below.argmax()])


@dataclass(frozen=True)
class ClosedFormModel:
    """A model of one answer f_s per task whose training is solved, where the laws are to hold."""

    model: str  # "linear" or "diagonal"
    alpha: float
    gamma: float = 0.0  # Lambda_s = Lambda s^-gamma
    tasks: int = 200_000  # ASSUMED: as in the limit of linear attention
    strength: float = 0.5  # Lambda, Appendix G
    start: float = 0.01  # f_s(0) / Lambda_s of the diagonal network. ASSUMED: small; linear: 0
    seed: int = 0  # nothing is random
    version: ClassVar[int] = 1

    def __post_init__(self):
        one_of(MODELS, model=self.model)

    def outputs(self, t, strength, shares):
        """f_s at time t: u_s with u' = P (Lambda - u), or u_s v_s from u = v, which is Eq. 14."""
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
class SharedReadOut:
    """A linear network with one hidden layer, f_s = A w_s: what a perceptron's tasks share.

    w_s' = P (Lambda - f_s) A and A' = sum of P (Lambda - f_s) w_s, so that A^2 - sum of w_s^2 is
    conserved; with K tasks learned A^4 grows as K Lambda^2, and task s takes a time of the order
    of s^alpha / A^2 = s^(alpha - 1/2).
    """

    alpha: float
    tasks: int = 2000  # ASSUMED: that of the perceptron
    strength: float = 0.5  # Lambda, Appendix G
    read_out: float = 3**-0.5  # ASSUMED: the norm of torch.nn.Linear's read-out; w starts at 0
    learning_rate: float = 0.05  # ASSUMED: small
    steps: int = 20_000  # ASSUMED: to 300 half times
    seed: int = 0  # nothing is random
    version: ClassVar[int] = 1

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
    """Where a loss in time is kept: 0, and about 30 steps to a factor of 10."""
    return np.unique(np.append(0, np.geomspace(1, steps, 120).astype(int)))


def linear_attention_unit(run: dict) -> float:
    """The half time of linear attention; run: the settings of a LawsInTheLimit."""
    psi, strength = run["context_length"], run["strength"]
    share = riccati.task_shares(run["tasks"], run["alpha"])[0]
    times = np.append(0, np.geomspace(1e-5, 1, 2000))
    f = riccati.closed_form(times, *start_forms(run), strength, share * psi * (1 + strength**2))[2]
    return half_time(times, (f - strength) ** 2)
