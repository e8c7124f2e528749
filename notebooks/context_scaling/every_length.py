# %% [markdown]
# # Trained on five context lengths, or on every one
#
# **The question:** after how many pairs can a model be asked that was trained on five context
# lengths, and does training on every length help?
#
# **In short:** trained on five lengths, GPT-2 is good at these five and worse than a guess at many
# others. At 10, 20, 30 and 40 pairs its error is 1.1 to 1.35 times that of ridge regression; between
# them it is 3.2 to 59 times (three models, a million stored tasks). Trained on every length from 5 to
# 40, it is within 1.21 times at each length from 10 on (three models, 13 minutes of a core each, at
# the {term}`profile` `cpu`), and better at the five lengths too. SGPT, trained on the same five,
# carries over: it is within 1.28 times everywhere; trained on every length it is within 1.20 times
# (three models, 21 minutes each). GPT-2 without positions needs twice the steps and is then within
# 1.23 times (three models, 27 minutes each). The paper does not train on every length.
#
# {cite:t}`abedsoltan2024context` train on 5, 10, 20, 30 and 40 pairs and test on the same numbers
# (Figure 1B, and Figure 8B for SGPT, which is GPT-2 without key, query and value weights). A reader who
# uses such a model has the pairs that there are. GPT-2 adds a learned vector to the {term}`query` that
# tells how many pairs stand before it. Of these vectors, those of 5, 10, 20, 30 and 40 pairs alone
# ever stood at a query whose answer counted. SGPT has none.
#
# The models with a name ([scikit-learn](../../book/howto/scikit_learn.md)) answer at the numbers of
# pairs at which their error is at most 1.25 times that of {term}`ridge regression`. That bound, and
# that the numbers from 10 pairs on, 1.25 times the dimension, are to be judged, was fixed before the
# decoders of this page were trained.

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import claimbook
from papers.context_scaling import every_length as sheet, scaling

page = claimbook.Page("context_scaling/every_length", profile)
records = page.records
first = sheet.runs(page.profile)[0]
claimbook.settings_table(first, (
    *scaling.LINEAR_ASSUMED, *(f"model.{name}" for name in ("layers", "heads", "width")),
    "recipe.lengths", "evaluation.lengths"), profile=page.profile)

# %% [markdown]
# ## Figure

# %%
tested = first.evaluation.lengths
ratios = sheet.ratios_by_model(records)
table = page.save_figure(*(
    page.series("error / ridge", name, tested, own, scale="log")
    for name, own in ratios.items()))

# %% tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import draw, legend_below
from papers.colors import marked

figure, axes = plt.subplots(figsize=(7, 4.2))
for name in ratios:
    model, trained = name.split(", ")
    hollow = {"ls": "-.", "mfc": "white"} if "without" in model else {}
    dashes = {"ls": "-" if trained == "every length" else "--"}
    draw(axes, table, "error / ridge", name, ms=3,
         **dashes | marked(model.split()[0]) | hollow)
for length in scaling.LENGTHS:
    axes.axvline(length, color="grey", lw=0.8, ls=":")
axes.axhline(sheet.MOST_RATIO, color="grey", lw=1)
axes.set(yscale="log", xlabel="context length n", ylabel="error / that of ridge regression")
axes.yaxis.set_major_formatter("{x:g}")
legend = legend_below(axes, 3)

# %% [markdown] tags=["caption"]
# Error over that of ridge regression, on a log axis, after every number of pairs. GPT-2
# trained on five lengths, at the dotted lines, is good at these alone; trained on every
# length it is a smooth curve near 1, without positions too (hollow markers), as SGPT is
# either way. Below the grey line a model with a name answers.
#
# Alt text: Error over that of ridge regression against the number of pairs from 5 to 40
# on a log axis for five models: GPT-2 trained on five lengths has sharp dips at the five
# and is far above between; GPT-2 trained on every length, with and without positions, and
# both kinds of SGPT are smooth curves near 1.

# %% [markdown]
# Bands are 95% intervals over {term}`seeds <seed>`, of logarithms.
#
# ## Numbers

# %% tags=["numbers"]
from claimbook.pages.plotting import numbers

numbers(table, xs=(5, 7, 10, 12, 15, 18, 20), x="context length n")

# %% tags=["numbers"]
numbers(table, xs=(22, 25, 28, 30, 33, 35, 38, 40), x="context length n")

# %% [markdown]
# The largest of the ratios from 10 pairs on, of each seed:

# %% tags=["numbers"]
import pandas as pd

pd.DataFrame({name: {f"seed {seed}": f"{ratio:.3g}" for seed, ratio
                     in enumerate(sheet.worst_from_ten(own, tested))}
              for name, own in ratios.items()}).T

# %% [markdown]
# ## What differs and why
#
# - *Training.* Models on every length see fresh prompts at every step, those on five a million that
#   are stored. GPT-2 has four layers, not three, and takes as many steps on half as many prompts, each
#   of which has a query after every number of pairs from 5 on; SGPT takes a quarter of the prompts.
#   GPT-2 without positions takes twice as many steps: after as many as the others a first model had
#   1.30 times the error of ridge regression at 12 pairs.
# - *Fewer than 10 pairs.* With fewer pairs than dimensions, or hardly more, the answer hangs on the
#   weights' prior more than on the pairs. All are shown there, and none is judged.
# - [Another page](untrained_lengths.ipynb) asks the same of ReLU networks in 20 dimensions, as the
#   paper does. Its GPT-2s have learned less: they end at 0.42 to 0.45 of the error of always answering
#   0, where a length that was not trained on has less to lose.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/context_scaling/every_length/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
