# %% [markdown]
# # A learning rate for softmax and one for SSA
#
# **The question:** do softmax and scaled signed averaging (SSA) need different learning rates?
#
# **In short:** a rate that is chosen for softmax would favor it. So softmax and scaled signed
# averaging (SSA) are each trained for 4,000 steps at the same three rates, and each takes the one
# that ends with the lowest error in distribution, at $\sigma = 1$. Errors outside the training
# distribution play no part in the choice. Both take 0.002, the highest rate tried: softmax ends at
# 0.0159, against 0.0160 at half that rate, and SSA at 0.0136 against 0.0150. Higher rates were not
# tried.
#
# {cite:t}`naim2025scaled` train all functions at $10^{-4}$, for 500,000 steps. Shorter training needs
# higher rates. The rates are tried on the model and the task of
# [Table 1](table01_scoring_functions.ipynb) at `cpu`, from a seed that no other page uses. The rule was
# fixed before the first run.

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import icllib
from icllib.papers import signed_averaging as sheet

page = icllib.Page("signed_averaging/learning_rates")
records = icllib.records(sheet.learning_rates, profile, page=page.name)
shown = icllib.shown_profile(records)
settings = icllib.settings_table(
    sheet.learning_rates(shown)[0], ["seed"], sheet.ablations.base_runs("paper")[0], shown)
settings[~settings.index.str.contains("evaluation")]

# %% [markdown]
# These are the settings of softmax at the first rate.
#
# ## Figure

# %%
import numpy as np

from icllib.plotting import series

errors = icllib.stacked(records, sheet.SEARCHED, "error")  # (rates, sigmas)
table = page.save_figure(*(series("sigma = 1", name, sheet.RATES, own[:, 0], shown)
                           for name, own in errors.items()))

# %% tags=["figure"] mystnb={"image": {"alt": "Error at sigma of 1 after 4,000 steps against the learning rate, both on log axes, softmax in orange and SSA in blue."}, "figure": {"caption": "Error in the training distribution after a short training, against the learning rate, both on logarithmic axes, for softmax (orange) and SSA (blue). Models of lines at `cpu` take the rate at which their own line is lowest."}}
import matplotlib.pyplot as plt
from matplotlib.ticker import LogLocator
from icllib.plotting import BLUE, ORANGE, draw

figure, axes = plt.subplots(figsize=(9, 3.8))
for name, color in {"softmax": ORANGE, "SSA": BLUE}.items():
    draw(axes, table, "sigma = 1", name, marker="o", color=color)
axes.set(xscale="log", yscale="log", xlabel="learning rate",
         ylabel=r"error at $\sigma$ = 1", xticks=sheet.RATES, xticklabels=sheet.RATES)
axes.minorticks_off()
axes.yaxis.set_major_locator(LogLocator(subs=(1, 1.2, 1.4, 1.6, 1.8, 2, 3, 5, 7)))
axes.yaxis.set_major_formatter("{x:g}")
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
# - The other scoring functions of Table 1 have not been searched: they are shown as a `pilot`, which
#   trains all of them at one rate. All shapes of [Table 6](table06_depth_heads.ipynb) have softmax and
#   its rate.
#
# The numbers behind the figure: {download}`figure.csv <../../results/signed_averaging/learning_rates/figure.csv>`.

# %% tags=["provenance"]
print(icllib.provenance_line(records, page.name))
