# %% [markdown]
# # 2. Probe a network
#
# What does each layer of a trained network know? Take the states of a query after each layer of GPT-2 on
# linear functions, and fit a linear map from them to the right answer on one half of the prompts. Its error
# on the other half says how much the layer knows. After which layer is most of the answer there?

# %%
import numpy as np
import torch

import claimbook
import icllib
from papers.context_scaling.scaling import trained_on_five

run = trained_on_five("cpu")[0]
network = icllib.load(claimbook.find_record(run, "context_scaling"))
prompt = run.task.sample(icllib.Stream.of([5], "probe"), torch.arange(2000)[None], 41)
with torch.no_grad():
    states = [layer[0, :, -1] for layer in network.module.states(prompt.xs, prompt.ys, (40,))]  # (2000, width)
truth = prompt.means[0, :, 40]

# %% tags=["answer"]
def probe_error(known, answers, new, right):
    """Fit a linear map with a constant from `known` (n, width) to `answers` (n), and return its mean squared
    error on `new` and `right`."""
    raise NotImplementedError("write this")

# %%
errors = [probe_error(layer[:1000], truth[:1000], layer[1000:], truth[1000:]) for layer in states]
print("share that is unknown after each layer:", (np.array(errors) / truth.var().item()).round(3))

# %%
assert errors[-1] < 0.05 * truth.var().item() < errors[0], "the last layer knows the answer, the first does not"
