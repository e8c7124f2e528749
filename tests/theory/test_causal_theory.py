"""Gradient descent against autograd, exact Kaczmarz errors against grids; layers: causal_lm/test_layers.py."""

import numpy as np
import pytest
import torch

from icllib.theory import gradient_descent as theory
from icllib.theory import kaczmarz


def test_gradient_descent_from_a_start_equals_autograd():
    xs, ys = torch.randn(2, 5, 3).double(), torch.randn(2, 5).double()
    start = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64)
    path = theory.gradient_descent(xs, ys, 0.4, 4, start)
    weights = start.repeat(2, 1).requires_grad_()
    for step in range(5):
        torch.testing.assert_close(path[step], weights.detach(), atol=1e-12, rtol=0)
        loss = 0.5 * ((xs @ weights[..., None])[..., 0] - ys).square().mean(-1).sum()
        (gradient,) = torch.autograd.grad(loss, weights)
        weights = (weights - 0.4 * gradient).detach().requires_grad_()


def grid(dimension, input_mean, nodes=12):
    """Points and weights of a Gauss-Legendre grid on the cube of x: (nodes^d, d), (nodes^d,)."""
    points, weights = np.polynomial.legendre.leggauss(nodes)
    points = np.stack(np.meshgrid(*[points + input_mean] * dimension), -1).reshape(-1, dimension)
    product = weights / 2
    for _ in range(dimension - 1):
        product = np.multiply.outer(product, weights / 2)
    return points, product.ravel()


@pytest.fixture(scope="module")
def whole_map():
    """The map M -> E[P M P] on all 5 x 5 matrices, E u u^T and E u u^T / |x|^2, at mu = 2."""
    xs, weights = grid(5, 2.0)
    squares = (xs * xs).sum(1)
    outer = (xs[:, :, None] * xs[:, None] / squares[:, None, None]).reshape(-1, 25)
    fourth = (outer.T * weights) @ outer  # E u_i u_j u_k u_l at [ij, kl]
    second = (weights @ outer).reshape(5, 5)
    one = np.eye(5)
    matrix = (np.kron(one, one) - np.kron(second, one) - np.kron(one, second)
              + fourth.reshape(5, 5, 5, 5).transpose(0, 2, 1, 3).reshape(25, 25))
    return matrix, second, (weights / squares @ outer).reshape(5, 5)


def test_error_rates_are_those_of_the_whole_map(whole_map):
    matrix, second, _ = whole_map
    rates = kaczmarz.error_rates(5, 2.0)
    assert rates["exact"] == pytest.approx(np.abs(np.linalg.eigvals(matrix)).max(), rel=1e-9)
    assert rates["upper bound"] == pytest.approx(1 - np.linalg.eigvalsh(second)[0], rel=1e-9)
    assert rates["lower bound"] == rates["upper bound"] ** 2 < rates["exact"] < rates["upper bound"]


def test_expected_errors_are_those_of_the_whole_map(whole_map):
    matrix, _, noise = whole_map
    query = np.eye(5) / 3 + 4 * np.ones((5, 5))
    covariance, expected = np.eye(5), []
    for _ in range(60):
        expected.append((query * covariance).sum())
        covariance = (matrix @ covariance.ravel()).reshape(5, 5) + 0.09 * noise
    assert kaczmarz.expected_errors(5, 2.0, 59, 0.3) == pytest.approx(expected, rel=1e-9)
    for _ in range(3000):
        covariance = (matrix @ covariance.ravel()).reshape(5, 5) + 0.09 * noise
    assert kaczmarz.noise_floor(5, 2.0, 0.3) == pytest.approx((query * covariance).sum(), rel=1e-9)


def test_expected_errors_by_position_are_those_of_the_whole_map(whole_map):
    """e' = P (j e + w) / (j + 1), with E e e^T and E e w^T as full matrices."""
    matrix, second, _ = whole_map
    query, one = np.eye(5) / 3 + 4 * np.ones((5, 5)), np.eye(5)
    covariance, with_w, expected = one, one, []
    for j in range(40):
        expected.append((query * covariance).sum())
        inside = (j**2 * covariance + j * (with_w + with_w.T) + one) / (j + 1) ** 2
        covariance = (matrix @ inside.ravel()).reshape(5, 5)
        with_w = (one - second) @ (j * with_w + one) / (j + 1)
    assert kaczmarz.expected_errors_by_position(5, 2.0, 39) == pytest.approx(expected, rel=1e-9)


def test_closed_forms_for_centred_inputs():
    d, n = 16, np.arange(1, 301)
    q = 1 - 1 / d
    expected = theory.expected_kaczmarz_error(d, n)
    assert kaczmarz.expected_errors(d, 0.0, 300)[1:] == pytest.approx(expected, rel=1e-10)
    expected = d * (d - 1) * ((2 * d - 1) * (1 - q**n) - 2 * n * q**n) / (3 * n**2)
    assert kaczmarz.expected_errors_by_position(d, 0.0, 300)[1:] == pytest.approx(expected, rel=1e-10)
    floor = d / 3 * 0.1**2 * kaczmarz.direction_moments(d, 0.0).inverse
    assert kaczmarz.noise_floor(d, 0.0, 0.1) == pytest.approx(floor, rel=1e-10)
    assert round(floor, 4) == 0.0106


@pytest.mark.parametrize("input_mean", [0.0, 1.0])
def test_direction_moments_by_monte_carlo(input_mean):
    """Within 4.5 standard errors of 200,000 draws, where the grid above would be too coarse."""
    xs = np.random.default_rng(1).uniform(-1, 1, (200_000, 6)) + input_mean
    squares = (xs * xs).sum(1)
    c = xs.sum(1) ** 2 / (6 * squares)
    moments = kaczmarz.direction_moments(6, input_mean)
    for ours, values in ((moments.c, c), (moments.c_squared, c * c),
                         (moments.inverse, 1 / squares), (moments.c_inverse, c / squares)):
        assert abs(ours - values.mean()) < 4.5 * values.std() / 200_000**0.5
