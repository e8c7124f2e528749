import numpy as np
import pytest

from icllib.theory import riccati
from papers.solvable_attention.fig03_scaling_laws import (
    ENVELOPE_BUDGETS, LawsBySimulation, simulated_envelope)


def test_the_simulated_envelope_is_the_best_of_the_sizes_step_by_step():
    run = LawsBySimulation(1.8, steps=1500)
    shares = riccati.task_shares(run.tasks, run.alpha)
    losses = 0.5 * shares * (run.outputs(shares) - run.strength) ** 2
    found = simulated_envelope(run.measure())
    for budget, loss in list(zip(ENVELOPE_BUDGETS, found))[::13]:
        best = np.inf
        for size in np.geomspace(5, 100, 8).astype(int):
            step = round(budget / size / run.learning_rate)
            if 10 <= step <= run.steps:
                beyond = 0.5 * shares[size:].sum() * run.strength**2
                best = min(best, losses[step, :size].sum() + beyond)
        assert loss == pytest.approx(best, rel=0.01)
