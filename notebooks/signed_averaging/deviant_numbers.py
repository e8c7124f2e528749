# %% [markdown]
# # Section 5: does one large number decide the answers of a whole list?
#
# No. A 100 drowns the other numbers at its own place alone, and not in all models; no later answer is
# wrong because of it. Of 26 models that can make the mistake fifteen always do, and six never. The paper
# says that all answers follow it.
#
# Decoders that were trained on $x_i \sim \mathcal{N}(0, 1)$ fail when a number is far larger.
# {cite:t}`naim2025scaled` report that they "base their predictions for an entire deviant sequence" solely
# "on their prediction for the largest element". A "single sufficiently large number" triggers this
# "consistently".
#
# That can be seen only where the answer to the large number alone is not the truth. Under `every` (are
# all numbers so far positive?) one number of a list is replaced by $m$, after an $x_i \le 0$ has settled
# the label. Under `some` (is any?) it is $-m$, after an $x_i > 0$.
#
# We count the answers that are wrong and the same as the model gives to the large number alone, at the
# number and at the ten after it. At $m = 1$, an ordinary number, these are plain mistakes.
#
# For the answers *after* the number this prompt cannot show what the paper says. The true label stands
# directly after it, and the next label follows from that one and the sign of the next number. The control
# is the same experiment [without labels](without_labels.ipynb) in the prompt.

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import claimbook
import icllib
from papers.signed_averaging import deviant_numbers as sheet, deviant_sequences, quantifiers

page = claimbook.Page("signed_averaging/deviant_numbers", profile)
records = page.recorded(sheet.each_kind)
page.settings(sheet.ASSUMED, runs=sheet.each_kind)

# %% [markdown]
# These are the models of [Figure 4](fig04_every.ipynb) and [Figure 5](fig05_some.ipynb)
# with positions, trained again; the settings are those of softmax under `every`. All
# models of one seed see the same numbers.
#
# ## Figure
#
# Shares are means over the places $p$ of the large number.

# %%
softmax = page.recorded(sheet.judged_kind)
of_figure_4 = icllib.records(quantifiers.compared_on_every, profile,
                             page="signed_averaging/fig04_every")
assert claimbook.shown_profile(of_figure_4) == claimbook.shown_profile(softmax)
reached = quantifiers.at_length(of_figure_4, quantifiers.TRAINED)[1]["softmax"]
evidence, gate = deviant_sequences.judged(softmax, reached)
order = evidence["at the number"].to_numpy().argsort()[::-1]
table = page.save_figure(
    *(page.series("models", where, range(1, len(order) + 1), shares.iloc[order])
      for where, shares in evidence.items()),
    *sheet.deviant_tables(records, page.profile))

# %% tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import draw, legend_below, rows_of
from papers.colors import color_of

figure, axes = plt.subplots(figsize=(8, 3))
at, after = (rows_of(table, "models", where) for where in sheet.WHERE)
color = color_of("softmax")
axes.vlines(at.x, 0, 100 * at.y, color=color, lw=2)
axes.plot(at.x, 100 * at.y, ls="", marker="o", ms=7, color=color, label=sheet.WHERE[0])
axes.plot(after.x, 100 * after.y, ls="", marker="o", ms=7, color="black", mfc="none",
          label=sheet.WHERE[1])
shares = at.y.round(2)
always, never = (shares == 1).sum(), (shares == 0).sum()
axes.set(title=f"A 100 misleads {always} of {len(at)} models always, {never} never",
         xlabel="models, sorted", ylabel="wrong answers, %")
legend = axes.legend(loc="center right")

# %% [markdown] tags=["caption"]
# Each of the 26 softmax models that are right about a 100 alone: how often it answers as if 100 stood alone,
# where that is wrong.
#
# Alt text: Twenty-six models, sorted. At the number fifteen lie at 100%, five between 69 and 2%, and six at
# 0. After it, hollow, all lie at 0.

# %% [markdown]
# ### By the size of the number
#
# Means over the places $p$ of the large number, and on the right over the ten answers after it. Bands are
# 95% intervals over seeds.

# %% tags=["figure"]
legend = deviant_sequences.draw_shares(table)
title = legend.figure.suptitle("One large number misleads at its own place, never after it")

# %% [markdown] tags=["caption"]
# How often models answer as if the large number stood alone, where that is wrong, at the number and after
# it. The line is the claim's bound.
#
# Alt text: Four panels against the size of the number, from 1 to 100, for softmax and
# SSA, with a line at 0.9. At the number under every, both rise from 0 to a mean of 0.35
# between sizes 10 and 70, with wide bands; under some SSA rises to 0.19 and softmax to
# 0.05. After the number all stay at 0.

# %% tags=["numbers"]
from claimbook.pages.plotting import numbers

numbers(table[table.series.isin(["softmax", "SSA"])], x="size m")

# %% [markdown]
# ### What the other numbers still do
#
# A model that answers for the largest number alone has the same *log-odds* (the logarithm of the odds of
# an answer: 0 is a coin toss) whatever stands before it. Below is the mean log-odds of the open label at
# the large number. In one line the other numbers settle the label; in the other the same numbers, with
# other signs, leave it open. Where the lines meet, the other numbers have no say; the label of the large
# number alone is the one above 0.

# %% tags=["figure"]
figure, panels = plt.subplots(2, 2, sharex=True, figsize=(9, 5.6))
for row, quantifier in zip(panels, sheet.QUANTIFIERS):
    for axes, scoring in zip(row, sheet.SCORINGS):
        for others, style in zip(sheet.OTHERS, ("-", "--")):
            draw(axes, table, f"{quantifier}, {scoring}, log-odds", others, marker="o",
                 label=f"other numbers {others}", color=color_of(scoring), ls=style)
        axes.axhline(0, color="grey", lw=1)
        axes.set(xscale="log", title=f"{quantifier}, {scoring}")
    row[0].set_ylabel("log-odds of the\nopen label")
for axes in panels[-1]:
    deviant_sequences.label_sizes(axes)
legend = legend_below(panels[0, 0], 2)
title = figure.suptitle("At m = 100 the other numbers hardly matter")
for line in legend.legend_handles:
    line.set_color("black")  # of softmax and SSA

# %% [markdown] tags=["caption"]
# Log-odds of the answer that the large number alone leaves open. Where the two lines meet, it has drowned
# the other numbers.
#
# Alt text: Four panels of log-odds against the size of the number: every above and some
# below, softmax left and SSA right. Where the other numbers settle the label the line
# starts near minus 8, where they leave it open between 1 and 2; from size 10 on the two
# come together, and at 100 they nearly meet below 0.

# %% tags=["numbers"]
numbers(table[table.panel.str.endswith("log-odds")], x="size m")

# %% [markdown]
# How often the answer is the model's own to the large number alone, whether that is right
# or not. Of a first $x_1 = 100$ nine of the twenty softmax models of `every` wrongly say that
# it is not positive.

# %% tags=["numbers"]
numbers(table, "own answer", x="size m")

# %% [markdown]
# ## The claims, one by one

# %%
page.decide("signed_averaging.36", evidence, gate,
            deviant_sequences.answers_for_the_largest(),
            profile=claimbook.shown_profile(softmax))
page.verdicts()

# %% [markdown]
# What is judged at the number, by model:

# %% tags=["numbers"]
shares = evidence["at the number"].iloc[order[::-1]].round(2)
shares.value_counts(sort=False).rename_axis("share").to_frame("models").T

# %% [markdown]
# ## What differs and why
#
# - *The models:* small ones (3 layers of width 32, profile `cpu`), which have learned the task. Fifty
#   softmax models serve the claim, twenty of each kind the figures.
# - *Open lists.* If no earlier number settles the question, half of the later answers are wrong under
#   `every`, and three fifths under `some`. It is so with a 100 or with an ordinary number: so long an
#   open list is rare in training.
# - *Between always and never:* five of the 26 make the mistake in 2 to 69% of the sequences.
# - *Our choices.* The paper shows one sequence, and does not say how large is sufficiently large. Sizes,
#   places and the law of the other numbers are ours. So is the reading of the largest element as the one
#   of largest size, which a negative number can be. `some` is shown beside the claim, which is about
#   Figure 2's `every`.
# - *Solely.* At the number itself this is close to what is seen. At $m = 100$ the log-odds of the softmax
#   models of `every` differ by 0.3 between the two kinds of sequences, and by 9.4 at $m = 1$. The answer
#   is then the model's own to the number alone in sixteen of the twenty. But 24 of the fifty are wrong
#   about 100 alone, and so by mistake right about the sequence. Of the other 26, which the claim counts,
#   fifteen make the mistake in every sequence and six in none. In the mean it is 62% of the answers (43
#   to 81%), where "consistently" asks for 90%.
# - *For an entire sequence.* This is not seen, and hardly to be seen with labels in the prompt. Where no
#   other number has settled the label, as many answers after the number are wrong with $m = 1$: so late,
#   an open label is rare in training.
# - *Why.* A very large number drowns all others at its own place, with any scoring function. Its token
#   starts as $x_p$ times the embedding $w$, and each layer adds only what is bounded. The last layer
#   normalization leaves the direction of $w$. A test shows it for softmax, SSA and sparsemax. Scoring
#   functions can change only the weight that later tokens give to the number.
# - *SSA* under `every` does as softmax does. Seven of the twenty models of either always make the mistake
#   at the number, and at $m = 100$ its two lines are as close. Under `some` three of SSA always make it
#   and two sometimes, and of softmax one and one. But fourteen of SSA and sixteen of softmax are wrong
#   about $-100$ alone, and so cannot.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/signed_averaging/deviant_numbers/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance(records + softmax))
