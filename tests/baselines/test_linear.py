"""Linear baselines against numpy, brute force and measured errors."""

import numpy as np
import pytest
import torch
from scipy.stats import multivariate_normal

from icllib.baselines import LeastSquares, MixtureRidge, Ridge, RidgeSweep
from icllib.streams import Stream
from icllib.tasks import LinearRegression

LEVELS = (0.1, 0.5)


def sample(task, count, n):
    ids = torch.arange(count)[None]
    return task.sample(Stream.of([0], "evaluation"), ids, n, torch.float64)


def test_a_sweep_equals_one_ridge_after_another():
    xs, ys, _ = sample(LinearRegression(5, 0.3), 4, 13)
    penalties, lengths = (1e-6, 0.2, 5.0), (1, 4, 12)
    swept = RidgeSweep(penalties).predict(xs, ys, lengths)
    for ours, penalty in zip(swept, penalties):
        expected = Ridge(penalty).predict(xs, ys, lengths)[0]
        torch.testing.assert_close(ours, expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("n", (1, 3, 5, 9))
def test_least_squares_equals_numpy_s_and_has_minimum_norm(n):
    xs, ys, _ = sample(LinearRegression(5, 0.3), 4, 10)
    ours = LeastSquares().predict(xs, ys, (n,))[0, :, 0].tolist()
    weights = [np.linalg.lstsq(x[:n], y[:n])[0] for x, y in zip(xs[0].numpy(), ys[0].numpy())]
    assert ours == pytest.approx([x[n].numpy() @ w for x, w in zip(xs[0], weights)], rel=1e-8)


def explicit_posterior(xs, ys, weight_std):
    """p(level | pairs) from the covariance of the labels."""
    evidence = [multivariate_normal(cov=weight_std**2 * xs @ xs.T + s**2 * np.eye(len(ys))).pdf(ys)
                for s in LEVELS]
    return np.array(evidence) / sum(evidence)


@pytest.mark.parametrize("n", (1, 3, 8))
def test_mixture_equals_the_explicit_evidence(n):
    xs, ys, _ = sample(LinearRegression(3, 0.3, weight_std=0.6), 5, n + 1)
    ridges = [Ridge((s / 0.6) ** 2).predict(xs, ys, (n,))[0, :, 0] for s in LEVELS]
    answers = MixtureRidge(LEVELS, 0.6).predict(xs, ys, (n,))[0, :, 0]
    for b in range(5):
        seen, labels = xs[0, b, :n].numpy(), ys[0, b, :n].numpy()
        means = [ridge[b].item() for ridge in ridges]
        expected = explicit_posterior(seen, labels, 0.6) @ means
        assert answers[b].item() == pytest.approx(expected, rel=1e-9)
