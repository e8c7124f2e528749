"""Kernel smoothers written out, and where 1 / |x - x'|^d leaves the numbers."""

import math

import numpy as np
import pytest
import torch

from icllib.baselines import ExponentialSmoother, HilbertEstimate
from icllib.baselines.kernels import CHUNK


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
