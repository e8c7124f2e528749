"""Scaled signed averaging without its map of scores, by PyTorch's FlexAttention.

FlexAttention takes a function of one score and a mask in blocks, and compiles both into one kernel
of attention: on a CPU by its C++ compiler and without gradients, on CUDA by Triton and with them.
A kernel is compiled for one shape, which takes seconds, so only for a shape that is met again. Where
that fails the dense path of signed_language.py computes the same, and one warning says so.
"""

import warnings
from collections import Counter
from functools import cache

import torch
from torch import Tensor
from torch.nn.attention.flex_attention import BlockMask, create_block_mask, flex_attention

SHORTEST = 512  # tokens; below, a map is small and compiling takes longer than it saves
# Late, as it takes a second to import. Not dynamic: on a CPU, torch 2.13's C++ for several shapes fails.
compiled = cache(lambda: torch.compile(flex_attention, dynamic=False, fullgraph=True))
met = Counter()  # how often each shape of a mask was asked for
failed = set()  # kinds of device on which the kernel could not be made


def signed_score(n: Tensor, b: Tensor):
    """The score function s(z) = sgn(z) n log(1 + b abs(z)) of heads with n and b, (H,) each. Its slope at 0
    is n b, as that of icllib.attention.signed_log: `where` has a slope there, `abs` has none."""
    def score(z, batch, head, query, key):
        sign = torch.where(z >= 0, 1.0, -1.0)
        return sign * n[head] * torch.log1p(b[head] * torch.where(z >= 0, z, -z))

    return score


def in_blocks(mask: Tensor) -> BlockMask | Tensor:
    """A boolean mask (B, 1, T, S) in the kernel's blocks, or as it was where no kernel is used.
    The mask itself stays at hand as `.dense`."""
    queries, keys = mask.shape[-2:]
    if queries != keys or queries < SHORTEST or not has_kernel(mask.device.type):
        return mask
    met[mask.device.type, mask.shape] += 1
    if met[mask.device.type, mask.shape] == 1:
        return mask

    def seen(batch, head, query, key):
        return mask[batch, 0, query, key]

    blocks = create_block_mask(seen, len(mask), None, queries, keys, device=mask.device)
    blocks.dense = mask
    return blocks


def has_kernel(device: str) -> bool:
    """Whether this kind of device has a kernel for what is asked now."""
    if device in failed or torch.compiler.is_compiling():
        return False
    return device == "cuda" or device == "cpu" and not torch.is_grad_enabled()


def mixed_values(q: Tensor, k: Tensor, v: Tensor, blocks: BlockMask, scale: float,
                 n: Tensor, b: Tensor) -> Tensor | None:
    """Values mixed by softmax of s(scale q . k), (B, H, T, d); None where no kernel can be made.
    q, k, v: (B, H, T, d) of one type that is no double precision; n, b: (H,)."""
    alike = q.dtype == k.dtype == v.dtype != torch.float64
    if not alike or not has_kernel(q.device.type):
        return None
    try:
        return compiled()(q, k, v, score_mod=signed_score(n, b), block_mask=blocks, scale=scale)
    except torch.OutOfMemoryError:
        raise
    except Exception as problem:  # whatever a compiler may lack, too many shapes included
        failed.add(q.device.type)
        reason = " ".join(str(problem).split("\n")[:2])  # who says it, then what
        warnings.warn("scaled signed averaging computes whole maps of scores, for want of a kernel "
                      f"on {q.device.type}: {reason}", stacklevel=2)
        return None
