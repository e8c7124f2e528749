# %% [markdown]
# # Does SSA's lead appear as models get better?
#
# No; nothing like the printed lead appears. Our ten best pairs give {term}`SSA` 0.97 times
# {term}`softmax`'s error on steep lines: alike on the steepest, within chance on others. The paper prints 0.07. On ordinary lines our
# models still err 3.7 times more than the paper's.
#
# The models of [Figure 3](fig03_softmax_ssa.ipynb) show no lead of scaled signed averaging (SSA), but
# they are far from as good as the paper's. The best of this page err eight times less. They have three
# layers in place of two, and train for 60,000 steps in place of 20,000.
#
# The {term}`task` is a line $y = a x + c$, with $a, c \sim \mathcal{N}(0, 1)$ in training and
# $\mathcal{N}(0, \sigma)$ in tests ({cite:t}`naim2025scaled`). Ratios are means over $\sigma = 3$ to 10.
# Both models of a pair have the same seed, and so the same prompts.
#
# As models get better the ratio stays near 1: 0.99 in Figure 3, 0.93 with three layers, 0.97 after twice
# the steps. The interval of the last, 0.84 to 1.11, leaves a small lead of either open. The printed ratio
# is out of their reach, since their read-outs [cap every answer](what_caps_the_answers.ipynb).

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import claimbook
from papers.signed_averaging import affine, answer_sizes, comparisons, trained_further
from papers.signed_averaging import longer_training as sheet

page = claimbook.Page("signed_averaging/longer_training", profile)
records = page.records
others = page.recorded(affine.softmax_and_ssa)
claimbook.settings_table(sheet.runs(page.profile)[0], ["seed"], profile=page.profile)

# %% [markdown]
# These are the settings of softmax; SSA and SSMax differ in `model.scoring` alone.
#
# ## Figure

# %%
levels = trained_further.levels(records)
paths = dict(zip(("Figure 3's pairs", "three layers", "twice the steps"),
                 map(trained_further.paths, (others, *levels))))
shorter, longer, *_ = paths.values()
best = trained_further.most_competent(levels)
table = page.save_figure(
    *(page.series(name, f"seed {seed}", own.reached.tolist(), own.lead)
      for name, of_level in paths.items()
      for seed, own in trained_further.leads(of_level).groupby("seed")))

# %% mystnb={"image": {"classes": "on-white"}} tags=["figure"]
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from claimbook.pages.plotting import BLACK, VIOLET, draw, legend_below, numbers, series
from papers.colors import color_of

printed = np.divide(affine.PRINTED["SSA"], affine.PRINTED["softmax"])[2:]
figure, axes = plt.subplots(figsize=(8, 4.2))
for (name, of_level), color in zip(paths.items(), ("0.65", BLACK, VIOLET)):
    first, *seeds = of_level.loc["SSA"].index.unique("seed")
    for seed in (first, *seeds):
        draw(axes, table, name, f"seed {seed}", color=color, marker="o", markevery=[-1],
             label=name if seed == first else None)
axes.axhline(1, color="grey", lw=1)
axes.axhline(affine.geometric_mean(printed, 0), color=color_of("SSA"), ls="--",
             label="printed")
axes.set(xscale="log", yscale="log", ylim=(0.05, 4), yticks=(0.05, 0.1, 0.2, 0.5, 1, 2, 4),
         xlabel=r"error on ordinary lines, falling with training $\rightarrow$",
         ylabel=r"SSA / softmax, $\sigma$ = 3 to 10",
         title="As models get better, no lead like the printed one appears")
axes.invert_xaxis()
axes.yaxis.set_major_formatter("{x:g}")
axes.minorticks_off()
legend = axes.legend(loc="center left")

# %% [markdown] tags=["caption"]
# SSA's error over softmax's on steep lines, against error on ordinary ones; each path is a pair along
# training, to its dot. Dashed, as printed.
#
# Alt text: The ratio of the error of SSA to that of softmax on steeper lines, against their error on
# lines as in training, which falls to the right as models learn. Grey paths of the five pairs of Figure
# 3, black ones of five pairs with three layers, and violet ones of ten that train twice as long end above
# and below 1. The printed ratio, 0.07, is a dashed line far below.

# %% [markdown]
# The ratio at four levels of competence, named by how good softmax is on ordinary lines. Beside it stand
# the printed one and the nearest that any attention could have shown with the [bounds of the best
# pairs](what_caps_the_answers.ipynb):

# %%
at_level = sheet.ratios_by_level(
    {"Figure 3's, halfway": comparisons.at_share(shorter, 0.5)}
    | {name: comparisons.at_share(of_level) for name, of_level in paths.items()})
nearest = answer_sizes.nearest_ratios(page.recorded(trained_further.sizes))
sigmas = affine.SIGMAS[2:]
table = page.save_figure(
    table, *(page.series("ratio", name, sigmas, ratios.loc[:, 3:], scale="log")
             for name, ratios in (at_level | {"nearest possible": nearest}).items()),
    series("ratio", "printed", sigmas, printed, "paper"))

# %% mystnb={"image": {"classes": "on-white"}} tags=["figure"]
figure, axes = plt.subplots(figsize=(6, 4))
colors = plt.cm.viridis(np.linspace(0.8, 0, len(at_level)))
for color, name in zip(colors, at_level):
    draw(axes, table, "ratio", name, color=color, marker="o")
draw(axes, table, "ratio", "nearest possible", color="black", ls=":")
draw(axes, table, "ratio", "printed", color=color_of("SSA"), ls="", marker="D", mfc="none")
axes.axhline(1, color="grey", lw=1)
axes.set(xlabel=r"$\sigma$", ylabel="SSA / softmax", yscale="log", ylim=(0.008, 3),
         xticks=sigmas,
         title="The printed ratios lie below what bounded answers allow")
axes.yaxis.set_major_formatter("{x:g}")
legend = legend_below(axes, 3)

# %% [markdown] tags=["caption"]
# SSA's error over softmax's on steeper lines, from the least competent models to the most; dotted, the
# nearest ratio in reach of the best; hollow, printed.
#
# Alt text: Ratio of errors against sigma on a log axis: our curves lie on each other near 1, the dotted
# one rises from 0.3 to 0.5, and the printed values, hollow diamonds, lie far below, between 0.01 and 0.2.

# %% tags=["numbers"]
numbers(table, ["ratio"], x="sigma")

# %% [markdown]
# ## Numbers
#
# Errors at the end of training, beside the printed ones: Table 1's are of models with 12 layers, Table
# 6's of softmax with as many layers and heads as ours. Ours are counted from the third point on, as in
# Equation 2, and from the fourth, as in the public code.

# %% tags=["numbers"]
sheet.beside_printed(best)

# %% [markdown]
# The softmax models of Figure 3 beside the row of Table 6 with their two layers and four heads:

# %% tags=["numbers"]
comparisons.beside(comparisons.at_share(shorter).loc[["softmax"]],
                   {"softmax": comparisons.TABLE_6["2L4AH"]})

# %% [markdown]
# The error over softmax's of each seed at the end of training, at each $\sigma$:

# %% tags=["numbers"]
final = lambda paths, name: comparisons.ratio(comparisons.at_share(paths), name, "softmax")
of_ssa = {f"{name}, SSA": final(of_level, "SSA") for name, of_level in paths.items()}
rows = pd.concat(of_ssa | {"three layers, SSMax": final(longer, "SSMax")})
rows.map("{:.2f}".format)

# %% [markdown]
# ## The claims, one by one
#
# Claim 21 is claim 3 at equal error in distribution, asked of nearly perfect models. It stood on the page
# of Figure 3, where no model is that good, and was moved here when two of the best pairs were known.

# %%
judged = trained_further.paths(best)
page.decide("signed_averaging.21", comparisons.ssa_to_softmax(
    comparisons.ratio_at_equal_error(judged, "SSA", "softmax")),
    comparisons.reached(comparisons.at_share(judged), "softmax", "SSA"),
    reach=comparisons.ssa_to_softmax(nearest))
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - *Fixed before training:* seeds, steps and rules of the best pairs, which claims are judged on them, and
#   a second look. Five pairs left claim 3 undecided, at 0.92 times softmax's error. So five more were
#   trained, and all ten are judged, each part at 97.5%. A pilot of another seed is not counted.
# - *The ten best pairs* end with errors in distribution of 0.00024 to 0.00056, and with ratios of 0.81 to
#   1.5 on steep lines. The five of three layers have 0.0007 to 0.0013, and 0.77 to 1.05.
# - *Along training.* In the best pairs the ratio is 0.96 after an eighth of the steps, 0.95 after half of
#   them, and 0.97 at the end.
# - *Scalable softmax* ({class}`SSMax <icllib.models.SSMax>`) is not in the paper and was added last, with
#   the same prompts. Five models of three layers show no lead over softmax: 1.11 times its error (0.93 to
#   1.33; 0.99 to 1.41 by seed).
# - *Cost.* The best pairs took 11.9 hours of processor time, the others 6.9, the models of SSMax 3.0.
# - *Claim 21* counts all pairs whose errors in distribution are below 0.001.
# - *Still not as good.* Errors in distribution are 3.7 and 8.4 times those that Table 1 prints for
#   softmax and SSA. Its models have 12 layers of width 256 and 500,000 steps. A public log of the
#   authors' group has 0.00018, from the fourth point on, for three layers after 500,000 steps; ours have
#   0.0001 there.
# - *Table 6.* It prints errors of softmax models with as many layers and heads. Ours have 0.34 and 94 at
#   $\sigma$ = 3 and 10, where it prints 0.6 and 100.4. So they extrapolate about as the paper's of their
#   shape do.
# - *Which points count.* Most of the error in distribution is that of the third point: counted from the
#   fourth it is 0.0001 for softmax.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/signed_averaging/longer_training/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance(records))
