"""Linear baselines against scikit-learn, numpy and brute force; the evaluation against a plain loop."""

import numpy as np
import pytest
import torch
from scipy.stats import multivariate_normal
from sklearn import linear_model

from icllib.baselines import LeastSquares, MixtureRidge, Ridge, RidgeSweep, Zero
from icllib.evaluate import ErrorByLength
from icllib.streams import Stream
from icllib.tasks import LinearClassification, LinearRegression

TASK = LinearRegression(4, noise_std=0.5, weight_std=4**-0.5)
LEVELS = (0.1, 0.5)


def drawn(task, count, n, dtype=torch.float64):
    """Prompts (1, count, n) of the stream that the evaluation uses."""
    return task.sample(Stream.of([0], "evaluation"), torch.arange(count)[None], n, dtype)


def sample(count, n, dtype=torch.float32):
    return (part[0] for part in drawn(TASK, count, n, dtype))


@pytest.mark.parametrize("penalty", [0.01, 1.0, 30.0])
def test_ridge_equals_scikit_learn(penalty):
    xs, ys, _ = sample(20, 13, torch.float64)
    lengths = (1, 3, 4, 12)  # fewer, as many and more pairs than dimensions
    predictions = Ridge(penalty).predict(xs, ys, lengths)
    assert predictions.shape == (20, 4)
    for b in range(20):
        for k, n in enumerate(lengths):
            ridge = linear_model.Ridge(penalty, fit_intercept=False).fit(xs[b, :n], ys[b, :n])
            expected = ridge.predict(xs[b, n : n + 1])[0]
            assert predictions[b, k].item() == pytest.approx(expected, abs=1e-10)


def test_bayes_penalty_is_the_best():
    """Paired over 4,000 prompts; the posterior mean's penalty is d sigma^2 = 1 here."""
    lengths, best = (2, 5, 10), Ridge.bayes(TASK)
    assert best.penalty == pytest.approx(4 * 0.5**2)
    xs, ys, means = sample(4000, 11)
    squares = lambda ridge: (ridge.predict(xs, ys, lengths) - means[:, list(lengths)]).square()
    for factor in (0.25, 4):
        difference = squares(Ridge(best.penalty * factor)) - squares(best)
        assert (difference.mean(0) > 3 * difference.std(0) / 4000**0.5).all()


@pytest.mark.parametrize("chunk", [1, 7, 256, 1000])
def test_evaluation_equals_a_plain_loop_whatever_the_chunk(chunk, monkeypatch):
    monkeypatch.setattr("icllib.evaluate.CHUNK", chunk)
    lengths, predictor = (6, 2), Ridge(1.0)
    measured = ErrorByLength(lengths, prompts=30, seed=0).measure([TASK] * 2, predictor)
    xs, ys, means = sample(30, 7)
    for name, labels in (("error", ys), ("excess", means)):
        for k, n in enumerate(lengths):
            total = 0.0
            for b in range(30):
                total += (predictor.predict(xs[b], ys[b], (n,)).item() - labels[b, n].item()) ** 2
            assert measured[name][:, k] == pytest.approx([total / 30] * 2, rel=1e-5)


def test_evaluation_seeds_differ_and_members_share_prompts():
    errors = [ErrorByLength((3,), prompts=50, seed=seed).measure([TASK] * 2, Zero())["error"]
              for seed in (0, 1)]
    assert errors[0][0] == errors[0][1] and errors[0][0] != errors[1][0]
    assert isinstance(errors[0], np.ndarray)


class FirstClass:
    """Always answers the first class."""

    def predict(self, xs, ys, lengths):
        return torch.eye(4)[0].expand(*ys.shape[:2], len(lengths), 4)


def test_wrong_counts_the_other_classes():
    measured = ErrorByLength((2, 5), 4000).measure(LinearClassification(3, classes=4), FirstClass())
    assert abs(measured["wrong"] - 0.75).max() < 4 * (0.75 * 0.25 / 4000) ** 0.5
    assert abs(measured["error"] - measured["wrong"] * 2 / 4).max() < 1e-6  # two entries differ


def test_a_sweep_equals_one_ridge_after_another():
    xs, ys, _ = drawn(LinearRegression(5, 0.3), 4, 13)
    penalties, lengths = (1e-6, 0.2, 5.0), (1, 4, 12)
    swept = RidgeSweep(penalties).predict(xs, ys, lengths)
    for ours, penalty in zip(swept, penalties):
        expected = Ridge(penalty).predict(xs, ys, lengths)[0]
        torch.testing.assert_close(ours, expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("n", (1, 3, 5, 9))
def test_least_squares_equals_numpy_s_and_has_minimum_norm(n):
    xs, ys, _ = drawn(LinearRegression(5, 0.3), 4, 10)
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
    xs, ys, _ = drawn(LinearRegression(3, 0.3, weight_std=0.6), 5, n + 1)
    ridges = [Ridge((s / 0.6) ** 2).predict(xs, ys, (n,))[0, :, 0] for s in LEVELS]
    answers = MixtureRidge(LEVELS, 0.6).predict(xs, ys, (n,))[0, :, 0]
    for b in range(5):
        seen, labels = xs[0, b, :n].numpy(), ys[0, b, :n].numpy()
        means = [ridge[b].item() for ridge in ridges]
        expected = explicit_posterior(seen, labels, 0.6) @ means
        assert answers[b].item() == pytest.approx(expected, rel=1e-9)
