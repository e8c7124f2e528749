"""Attention weights, as the models compute them: scores z (..., k) are converted to double precision.

n and b are numbers or broadcast against z; n = None means softmax, whose scores are z itself.
"""

import torch

from icllib import attention


def transform(z, n, b):
    """The exponents of the softmax: s(z), or z itself for n = None."""
    z = torch.as_tensor(z, dtype=torch.float64)
    if n is None:
        return z
    return attention.signed_log(z, *(torch.as_tensor(x, dtype=torch.float64) for x in (n, b)))


def value_and_slope(z, n, b):
    """f(z) = exp(s(z)), and f'(z) / f(z) = s'(z) by automatic differentiation, as arrays."""
    z = torch.tensor(z, dtype=torch.float64, requires_grad=True)
    s = transform(z, n, b)
    slope, = torch.autograd.grad(s.sum(), z)
    return s.detach().exp().numpy(), slope.numpy()
