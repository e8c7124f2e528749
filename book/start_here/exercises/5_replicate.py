# %% [markdown]
# # 5. Replicate a curve
#
# Ding et al. (2024) prove that a causal mask makes attention pass over the pairs once: the weights start at 0, and each
# pair moves them so that this pair is fitted exactly, $w \leftarrow w + (y - w^\top x)\, x / |x|^2$. How fast
# does the error fall with the number of pairs? Simulate it for $x \sim U(-1, 1)^d$ and $w \sim N(0, I)$
# without noise, and find the law that the curve follows.

# %%
import torch

from icllib.theory import gradient_descent

# %% tags=["answer"]
def one_pass(xs, ys):
    """The weights after one pass over the pairs: xs (prompts, n, d), ys (prompts, n) -> (prompts, d)."""
    raise NotImplementedError("write this")

# %%
d, numbers = 4, torch.Generator().manual_seed(0)
uniform = lambda *shape: 2 * torch.rand(shape, generator=numbers, dtype=torch.float64) - 1
for n in (4, 8, 16):
    xs, query, w = uniform(4000, n, d), uniform(4000, d), torch.randn(4000, d, generator=numbers, dtype=torch.float64)
    learned = one_pass(xs, (xs @ w[..., None])[..., 0])
    error = ((w - learned) * query).sum(dim=1).square().mean().item()
    law = gradient_descent.expected_kaczmarz_error(d, torch.tensor(n)).item()  # d / 3 (1 - 1 / d)^n
    print(f"{n:2} pairs: error {error:.4f}, the law {law:.4f}")
    assert abs(error / law - 1) < 0.2, "each pair should be fitted exactly, one after the other"
