# %% [markdown]
# # What would a reviewer ask?
#
# Four questions that the figures of {cite:t}`abedsoltan2024context` leave open, on
# the linear regression of [Figure 1](fig01_scaling.ipynb).
#
# - **A: how deep must SGPT be?** The paper shows eight layers and one, and says in
#   its conclusion that one layer makes less of the same data.
# - **B: is the normalization needed?** The paper allows $\phi$ to be the identity
#   when it defines attention, and $\psi_L(A) = (A A^\top) A$ is one layer with this
#   $\phi$.
# - **C: does one layer of SGPT task-scale?** Figure 5 shows it against $n$ alone. It
#   computes its features from one task, and features alone do not task-scale in
#   Figure 7.
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
assumed = *sheet.ASSUMED, "pretraining_tasks"
icllib.settings_table(settings[0], assumed, printed[0], shown)

# %% [markdown]
# These are the settings of SGPT with one layer. Depth changes `layers` alone. With
# $\phi$ the identity the learning rate is half as large, since layers that cube
# their input overflow sooner; ASSUMED, scores are then divided by the number of rows
# and the width. The one-layer SGPT of C is that of [Figure
# 5](fig05_one_layer.ipynb), trained as there. The MLP of D has twice the units of
# Figure 1 and is trained as there. GPT-2 and the MLP that stand beside them are the
# runs of Figure 1.
#
# ## Figure

# %%
from icllib.plotting import series

curves = sheet.answers(records, shown)
table = page.save_figure(*(
    series(letter, name, xs, errors, shown)
    for letter, lines in curves.items() for name, (xs, errors) in lines.items()))

# %% tags=["figure"] mystnb={"image": {"alt": "PENDING"}}
import matplotlib.pyplot as plt
import numpy as np
from icllib.plotting import COLORS, draw

titles = {"A": ("depth of SGPT", "layers"),
          "B": (r"normalization $\phi$ in SGPT", "context length n"),
          "C": ("one layer, n = 10", "pre-training tasks T"),
          "D": (f"width of the MLP, $T = 10^{np.log10(sheet.WIDE_COUNT):.0f}$",
                "context length n")}
figure, grid = plt.subplots(2, 2, figsize=(10, 7))
panels = dict(zip(titles, grid.flat))
for letter, axes in panels.items():
    in_pairs = letter in "AB"  # two curves of one color
    for place, name in enumerate(curves[letter]):
        style = {"color": COLORS[place // 2 if in_pairs else place], "marker": "o"}
        if in_pairs and place % 2 == 0:
            style["mfc"] = "none" if letter == "B" else None
        if name.startswith("ridge"):
            style |= {"marker": None, "ls": "--"}
        if name in ("ridge", "zero"):
            style |= {"marker": None, "color": "black"}
        draw(axes, table, letter, name, **style)
    title, label = titles[letter]
    axes.set(title=f"{letter}: {title}", xlabel=label, ylim=(0, None),
             ylabel="mean squared error")
    axes.legend()
panels["A"].set_xscale("log", base=2)
panels["A"].set_xticks(sheet.DEPTHS[shown], sheet.DEPTHS[shown])
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
def ratio(letter, name, end, start):
    """Error at one x value over that at another, one per seed."""
    xs, errors = curves[letter][name]
    return errors[:, xs.index(end)] / errors[:, xs.index(start)]

deep = sheet.SGPTS[shown][0].layers
page.decide("context_scaling.20", {
    f"n = {n}": ratio("A", f"SGPT, n = {n}", 1, deep) for n in (10, 40)}, shown)
page.decide("context_scaling.21", {
    "one-layer SGPT": 0.95 / ratio("C", "one-layer SGPT", 10**6, 10**4)}, shown)
wide = list(curves["D"])[1]
page.decide("context_scaling.22", {"twice as wide": ratio("D", wide, 40, 10)}, shown)
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
