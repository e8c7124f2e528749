# %% [markdown]
# # Table 1: every scoring function
#
# **In short:** in the paper scaled signed averaging (SSA) has a far lower error than softmax
# outside the training distribution, and no known alternative has. At `cpu` (42 models of 2 layers
# and width 32, 35 minutes of processor time), SSA has the error of softmax (ratio 1.0; in print
# 0.072), and no function a lower one beyond the spread. No model has learned the task well enough
# to count (the gate is an error of 0.005 at $\sigma = 1$): all claims are open. In print, SSA and softmax do not seem to be tested on the others' functions.
#
# Is softmax the reason why transformers fail on functions that are larger than those they were
# trained on? {cite:t}`naim2025scaled` train the same decoder with thirteen scoring functions on
# affine functions, $y = a x + c$ with $x, a, c \sim \mathcal{N}(0, 1)$, and test it with
# $a, c \sim \mathcal{N}(0, \sigma)$, $\sigma = 1, \dots, 10$. The error of softmax grows fast once
# $\sigma > 2$. On the rows of SSA and softmax in print see *Which softmax row?*, below.
#
# The error is the squared error over $N$ functions, $N_b$ prompts of each and the points $k$ that
# count. Equation 2 sums from the third point on and divides by the number $N_p$ of all points; here
# the sum is divided by the number of its terms,
#
# $$\text{error} = \frac{1}{N N_b (N_p - 2)} \sum_{j=1}^{N} \sum_{b=1}^{N_b} \sum_{k=3}^{N_p}
#   \left( \hat y_{jbk} - f_j(x_k^b) \right)^2 , \qquad N_p = 40 .$$
#
# Always answering 0 has the error $2 \sigma^2$.

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import icllib
from icllib.papers import signed_averaging as sheet

page = icllib.Page("signed_averaging/table01_scoring_functions")
records = icllib.records(sheet.table01_scoring_functions, profile, page=page.name)
shown = icllib.shown_profile(records)
sheet.training_settings(sheet.table01_scoring_functions, shown)

# %% [markdown]
# These are the settings of SSA; the others differ in `model.scoring` alone. Every model of a seed
# is trained on the same prompts, and all are tested on the same ones: at each $\sigma$ 100
# functions and 64 prompts of each, 4 at `cpu`. The [training control](training_control.ipynb) uses
# the errors at the steps in `along.steps`.
#
# ## Figure

# %%
import numpy as np

from icllib.plotting import POSITIVE, series

errors = icllib.stacked(records, sheet.scorings(), "error")
ours, paper = sheet.EqualSteps(errors), sheet.EqualSteps(sheet.PRINTED)
ratios = {name: sheet.mean_ratio(ours, name) for name in errors}
of_paper = {name: sheet.mean_ratio(paper, name) for name in sheet.PRINTED}
tables = []
for name, samples in errors.items():
    tables.append(series(name, "ours", sheet.SIGMAS, samples, shown, POSITIVE))
    if name in sheet.PRINTED:
        printed = sheet.PRINTED[name]
        tables.append(series(name, "paper", sheet.SIGMAS, printed, "paper"))
tables += [
    series("zero", "2 sigma^2", sheet.SIGMAS, 2 * np.square(sheet.SIGMAS), shown),
    series("softmax", "paper, Table 6", sheet.SIGMAS, sheet.TABLE_6["12L8AH"],
           "paper"),
    sheet.geometric_rows("ratio to softmax", "ours", ratios, shown),
    sheet.geometric_rows("ratio to softmax", "paper", of_paper, "paper")]
table = page.save_figure(*tables)

# %% tags=["figure"] mystnb={"image": {"alt": "Left: error against sigma from 1 to 10, log axis, ours for every scoring function, with SSA and softmax in color, the printed rows of both dashed, and the error of always answering zero dotted. Right: a row for each scoring function with the geometric mean ratio of its error to that of softmax, ours with intervals and the printed one as a diamond."}, "figure": {"caption": "Left: mean squared error, on a logarithmic axis, against the scale $\\sigma$ of the functions at test, for every scoring function; softmax is orange, scaled signed averaging (SSA) is blue, the others are grey, the printed values are dashed and always answering 0 is dotted. Right: the ratio of each function's error to that of softmax outside the training distribution, ours with 95% intervals and the printed one as a diamond; left of 1 it is better than softmax."}}
import matplotlib.pyplot as plt
from icllib.plotting import BLUE, ORANGE, draw, draw_rows, legend_below

figure, panels = plt.subplots(1, 2, figsize=(9, 4.8), width_ratios=(1, 1.1))
for name in list(errors)[2:]:
    panels[0].plot(sheet.SIGMAS, errors[name].mean(axis=0), color="0.75", lw=1,
                   label="others, ours" if name == "sparsemax" else None)
for name, color in (("softmax", ORANGE), ("SSA", BLUE)):
    draw(panels[0], table, name, "ours", color=color, label=f"{name}, ours",
         lw=3 if name == "softmax" else 1.5)
    draw(panels[0], table, name, "paper", color=color, ls="--",
         label=f"{name}, paper")
draw(panels[0], table, "softmax", "paper, Table 6", color=ORANGE, ls="", marker="x",
     label="softmax, paper's Table 6")
draw(panels[0], table, "zero", "2 sigma^2", color="grey", ls=":", label="always 0")
panels[0].set(xlabel=r"$\sigma$", ylabel="mean squared error", yscale="log",
              xticks=sheet.SIGMAS, ylim=(1e-5, 400))
draw_rows(panels[1], table, "ratio to softmax", "ours", color="black")
draw_rows(panels[1], table, "ratio to softmax", "paper", color="black", marker="D",
          mfc="none")
panels[1].axvline(1, color="grey", lw=1)
panels[1].invert_yaxis()
panels[1].set(xscale="log", xlabel=r"error / softmax error, $\sigma$ = 3 to 10",
              xticks=(0.1, 0.2, 0.5, 1, 2, 5))
panels[1].xaxis.set_major_formatter("{x:g}")
panels[1].legend(frameon=True)
legend = legend_below(panels[0], 4)

# %% [markdown]
# Bands and bars are 95% intervals over seeds; the grey lines are means. Means of ratios are
# geometric. The dashed lines, the crosses and the diamonds are printed values, of the paper's own
# models, and so of profile `paper`.
#
# ## Numbers
#
# Every row of the table, the paper's and ours, at $\sigma = 1, \dots, 10$:

# %% tags=["numbers"]
from icllib.plotting import numbers

numbers(table, [*errors, "zero"], digits=3, x="sigma")

# %% [markdown]
# The right panel, and which functions differ from softmax by more than the spread over seeds. The
# ratio is taken seed by seed. An interval leaves out 1 by chance in one row of twenty, and there are
# thirteen rows.

# %% tags=["numbers"]
printed = {name: f"{float(value[0]):.2g}" for name, value in of_paper.items()}
sheet.beyond_spread(ratios).drop("softmax").assign(
    paper=lambda rows: rows.index.map(lambda name: printed.get(name, "")))

# %% [markdown]
# ### Which softmax row?
#
# The softmax row of Table 1 and the row 12L8AH (12 layers of 8 heads) of Table 6 ought to be the same
# model, and are not.
# Our softmax errors over each of the two, from $\sigma = 3$ to 10: the smaller the typical factor (the
# root mean square of the logarithm, as a factor), the nearer the row. The last column asks for the
# shape alone: it is the typical factor that is left when the row may be multiplied by one number.

# %% tags=["numbers"]
sheet.nearer_row(errors["softmax"])

# %% [markdown]
# Our models are too far from both to say more. The print can: by Appendix M every model is tested on
# the same functions and inputs at each $\sigma$, so errors should rise together from one $\sigma$ to
# the next, as ours do. Each printed error over the one before, and its range over several rows:

# %% tags=["numbers"]
sheet.printed_steps()

# %% [markdown]
# All eleven alternatives and all fourteen models of Table 6 rise little from 6 to 7 and more from 7 to
# 8. SSA and softmax in Table 1 do so one $\sigma$ later, little or not from 7 to 8 and more from 8 to 9.
# This is how they would look if both were tested on the functions of the $\sigma$ before. Then SSA
# against softmax stands as printed. The lead of softmax over the alternatives goes: its 45.35 at
# $\sigma = 10$ would belong at 9, where they have 39 to 75 and Table 6 has 46.9. The lead of SSA gets
# smaller: its 8.50 would belong there too. The paper says nothing of such a shift.
#
# ## Paper beside ours
#
# The claims on the alternatives. Those on softmax and SSA alone (2, 3, 35) are on the page of
# [Figure 3](fig03_softmax_ssa.ipynb).

# %%
for number, statistic in zip((4, 5, 6), sheet.STATISTICS[1:]):
    evidence = statistic(ours)
    control = {part: sheet.ridge_over(errors["softmax"]) for part in evidence}
    page.decide(f"signed_averaging.{number}", evidence, shown,
                sheet.gates(errors, number), control if number > 4 else None)
at_1 = lambda name: np.divide(*ours(name, "softmax"))[:, 0]
page.decide("signed_averaging.45", {"four functions": at_1("four functions")}, shown,
            sheet.reached(errors, "four functions", "softmax"),
            {"four functions": 2 / errors["softmax"][:, 0]})
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - The paper trains 12 layers of width 256 for 500,000 steps. At `cpu` the models are small and
#   training is short (the settings say how much), and the errors in distribution are hundreds of
#   times the printed ones or more. None of these models passes the gate of the claims, an error of
#   0.005 at $\sigma = 1$: they have not learned the task well enough to decide anything, and all
#   claims of this page stay open.
# - That four functions are better than softmax at $\sigma = 1$ (claim 45) is not seen at `cpu`, where
#   each seed has a larger error with them. The printed errors, $5 \cdot 10^{-5}$ and
#   $8 \cdot 10^{-5}$, are of one model each.
# - *How the learning rate was found.* At `cpu` it was first four times as high, 0.004. Of 21 models
#   trained so, which are not shown, SSA had learned in two seeds of three (errors 0.05 and 0.08 at
#   $\sigma = 1$; 0.91 in the third) and softmax in one (0.07; 0.91 twice); temperature 5 in two,
#   temperature 10 and 20 in one or none. The rate was then lowered until every seed of softmax
#   learned, and the 21 records were removed. So the rate was chosen for softmax and not by one search
#   for all; that SSA learns at a higher rate than softmax is seen in those models alone.
# - All functions have the same learning rate and steps, as in the paper. At `cpu` softmax at high
#   temperature stays on the plateau on which every model starts, an error near 0.9 at $\sigma = 1$:
#   that temperature does not help is then a statement on the speed of learning. The
#   [training control](training_control.ipynb) compares at equal error in distribution.
# - The paper does not say which form of SA-softmax, which $\alpha$ of entmax, which length scale of
#   cosFormer or which normalization of the four functions it uses. Ours are
#   [in the chapter](../../book/signed_averaging.md); the last row is the other form of SA-softmax,
#   $z$ moved into $[0, 1]$ first.
# - Intervals are over seeds of training. All seeds are tested on the same 100 functions for each
#   $\sigma$, so that the chance of these is not in the intervals; it cancels in ratios in good part.
#   The paper shows one model of each.
# - The row of prompted Llama 3.3 70B [is not run](fig06_07_llama.ipynb).
#
# The numbers behind the figure: {download}`figure.csv <../../results/signed_averaging/table01_scoring_functions/figure.csv>`.

# %% tags=["provenance"]
print(icllib.provenance_line(records, page.name))
