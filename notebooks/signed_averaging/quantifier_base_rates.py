# %% [markdown]
# # Base rates: what a constant answer scores on the quantifier tasks
#
# It errs on one list in eight, at any length and scale. A reader of ten numbers who ignores the rest
# errs on fewer than one in a thousand. So long lists ask for no more than short ones. The paper gives no
# such rates beside its error maps.
#
# For `every` a model says after each number of a list whether all numbers so far are positive, for `some`
# whether any is. The authors ({cite:t}`naim2025scaled`) train on independent $x_i \sim \mathcal{N}(0, 1)$
# and test on $\mathcal{N}(0, \sigma)$ (Figures [4](fig04_every.ipynb) and [5](fig05_some.ipynb)).
#
# A label that is settled stays so: `every` is false from the first $x_i \le 0$ on, and `some` is true
# from the first $x_i > 0$ on. A label is still open after $k$ independent numbers with probability
#
# $$P(\text{open at } k) = 2^{-k} .$$
#
# We count a list as wrong if the answer at any position from the third on is wrong; the paper does not
# say when it does. The *constant* predictor (always false for `every`, always true for `some`) is then
# wrong exactly where the label is open at position 3.
#
# *And the prompt tells the rest.* In the paper's {term}`prompt`, $x_1, y_1, x_2, y_2, \dots$, a model has
# read $y_{k-1}$ when it answers at $x_k$. This label and the sign of $x_k$ are all that it needs: "are
# all positive?" is a question about two tokens.

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import claimbook
from papers.signed_averaging import quantifier_base_rates as sheet

page = claimbook.Page("signed_averaging/quantifier_base_rates", profile)
records = page.records
claimbook.settings_table(sheet.runs(profile)[0],
                      assumed=("lengths", "sigmas", "seed"))

# %% [markdown]
# ## Figure

# %%
task_of = lambda run: f"{run.task.quantifier}, {run.task.law}"
of_task = lambda metric: page.values(metric, task=task_of, seed="seed").droplevel("seed")
labels = {kind: of_task(kind).unstack() for kind in ("true", "sampled_true")}
wrong, sampled = of_task("wrong"), of_task("sampled_wrong")
names = wrong.index.unique("task")
tables = []
for name in names:
    for kind, own in labels.items():
        tables.append(page.series("true labels", f"{name}, {kind}", list(own),
                                  own.loc[name]))
    for read, own in wrong[name].unstack().iterrows():
        tables.append(page.series(name, f"reads {read}", own.index, own))
    for (sigma, length), error in sampled[name].items():
        tables.append(page.series(name, f"constant, sigma = {sigma:g}", [length], [error]))
table = page.save_figure(*tables)

# %% tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import (
    BLACK, GOLD, OLIVE, ROSE, STEEL, VIOLET, draw, legend_below)

figure, panels = plt.subplots(1, 3, figsize=(9, 4))
figure.suptitle("A constant answer errs on one list in eight, however long the list")
for name in names:
    style = {"color": VIOLET if "every" in name else GOLD}
    draw(panels[0], table, "true labels", f"{name}, true", ls="--", label="_", **style)
    draw(panels[0], table, "true labels", f"{name}, sampled_true", ls="", label=name,
         marker="o" if "independent" in name else "^", ms=3, **style)
panels[0].set(xlabel="position k", ylabel="share of true labels",
              title="both distributions, n = 40")
for axes, name in zip(panels[1:], (names[0], names[2])):
    for read, color in zip(sheet.READ, (BLACK, OLIVE, ROSE, STEEL)):
        draw(axes, table, name, f"reads {read}", color=color, ls="--",
             label=f"reads {read} numbers" if read else "constant")
    for sigma in sheet.runs(page.profile)[0].sigmas:
        draw(axes, table, name, f"constant, sigma = {sigma}", color=BLACK, ls="",
             marker="o", mfc="none", label="constant, sampled" if sigma == 1 else "_")
    axes.set(xlabel="length n", ylabel="share of wrong sequences", title=name)
panels[1].set_yscale("log", nonpositive="mask")
for own, side in ((panels[0], "left"), (panels[2], "right")):
    legend_below(own, 2, side)

# %% [markdown] tags=["caption"]
# What predictors that learn nothing reach. Left: share of true labels by position. Middle and right:
# share of lists wrong if only the first numbers are read.
#
# Alt text: Three panels. Left: the share of true labels against the position. For
# independent numbers it falls from one half to 0 within about eight positions for every
# and rises to 1 for some; with balanced labels it is a straight line. Middle, log axis:
# for independent numbers the share of wrong sequences of each predictor does not depend
# on the length; it is one eighth for the constant one, with sampled dots on it. Right:
# with balanced labels all errors rise with the length.

# %% [markdown]
# Dashed lines are closed forms. Markers are sampled, for the constant predictor at five
# values of $\sigma$ each. The middle and right panels show `every`; `some` has the same
# closed forms with true and false exchanged.
#
# ## Numbers
#
# The constant predictor at each length and $\sigma$, sampled with as many sequences as the
# paper has for each point of its heat maps:

# %% tags=["numbers"]
import pandas as pd

rows = {}
for name in names:
    cells = pd.MultiIndex.from_tuples(sampled[name].index)
    by_sigma = sampled[name].set_axis(cells).unstack()
    rows[name, "closed form"] = wrong[name][0].loc[by_sigma.columns]
    for sigma, own in by_sigma.iterrows():
        rows[name, f"sigma = {sigma}"] = own
pd.DataFrame(rows).T.round(3)

# %% [markdown]
# Other readings of *wrong*, in closed form for the constant predictor: the share of wrong
# positions from the third on, and the last position alone. The last column counts the
# labels that change when the same standard normal draws are multiplied by 30 instead of 1.

# %% tags=["numbers"]
pd.DataFrame({name: {
    "any position, n = 40": f"{wrong[name][0][40]:.3g}",
    "share of positions, n = 40": f"{of_task('wrong_positions')[name][40]:.3g}",
    "last position, n = 40": f"{of_task('wrong_last')[name][40]:.3g}",
    "reads 10 numbers, n = 200": f"{wrong[name][10][200]:.3g}",
    "labels changed by sigma": f"{of_task('labels_changed_by_sigma')[name]:g}",
} for name in names}).T

# %% [markdown]
# ## What differs and why
#
# - *Nothing is trained here:* the rates are closed forms, sampled at the paper's size in 5 seconds.
# - *Who reads $r$ numbers.* A predictor that is right on the first $r \ge 2$ numbers and then gives the
#   constant's answer is wrong where the label is open at $r + 1$. These predictors never look at the
#   labels in the prompt.
# - *Balanced lists* are not the paper's. The number that settles the label comes at one of the positions
#   $1, \dots, n$ or never, all equally likely. So $P(\text{open at } k) = 1 - k / (n + 1)$, and half of
#   all labels are true.
# - *What a test on long or large inputs shows.* The paper gives no base rates. With our
#   reading of *wrong* a test can show how a model treats large inputs and positions that it
#   was not trained on, but not how much it remembers.
# - *The scale changes nothing in the task.* A label depends on the signs of the $x_i$
#   alone, and $\sigma x$ has the sign of $x$. Any change of a model's error with $\sigma$
#   is a property of the model.
# - *Other readings of wrong* have other base rates, so that a heat map says little without
#   its reading. The paper does not state its own.
# - *In the balanced distribution* the constant predictor's error grows towards 1 with the
#   length, and so does that of every predictor that reads a fixed number of inputs.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/signed_averaging/quantifier_base_rates/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
