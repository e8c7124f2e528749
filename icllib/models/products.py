"""Products of a fleet's stacked matrices; on AMD with AVX-512 oneDNN makes the large ones.

torch.bmm uses MKL. GFLOP/s of MKL and of oneDNN, measured on one core: 93 and 210 on an AMD
processor with AVX-512; 180 and 165 on one of Intel; on one of AMD without AVX-512, 84 and 72 for
large matrices, 59 and 27 for small ones. Torch contains oneDNN and calls it for compiled models,
but its function there has no public name: where it is absent, torch.bmm remains.
"""

import torch
from torch import Tensor

from claimbook.records.processor import processor_name

LEAST_SIDE, LEAST_WORK = 8, 2**20  # below, measured, starting oneDNN takes longer than it saves
one_dnn = getattr(torch.ops.mkldnn, "_linear_pointwise", None)  # (x, W^T, bias, ...) -> x W + bias
LEADS = (processor_name().startswith("AMD")
         and torch.backends.cpu.get_cpu_capability() == "AVX512")  # oneDNN


class OneDnnProduct(torch.autograd.Function):
    """x W + bias for each member: (M, N, in), (M, in, out), (M, 1, out) or None -> (M, N, out)."""

    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        biases = [None] * len(x) if bias is None else bias[:, 0]
        own = [one_dnn(rows, in_one_piece(columns).mT, own_bias, "none", [], "")
               for rows, columns, own_bias in zip(x, weight, biases)]
        return own[0][None] if len(own) == 1 else torch.stack(own)

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        wanted_x, wanted_weight, wanted_bias = ctx.needs_input_grad
        return (product(grad, weight.mT) if wanted_x else None,
                transposed_product(x, grad) if wanted_weight else None,
                grad.sum(1, keepdim=True) if wanted_bias else None)


def in_one_piece(matrix: Tensor) -> Tensor:
    """A matrix whose rows lie side by side, a copy if need be: else oneDNN takes a thousand times as long."""
    return matrix if matrix.mT.is_contiguous() else matrix.contiguous()


def transposed_product(x: Tensor, grad: Tensor) -> Tensor:
    """x^T grad: (M, N, in), (M, N, out) -> (M, in, out).
    oneDNN first copies the transposed matrix on the left; let that be the smaller one."""
    if x.shape[2] <= grad.shape[2]:
        return product(x.mT, grad)
    return product(grad.mT, x).mT.contiguous()


def product(x: Tensor, weight: Tensor) -> Tensor:
    """x W for each member: (M, ..., in), (M, in, out) -> (M, ..., out)."""
    rows = x.flatten(1, -2)
    own = OneDnnProduct.apply(rows, weight, None) if suits_one_dnn(rows, weight) else (
        torch.bmm(rows, weight))
    return own.unflatten(1, x.shape[1:-1])


def affine(bias: Tensor, x: Tensor, weight: Tensor) -> Tensor:
    """bias + x W for each member: (M, 1 or N, out), (M, N, in), (M, in, out) -> (M, N, out)."""
    if not suits_one_dnn(x, weight):
        return torch.baddbmm(bias, x, weight)
    if bias.shape[1] == 1:
        return OneDnnProduct.apply(x, weight, bias)
    return bias + OneDnnProduct.apply(x, weight, None)


def suits_one_dnn(x: Tensor, weight: Tensor) -> bool:
    """Whether these are large matrices of single precision on a CPU where oneDNN leads."""
    if one_dnn is None or not LEADS or x.device.type != "cpu":
        return False
    if not x.dtype == weight.dtype == torch.float32:
        return False
    sides = *x.shape[1:], weight.shape[2]
    return min(sides) >= LEAST_SIDE and sides[0] * sides[1] * sides[2] >= LEAST_WORK
