"""Baselines against scikit-learn, numpy, plain loops and brute force; the evaluation against a plain loop."""

import math

import numpy as np
import pytest
import torch
from scipy.stats import multivariate_normal
from sklearn import linear_model
from torch import nn

from icllib.baselines import (
    ExponentialSmoother, HilbertEstimate, Lasso, LeastSquares, MixtureRidge, Ridge, RidgeSweep,
    StudentNetwork, Zero)
from icllib.baselines.kernels import CHUNK
from icllib.baselines.learners import Students
from icllib.evaluate import ErrorByLength
from icllib.streams import Stream
from icllib.tasks import LinearClassification, LinearRegression

TASK = LinearRegression(4, noise_std=0.5, weight_std=4**-0.5)
LEVELS = (0.1, 0.5)


def drawn(task, count, n, dtype=torch.float64):
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


def points(shape, seed=0):
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def test_two_exact_hits_return_the_mean_of_their_labels():
    xs, ys = points((1, 2, 9, 3)), points((1, 2, 9), seed=1)
    xs[..., 2, :] = xs[..., 5, :] = xs[..., 8, :]
    expected = (ys[..., 2] + ys[..., 5]) / 2
    torch.testing.assert_close(HilbertEstimate().predict(xs, ys, (8,))[..., 0], expected)


@pytest.mark.parametrize("distance", (1e-8, 1e-30, 1e-150, 1e10, 1e150))
def test_distances_whose_powers_overflow(distance):
    dimension = 40  # the kernel would be up to 1e6000
    xs, ys = torch.zeros(1, 1, 3, dimension, dtype=torch.float64), points((1, 1, 3), seed=1)
    xs[..., 0, 0], xs[..., 1, 0] = distance, 1.05 * distance
    far = 1.05**-dimension
    expected = (ys[0, 0, 0] + far * ys[0, 0, 1]) / (1 + far)
    torch.testing.assert_close(HilbertEstimate().predict(xs, ys, (2,))[0, 0, 0], expected)


def test_small_distances_between_large_inputs_keep_their_digits():
    xs, ys = 1e3 + 1e-6 * points((1, 2, 6, 3)), points((1, 2, 6), seed=1)
    weights = [[math.dist(x, z) ** -3 for z in others] for *others, x in xs[0].tolist()]
    expected = [np.average(y[:5], weights=own) for own, y in zip(weights, ys[0].tolist())]
    ours = HilbertEstimate().predict(xs, ys, (5,))[0, :, 0].tolist()
    assert ours == pytest.approx(expected, rel=1e-9)


def test_large_scores_do_not_overflow():
    xs, ys = 100 * points((1, 2, 6, 3)), points((1, 2, 6), seed=1)
    answers = ExponentialSmoother().predict(xs, ys, (5,))[..., 0]
    best = (xs[..., :5, :] @ xs[..., 5, :, None])[..., 0].argmax(dim=-1, keepdim=True)
    torch.testing.assert_close(answers, ys.gather(-1, best)[..., 0])


@pytest.mark.parametrize("n", (CHUNK - 1, CHUNK, CHUNK + 1, 10_000))
def test_contexts_of_several_chunks(n):
    xs, ys = points((1, 1, n + 1, 8)), points((1, 1, n + 1), seed=1)
    seen, query = xs[0, 0, :n], xs[0, 0, n]
    kernels = {HilbertEstimate(): (seen - query).square().sum(-1) ** -4,
               ExponentialSmoother(): torch.exp(seen @ query)}
    for predictor, weights in kernels.items():
        expected = (weights @ ys[0, 0, :n]) / weights.sum()
        torch.testing.assert_close(predictor.predict(xs, ys, (n,))[0, 0, 0], expected)


def few(count, n, dimension=6, dtype=torch.float64):
    task, ids = LinearRegression(dimension, 0.2), torch.arange(count)[None]
    return task.sample(Stream.of([0], "evaluation"), ids, n, dtype)[:2]


@pytest.mark.parametrize("n", (1, 4, 15))
@pytest.mark.parametrize("penalty", (0.3, 0.01))
def test_lasso_equals_scikit_learn(n, penalty):
    from sklearn.linear_model import Lasso as Reference

    xs, ys = few(5, 16)
    ours = Lasso(penalty, tolerance=1e-12).predict(xs, ys, (n,))[0, :, 0]
    for answer, x, y in zip(ours.tolist(), xs[0].numpy(), ys[0].numpy()):
        reference = Reference(penalty, fit_intercept=False, tol=1e-12, max_iter=10**6)
        expected = x[n] @ reference.fit(x[:n], y[:n]).coef_
        assert answer == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_the_default_tolerance_is_tight_where_points_are_few():
    xs, _ = few(20, 11, dimension=20)
    ys = xs[..., :3].sum(dim=-1)  # sparse, no noise: Figure 4C
    ours, exact, loose = (predictor.predict(xs, ys, (10,)) for predictor in (
        Lasso(1e-3), Lasso(1e-3, tolerance=1e-10), Lasso(1e-3, tolerance=1e-4)))
    assert (ours - exact).square().mean() < 1e-3 * (loose - exact).square().mean()


def plain_student(settings, xs, ys, n):
    """One prompt's network as anybody would train it, from the same start on the same batches."""
    start = Students(settings, 1, xs.shape[-1], "cpu").double()
    network = nn.Sequential(nn.Linear(xs.shape[-1], settings.width), nn.ReLU(),
                            nn.Linear(settings.width, 1)).double()
    with torch.no_grad():
        for plain, stacked in ((network[0], start.hidden), (network[2], start.read_out)):
            plain.weight.copy_(stacked.weight[0].T)
            plain.bias.copy_(stacked.bias[0])
    optimizer = torch.optim.Adam(network.parameters(), lr=settings.learning_rate)
    for chosen in settings.batches(n):
        loss = nn.functional.mse_loss(network(xs[chosen])[:, 0], ys[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return network(xs[n:n + 1]).item()


@pytest.mark.parametrize("n", (2, 7, 15))
def test_student_equals_a_plain_loop(n):
    settings = StudentNetwork(width=8, steps=150, batch=5, seed=3)
    xs, ys = few(3, 16)
    ours = settings.predict(xs, ys, (n,))[0, :, 0].tolist()
    expected = [plain_student(settings, xs[0, b], ys[0, b], n) for b in range(3)]
    assert ours == pytest.approx(expected, rel=1e-6)


def test_batches_are_different_pairs_chosen_evenly():
    settings = StudentNetwork(steps=4000, batch=3)
    batches = settings.batches(7)
    assert batches.shape == (4000, 3)
    assert all(len(set(row)) == 3 for row in batches.tolist())
    pairs = torch.bincount(batches.flatten(), minlength=7)
    expected, deviation = 4000 * 3 / 7, (4000 * 3 / 7 * 4 / 7) ** 0.5
    assert ((pairs - expected).abs() < 4 * deviation).all()
    assert torch.equal(batches, settings.batches(7))
    assert not torch.equal(batches, StudentNetwork(steps=4000, batch=3, seed=1).batches(7))
    assert settings.batches(2).shape == (4000, 2)


def test_students_start_as_linear_layers_do():
    network = Students(StudentNetwork(width=400), 2, 25, "cpu")
    for layer, inputs in ((network.hidden, 25), (network.read_out, 400)):
        for values in (layer.weight, layer.bias):
            assert values.abs().max() <= inputs**-0.5
            assert torch.equal(values[0], values[1])
    weights = network.hidden.weight[0]
    assert weights.std().item() == pytest.approx(25**-0.5 / 3**0.5, rel=0.05)
