# %% [markdown]
# # Propositions 1 to 5: which algorithm do layers of linear attention run?
#
# With the {term}`prefix mask`, {term}`gradient descent` on all pairs. With the
# {term}`causal mask` they end at the result of one online pass over the pairs. All five
# propositions hold to rounding; two need a bound on the step size, which the paper does not
# state.
#
# The tokens are $z_j = (x_j, y_j)$. With the weights of Eq. 5 of {cite:t}`ding2024causallm`
# keys and queries read $x$, values read $-y$, and the output is scaled by $\eta/n$. The last
# coordinate $\delta_j^{(l)}$ of token $j$ after layer $l$ then obeys
#
# | | statement | mask |
# |---|---|---|
# | 1 | $\delta_j^{(l)} = y_j - w^{(l)} x_j$, where $w^{(l)}$ is gradient descent from 0 with step $\eta$ (Eq. 3) | prefix |
# | 2 | $\delta_j^{(l)} = y_j - w_j^{(l)} x_j$, where $w_j^{(l)}$ sees the residuals of pairs $i \le j$ only (Eq. 10) | causal |
# | 3 | $w^{(l)} \to w^*$, least squares, and $w^{(l)} - w^* = (w^{(l-1)} - w^*)(I - \tfrac{\eta}{n} X X^\top)$ | prefix |
# | 4 | $w_j^{(l)} = \sum_{i \le j} a_i^{(l)} x_i^\top$ with the same $a_i$ for every $j$; $a^{(l)} \to a^*$ with $y = a^* T$, $T$ upper triangular; $a^{(l)} - a^* = (a^{(l-1)} - a^*)(I - \tfrac{\eta}{n} T)$ | causal |
# | 5 | $w_{j+1}^* = w_j^* + (y_{j+1} - w_j^* x_{j+1})\, x_{j+1}^\top / \lVert x_{j+1} \rVert^2$: one pass of Kaczmarz's method {cite:p}`kaczmarz1937angenaherte` | causal |
#
# Each statement is an identity, checked in double precision on random prompts. The outputs of
# the attention layers are compared with the recursions, and limits with gradient descent that
# ran for 3,000 steps. The bound, $10^{-10}$, was fixed before.
#
# Propositions 3 and 4 need $\eta < 2n / \lambda_{\max}(X X^\top)$ for the prefix mask and
# $\eta < 2n / \max_i \lVert x_i \rVert^2$ for the causal one ([what happens
# beyond](what_fails.ipynb)).

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import numpy as np
import pandas as pd

import claimbook
from papers.causal_lm import layers, propositions as sheet

page = claimbook.Page("causal_lm/propositions", profile)
claimbook.settings_table(sheet.runs(profile)[0], assumed=(
    "dimension", "pairs", "steps_to_limit", "step_size", "seed"))

# %% [markdown]
# ## Largest deviations
#
# The table says whether the largest deviation from each statement is below the bound, for three
# sizes. Coefficients $a$ are unique only where $d \ge n$, so two columns need the last size.

# %% tags=["numbers"]
checks = ["1", "2", "3 stationary", "3 contraction",
          "4 coefficients", "4 stationary", "4 contraction", "5"]
by_size = lambda metric: page.values(metric, d="dimension", n="pairs").groupby(["d", "n"])
deviations = pd.DataFrame({name: by_size(name).max() for name in checks})
# Only the order of magnitude is the same on every machine: is it below the bound?
deviations.map(lambda deviation: "–" if pd.isna(deviation) else deviation < 1e-10)

# %% tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import band

figure, axes = plt.subplots(figsize=(9, 3.2))
tables = []
for shift, ((d, n), row) in zip((-0.12, 0, 0.12), deviations.iterrows()):
    axes.semilogy(np.arange(len(checks)) + shift, row, "o", label=f"d = {d}, n = {n}")
    row = row.dropna()
    tables.append(band("deviation", f"d={d} n={n}", list(row.index), row.values,
                       row.values, row.values, layers.SEEDS, "paper"))
axes.axhline(1e-10, color="black", ls="--", lw=1, label="bound")
axes.set(xlabel="proposition", ylabel="largest deviation", ylim=(1e-17, 1e-8),
         xticks=range(len(checks)),
         xticklabels=[name.replace(" ", "\n") for name in checks])
figure.suptitle("All five propositions hold to rounding")
axes.legend(ncols=4, loc="upper center", bbox_to_anchor=(0.5, 1.18))
table = page.save_figure(*tables)

# %% [markdown] tags=["caption"]
# Largest deviation from each proposition, for three sizes of the problem with $d$ inputs and
# $n$ pairs. All lie at the rounding of double precision, far below the bound.
#
# Alt text: Largest deviation from each proposition for three sizes, all between 1e-16 and
# 1e-13, far below the bound of 1e-10.

# %% [markdown]
# With the prefix mask convergence is linear. Its rate is the spectral radius of
# $I - \tfrac{\eta}{n} X X^\top$ (on the span of the data), the smallest and the largest over
# the prompts:

# %% tags=["numbers"]
by_size("prefix rate").agg(["min", "max"]).round(3)

# %% [markdown]
# ## The claims, one by one

# %%
worst = {name: [deviations[name].max()] for name in checks}
wrong = sheet.Propositions(64, 40, off=0.01).measure()  # one percent off
decided_by = {
    1: {"w0 = 0": "1"},
    2: {"causal": "2"},
    3: {"stationary point": "3 stationary", "one-layer contraction": "3 contraction"},
    4: {"equal coefficients": "4 coefficients", "stationary point": "4 stationary",
        "one-layer contraction": "4 contraction"},
    5: {"online gradient descent": "5"},
}
for number, parts in decided_by.items():
    page.decide(f"causal_lm.{number}",
                {part: worst[name] for part, name in parts.items()},
                control={part: [wrong[name]] for part, name in parts.items()})
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - The step size is $\eta = 1$, with which every size converges.
# - With $d > n$ {term}`least squares` has many solutions. Gradient descent from zero finds the
#   one of smallest norm, and that is the $w^*$ compared here.
# - A query enters as $(x, 0)$ and never attends to itself; its output is $-w x$.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/causal_lm/propositions/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
