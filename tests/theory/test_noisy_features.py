"""The expected loss on noisy features against the model on every prompt there is."""

from itertools import product

import numpy as np
import pytest
import torch

from icllib.theory import full_model, noisy_features
from papers.solvable_attention import fig06_approximately_sparse

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
