# %% [markdown]
# # 3. Who may look at whom
#
# A mask is a table of yes and no: row i says which pairs pair i may look at. Write three of them for n pairs.
# *Causal*: itself and those before it. *Prefix*: all. *Leave one out*: all but itself. In which of them can a label
# reach the state of its own pair in one layer? In two? Why is that no fault of a mask as long as the query's
# label is hidden?

# %%
import torch

from icllib import attention

# %% tags=["answer"]
def causal(n):
    raise NotImplementedError("write this")

def prefix(n):
    raise NotImplementedError("write this")

def leave_one_out(n):
    raise NotImplementedError("write this")

# %%
print(leave_one_out(4).int())

# %%
assert torch.equal(causal(7), attention.causal_pairs(7)), "causal: expected itself and all before"
assert torch.equal(prefix(7), attention.full_pairs(7)), "prefix: expected all"
assert torch.equal(leave_one_out(7), attention.full_pairs(7) & ~torch.eye(7, dtype=torch.bool)), "all but itself"

twice = lambda mask: (mask.int() @ mask.int()) > 0  # which pairs reach which in two layers
assert not twice(leave_one_out(2)).diagonal().logical_not().any(), "its own label comes back through another pair"
