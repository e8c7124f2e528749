"""Baselines against scikit-learn and known errors; the evaluation against a plain loop."""

import numpy as np
import pytest
import torch
from sklearn import linear_model

from icllib.baselines import Ridge, Zero
from icllib.evaluate import ErrorByLength
from icllib.streams import Stream
from icllib.tasks import LinearClassification, LinearRegression

TASK = LinearRegression(4, noise_std=0.5, weight_std=4**-0.5)
EVALUATION = Stream.of([0], "evaluation")


def sample(count, points, dtype=torch.float32):
    """Prompts (count, points) of the stream that the evaluation uses."""
    prompt = TASK.sample(EVALUATION, torch.arange(count)[None], points, dtype)
    return prompt.xs[0], prompt.ys[0], prompt.means[0]


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
