# %% [markdown]
# # Beyond the paper: both masks on lines that can be drawn
#
# **The question:** the models of [Table 1](table01_prefix_causal.ipynb) learn linear
# functions of many variables, which nobody can draw. What do the two masks do on lines?
#
# **In short:** this is an addition of ours, whose models run on the page [Try
# it](../../book/live/try_it.md); nothing is decided. With one {term}`seed` of 1,500 steps
# for each mask ({term}`profile` `cpu`), the {term}`causal mask` has 1.3 to 1.7 times the
# error of the {term}`prefix mask` from two pairs on; with one pair the masks are the same.
#
# The models learn $y = a x + b$ with $a, b, x \sim N(0, 1)$ and no noise, so that two pairs
# determine all others. One block of weights is applied in every layer, as in the paper's
# shared layers, and there are no positions. So the prefix model cannot know the order of
# its pairs, and the causal one knows it from its mask alone.

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import claimbook
from papers.causal_lm import affine_functions as sheet
from papers.causal_lm.affine_functions import LENGTHS

page = claimbook.Page("causal_lm/affine_functions", profile)
records = page.records
claimbook.settings_table(sheet.runs(page.profile)[0])[["value"]]

# %% [markdown]
# All settings are ours, since the paper has no such model.
#
# ## Figure

# %%
from claimbook.claims.sentences import POSITIVE
errors = claimbook.stacked(records, ("prefix", "causal"), "error")
table = page.save_figure(*(page.series("lines", mask, LENGTHS, own, POSITIVE)
                           for mask, own in errors.items()))

# %% tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import draw
from papers.colors import marked

figure, axes = plt.subplots(figsize=(7, 3.6))
for mask in ("prefix", "causal"):
    draw(axes, table, "lines", mask, **marked(mask))
axes.set(xscale="log", yscale="log", xlabel="pairs $n$", ylabel="mean squared error")
axes.set_xticks(LENGTHS, LENGTHS)
axes.minorticks_off()
legend = axes.legend()

# %% [markdown] tags=["caption"]
# Mean squared error of two small transformers on lines $y = a x + b$, against the number
# of labeled pairs in the prompt; both axes are logarithmic. Under the prefix mask all
# pairs see each other, under the causal mask each sees only those before it. With one
# pair the masks are the same, and what differs there is the training; lower is better.
#
# Alt text: Mean squared error on lines against 1 to 39 pairs, on logarithmic axes. Both
# curves fall from 1.2 to below 0.01; from two pairs on the prefix curve lies lower.

# %% [markdown]
# Error on unseen prompts; the answer 0 has an error of 2.
#
# ## Numbers

# %% tags=["numbers"]
from claimbook.pages.plotting import numbers

numbers(table, x="pairs")

# %% [markdown]
# ## What differs and why
#
# With one seed of each mask, the figure shows two models and not what masks do in general.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/causal_lm/affine_functions/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
