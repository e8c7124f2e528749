"""Attention: who may attend to whom, and how scores become weights. One core for all papers.

A mask is one boolean matrix (T, S), True where row t attends to column s. Tokens come in this
order: first the labeled pairs, then the queries. A query sees pairs, and itself only if it is
told to; it never sees another query. So, in the papers' words, with n pairs and K queries::

    causalLM      with_queries(causal_pairs(n), [n] * K, attend_to_self=False)
    prefixLM      with_queries(full_pairs(n), [n] * K, attend_to_self=False)
    block-causal  with_queries(block_causal_pairs(n, block), [n] * K, attend_to_self=False)
    leave-one-out with_queries(other_pairs(n), [n] * K, attend_to_self=False)
    a decoder     causal_pairs(T), over T tokens of any kind
    an encoder    full_pairs(T), over T tokens of any kind

Weights are `normalize(phi(z), mask)`: scores z (M, B, H, T, S) of M models, B prompts and H
heads go through an entrywise phi, and only then does the mask apply, because what is hidden by a
large negative score need not stay hidden after phi. Hidden entries get the weight 0, exactly.
Every row of a mask must allow something; `check_rows` says so where a mask is made, on the CPU.
"""

import math

import torch
from torch import Tensor

from claimbook.records.checks import boolean, count, integer, tuple_of
from claimbook.records.errors import InputError

SMALLEST_SUM = 1e-6  # row sums are clamped to it; ASSUMED, as in Qin et al.'s public code
NEWTON_STEPS = 24  # at the most: enough for rows of hundreds of tokens, see `threshold`
NEWTON_ENOUGH = 1e-7  # a step that a sum of weights, 1, cannot tell from none in float32

MOST_PAIRS = 2**16  # of a mask, which then takes 4 GiB

# ---- masks ----------------------------------------------------------------------------------


def causal_pairs(pairs: int) -> Tensor:
    """Pair j attends to pairs i <= j (causalLM, Ding et al. Eq. 2): (pairs, pairs)."""
    return full_pairs(pairs).tril()


def full_pairs(pairs: int) -> Tensor:
    """Every pair attends to every pair (prefixLM, Ding et al. Section 2.1): (pairs, pairs)."""
    integer(0, MOST_PAIRS, pairs=pairs)
    return torch.ones(pairs, pairs, dtype=torch.bool)


def block_causal_pairs(pairs: int, block: int) -> Tensor:
    """A pair attends to its own block and to all earlier ones (Ding et al., full version).

    Blocks of one pair make it causal, one block makes it full: (pairs, pairs). Raises InputError
    for a block of no pairs.
    """
    integer(0, MOST_PAIRS, pairs=pairs)
    integer(block=block)
    blocks = torch.arange(pairs) // min(block, MOST_PAIRS)
    return blocks[:, None] >= blocks


def other_pairs(pairs: int) -> Tensor:
    """Every pair attends to every other one, and to itself only if it is alone (leave-one-out, Fang et
    al., 2025): (pairs, pairs)."""
    return full_pairs(pairs) if pairs == 1 else ~torch.eye(len(full_pairs(pairs)), dtype=torch.bool)


def with_queries(pairs_mask: Tensor, lengths, attend_to_self: bool) -> Tensor:
    """Append queries to a mask of pairs: query k attends to the first lengths[k] pairs.

    pairs_mask: (pairs, pairs); lengths: K integers in [0, pairs].
    Returns (pairs + K, pairs + K). Raises InputError where a length exceeds the pairs.
    """
    _check_mask("pairs_mask", pairs_mask)
    lengths = tuple_of(count, "lengths", lengths, 0)
    boolean(attend_to_self=attend_to_self)
    pairs, queries = len(pairs_mask), len(lengths)
    if pairs_mask.shape != (pairs, pairs):
        raise InputError(f"pairs_mask: expected ({pairs}, {pairs}), got {tuple(pairs_mask.shape)}")
    if any(not 0 <= length <= pairs for length in lengths):
        raise InputError(f"lengths: expected 0 to {pairs} pairs, got {list(lengths)}")
    mask = torch.zeros(pairs + queries, pairs + queries, dtype=torch.bool)
    mask[:pairs, :pairs] = pairs_mask
    mask[pairs:, :pairs] = torch.arange(pairs) < torch.tensor(lengths)[:, None]
    if attend_to_self:
        mask[pairs:, pairs:] = torch.eye(queries, dtype=torch.bool)
    return mask


def _check_mask(name: str, mask) -> None:
    """Raises InputError if it is not a boolean matrix."""
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool or mask.dim() != 2:
        raise InputError(f"{name}: expected a boolean matrix, got {mask!r:.200}")


def check_rows(mask: Tensor) -> Tensor:
    """A mask as it is; raises InputError where one of its rows attends to nothing."""
    _check_mask("mask", mask)
    empty = (~mask.any(-1)).nonzero().flatten().tolist()
    if empty:
        raise InputError(f"mask: expected at least one column in every row, got none in {empty}")
    return mask


# ---- scores ---------------------------------------------------------------------------------


def scores(q: Tensor, k: Tensor) -> Tensor:
    """z = q . k / sqrt(d): (M, B, H, T, d), (M, B, H, S, d) -> (M, B, H, T, S)."""
    return q @ k.mT / math.sqrt(q.shape[-1])


class SignedLog(torch.autograd.Function):
    """s(z) = sgn(z) n log(1 + b abs(z)), whose slope at 0 is n b where autograd's would be 0."""

    @staticmethod
    def forward(ctx, z, n, b):
        # Not copysign_: compiled, torch 2.11 loses the gradient of a result changed in place.
        s = (b * z.abs()).log1p_().mul_(n).copysign(z)
        ctx.save_for_backward(z, n, b, s)
        return s

    @staticmethod
    def backward(ctx, grad):
        z, n, b, s = ctx.saved_tensors
        grad_z = grad * (n * b) / (b * z.abs()).add_(1)
        grad_n = summed_to(grad * s, n.shape) / n
        grad_b = summed_to(grad_z * z, b.shape) / b
        return grad_z, grad_n, grad_b


def summed_to(values: Tensor, shape) -> Tensor:
    """Sums of values that broadcast against this shape, in it.

    First along rows: compiled, that is part of the softmax's own sums along them.
    """
    if shape[-1:] == (1,):
        values = values.sum(-1, keepdim=True)
    return values.sum_to_size(shape)


def signed_log(z: Tensor, n: Tensor, b: Tensor) -> Tensor:
    """The transform whose softmax is scaled signed averaging (its paper, Section 7).

    exp(s(z)) = (1 + b abs(z))^(sgn(z) n). n >= 1 and b > 0 broadcast against z.
    """
    return SignedLog.apply(z, n, b)


# ---- normalizers: scores and mask to weights ------------------------------------------------


def softmax(z: Tensor, mask: Tensor) -> Tensor:
    """exp(z) over its row sum."""
    return z.masked_fill(~mask, -math.inf).softmax(-1)


def unnormalized(z: Tensor, mask: Tensor) -> Tensor:
    """The visible scores themselves (linear attention)."""
    return z.masked_fill(~mask, 0)


def by_absolute_sum(z: Tensor, mask: Tensor) -> Tensor:
    """z over the sum of absolute values in its row: row-wise l1 normalization.

    For non-negative scores these are weights that sum to 1. A row of zeros keeps weights 0.
    """
    visible = unnormalized(z, mask)
    return visible / visible.abs().sum(-1, keepdim=True).clamp(min=SMALLEST_SUM)


def self_adjusting(z: Tensor, mask: Tensor, normalized: bool) -> Tensor:
    """g softmax(z) with g = z, or with z moved into [0, 1] (Zheng et al., 2025).

    normalized: g = (z - min(z_min, 0)) / (max(0, z_max) - min(z_min, 0)), extremes over the
    visible tokens of a row. A row of zeros keeps weights 0.
    """
    gate = visible = unnormalized(z, mask)  # zeros where hidden change neither extreme
    if normalized:
        low, high = visible.amin(-1, keepdim=True), visible.amax(-1, keepdim=True)
        low, high = low.clamp(max=0), high.clamp(min=0)
        gate = (visible - low) / (high - low).clamp(min=SMALLEST_SUM)
    return gate * softmax(z, mask)


# ---- projections onto the simplex -----------------------------------------------------------


class Projection(torch.autograd.Function):
    """Weights ((alpha - 1) z - tau)_+^(1 / (alpha - 1)), tau such that a row sums to 1.

    Peters et al. (2019), Section 3, the Jacobian included.
    """

    @staticmethod
    def forward(ctx, z, mask, alpha):
        top = z.masked_fill(~mask, -math.inf).amax(-1, keepdim=True)
        # tau >= -1 once the top is at 0, so that an entry at -2 has no weight.
        x = ((alpha - 1) * (z - top)).masked_fill(~mask, -2)
        weights = (x - threshold(x, alpha)).clamp(min=0) ** (1 / (alpha - 1))
        ctx.save_for_backward(weights)
        ctx.alpha = alpha
        return weights

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        weights, = ctx.saved_tensors
        slopes = torch.where(weights > 0, weights ** (2 - ctx.alpha), 0)
        mean = (grad * slopes).sum(-1, keepdim=True) / slopes.sum(-1, keepdim=True)
        return slopes * (grad - mean), None, None


def threshold(x: Tensor, alpha: float) -> Tensor:
    """tau of rows with their largest entry at 0, by Newton's method from -1, where weights sum to
    1 at least: several times as fast on a CPU as the algorithms that sort.

    The sum of weights is convex in tau, so that tau only rises, and what the sum has above 1,
    times its slope, falls to a quarter or less in each step.
    """
    tau = torch.full_like(x[..., :1], -1)
    for _ in range(NEWTON_STEPS):
        above = (x - tau).clamp_(min=0)
        if alpha == 2:
            total, slope = above.sum(-1, keepdim=True), above.sign_().sum(-1, keepdim=True)
        else:
            slope, total = 2 * above.sum(-1, keepdim=True), above.square_().sum(-1, keepdim=True)
        step = ((total - 1) / slope).clamp_(min=0)  # of rounding, or of a row without any weight
        tau += step
        if x.device.type == "cpu" and not (step > NEWTON_ENOUGH).any():  # no host reads on a GPU
            break
    return tau


def check_alpha(alpha: float) -> None:
    """Raises InputError for an alpha-entmax without an exact algorithm."""
    if not isinstance(alpha, float | int) or alpha not in (1.5, 2):
        raise InputError(f"alpha: expected 1.5 or 2, got {alpha}")


def entmax(z: Tensor, mask: Tensor, alpha: float) -> Tensor:
    """alpha-entmax: at 2 sparsemax, the point of the simplex nearest to z; towards 1 softmax."""
    check_alpha(alpha)
    return Projection.apply(z, mask, alpha)
