"""Section 4.2: is it better to balance the context lengths, with a limited number of steps?

Context lengths follow s^-beta and are 100 on average over prompts, so that every beta costs as much
context.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd

from icllib.checks import one_of
from icllib.papers.solvable_attention.common import start
from icllib.theory import riccati

UNBALANCED = (0.5, -0.5)  # beta: shorter and longer contexts for rare tasks
FEWER_STEPS = (300, 1000, 5000)  # of which Appendix G has the last
BALANCE_STARTS = ("equal answers", "printed")


@dataclass(frozen=True)
class Balance:
    """The loss in time of gradient descent at an expected context length, Figure 3's setting."""

    beta: float
    # f_s(0) = Lambda / 2 for all tasks, as the derivation of the laws has it; or Eq. 106, at which
    # f_s(0) grows with psi_s.
    start: str = "equal answers"
    alpha: float = 1.8  # Figure 4
    tasks: int = 500  # N_s, Appendix G
    context_length: int = 100  # sum of P(s) psi_s. ASSUMED: psi of Figure 3
    strength: float = 0.5  # Lambda, Appendix G
    scale: float = 0.1  # A of Eq. 106
    learning_rate: float = 1e-3  # Appendix G
    steps: int = 5000  # Appendix G
    seed: int = 0  # nothing is random
    version: ClassVar[int] = 1

    def __post_init__(self):
        one_of(BALANCE_STARTS, start=self.start)

    def lengths(self):
        """psi_s of every task: (tasks,)."""
        lengths = np.arange(1, self.tasks + 1.0) ** -self.beta
        return self.context_length * lengths / (
            riccati.task_shares(self.tasks, self.alpha) @ lengths)

    def measure(self) -> dict:
        """Losses at some steps, and the longest and the shortest context."""
        shares, lengths = riccati.task_shares(self.tasks, self.alpha), self.lengths()
        kept = np.union1d(np.geomspace(1, self.steps, 80).astype(int), FEWER_STEPS)
        kept = kept[kept <= self.steps]
        outputs = riccati.gradient_descent_outputs(
            *self.vectors(lengths), lengths, self.strength, shares, self.learning_rate, self.steps,
            kept)
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


def loss_at(record, steps: int) -> float:
    """The loss of a Balance record after so many steps."""
    return float(record["loss"][record["step"].tolist().index(steps)])


def balance_ratios(records) -> dict[str, list[float]]:
    """The loss of unbalanced contexts over that of balanced ones, for each beta and step count."""
    balanced, *others = records
    return {f"beta = {record.run['beta']:g}, {steps} steps": [
        loss_at(record, steps) / loss_at(balanced, steps)]
        for record in others for steps in FEWER_STEPS}


def balance_table(records) -> pd.DataFrame:
    """Context lengths and losses of Balance records."""
    return pd.DataFrame({(record.run["start"], f"beta = {record.run['beta']:g}"): {
        "longest context": f"{record['longest']:.0f}",
        "shortest context": f"{record['shortest']:.0f}"} | {
            f"loss after {steps} steps": f"{loss_at(record, steps):.3g}" for steps in FEWER_STEPS}
        for record in records}).T
