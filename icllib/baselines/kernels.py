"""Kernel smoothers: averages of the labels, weighted by the similarity of x_i to the query.

Context-scaling paper, Eqs. 4 and 12. Weights are computed from their logarithms, so that nothing
overflows however near or far a point is.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from icllib.baselines.prefixes import ByLength

CHUNK = 1024  # pairs whose inputs are in float64 at one time


@dataclass(frozen=True)
class ExponentialSmoother(ByLength):
    """The kernel smoother with K(x, x') = exp(x . x'), which is softmax attention.

    Context-scaling paper, Section 5.1, which prints exp(-z . z), a constant; softmax attention
    needs exp(z . z'). ASSUMED: no scale, as printed; Eq. 3 has 1 / sqrt(d + 1).
    """

    def _estimate(self, xs, ys, query):
        scores = [(part.double() @ query[..., None].double())[..., 0] for part in xs.split(CHUNK, dim=-2)]
        return smooth(torch.cat(scores, dim=-1), ys)


@dataclass(frozen=True)
class HilbertEstimate(ByLength):
    """The kernel smoother with ``K(x, x') = 1 / |x - x'|^d``, which has nothing to tune.

    Context-scaling paper, Eq. 5; consistent where inputs have a density and labels are bounded (Devroye et
    al., 1998). Where the query equals some of the inputs, the answer is the mean of their labels.
    """

    def _estimate(self, xs, ys, query):
        query = query[..., None, :].double()
        # Differences, not the expanded square, which would lose small distances to rounding.
        distances = [torch.linalg.vector_norm(part.double() - query, dim=-1)
                     for part in xs.split(CHUNK, dim=-2)]
        distances = torch.cat(distances, dim=-1)
        nearest = distances.amin(dim=-1, keepdim=True)
        # Relative to the nearest point, log weights are <= 0; at an exact hit, 0 or -inf.
        ratios = torch.where(distances == nearest, 1, nearest / distances)
        return smooth(xs.shape[-1] * ratios.log(), ys)


def smooth(log_weights: Tensor, ys: Tensor) -> Tensor:
    """The weighted mean of the labels: (..., n), (..., n) -> (...)."""
    return (torch.softmax(log_weights, dim=-1) * ys.double()).sum(dim=-1)
