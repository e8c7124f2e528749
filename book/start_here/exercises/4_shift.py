# %% [markdown]
# # 4. Shift the data
#
# Models of this book answer at most a number B, whatever the line. What does this cost on steeper lines? Draw lines
# $y = a x + c$ with $a, c \sim N(0, \sigma)$ and $x \sim N(0, 1)$, and compute the mean of $\max(|y| - B, 0)^2$:
# no model with this bound errs less. Compare it with the errors of a kept softmax model. What share of them is
# the cap alone, and what is left for attention to explain?

# %%
import claimbook
import numpy as np
from papers.signed_averaging import affine, answer_sizes

# %% tags=["answer"]
def floor(bound, sigma, draws=400_000):
    """The mean of max(|y| - bound, 0)^2 on lines of this sigma, by drawing them."""
    raise NotImplementedError("write this")

# %%
record = claimbook.find_record(answer_sizes.kept("cpu")[0], "signed_averaging")
for sigma, error in zip(affine.SIGMAS, record["error"]):
    print(f"sigma {sigma:2}: error {error:9.4f}, of which the cap costs {floor(record['bound'], sigma):7.3f}")

# %%
for sigma in (3, 5, 10):
    expected = answer_sizes.floor(record["bound"], sigma)  # by an integral
    assert abs(floor(record["bound"], sigma) / expected - 1) < 0.1, f"sigma = {sigma}: expected {expected:.3g}"
