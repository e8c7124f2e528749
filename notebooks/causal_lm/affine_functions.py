# %% [markdown]
# # Beyond the paper: which mask is better on straight lines?
#
# The {term}`prefix mask`: from two pairs on the {term}`causal mask` has 1.3 to 1.7 times its
# error. With one pair the masks are the same. This is one small model of each, an addition of
# ours that decides nothing.
#
# The models learn $y = a x + b$ with $a, b, x \sim N(0, 1)$ and no noise, so that two pairs
# determine all others. Unlike the functions of [Table 1](table01_prefix_causal.ipynb), lines
# can be drawn: the models run on the page [Try it](../../book/live/try_it.md).
#
# One block of weights is applied in every layer, and there are no positions. So the prefix
# model cannot know the order of its pairs, and the causal one knows it from its mask alone.

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import claimbook
from papers.causal_lm import affine_functions as sheet

page = claimbook.Page("causal_lm/affine_functions", profile)
claimbook.settings_table(sheet.runs(page.profile)[0])[["value"]]

# %% [markdown]
# All settings are ours, since the paper has no such model.
#
# ## Figure

# %%
from claimbook.claims.sentences import POSITIVE
errors = page.values("error", mask="model.mask").unstack("length")
table = page.save_figure(*(
    page.series("lines", mask, errors.columns, errors.xs(mask, level="mask"), POSITIVE)
    for mask in ("prefix", "causal")))

# %% tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import draw
from papers.colors import marked

figure, axes = plt.subplots(figsize=(7, 3.6))
for mask in ("prefix", "causal"):
    draw(axes, table, "lines", mask, **marked(mask))
axes.set(title="From two pairs on the prefix mask has the lower error", xscale="log",
         yscale="log", xlabel="pairs $n$", ylabel="mean squared error")
axes.set_xticks(errors.columns, errors.columns)
axes.minorticks_off()
legend = axes.legend()

# %% [markdown] tags=["caption"]
# Error of two small transformers on unseen lines against the number of pairs, on logarithmic
# axes. Lower is better; the answer 0 has an error of 2.
#
# Alt text: Mean squared error on lines against 1 to 39 pairs, on logarithmic axes. Both curves
# fall from 1.2 to below 0.01; from two pairs on the prefix curve lies lower.

# %% [markdown]
# ## Numbers

# %% tags=["numbers"]
from claimbook.pages.plotting import numbers

numbers(table, x="pairs")

# %% [markdown]
# ## What differs and why
#
# With one {term}`seed` of 1,500 steps for each mask, the figure shows two models and not what
# masks do in general.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/causal_lm/affine_functions/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
