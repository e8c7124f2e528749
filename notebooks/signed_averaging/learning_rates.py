# %% [markdown]
# # A learning rate for each scoring function
#
# **In short:** scoring functions of attention may need different learning rates, and one that is
# chosen for softmax would favor it. So each function of Table 1 is trained for 4,000 steps at three
# rates, and takes the one that ends with the lowest error in distribution, at $\sigma = 1$. Errors
# outside the training distribution play no part in the choice.
#
# {cite:t}`naim2025scaled` train all functions at $10^{-4}$, for 500,000 steps. Shorter training needs
# higher rates. The rates are tried on the model and the task of
# [Table 1](table01_scoring_functions.ipynb) at `cpu`, from a seed that no other page uses, and the
# same three for every function; the rule was fixed before the first run.

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import icllib
from icllib.papers import signed_averaging as sheet

page = icllib.Page("signed_averaging/learning_rates")
records = icllib.records(sheet.learning_rates, profile, page=page.name)
shown = icllib.shown_profile(records)
icllib.settings_of(sheet.learning_rates, shown)

# %% [markdown]
# These are the settings of SSA at the first rate.
#
# ## Figure

# %%
import numpy as np

from icllib.plotting import series

errors = icllib.stacked(records, sheet.scorings(), "error")  # (rates, sigmas)
table = page.save_figure(*(
    series(f"sigma = {sigma}", name, sheet.RATES, own[:, sigma - 1], shown)
    for name, own in errors.items() for sigma in (1, 10)))

# %% tags=["figure"] mystnb={"image": {"alt": "Error at sigma of 1 after 4,000 steps against the learning rate, both on log axes, one line for each scoring function, softmax in orange, SSA in blue and the others in grey."}, "figure": {"caption": "Error in the training distribution after a short training, against the learning rate, both on logarithmic axes; one line for each scoring function, softmax in orange and SSA in blue. For all later pages each function takes the rate at which its own line is lowest."}}
import matplotlib.pyplot as plt
from icllib.plotting import BLUE, ORANGE, draw

figure, axes = plt.subplots(figsize=(9, 3.8))
for name in [*list(errors)[2:], "softmax", "SSA"]:
    draw(axes, table, "sigma = 1", name, marker="o", label="_" if name not in
         ("SSA", "softmax") else name,
         color={"SSA": BLUE, "softmax": ORANGE}.get(name, "0.75"))
axes.set(xscale="log", yscale="log", xlabel="learning rate",
         ylabel=r"error at $\sigma$ = 1", xticks=sheet.RATES, xticklabels=sheet.RATES)
axes.minorticks_off()
legend = axes.legend()

# %% [markdown]
# ## Numbers
#
# Errors at $\sigma = 1$ and the rate that is taken:

# %% tags=["numbers"]
import pandas as pd

rows = {name: {f"{rate:g}": f"{error:.3g}" for rate, error in zip(sheet.RATES, own[:, 0])}
        | {"taken": f"{sheet.RATES[int(np.argmin(own[:, 0]))]:g}"}
        for name, own in errors.items()}
pd.DataFrame(rows).T

# %% [markdown]
# ## What differs and why
#
# - The paper tells of no search. One seed and three rates are few: where two rates are close, the
#   choice is chance, and says little about either.
# - The same rates are taken for the larger pair of [Figure 3](fig03_softmax_ssa.ipynb), and that of
#   softmax for all shapes of [Table 6](table06_depth_heads.ipynb).
#
# The numbers behind the figure: {download}`figure.csv <../../results/signed_averaging/learning_rates/figure.csv>`.

# %% tags=["provenance"]
print(icllib.provenance_line(records, page.name))
