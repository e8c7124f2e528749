"""Feature maps psi of a prompt matrix A: what one attention layer without weights computes.

Context-scaling paper, Section 5 and Appendix B. A has the rows (x_i, y_i) of n pairs and, last,
the query (x_N, 0): its label must be 0, as in Eq. 1, or else it would leak into Eq. 10. Only the
last row of psi(A) is made, for every context length in one pass; its last entry is an estimate of
the query's label.
"""

import torch
from torch import Tensor
from torch.nn.functional import normalize, pad

from claimbook.records.errors import InputError
from icllib.streams import constant

FEATURES = ("linear", "l1", "exponential", "hilbert")


def feature_row(features: str, xs: Tensor, ys: Tensor, lengths) -> Tensor:
    """psi(A)_{N,:} as a model reads it: (..., N, d), (..., N) -> (..., K, d + 1).

    "linear": psi_L over n. ASSUMED, since the paper names no scale: a sum over pairs grows with n,
    and its mean is what one gradient step of size 1 predicts. "l1": g(A) of Eq. 6. "exponential"
    and "hilbert": psi_K, psi_H.
    """
    if features == "linear":
        pairs = constant(tuple(lengths), xs.device)
        return linear_row(xs, ys, lengths) / pairs[:, None]
    if features == "l1":
        return linear_row(xs, ys, lengths, normalized=True)
    return kernel_row(features, xs, ys, lengths)


def linear_row(xs: Tensor, ys: Tensor, lengths, normalized: bool = False) -> Tensor:
    """psi_L(A)_{N,:} with psi_L(A) = (A A^T) A (Eq. 10): (..., K, d + 1).

    Its last entry is x_N . X^T y. normalized: phi(A A^T) A, rows divided by their l1 norm (Eq. 6).
    """
    queries, pairs, visible = split(xs, ys, lengths)
    scores = (queries @ pairs[..., :-1].mT).masked_fill(~visible, 0)  # (..., K, n)
    own = queries.square().sum(-1, keepdim=True)  # the query's row is one of A's
    weights = torch.cat((scores, own), dim=-1)
    if normalized:
        weights = normalize(weights, p=1, dim=-1)
    return weights[..., :-1] @ pairs + weights[..., -1:] * pad(queries, (0, 1))


def kernel_row(kernel: str, xs: Tensor, ys: Tensor, lengths) -> Tensor:
    """psi_K(A)_{N,:}, smoothed inputs and labels (Eq. 11): (..., K, d + 1).

    kernel: "exponential", K(z, z') = exp(z . z'), which is softmax attention (the printed
    exp(-z . z) would not depend on z'); or "hilbert", K(z, z') = |z - z'|^-d (Eq. 5). The softmax
    of log K has the rows of psi_K, zero on the diagonal, and overflows nowhere.
    """
    queries, pairs, visible = split(xs, ys, lengths)
    logs = log_kernel(kernel, queries, pairs[..., :-1])
    return logs.masked_fill(~visible, -torch.inf).softmax(-1) @ pairs


def log_kernel(kernel: str, queries: Tensor, points: Tensor) -> Tensor:
    """log K(z, z') of each query and point: (..., K, d), (..., n, d) -> (..., K, n).

    Points that coincide with the query share all of the Hilbert kernel's weight.
    """
    if kernel == "exponential":
        return queries @ points.mT
    exact = "donot_use_mm_for_euclid_dist"  # the fast way cancels where points are close
    distances = torch.cdist(queries, points, compute_mode=exact)
    smallest = torch.finfo(distances.dtype).tiny
    return -queries.shape[-1] * distances.clamp(min=smallest).log()


def split(xs: Tensor, ys: Tensor, lengths) -> tuple[Tensor, Tensor, Tensor]:
    """Queries (..., K, d), all pairs (..., n, d + 1) and which of them a query sees (K, n)."""
    if min(lengths) < 1:
        raise InputError(f"lengths: expected context lengths n >= 1, got {tuple(lengths)}")
    n, places = max(lengths), constant(tuple(lengths), xs.device)
    pairs = torch.cat((xs[..., :n, :], ys[..., :n, None]), dim=-1)
    visible = torch.arange(n, device=xs.device) < places[:, None]
    return xs.index_select(-2, places), pairs, visible
