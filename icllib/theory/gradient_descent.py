"""Linear self-attention as gradient descent, and where its layers lead.

"CausalLM is not optimal for in-context learning" (Ding et al., 2024), Sections 2.3 to 4; the
equation numbers are that paper's. Inputs xs are (..., n, d) and labels ys (..., n).
"""

import torch
from torch import Tensor


def linear_self_attention(xs: Tensor, ys: Tensor, mask: Tensor, step_size: float, layers: int,
                          pairs: int) -> Tensor:
    """Outputs delta of every layer under the construction of Eq. 5 with w0 = 0 (Eqs. 1, 2).

    xs (..., tokens, d) and ys (..., tokens) hold the labelled pairs, then the queries with y = 0;
    mask (tokens, tokens) says who attends to whom; P = (step_size / pairs) I.
    Returns (layers + 1, ..., tokens): the last coordinate of each token.
    """
    d = xs.shape[-1]
    key_query = torch.zeros(d + 1, d + 1, dtype=xs.dtype)
    key_query[:d, :d] = torch.eye(d)
    value = torch.zeros(d + 1, d + 1, dtype=xs.dtype)
    value[d, d] = -1
    z = torch.cat((xs, ys[..., None]), dim=-1)
    outputs = [z[..., d]]
    for _ in range(layers):
        scores = (z @ key_query) @ (z @ key_query).transpose(-1, -2)
        z = z + step_size / pairs * (scores * mask) @ (z @ value.T)
        outputs.append(z[..., d])
    return torch.stack(outputs)


def gradient_descent(xs: Tensor, ys: Tensor, step_size: float, steps: int) -> Tensor:
    """Weights of gradient descent on the mean squared error from 0 (Eq. 3): (steps + 1, ..., d)."""
    n = ys.shape[-1]
    weights = [torch.zeros_like(xs[..., 0, :])]
    for _ in range(steps):
        residuals = ys - torch.einsum("...nd,...d->...n", xs, weights[-1])
        gradient = torch.einsum("...n,...nd->...d", residuals, xs)
        weights.append(weights[-1] + step_size / n * gradient)
    return torch.stack(weights)


def causal_gradient_descent(xs: Tensor, ys: Tensor, step_size: float, steps: int) -> Tensor:
    """Weights w_j of each position j, which sees the pairs i <= j (Eq. 10).

    Returns (steps + 1, ..., n, d).
    """
    n = ys.shape[-1]
    weights = [torch.zeros_like(xs)]
    for _ in range(steps):
        residuals = ys - (weights[-1] * xs).sum(-1)
        seen = torch.cumsum(residuals[..., None] * xs, dim=-2)
        weights.append(weights[-1] + step_size / n * seen)
    return torch.stack(weights)


def least_squares(xs: Tensor, ys: Tensor) -> Tensor:
    """The minimum-norm solution of y X^T = w X X^T (Proposition 3): (..., d)."""
    return (torch.linalg.pinv(xs) @ ys[..., None])[..., 0]


def triangular_matrix(xs: Tensor) -> Tensor:
    """T of Proposition 4: T_ij = x_i . x_j for i <= j, else 0: (..., n, n)."""
    return (xs @ xs.transpose(-1, -2)).triu()


def causal_coefficients(xs: Tensor, ys: Tensor) -> Tensor:
    """a* with y = a* T, the stationary point of causal attention (Proposition 4): (..., n)."""
    matrix = triangular_matrix(xs)
    return torch.linalg.solve_triangular(matrix, ys[..., None, :], upper=True, left=False)[..., 0, :]


def online_gradient_descent(xs: Tensor, ys: Tensor) -> Tensor:
    """Weights after each pair with step 1 / (x . x) (Eq. 11), one pass of Kaczmarz's method.

    Returns (n + 1, ..., d), the zero start included.
    """
    weights = [torch.zeros_like(xs[..., 0, :])]
    for i in range(ys.shape[-1]):
        x = xs[..., i, :]
        error = ys[..., i] - (weights[-1] * x).sum(-1)
        weights.append(weights[-1] + (error / x.square().sum(-1))[..., None] * x)
    return torch.stack(weights)


def expected_kaczmarz_error(dimension: int, pairs: Tensor) -> Tensor:
    """Expected query error of one Kaczmarz pass: (d/3) (1 - 1/d)^n for x ~ U(-1, 1)^d.

    Holds without label noise for w ~ N(0, I): each step removes the part of w - w_j along x, of
    relative size 1/d because the law of its direction treats all coordinates alike.
    """
    return dimension / 3 * (1 - 1 / dimension) ** pairs
