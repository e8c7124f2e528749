"""Linear self-attention as gradient descent, and where its layers lead.

"CausalLM is not optimal for in-context learning" (Ding et al., 2024), Sections 2.3 to 4, and
Appendices C and D; the equation numbers are that paper's. Inputs xs are (..., n, d) and labels
ys (..., n). by_position: the variant of Appendix D, which divides the step at position j by j
instead of n.
"""

import torch
from torch import Tensor

from claimbook.records.checks import boolean, finite, fits, integer, numbers
from claimbook.records.errors import InputError
from icllib.checks import prompt_shapes, vector


def _check_step(step_size, shape) -> None:
    """Raises InputError unless step_size is a finite number, or a tensor of finite numbers that
    broadcasts to this shape."""
    if isinstance(step_size, Tensor):
        fits(shape, step_size=step_size)
    else:
        finite(step_size=step_size)


def linear_self_attention(xs: Tensor, ys: Tensor, mask: Tensor, step_size: float, layers: int,
                          pairs: int, start: Tensor | None = None) -> Tensor:
    """Outputs delta of every layer under the construction of Eq. 5 (Eqs. 1, 2).

    xs (..., tokens, d) and ys (..., tokens) hold the labeled pairs, then the queries with y = 0;
    mask (tokens, tokens) says who attends to whom, and with what weight if it is not boolean;
    P = (step_size / pairs) I; start (d,): w0 in the value matrix of every layer, 0 by default.
    Returns (layers + 1, ..., tokens): the last coordinate of each token.
    """
    prompt_shapes(xs, ys)
    _check_step(step_size, xs.shape)
    integer(0, layers=layers)
    integer(pairs=pairs)
    d, tokens = xs.shape[-1], xs.shape[-2]
    vector(d, start=start)
    if not isinstance(mask, Tensor) or mask.is_complex() or mask.shape != (tokens, tokens):
        raise InputError(f"mask: expected a tensor {(tokens, tokens)}, got {mask!r:.200}")
    key_query = torch.zeros(d + 1, d + 1, dtype=xs.dtype)
    key_query[:d, :d] = torch.eye(d)
    value = torch.zeros(d + 1, d + 1, dtype=xs.dtype)
    value[d, d] = -1
    if start is not None:
        value[d, :d] = start
    z = torch.cat((xs, ys[..., None]), dim=-1)
    outputs = [z[..., d]]
    for _ in range(layers):
        scores = (z @ key_query) @ (z @ key_query).transpose(-1, -2)
        z = z + step_size / pairs * (scores * mask) @ (z @ value.T)
        outputs.append(z[..., d])
    return torch.stack(outputs)


def gradient_descent(xs: Tensor, ys: Tensor, step_size: float, steps: int,
                     start: Tensor | None = None) -> Tensor:
    """Weights of gradient descent on the mean squared error (Eq. 3): (steps + 1, ..., d).

    start (d,): w0, 0 by default.
    """
    prompt_shapes(xs, ys)
    _check_step(step_size, xs[..., 0, :].shape)
    integer(0, steps=steps)
    vector(xs.shape[-1], start=start)
    n = ys.shape[-1]
    weights = [torch.zeros_like(xs[..., 0, :]) + (0 if start is None else start)]
    for _ in range(steps):
        residuals = ys - torch.einsum("...nd,...d->...n", xs, weights[-1])
        gradient = torch.einsum("...n,...nd->...d", residuals, xs)
        weights.append(weights[-1] + step_size / n * gradient)
    return torch.stack(weights)


def causal_gradient_descent(xs: Tensor, ys: Tensor, step_size: float, steps: int,
                            by_position: bool = False) -> Tensor:
    """Weights w_j of each position j, which sees the pairs i <= j (Eq. 10).

    Returns (steps + 1, ..., n, d).
    """
    prompt_shapes(xs, ys)
    _check_step(step_size, xs.shape)
    integer(0, steps=steps)
    boolean(by_position=by_position)
    n = positions(xs)[:, None] if by_position else ys.shape[-1]
    weights = [torch.zeros_like(xs)]
    for _ in range(steps):
        residuals = ys - (weights[-1] * xs).sum(-1)
        seen = torch.cumsum(residuals[..., None] * xs, dim=-2)
        weights.append(weights[-1] + step_size / n * seen)
    return torch.stack(weights)


def least_squares(xs: Tensor, ys: Tensor) -> Tensor:
    """The minimum-norm solution of y X^T = w X X^T (Proposition 3): (..., d)."""
    prompt_shapes(xs, ys)
    return (torch.linalg.pinv(xs) @ ys[..., None])[..., 0]


def positions(xs: Tensor) -> Tensor:
    """1 ... n in the type of xs: (n,)."""
    prompt_shapes(xs)
    return torch.arange(1, xs.shape[-2] + 1, dtype=xs.dtype)


def triangular_matrix(xs: Tensor, by_position: bool = False) -> Tensor:
    """T of Proposition 4: T_ij = x_i . x_j for i <= j, else 0: (..., n, n).

    by_position: S of Proposition 7, which is T with column j divided by j.
    """
    prompt_shapes(xs)
    boolean(by_position=by_position)
    matrix = (xs @ xs.transpose(-1, -2)).triu()
    return matrix / positions(xs) if by_position else matrix


def causal_coefficients(xs: Tensor, ys: Tensor, by_position: bool = False) -> Tensor:
    """a* with y = a* T (Proposition 4) or y = a* S (Proposition 7): (..., n)."""
    prompt_shapes(xs, ys)
    matrix = triangular_matrix(xs, by_position)
    return torch.linalg.solve_triangular(matrix, ys[..., None, :], upper=True, left=False)[..., 0, :]


def causal_stationary_weights(xs: Tensor, ys: Tensor, by_position: bool = False) -> Tensor:
    """w_j*, the sum of a_i* x_i over i <= j, by position divided by j: (..., n, d)."""
    weights = torch.cumsum(causal_coefficients(xs, ys, by_position)[..., None] * xs, dim=-2)
    return weights / positions(xs)[:, None] if by_position else weights


def online_gradient_descent(xs: Tensor, ys: Tensor, start: Tensor | None = None,
                            by_position: bool = False) -> Tensor:
    """Weights after each pair with step 1 / (x . x) (Eq. 11), one pass of Kaczmarz's method.

    start (..., d): 0 by default. by_position: pair j + 1 first shrinks the weights by
    j / (j + 1) (Proposition 8). Returns (n + 1, ..., d), the start included.
    """
    prompt_shapes(xs, ys)
    boolean(by_position=by_position)
    vector(xs.shape[-1], start=start)
    weights = [torch.zeros_like(xs[..., 0, :]) + (0 if start is None else start)]
    for i in range(ys.shape[-1]):
        x = xs[..., i, :]
        kept = i / (i + 1) * weights[-1] if by_position else weights[-1]
        error = ys[..., i] - (kept * x).sum(-1)
        weights.append(kept + (error / x.square().sum(-1))[..., None] * x)
    return torch.stack(weights)


def largest_prefix_step(xs: Tensor) -> Tensor:
    """2n / lambda_max(X X^T): at smaller step sizes Eq. 3 converges, at larger ones not: (...)."""
    prompt_shapes(xs)
    return 2 * xs.shape[-2] / torch.linalg.eigvalsh(xs.mT @ xs)[..., -1]


def largest_causal_step(xs: Tensor) -> Tensor:
    """2n / max_i (x_i . x_i), the same bound for Eq. 10, as T has these eigenvalues: (...)."""
    prompt_shapes(xs)
    return 2 * xs.shape[-2] / xs.square().sum(-1).amax(-1)


def expected_kaczmarz_error(dimension: int, pairs: Tensor) -> Tensor:
    """Expected query error of one Kaczmarz pass: (d/3) (1 - 1/d)^n for x ~ U(-1, 1)^d.

    Holds without label noise for w ~ N(0, I): each step removes the part of w - w_j along x, of
    relative size 1/d because the law of its direction treats all coordinates alike.
    """
    integer(dimension=dimension)
    numbers(pairs=pairs)
    return dimension / 3 * (1 - 1 / dimension) ** pairs
