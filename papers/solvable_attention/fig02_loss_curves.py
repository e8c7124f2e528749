"""Figure 2: the closed form beside the loss in training."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from claimbook.pages.plotting import BLACK, GOLD, draw
from icllib.theory import riccati, scaling_laws
from papers.solvable_attention.laws import InTime, log10_gap, start


@dataclass(frozen=True)
class LossCurves(InTime):
    """Figure 2: the loss in time, by gradient descent, by the closed form, and by gradient flow (Eq. 9)."""

    seed: int = 0  # nothing is random: the shares of the tasks are their expectations
    version: ClassVar[int] = 2  # 2: forward Euler

    def measure(self) -> dict:
        """The losses at some steps, and the closed form's largest |log10 ratio| to the others."""
        shares = riccati.task_shares(self.tasks, self.alpha)
        v0, w0 = start(self.scale, self.tasks, 2)
        psi, strength = self.context_length, self.strength
        outputs = riccati.gradient_descent_outputs(
            v0, w0, psi, strength, shares, self.learning_rate, self.steps)
        g0, h0 = riccati.quadratic_forms(v0, w0, psi, strength)
        time = self.learning_rate * np.arange(self.steps + 1)
        simulated = riccati.loss(shares, outputs, strength)
        closed = scaling_laws.time_losses(shares, strength, psi, g0[0], h0[0], time)
        rate = shares * psi * (1 + strength**2)
        euler = riccati.loss(shares, riccati.forward_euler(  # Appendix G
            g0, h0, strength, rate, self.learning_rate, self.steps), strength)
        kept = self.kept
        flow = riccati.loss(shares, riccati.flow_outputs(v0, w0, psi, strength, shares, time[kept]), strength)
        return {"time": time[kept], "simulated": simulated[kept], "closed_form": closed[kept],
                "flow": flow, "euler": euler[kept],
                "largest_log10_ratio": log10_gap(closed, simulated),
                "largest_log10_ratio_of_euler": log10_gap(euler, simulated),
                "largest_log10_ratio_to_flow": log10_gap(closed[kept], flow)}


def runs(profile: str) -> list[LossCurves]:
    """Figure 2: a short and a long context."""
    return [LossCurves(5), LossCurves(100)]


def draw_card(axes, table) -> None:
    """For the front page: the loss by hand and in training, for a long context."""
    draw(axes, table, "psi=100", "closed_form", label="by hand", color=BLACK)
    draw(axes, table, "psi=100", "simulated", label="trained", color=GOLD, ls="--")
    axes.set(xscale="log", yscale="log", xlabel="time of training", ylabel="loss")
    for axis, ticks in ((axes.xaxis, (0.001, 0.01, 0.1, 1)), (axes.yaxis, (0.001, 0.01, 0.1, 1))):
        axis.set_ticks(ticks, [f"{tick:g}" for tick in ticks])
