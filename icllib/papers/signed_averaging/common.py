"""What the pages on the scoring function share: scores, weights and Jacobians as the models run them.

Scores come as arrays or tensors z (..., k) and are taken in double precision. n and b are
numbers or broadcast against z; n = None stands for softmax, whose scores are z itself.
"""

import numpy as np
import torch

from icllib import attention


def transform(z, n, b):
    """What the softmax is taken of: s(z), or z itself for n = None."""
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


def weights(z, n, b) -> np.ndarray:
    """Attention weights of rows of scores in which every token is visible."""
    return visible_weights(transform(z, n, b)).numpy()


def visible_weights(s):
    """softmax of transformed scores (..., k), through the models' masked softmax."""
    return attention.softmax(s, torch.ones(s.shape[-1], dtype=torch.bool))


def jacobians(z, n, b) -> np.ndarray:
    """d alpha_i / d z_m of rows (rows, k) by automatic differentiation: (rows, k, k)."""
    z = torch.tensor(z, dtype=torch.float64, requires_grad=True)
    alpha = visible_weights(transform(z, n, b))
    grads = [torch.autograd.grad(alpha[:, i].sum(), z, retain_graph=True)[0]
             for i in range(alpha.shape[1])]
    return torch.stack(grads, dim=1).numpy()


def rest(alpha) -> np.ndarray:
    """What the largest weight of each row leaves to the others, without cancellation."""
    return np.sort(alpha)[..., :-1].sum(-1)


def extreme(bound, k: int) -> np.ndarray:
    """Rows (M, -M, ..., -M) of k scores, for bounds M (rows, 1)."""
    return np.where(np.arange(k) == 0, bound, -np.asarray(bound))
