import numpy as np
import pytest

from claimbook.records import Record, settings
from icllib.theory import riccati
from papers.solvable_attention.fig03_scaling_laws import (
    ENVELOPE_BUDGETS, LawsBySimulation, simulated_envelope, simulated_exponents)


def test_simulated_exponents_have_one_value_for_each_data_set():
    xs, runs = np.array([1, 10, 100]), []
    for power in (-0.3, -0.5):
        metrics = {"size": xs, "size_loss": (xs + 1.0) ** -0.8,
                   "kept_size_loss": (xs + 1.0) ** -0.9, "time": xs, "time_loss": 2 * xs**-0.4,
                   "data": xs, "data_loss": xs**power}
        runs.append(Record(settings(LawsBySimulation(1.8)), {}, metrics, {}))
    found = simulated_exponents(runs)  # in the paper's D, one more than the tasks
    assert found["D alpha = 1.8, answers 0"] == pytest.approx([-0.8])
    assert found["D alpha = 1.8, keeps f(0)"] == pytest.approx([-0.9])
    assert found["t alpha = 1.8"] == pytest.approx([-0.4])
    assert found["N alpha = 1.8"] == pytest.approx([-0.3, -0.5])


def test_the_simulated_envelope_is_the_best_of_the_sizes_step_by_step():
    """Against a loop over sizes and whole steps of the same training."""
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
