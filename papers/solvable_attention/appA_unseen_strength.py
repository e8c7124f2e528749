"""Appendix A: does a trained model read the strength from its context?"""

from dataclasses import dataclass

import numpy as np
import torch

from claimbook.records import Component
from icllib.streams import Stream
from icllib.tasks import SparseFeatureRegression
from icllib.theory import full_model
from papers.solvable_attention.laws import flow_and_closed_forms, start

UNSEEN = {"smaller strength": 0.2, "larger strength": 1.5, "negative strength": -0.8}


@dataclass(frozen=True)
class UnseenStrength(Component):
    """Appendix A: a model of one task, trained on one strength and tested on others. The constraint: the
    first N_s components of v_s and the last of w_s start at 0 and stay there."""

    constrained: bool  # False: the model of Theorem 3.1, in which every weight is trained
    strength: float = 0.5  # Lambda of training, Figure 3
    context_length: int = 10  # psi. ASSUMED: not given; so short that f starts well below Lambda
    prompts: int = 8  # N. ASSUMED: all have the same H
    scale: float = 0.1  # A of Eq. 106
    learning_rate: float = 1e-3  # Appendix G
    steps: int = 5000  # Appendix G; long after both models have converged
    shown: int = 1500  # first steps that the curves show. ASSUMED: f settles within them
    seed: int = 0

    def measure(self) -> dict:
        """Answers to 30 strengths and f at the first `shown` steps; with the constraint `rates`."""
        v, w = start(self.scale, 1, 2)
        trained = (np.array([[0, 1]]), np.array([[1], [0]])) if self.constrained else (1, 1)
        data, outputs = self.data(self.strength), []
        for f, v, w in full_model.gradient_descent(data, v * trained[0], w.T * trained[1],
                                                   self.learning_rate, self.steps, trained):
            outputs.append(f * data.queries[:, 0])
        seen = np.round(np.linspace(-1, 2, 31), 1)
        seen = seen[seen != 0]  # no task has the strength 0
        kept = np.arange(self.shown)
        metrics = {"strengths": seen, "answers": [self.answer(v, w, x) for x in seen],
                   "converged": np.abs(outputs[-1] - self.strength).max(),
                   "deviations": [abs(self.answer(v, w, x) - x) for x in UNSEEN.values()],
                   "steps": kept, "trained": np.array(outputs)[kept, 0]}
        return metrics | (self.rates(kept) if self.constrained else {})

    def data(self, strength: float) -> full_model.Data:
        """Prompts of one strength."""
        task = SparseFeatureRegression(tasks=1, strength=strength)
        stream, ids = Stream.of([self.seed], "unseen"), torch.arange(self.prompts)[None]
        prompt = task.sample(stream, ids, self.context_length + 1, torch.float64)
        return full_model.data_of(prompt, task.types(stream, ids)[0], np.full(self.prompts, 1 / self.prompts))

    def answer(self, v, w, strength: float) -> float:
        """The trained model's f times the query's sign, for a context of another strength."""
        data = self.data(strength)
        return float(full_model.outputs(data, v, w)[0] * data.queries[0, 0])

    def rates(self, kept) -> dict:
        """f at the steps kept, integrated and in closed form with the right and the printed rate, and their
        errors: H is the number psi Lambda here, g = psi Lambda eta^2 and h = psi Lambda rho^2."""
        right, printed = (self.context_length * x for x in (self.strength, self.strength**2 + 1))
        flow, (f_right, f_printed) = flow_and_closed_forms(
            *start(self.scale), right, self.strength, (right, printed), self.learning_rate * kept)
        return {"flow": flow, "right_rate": f_right, "printed_rate": f_printed,
                "right_rate_deviation": np.abs(f_right - flow).max(),
                "printed_rate_deviation": np.abs(f_printed - flow).max()}


def runs(profile: str) -> list[UnseenStrength]:
    """Appendix A: with the constraint and without."""
    return [UnseenStrength(True), UnseenStrength(False)]
