"""Scaling-law losses against plain loops, and fits against known slopes."""

import numpy as np
import pytest

from icllib.theory import riccati, scaling_laws
from papers.solvable_attention.fig03_scaling_laws import LawsBySimulation

SHARES, STRENGTH = riccati.task_shares(30, 1.8), 0.5


def test_tasks_beyond_the_model_may_keep_an_answer_of_their_own():
    loss, = scaling_laws.size_losses(SHARES, STRENGTH, [5], answer=2.0)
    assert loss == pytest.approx(sum(0.5 * share * (2.0 - STRENGTH) ** 2 for share in SHARES[5:]))


@pytest.mark.parametrize("name, kept", [("size_loss", 0), ("kept_size_loss", 1)])
def test_simulated_losses_against_size_task_by_task(name, kept):
    run = LawsBySimulation(1.8, tasks=200, steps=100)
    shares, metrics = riccati.task_shares(200, 1.8), run.measure()
    outputs = run.outputs(shares)
    assert outputs[0] == pytest.approx(2.475, rel=0.01)  # f(0), with the query in its own context
    for size, loss in zip(metrics["size"], metrics[name]):
        answers = [outputs[-1, task] if task < size else kept * outputs[0, task] for task in range(200)]
        expected = sum(0.5 * share * (own - 0.5) ** 2 for share, own in zip(shares, answers))
        assert loss == pytest.approx(expected)


def test_without_data_nothing_is_learned_though_one_task_takes_all():
    assert scaling_laws.data_losses(np.ones(1), 0.5, 0.1, [0, 1]).tolist() == [0.5 * 0.4**2, 0]


def test_data_losses_are_the_mean_over_random_data_sets():
    random, start, count = np.random.default_rng(0), 2.0, 20
    samples = []
    for counts in random.multinomial(count, SHARES, size=4000):
        samples.append(sum(0.5 * share * (start - STRENGTH) ** 2
                           for share, seen in zip(SHARES, counts) if seen == 0))
    expected = scaling_laws.data_losses(SHARES, STRENGTH, start, [count])[0]
    assert abs(np.mean(samples) - expected) < 4 * np.std(samples) / 4000**0.5


def test_a_power_law_is_fitted_exactly_and_noise_widens_the_interval():
    xs = np.geomspace(1, 1000, 20)
    slope, half = scaling_laws.fit_exponent(xs, 3 * xs**-0.7)
    assert slope == pytest.approx(-0.7) and half < 1e-12
    noise = np.random.default_rng(1).normal(size=20)
    ys = 3 * xs**-0.7 * np.exp(0.1 * noise)
    slope, half = scaling_laws.fit_exponent(xs, ys)
    assert abs(slope + 0.7) < 2 * half and half > 0.01
    design = np.stack((np.log(xs), np.ones(20)), axis=1)
    (expected, _), (rest,), *_ = np.linalg.lstsq(design, np.log(ys), rcond=None)
    error = np.sqrt(rest / 18 * np.linalg.inv(design.T @ design)[0, 0])
    assert slope == pytest.approx(expected) and half == pytest.approx(2.1009 * error, rel=1e-4)
