# %% [markdown]
# # Figure 6: the closed form where features are only nearly sparse
#
# **The question:** the closed form of [Theorem 3.1](thm31_closed_form.ipynb) is for
# features that are exactly zero off one coordinate. Does it still follow the loss if they
# have noise?
#
# **In short:** the paper says that it does if the context is long. At context length 100 it
# follows within 8%, on average, up to $t \approx 0.4$. Then the noise sets a floor, and the
# loss ends a quarter above the closed form. The distance is 0.102 decades, mean over ten
# draws, just at our tolerance of 0.1, so that the claim is *open*. It depends on the size
# of the training set, which the paper does not give. Everything is at full size, in 22
# minutes of one core.
#
# The noisy features are $\tilde\phi(s, x) = \phi(s, x) + \zeta$ with
# $\zeta \sim \mathcal N(0, \epsilon^2 I)$ and $\epsilon = 1/\psi$ (Eq. 116), where $\psi$
# is the context length {cite:p}`lyu2025solvable`. With noise the tasks do disturb each
# other. So the simulation trains all of $V$ and $W$ (10,100 numbers each) by
# {term}`gradient descent` on $f = [V \Phi \Phi^\top W \hat\phi]_s$, from the start of Eq.
# 106 in all entries. The closed form knows nothing of the noise.
#
# In our training set a task has about its share of 900 prompts, but at least 6, and weights
# give each task its share $P(s)$ of the loss. So few prompts can be learned by heart, noise
# included. The claim is therefore decided by the loss on fresh prompts, which is the test
# loss of Eq. 15; the training loss is shown beside it.

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import icllib
from icllib.papers import solvable_attention as sheet

page = icllib.Page("solvable_attention/fig06_approximately_sparse")
records = icllib.records(sheet.fig06_approximately_sparse, profile, page=page.name)
icllib.settings_table(sheet.ApproximatelySparse(100), assumed=(
    "tasks", "alpha", "strength", "trained", "tested", "shown", "seed"))

# %% [markdown]
# ## Figure
#
# Bands are 95% intervals over ten draws of signs and noise.

# %% tags=["figure"] mystnb={"image": {"alt": "Loss against time on logarithmic axes for context lengths 10 and 100. At 100 the simulated losses on fresh and on training prompts stay near the closed form and end somewhat above it; at 10 the loss on fresh prompts stays far above it throughout."}, "figure": {"caption": "Loss during training against time, on logarithmic axes, if features carry noise, for context lengths of 10 and 100: simulated on fresh and on training prompts, without noise, and by the closed form, which ignores the noise. At length 100 the simulations follow the closed form until the noise sets a floor; at 10 the loss on fresh prompts does not."}}
import matplotlib.pyplot as plt
from icllib.plotting import (BLACK, BLUE, GREEN, ORANGE, draw, legend_below, series,
                             with_interval)

shown = icllib.shown_profile(records)
names = {"closed_form": ("closed form", BLACK, "-"),
         "test": ("simulation, fresh prompts", ORANGE, "--"),
         "training": ("simulation, training prompts", BLUE, "--"),
         "sparse": ("simulation, no noise", GREEN, ":")}
lengths = sorted({r.run["context_length"] for r in records})
by_prompts = {}
for r in records:
    by_prompts.setdefault((r.run["context_length"], r.run["trained"][0]), []).append(r)
by_length = {psi: by_prompts[max(key for key in by_prompts if key[0] == psi)]
             for psi in lengths}  # with the most training prompts
table = page.save_figure(*(
    series(f"psi={psi}", name, some[0]["time"][1:],
           [r[name][1:] for r in (some if name[0] == "t" else some[:1])], shown)
    for psi, some in by_length.items() for name in names))
figure, panels = plt.subplots(1, 2, figsize=(9, 3.8))
panels[0].set(ylabel="loss")
for axes, psi in zip(panels, lengths):
    for name, (label, color, style) in names.items():
        draw(axes, table, f"psi={psi}", name, label=label, color=color, ls=style,
             lw=2)
    axes.set(xscale="log", yscale="log", xlabel="t = learning rate × steps",
             title=rf"$\psi$ = {psi}")
legend = legend_below(panels[0], 4)

# %% [markdown]
# ## Numbers
#
# The losses at the end, mean over the draws, and the closed form's largest distance to each
# curve over the 5,000 steps, in decades: the smallest and the largest of the draws. What is
# left without noise comes from the finite context and, for gradient descent, from the first
# steps ([Figure 2](fig02_loss_curves.ipynb)).

# %% tags=["numbers"]
import numpy as np
import pandas as pd

pd.DataFrame({f"psi = {psi}": {label: f"{np.mean([r[name][-1] for r in some]):.2g}"
                               for name, (label, _, _) in names.items()}
              for psi, some in by_length.items()}).rename_axis("loss at t = 5")

# %% tags=["numbers"]
gaps = {"fresh prompts": "test_gap", "training prompts": "training_gap",
        "no noise": "sparse_gap", "no noise, gradient flow": "flow_gap"}
pd.DataFrame({f"psi = {psi}": {
    label: " to ".join(f"{end([r[gap] for r in some]):.3f}" for end in (min, max))
    for label, gap in gaps.items()}
    for psi, some in by_length.items()}).rename_axis("largest |log10 ratio|")

# %% [markdown]
# The same, with 95% intervals:

# %% tags=["numbers"]
pd.DataFrame({(f"psi = {psi}", f"{prompts:,} prompts"): {
    label: with_interval([r[gap] for r in some], 3)
    for label, gap in list(gaps.items())[:2]} | {"draws": len(some)}
    for (psi, prompts), some in by_prompts.items()}).T

# %% [markdown]
# ## The paper's numbers beside ours
#
# The control is $\psi = 10$, where the noise is as large as the feature.

# %%
page.decide("solvable_attention.13",
            {"psi = 100": [r["test_gap"] for r in by_length[100]]}, shown,
            control={"psi = 100": [r["test_gap"] for r in by_length[10]]})
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - *Where the gap is.* On fresh prompts the distance lies on either side of 0.1 decades,
#   draw by draw; on training prompts it stays below in every draw. The bound is our choice; the
#   paper's "highly exact" names none.
# - *The size of the training set is our choice as well, and decides.* With 300
#   prompts, at least 2 of a task, the same ten draws gave 0.113 to 0.144 on fresh prompts,
#   and the claim *failed*. Part of that gap was overfitting, which the closed form is not
#   about, so the prompts were tripled. The bound and the number of draws stayed.
# - *Earlier designs.* Three draws with 300 prompts left the claim open, which is why there
#   are ten. So did a first design with 4 prompts of every task whatever its share. Prompts
#   by the tasks' shares replaced it, since most of the loss is that of the most frequent
#   tasks. The claim is marked post hoc for these changes.
# - At $\psi = 10$ noise of standard deviation 0.1 on each of 100 features is as large as
#   the feature itself, and the closed form is far below from the start. The paper shows
#   $\psi = 10$ with a visible gap too.
# - The paper does not give the number of tasks, $\alpha$ and $\Lambda$ for this figure
#   either. Targets stay those of the sparse features, and every feature of every prompt has
#   noise of its own.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/solvable_attention/fig06_approximately_sparse/figure.csv>`.

# %% tags=["provenance"]
print(icllib.provenance_line(records, page.name))
