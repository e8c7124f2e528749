# %% [markdown]
# # Figure 5: does softmax attention on dense features have such laws?
#
# Yes, in the mean: in the limit of long contexts the exponents in time and compute are within 0.05 of
# the paper's Table 1. Single {term}`seeds <seed>` miss by up to 0.15. This limit has the full size of 500
# tasks; the {term}`softmax` itself ran on fewer.
#
# The paper's laws are derived for {term}`linear attention` on sparse features
# {cite:p}`lyu2025solvable`. Here task $s$ is a linear regression in context. Features are normal with
# variances $\omega_k \propto k^{-\tau}$, the largest at coordinate $s$, and the target is
# $y = \Lambda_s \cdot x$ with one random $\Lambda_s$ for each task. This is the paper's
# *source-capacity condition*, at $\tau = 3$. As $\tau \to \infty$ the problem becomes the sparse one.
#
# The model is $f(G) = V G \, \mathrm{softmax}(G^\top W_K^\top W_Q G)$. For long contexts the average that
# a softmax takes is known: tokens $g = (x, y)$ of task $s$ are normal with a covariance $C_s$, so that
#
# $$\frac{E[g \, e^{g \cdot u}]}{E[e^{g \cdot u}]} = C_s u , \qquad
# f = v_s^\top C_s W_K^\top W_Q \binom{x}{0} ,$$
#
# where $v_s$ is row $s$ of $V$. Softmax attention is then a linear one, whose loss needs no samples.

# %% tags=["parameters"]
profile = "stored"

# %% mystnb={"code_prompt_show": "Settings of the limit"} tags=["hide-output"]
import claimbook
from papers.solvable_attention import fig05_source_capacity as sheet, laws, softmax

page = claimbook.Page("solvable_attention/fig05_source_capacity", profile)
large, beside, unstable = map(page.recorded, (
    sheet.large, sheet.beside_softmax, sheet.unstable))
limit, softmaxes = beside[::2], beside[1::2]
runs = sheet.runs("paper")
claimbook.settings_table(runs[0], assumed=(
    "sizes", "tasks", "width", "scale", "seed"))

# %% mystnb={"code_prompt_show": "Settings of the softmax itself"} tags=["hide-output"]
itself = next(run for run in runs if isinstance(run, sheet.SourceCapacitySoftmax))
claimbook.settings_table(itself, assumed=(
    "sizes", "tasks", "steps", "width", "scale", "queries", "tests", "seed"))

# %% [markdown]
# ## Figure

# %%
from icllib.theory.scaling_laws import fit_exponent, theory_exponents

exponents = sheet.by_law(large, lambda record: record["time_exponent"][0],
                         lambda record: record["compute_exponent"][0])
seeds = {f"{law}, alpha = {alpha}": values for (law, alpha), values in exponents.items()}
printed = [theory_exponents(alpha)[law] for law, alpha in exponents]
table = page.save_figure(
    *sheet.figure5_series(large, softmaxes, limit, page.profile),
    *laws.exponent_series("printed", dict(zip(seeds, printed)), page.profile),
    *laws.exponent_series("mean, limit of long contexts", seeds, page.profile),
    *(page.series("seeds", row, range(len(own)), own) for row, own in seeds.items()))

# %% tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import GOLD, OLIVE, ROSE, STEEL, VIOLET, draw, legend_below

figure, axes = plt.subplots(figsize=(9, 3.2))
for place, own in enumerate(seeds.values()):
    axes.plot(own, [place] * len(own), ".", color=VIOLET, alpha=0.3,
              label="_" if place else "single seeds")
laws.draw_exponents(axes, table)
legend = legend_below(axes, 3)
title = figure.suptitle("The mean over 48 seeds is near Table 1; single seeds miss it")

# %% [markdown] tags=["caption"]
# Exponents of the loss on dense features in the limit of long contexts: printed (hollow), each of 48 seeds,
# and their mean with its 95% interval.
#
# Alt text: Three rows. In time at alpha 1.8 the mean lies 0.03 to the left of the printed exponent, and the
# seeds spread from -0.57 to -0.39; in time at alpha 2.1 and in compute the mean is within 0.02 of it.

# %% [markdown]
# The curves, and the softmax itself:

# %% tags=["figure"]
figure, panels = plt.subplot_mosaic("ab;cc", figsize=(9, 7.8), sharey=True)
left, middle, below = panels.values()
for alpha, color in zip(laws.ALPHAS, (VIOLET, GOLD)):
    draw(left, table, "time", f"alpha = {alpha}", color=color,
         label=rf"limit, $\alpha$ = {alpha}")
    softmax.draw_power_law(
        left, table, "time", f"alpha = {alpha}", theory_exponents(alpha)["time"],
        color=color, ls="--", label=rf"Table 1, $\alpha$ = {alpha}")
draw(middle, table, "compute", "envelope", color=VIOLET, label="best size")
softmax.draw_power_law(
    middle, table, "compute", "envelope", theory_exponents(1.8)["compute"],
    color=VIOLET, ls="--", label=r"Table 1, $\alpha$ = 1.8")
for r, color in zip(softmaxes, (OLIVE, ROSE, STEEL)):
    for name, style in (("softmax", "-"), ("limit", ":")):
        draw(below, table, "softmax", f"{name}, seed {r.component.seed}", color=color,
             ls=style)
left.set(title=r"(a) $\psi \to \infty$, D = $N_s$", ylabel="loss", ylim=(6e-3, 1.5),
         xlabel="t = learning rate × steps")
middle.set(title=r"(b) $\psi \to \infty$, $\alpha$ = 1.8", xlabel="compute C = D t")
below.set(title=r"softmax, $\psi$ = 1000, and its limit, 50 tasks, $\alpha$ = 1.8",
          ylabel="loss", xlabel="t = learning rate × steps")
for axes in panels.values():
    axes.set(xscale="log", yscale="log")
left.legend(loc="upper right")
middle.legend(loc="lower left")
legend = below.legend(loc="lower left", ncols=3)
title = figure.suptitle("In long contexts the loss falls along the printed laws")

# %% [markdown] tags=["caption"]
# Loss in the limit of long contexts, against time (a) and compute (b), and of the softmax itself beside
# its limit (below). Dashed lines have the exponents of Table 1.
#
# Alt text: Three log-log panels, two above and one below. Loss against time for two
# values of alpha: after a plateau it falls a little more steeply than, or beside, the
# dashed laws of Table 1. Loss against compute of the best size, and
# the dashed law. Loss against time of the softmax with 1000 tokens, which runs near its
# dotted limit for each of three seeds, with longer plateaus for two.

# %% [markdown]
# Solid lines with a band are the mean and 95% interval over 48 seeds, each with its own strengths and
# start. Panel (b) is the best of several sizes. The last panel, which the paper does not have, shows
# three of the seeds.
#
# ## Numbers
#
# Exponents of straight lines in log-log, mean and spread over the seeds. The windows are those of
# [Figure 8](fig08_softmax_laws.ipynb), fixed before any run: $t$ from 30 to 1,000, $C$ from 300 to
# 30,000. "Coordinate by coordinate" is a model of 500 tasks in the same window. Its loss on the $k$-th
# largest coordinate of task $s$ falls as $e^{-P(s) \omega_k t}$.

# %% tags=["numbers"]
import numpy as np
import pandas as pd

pd.DataFrame({(law, alpha): {
    "Table 1": f"{theory_exponents(alpha)[law]:.3f}",
    "coordinate by coordinate": f"{sheet.coordinate_by_coordinate(law, alpha):.3f}",
    "ours": f"{np.mean(values):.3f}",
    "standard deviation": f"{np.std(values, ddof=1):.3f}",
    "least, most": f"{min(values):.2f}, {max(values):.2f}", "seeds": len(values)}
    for (law, alpha), values in exponents.items()}).T.rename_axis(["law", "alpha"])

# %% [markdown]
# The claim's first verdict was made with three of these seeds. Here are those three, the 45
# that came later, and all, with 95% intervals:

# %% tags=["numbers"]
sheet.first_and_other_seeds(exponents)

# %% [markdown]
# The softmax with 1,000 tokens beside its limit, at $\alpha = 1.8$. Both have 50 tasks, the same
# strengths and the same start. The table has the loss at the last step and the exponent for $t$ from 30
# to 200.

# %% tags=["numbers"]
each = lambda values, digits: ", ".join(f"{value:.{digits}f}" for value in values)
pd.DataFrame({name: {"loss at the end": each([r["loss"][-1, -1] for r in runs], 3),
                     "exponent": each([r["time_exponent"][0] for r in runs], 2)}
              for name, runs in (("softmax", softmaxes), ("limit", limit))}).T

# %% [markdown]
# Not all strengths can be trained at this learning rate. Where a task of one coordinate
# is learned, its curvature is at least $3 P(s) [(1 + \Lambda^2) \Lambda^2]^{2/3}$. If
# this times the learning rate is above 2, {term}`gradient descent` is unstable: its loss
# rises and falls in turn, or diverges. The table is for the limit of long contexts, 50
# tasks, 1,000 steps.

# %% tags=["numbers"]
sheet.stability_table(limit + unstable)

# %% [markdown]
# ## The claims, one by one
#
# The limit with 500 tasks decides; the softmax itself, at $\psi = 1000$ and 50 tasks,
# decides nothing.

# %%
first_five = lambda r, place: fit_exponent(r["time"][:5], r["loss"][place][:5])[0]
beginning = sheet.by_law(  # in compute that of the smallest size: all are alike
    large, lambda r: first_five(r, -1), lambda r: first_five(r, 0))
evidence, at_start = (
    {f"{laws.LETTERS[law]} alpha = {alpha}": values for (law, alpha), values in own.items()}
    for own in (exponents, beginning))
page.decide("solvable_attention.16", evidence, control=at_start)
fast, slow = sheet.apart(page.recorded(sheet.fast_decays))
page.decide("solvable_attention.45", fast, control=slow)
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - *Not the paper's model.* Steps and learning rate are the paper's. But what decides is the linear
#   limit, where the paper trains a softmax.
# - *Why 48 seeds.* Seeds differ by more than the tolerance. Each has strengths of its own, and a few
#   frequent tasks make up most of the prompts. Three seeds were run first and left the claim open. Their
#   spread asked for about 48, fixed before the others were run. The 45 others alone would give the same
#   verdict.
# - *Which seeds.* At the paper's learning rate some draws of the strengths cannot be trained, because
#   the most frequent task is too strong; no start changes that. We take the first 48 stable seeds for
#   the limit, and the first three of them (0, 3 and 4) for the softmax. The curvature above decides,
#   and not any exponent.
# - *The window.* Coordinates of smaller variance are learned later, which alone makes the curve a little
#   flatter in this window ("coordinate by coordinate"). For longer training this goes away, because
#   $\tau > \alpha$: what is left then are rare tasks.
# - *The softmax follows its limit in outline.* It ends about 10 to 40% higher, and for two seeds its
#   plateaus are longer. Its exponents differ from the limit's by less than those of the seeds from each
#   other. It is trained on one context with 16 queries for each task, and tested on 64 queries of
#   another. How much comes from that, and how much from $\psi = 1000$, was not taken apart.
# - *Settings.* The paper does not give the number of tasks $\mathcal{N}_s$, the width $d_e$ of keys and
#   queries, the start or the fit window; we take those of [Figure 8](fig08_softmax_laws.ipynb). A model
#   of size $D$ sees the first $D$ coordinates and answers 0 to the tasks beyond.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/solvable_attention/fig05_source_capacity/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
