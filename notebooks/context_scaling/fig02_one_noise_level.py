# %% [markdown]
# # Figure 2: one noise level
#
# *SGPT* is GPT-2 with its key, query and value weights replaced by the identity, and little else
# ([the equation](../../book/context_scaling.md)). {cite:t}`abedsoltan2024context` train both on
# linear regression with one noise level,
#
# $$x \sim N(0, I_d), \quad \beta \sim N(0, I_d / d), \quad y = \beta^\top x + \epsilon,
#   \quad \epsilon \sim N(0, 0.5^2),$$
#
# and find that SGPT does as well as GPT-2 and as ridge regression with the optimal penalty, at
# every context length (left). The right panel varies the penalty at one context length. Ridge
# regression answers
#
# $$\hat y = x_N^\top (X^\top X + \lambda I)^{-1} X^\top y .$$
#
# With $\lambda = d \sigma^2$ this is the mean of $\beta^\top x_N$ given the pairs, so no predictor is
# better on average: it is the floor of both panels.

# %% tags=["parameters"]
profile = "stored"

# %%
import icllib
from icllib.papers import context_scaling as sheet

page = icllib.Page("context_scaling/fig02_one_noise_level")
records = icllib.records(sheet.fig02_one_noise_level, profile, page=page.name)
shown = icllib.shown_profile(records)
settings = sheet.fig02_one_noise_level(shown)
printed = sheet.fig02_one_noise_level("paper")
assumed = (*sheet.ASSUMED, "pretraining_tasks")
icllib.settings_table(settings[0], assumed, printed[0], shown)

# %% [markdown]
# These are the settings for SGPT. GPT-2's differ in:

# %%
icllib.settings_table(settings[-1], assumed, printed[-1], shown).filter(
    regex=r"model|recipe\.learning_rate", axis=0)

# %% [markdown]
# ## Figure
#
# The errors of the upper row are against noisy labels, as in the paper. In the lower row, excess
# errors: what is left without the label noise, $\sigma^2$ less on average.

# %%
import numpy as np

from icllib.baselines import Ridge, RidgeSweep
from icllib.plotting import series

names = {"SGPT": "SGPT", "GPT-2": "Transformer"}
task, evaluation = settings[0].task, settings[0].evaluation
at, penalties = evaluation.lengths.index(sheet.AT), sheet.penalties(task.dimension)
floor = evaluation.measure(task, Ridge.bayes(task))
sweep = evaluation.measure(task, RidgeSweep(penalties))

def of(name, metric):
    """(seeds, context lengths)."""
    return icllib.samples(records, metric, model=names[name])

tables = []
for metric in ("error", "excess"):
    for name in (*names, "ridge"):
        errors = floor[metric] if name == "ridge" else of(name, metric)
        tables.append(series(f"left, {metric}", name, evaluation.lengths, errors, shown))
        level = errors[:, [at, at]]
        tables.append(series(f"right, {metric}", f"{name}, level", penalties[[0, -1]],
                             level, shown))
    tables.append(series(f"right, {metric}", "ridge", penalties,
                         sweep[metric][:, at], shown))
table = page.save_figure(*tables)

# %% tags=["figure"] mystnb={"image": {"alt": "Left: error against context length for SGPT, GPT-2 and optimal ridge regression; all three fall, the two models run together a little above ridge. Right: the error of ridge regression at 20 pairs against its penalty, a shallow curve, with the two models as horizontal lines above it. The lower row shows the same without the label noise, where the gaps are wider."}}
import matplotlib.pyplot as plt
from icllib.plotting import BLUE, GREEN, ORANGE, draw

figure, rows = plt.subplots(2, 2, figsize=(9, 6), sharey="row")
styles = {"SGPT": {"color": BLUE, "marker": "o"},
          "GPT-2": {"color": ORANGE, "marker": "s"},
          "ridge": {"color": "black", "ls": "--", "label": "optimal ridge (floor)"}}
for panels, metric in zip(rows, ("error", "excess")):
    for name, style in styles.items():
        draw(panels[0], table, f"left, {metric}", name, **dict(style))
        draw(panels[1], table, f"right, {metric}", f"{name}, level",
             **{**style, "marker": ""})
    draw(panels[1], table, f"right, {metric}", "ridge", color=GREEN, marker=".")
    panels[1].axvline(Ridge.bayes(task).penalty, color="grey", ls=":", lw=1)
    panels[1].set(xscale="log")
    panels[0].set(ylim=(0, None), ylabel=f"{metric}")
rows[0, 0].set(title="against context length", ylabel="mean squared error")
rows[0, 1].set(title=f"n = {sheet.AT}, against the penalty of ridge regression")
rows[1, 0].set(xlabel="context length n", ylabel="excess error")
rows[1, 1].set(xlabel=r"penalty $\lambda$")
handles, labels = rows[0, 0].get_legend_handles_labels()
swept = rows[0, 1].get_lines()[3]
legend = figure.legend([*handles, swept], [*labels, r"ridge, penalty $\lambda$"],
                       loc="outside lower center", ncols=4)

# %% [markdown]
# Bands are 95% intervals over seeds. The dotted line on the right is the optimal penalty,
# $d \sigma^2$.
#
# ## Numbers

# %% tags=["numbers"]
from icllib.plotting import numbers

numbers(table[table.panel.str.startswith("left")], digits=3)

# %% tags=["numbers"]
numbers(table[table.panel.str.startswith("right")], xs=penalties[[0, 6, 12, 19]], digits=3)

# %% [markdown]
# ## Paper beside ours
#
# The statistic is the error of SGPT over that of the reference, against noisy labels, at each
# context length.

# %%
ratios = {"ridge": of("SGPT", "error") / floor["error"],
          "GPT-2": of("SGPT", "error") / of("GPT-2", "error")}
page.decide("context_scaling.5", {
    f"{name} n = {n}": ratio[:, k] for name, ratio in ratios.items()
    for k, n in enumerate(evaluation.lengths)}, shown)
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - x
#
# The numbers behind the figure: {download}`figure.csv <../../results/context_scaling/fig02_one_noise_level/figure.csv>`.

# %% tags=["provenance"]
print(icllib.provenance_line(records, page.name))
