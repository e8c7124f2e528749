# %% [markdown]
# # Does any single change help more under a shift than in distribution?
#
# No: of nine changes none is seen to cut the error under a shift by a fifth more than the error in distribution.
# Another seed alone makes a factor of up to 1.6. Wider inputs in training would, but with 143 times the error in
# distribution they do not count.
#
# *What is asked.* Each paper changes one thing and looks at what it does to its own models. Here nine such changes stand
# in one table, each between two sets of kept models that differ in nothing else (but for {term}`SGPT` against
# {term}`GPT-2`). Every pair is measured twice on new prompts: in distribution, and under a shift. Lines and weights
# are three times as large as in training; models of {cite:t}`ding2024causallm` get 8 pairs in place of 20.
#
# *What counts.* A better model errs less everywhere. So the error under the shift is taken over that in distribution, and
# the change is laid over its absence. A change that makes the error in distribution more than 1.25 times as
# large is not counted. All nine are judged together, corrected by Holm's method {cite:p}`holm1979simple`.
#
# *The noise floor.* How much does another seed buy? Models without the change, each over the one before, say how far
# a mean of so many pairs lies from 1 if nothing is changed. {cite:t}`zhao2026most` use such a floor: of twenty changes
# of language models two pass it.

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import claimbook
from papers.across import single_change as sheet

page = claimbook.Page("across/single_change", profile)
records = {name: page.recorded(lambda profile, name=name: sheet.models(profile)[name])
           for name in sheet.models("smoke")}
page.settings(["evaluation.functions", "evaluation.prompts", "evaluation.seed"],
              runs=lambda profile: sheet.models(profile)["softmax"])

# %% [markdown]
# ## Figure

# %%
errors = sheet.errors_of(page, records)
bought = sheet.bought(errors)
seeds = sheet.among_seeds(errors)
of = lambda column: {change: bought.xs(change, level="change")[column]
                     for change in sheet.CHANGES}
table = page.save_figure(*(page.series(column, column, [change], own.to_numpy()[:, None],
                                       scale="log")
                           for column in ("in distribution", "bought")
                           for change, own in of(column).items()))

# %% tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import BLACK, VIOLET, draw_rows

figure, panels = plt.subplots(1, 2, figsize=(9, 4), sharey=True)
for axes, column in zip(panels, ("in distribution", "bought")):
    draw_rows(axes, table, column, column, color=VIOLET, marker="o")
    for place, own in enumerate(of(column).values()):
        axes.plot(own, [place + 0.25] * len(own), ".", ms=4, alpha=0.6, color=VIOLET)
    axes.axvline(1, color="black", lw=1, ls=":")
    axes.set(xscale="log")
for place, own in enumerate(seeds.values()):
    floor = sheet.noise_floor(own)
    panels[1].fill_betweenx([place - 0.35, place + 0.35], 1 / floor, floor, color=BLACK,
                            alpha=0.12, lw=0)
panels[0].set_xlabel("error in distribution, with over without")
panels[1].set_xlabel("error under the shift over it, with over without")
panels[0].invert_yaxis()
title = figure.suptitle("No change is seen to help more under a shift", fontsize=11)

# %% [markdown] tags=["caption"]
# Error in distribution (left), and error under the shift over it (right), with each change over without; further left is
# better. Small dots: pairs; shaded: noise floor; 95% intervals.
#
# Alt text: Two panels with nine rows of points and bars, a dotted line at 1 in each. Left, most changes lie near 1; a prefix mask
# lies at 0.05 and wider inputs at 143. Right, shaded boxes reach from 0.6 to 1.6 or further; all points lie in them but for
# wider inputs at 0.04, a prefix mask at 8 and the loss on the pairs at 1.7.

# %% [markdown]
# ## Numbers
#
# Means with 95% intervals. *Bought* is what the right panel draws. The noise floor is the factor that a mean of as many
# seeds stays within if nothing is changed.

# %% tags=["numbers"]
import pandas as pd
from claimbook.claims.sentences import with_interval

pd.DataFrame({change: {
    "in distribution": with_interval(of("in distribution")[change], 3, "log"),
    "bought": with_interval(own, 3, "log"), "pairs": len(own),
    "noise floor": f"{sheet.noise_floor(seeds[change]):.3g}"}
    for change, own in of("bought").items()}).T

# %% [markdown]
# ## The claims, one by one

# %%
page.decide("across.15", of("bought"), of("in distribution"), seeds)
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - *Not counted.* Wider inputs in training cost too much in distribution. Without the loss on the pairs two of
#   three models pass, which are too few.
# - *A prefix mask* lowers the error in distribution 21 times and with 8 pairs only 2.6 times. With as many pairs as
#   dimensions no mask can do well, so this says little against it.
# - *A temperature* is chosen under the shift. In three of five models the best one is that of training.
# - *Not in the table: positions and lengths.* No two sets of kept models differ in one of them alone. Models
#   [without positions](../context_scaling/every_length.ipynb) were trained for twice as many steps. Those
#   of every length have a layer more and another batch. Of each the weights of one seed are kept.
# - *The noise floor* is wide with three to five pairs. A change that helps by less than 1.6 times would not be seen.
# - *The papers do not claim this* in general. Signed averaging does of its score on lines; the printed factors are
#   [out of our models' reach](../signed_averaging/what_caps_the_answers.ipynb).
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/across/single_change/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
