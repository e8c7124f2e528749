"""The whole of V and W: descent against autograd, and the expected loss on every prompt there is."""

from itertools import product

import numpy as np
import pytest
import torch

from icllib.streams import Stream
from icllib.tasks import SparseFeatureRegression
from icllib.theory import full_model, noisy_features
from papers.solvable_attention import fig06_approximately_sparse

TASKS, PAIRS, PROMPTS = 4, 6, 9
TASK = SparseFeatureRegression(TASKS, alpha=1.2, strength=0.7, feature_noise=2.0)


def prompts():
    """Prompts with noisy features, their types, and weights that differ."""
    stream, ids = Stream.of([1], "training"), torch.arange(PROMPTS)[None]
    random = np.random.default_rng(0)
    return (TASK.sample(stream, ids, PAIRS + 1, torch.float64), TASK.types(stream, ids)[0],
            random.dirichlet(np.ones(PROMPTS)), *0.2 * random.standard_normal(
                (2, TASKS, TASKS + 1)))


@pytest.mark.parametrize("trained", [(1, 1), (np.array([0, 0, 0, 0, 1]), np.ones((5, 1)))])
def test_steps_equal_autograd_on_the_data_matrices(trained):
    """f = [V Phi Phi^T W query]_s as it is written, one prompt at a time (Eqs. 4 to 6)."""
    prompt, types, weights, v0, w0 = prompts()
    data = full_model.data_of(prompt, types, weights)
    v, w = torch.tensor(v0, requires_grad=True), torch.tensor(w0.T.copy(), requires_grad=True)
    for f, own_v, own_w in full_model.gradient_descent(data, v0, w0.T, 0.1, 5, trained):
        answers = []
        for b in range(PROMPTS):
            labels = prompt.ys[0, b].clone()
            labels[-1] = 0
            phi = torch.cat((prompt.xs[0, b].T, labels[None]))
            answers.append((v @ phi @ phi.T @ w @ prompt.xs[0, b, -1])[types[b] - 1])
        answers = torch.stack(answers)
        np.testing.assert_allclose(f, answers.detach(), atol=1e-12)
        np.testing.assert_allclose(full_model.outputs(data, own_v, own_w), f, atol=1e-12)
        np.testing.assert_allclose(own_v, v.detach(), atol=1e-12)
        np.testing.assert_allclose(own_w, w.detach(), atol=1e-12)
        loss = 0.5 * (torch.tensor(weights) * (answers - prompt.ys[0, :, -1]) ** 2).sum()
        by_v, by_w = torch.autograd.grad(loss, (v, w))
        masks = (torch.as_tensor(mask, dtype=torch.float64) for mask in trained)
        v, w = ((u - 0.1 * mask * slope).detach().requires_grad_()
                for u, slope, mask in zip((v, w), (by_v, by_w), masks))
    assert np.abs(f - 0).max() > 1e-3


def test_without_noise_the_simulation_is_the_recursion():
    """And the prompts have the weights of their tasks, each at least twice."""
    run = fig06_approximately_sparse.ApproximatelySparse(10, tasks=6, noise=0.0, steps=60, shown=5)
    measured = run.measure()
    np.testing.assert_allclose(measured["test"], measured["sparse"], rtol=1e-10)
    np.testing.assert_allclose(measured["training"], measured["sparse"], rtol=1e-10)
    for data, least in zip(run.data(), (2, 4)):
        counts = np.bincount(data.rows)
        assert counts.min() >= least
        np.testing.assert_allclose(np.bincount(data.rows, data.weights), run.shares)


def test_training_and_test_prompts_differ():
    first, second = fig06_approximately_sparse.ApproximatelySparse(10, tasks=3).data()
    assert not np.isin(first.contexts[:, 0, 0], second.contexts[:, 0, 0]).any()


STRENGTH, VARIANCE = 0.7, 0.3


def all_prompts(tasks: int, psi: int, s: int) -> full_model.Data:
    """Every sign, and Gauss-Hermite nodes for every number of the noise.

    Four nodes are exact for polynomials up to the seventh degree; the loss is of the sixth.
    """
    nodes, shares = np.polynomial.hermite_e.hermegauss(4)
    shares = shares / shares.sum()
    noise = np.array(list(product(nodes, repeat=tasks * (psi + 1)))).reshape(-1, psi + 1, tasks)
    weights = np.prod(list(product(shares, repeat=tasks * (psi + 1))), axis=1)
    xs = np.sqrt(VARIANCE) * noise + np.eye(tasks)[s]
    signs = np.array(list(product((1, -1), repeat=psi + 1)))[:, None, :, None]
    xs = (signs * xs).reshape(-1, psi + 1, tasks)
    ys = np.repeat(STRENGTH * signs[:, 0, :, 0], len(noise), axis=0)
    phi = np.concatenate((xs, ys[..., None] * (np.arange(psi + 1) < psi)[:, None]), axis=-1)
    count = len(signs)
    return full_model.Data(phi.swapaxes(1, 2) @ phi, xs[:, -1], np.full(len(xs), s), ys[:, -1],
                           np.tile(weights, count) / count)


@pytest.mark.parametrize("tasks, psi", [(1, 1), (1, 4), (2, 1), (2, 2), (3, 1)])
def test_the_expected_loss_is_the_mean_over_all_prompts(tasks, psi):
    random = np.random.default_rng(tasks + 10 * psi)
    v, w = (random.standard_normal(shape) for shape in ((tasks, tasks + 1), (tasks + 1, tasks)))
    losses = noisy_features.expected_losses(torch.from_numpy(v), torch.from_numpy(w), psi, STRENGTH, VARIANCE)
    for s, loss in enumerate(losses.tolist()):
        data = all_prompts(tasks, psi, s)
        brute = data.weights @ (full_model.outputs(data, v, w) - data.targets) ** 2 / 2
        assert loss == pytest.approx(brute, rel=1e-10)


def test_without_noise_the_descent_is_that_of_sparse_features():
    size = dict(tasks=6, noise=0.0, steps=60, shown=5)
    expected = fig06_approximately_sparse.ApproximatelySparseLimit(10, **size).measure()["expected"]
    np.testing.assert_allclose(expected, fig06_approximately_sparse.ApproximatelySparse(10, **size).measure()["sparse"],
                               rtol=1e-10)
