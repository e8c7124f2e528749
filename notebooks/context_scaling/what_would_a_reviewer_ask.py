# %% [markdown]
# # What would a reviewer ask?
#
# Four questions that the figures of {cite:t}`abedsoltan2024context` leave open, on the linear
# regression of [Figure 1](fig01_scaling.ipynb).
#
# - **A: how deep must SGPT be?** The paper shows eight layers and one, and says in its conclusion
#   that one layer makes less of the same data.
# - **B: is the normalization needed?** The paper allows $\phi$ to be the identity when it defines
#   attention, and $\psi_L(A) = (A A^\top) A$ is one layer with this $\phi$.
# - **C: does one layer of SGPT task-scale?** Figure 5 shows it against $n$ alone. It computes its
#   features from one task, and features alone do not task-scale in Figure 7.
# - **D: is the MLP of Figure 1 merely too narrow to context-scale?**

# %% tags=["parameters"]
profile = "stored"

# %%
import icllib
from icllib.papers import context_scaling as sheet

page = icllib.Page("context_scaling/what_would_a_reviewer_ask")
records = icllib.records(sheet.what_would_a_reviewer_ask, profile, page=page.name)
shown = icllib.shown_profile(records)
settings = sheet.what_would_a_reviewer_ask(shown)
printed = sheet.what_would_a_reviewer_ask("paper")
icllib.settings_table(settings[0], (*sheet.ASSUMED, "pretraining_tasks"), printed[0], shown)

# %% [markdown]
# These are the settings of SGPT with one layer. Depth changes `layers` alone. With $\phi$ the identity
# the learning rate is half as large, since layers that cube their input overflow sooner; ASSUMED,
# scores are then divided by the number of rows and the width. The one-layer SGPT of C is that of
# [Figure 5](fig05_one_layer.ipynb), trained as there. The MLP of D has twice the units of Figure 1 and
# is trained as there. GPT-2 and the MLP that stand beside them are the runs of Figure 1.
#
# ## Figure

# %%
import numpy as np

from icllib.baselines import Ridge, Zero
from icllib.plotting import series

evaluation, at = settings[0].evaluation, sheet.LENGTHS.index
ridge, zero = (evaluation.measure(sheet.LINEAR_8, baseline)["error"][0]
               for baseline in (Ridge.bayes(sheet.LINEAR_8), Zero()))
depths, deep = sheet.DEPTHS[shown], sheet.SGPTS[shown][0].layers
shallow_and_deep = sorted({1, deep})
phis = {"l1": "l1", "identity": "none"}

def of(model, count=sheet.MOST_TASKS, **chosen):
    """Errors of one model: (seeds, context lengths)."""
    found = [r for r in records if chosen.items() <= r.run["model"].items()]
    return icllib.samples(found, "error", model=model, pretraining_tasks=count)

def runs_of(model):
    return [r.run for r in records if r.run["model"]["type"] == f"models.{model}"]

widths = sorted({run["model"]["width"] for run in runs_of("MLP")})
by_depth = np.stack([of("SGPT", layers=k, normalization="l1") for k in depths], axis=1)
tables = []
for n in (10, 40):
    floor = [ridge[at(n)]] * len(depths)
    tables += [series("A", f"SGPT, n = {n}", depths, by_depth[..., at(n)], shown),
               series("A", f"ridge, n = {n}", depths, floor, shown)]
tables += [series("B", f"{phi}, layers: {k}", sheet.LENGTHS,
                  of("SGPT", layers=k, normalization=normalization), shown)
           for phi, normalization in phis.items() for k in shallow_and_deep]
tables.append(series("B", "ridge", sheet.LENGTHS, ridge, shown))
first = sheet.FIGURE_5_LENGTHS.index(10)
for name, model, place in (("one-layer SGPT", "FeatureMLP", first),
                           ("GPT-2", "Transformer", at(10))):
    counts = sorted({run["pretraining_tasks"] for run in runs_of(model)})
    over_tasks = np.stack([of(model, T)[:, place] for T in counts], axis=1)
    tables.append(series("C", name, counts, over_tasks, shown))
tables.append(series("C", "ridge", counts, [ridge[at(10)]] * len(counts), shown))
tables += [series("D", f"MLP, width {width}", sheet.LENGTHS,
                  of("MLP", sheet.WIDE_COUNT, width=width), shown) for width in widths]
table = page.save_figure(*tables, series("D", "zero", sheet.LENGTHS, zero, shown))

# %% tags=["figure"] mystnb={"image": {"alt": "PENDING"}}
import matplotlib.pyplot as plt
from icllib.plotting import BLUE, GREEN, ORANGE, draw

figure, grid = plt.subplots(2, 2, figsize=(10, 7))
panels = dict(zip("ABCD", grid.flat))
baseline = {"color": "black", "ls": "--"}
for n, color in ((10, BLUE), (40, GREEN)):
    draw(panels["A"], table, "A", f"SGPT, n = {n}", color=color, marker="o")
    draw(panels["A"], table, "A", f"ridge, n = {n}", color=color, ls="--")
for phi, color in zip(phis, (BLUE, ORANGE)):
    for k, style in zip(shallow_and_deep, ({"mfc": "none"}, {})):
        draw(panels["B"], table, "B", f"{phi}, layers: {k}", color=color, marker="o",
             label=rf"$\phi$: {phi}, layers: {k}", **style)
draw(panels["B"], table, "B", "ridge", label="ridge (optimal)", **baseline)
for name, color in (("one-layer SGPT", BLUE), ("GPT-2", ORANGE)):
    draw(panels["C"], table, "C", name, color=color, marker="o")
draw(panels["C"], table, "C", "ridge", label="ridge (optimal)", **baseline)
for width, color in zip(widths, (BLUE, ORANGE)):
    draw(panels["D"], table, "D", f"MLP, width {width}", color=color, marker="s")
draw(panels["D"], table, "D", "zero", color="grey", ls=":")
titles = {"A": "depth of SGPT", "B": r"$\phi$ = identity", "C": "one layer, n = 10",
          "D": f"width of the MLP, $T = 10^{np.log10(sheet.WIDE_COUNT):.0f}$"}
labels = {"A": "layers", "B": "context length n", "C": "pre-training tasks T",
          "D": "context length n"}
for letter, axes in panels.items():
    axes.set(title=f"{letter}: {titles[letter]}", xlabel=labels[letter], ylim=(0, None),
             ylabel="mean squared error")
    axes.legend()
panels["A"].set_xscale("log", base=2)
panels["A"].set_xticks(depths, depths)
scale = panels["C"].set_xscale("log")

# %% [markdown]
# Bands are 95% intervals over seeds. T is $10^6$ in A and B.
#
# ## Numbers

# %% tags=["numbers"]
from icllib.plotting import numbers

numbers(table, ["A"], digits=3)

# %% tags=["numbers"]
numbers(table, ["B", "D"], digits=3)

# %% tags=["numbers"]
numbers(table, ["C"], digits=3)

# %% [markdown]
# ## Paper beside ours

# %%
one, many = (of("SGPT", layers=k, normalization="l1") for k in (1, deep))
few_tasks, many_tasks = (of("FeatureMLP", T)[:, first] for T in (10**4, 10**6))
wide = of("MLP", sheet.WIDE_COUNT, width=max(widths))
page.decide("context_scaling.20", {f"n = {n}": one[:, at(n)] / many[:, at(n)]
                                   for n in (10, 40)}, shown)
page.decide("context_scaling.21", {"one-layer SGPT": 0.95 * few_tasks / many_tasks}, shown)
page.decide("context_scaling.22", {"twice as wide": wide[:, at(40)] / wide[:, at(10)]}, shown)
page.verdicts()

# %% [markdown]
# ## What the answers mean for the paper
#
# PENDING
#
# ## What differs and why
#
# PENDING
#
# The numbers behind the figure: {download}`figure.csv <../../results/context_scaling/what_would_a_reviewer_ask/figure.csv>`.

# %% tags=["provenance"]
print(icllib.provenance_line(records, page.name))
