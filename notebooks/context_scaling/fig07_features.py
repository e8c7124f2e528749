# %% [markdown]
# # Figure 7: features, the prompt, or both
#
# A perceptron on the flattened prompt $A_v$ [task-scales but does not context-scale](fig01_scaling.ipynb).
# {cite:t}`abedsoltan2024context` give it the last row of a feature map, $\psi_L$ or $\psi_H$, in
# place of the prompt or beside it, as one input vector
#
# $$\left[ A_v^\top, \; \psi(A)_{N,:} \right]^\top .$$
#
# Features alone should context-scale but not task-scale; both together should do both.

# %% tags=["parameters"]
profile = "stored"

# %%
import icllib
from icllib.papers import context_scaling as sheet

page = icllib.Page("context_scaling/fig07_features")
records = icllib.records(sheet.fig07_features, profile, page=page.name)
shown = icllib.shown_profile(records)
settings, printed = sheet.fig07_features(shown), sheet.fig07_features("paper")
icllib.settings_table(settings[0], sheet.ASSUMED, printed[0], shown)

# %% [markdown]
# These are the settings of the perceptron on the prompt for linear regression, whose runs are those
# of [Figure 1](fig01_scaling.ipynb). The number of steps is the same for every $T$, but not for every
# model and task:

# %%
import pandas as pd

pd.DataFrame([{"task": type(run.task).__name__, "model": type(run.model).__name__,
               "features": getattr(run.model, "features", "none"),
               "prompt": getattr(run.model, "prompt", True), "steps": run.recipe.steps}
              for run in settings]).drop_duplicates().set_index(["task", "model"])

# %% [markdown]
# ## Figure
#
# Errors are against noisy labels, divided by the error of the predictor that always answers 0.

# %%
import numpy as np

from icllib.baselines import Ridge
from icllib.plotting import series

tasks = {"linear": (sheet.LINEAR_8, sheet.LENGTHS),
         "ReLU network": (sheet.RELU_8, sheet.RELU_LENGTHS)}
inputs = {"prompt": (None, None), "psi_L": ("linear", False), "psi_H": ("hilbert", False),
          "prompt + psi_L": ("linear", True), "prompt + psi_H": ("hilbert", True)}
counts = sorted({r.run["pretraining_tasks"] for r in records})
most = counts[-1]

def of(name, title, metric, T):
    """(seeds, context lengths)."""
    same = [r for r in records if inputs[name] == (r.run["model"].get("features"),
                                                   r.run["model"].get("prompt"))]
    return icllib.samples(same, metric, pretraining_tasks=T,
                          task=type(tasks[title][0]).__name__)

tables = []
for title, (task, lengths) in tasks.items():
    at_10 = lengths.index(10)
    for name in inputs:
        for metric, scale in (("error", task.label_variance), ("excess", 1)):
            over_tasks = [of(name, title, metric, T)[:, at_10] / scale for T in counts]
            tables.append(series(f"A {title}, {metric}", name, counts,
                                 np.stack(over_tasks, axis=1), shown))
            tables.append(series(f"B {title}, {metric}", name, lengths,
                                 of(name, title, metric, most) / scale, shown))
floor = settings[0].evaluation.measure(sheet.LINEAR_8, Ridge.bayes(sheet.LINEAR_8))
ridge = floor["error"][0] / sheet.LINEAR_8.label_variance
at_10 = ridge[sheet.LENGTHS.index(10)]
tables.append(series("A linear, error", "ridge", counts, [at_10] * len(counts), shown))
tables.append(series("B linear, error", "ridge", sheet.LENGTHS, ridge, shown))
table = page.save_figure(*tables)

# %% tags=["figure"] mystnb={"image": {"alt": "ALT"}}
import matplotlib.pyplot as plt
from icllib.plotting import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, draw

colors = dict(zip((*inputs, "ridge"), (BLUE, ORANGE, GREEN, PURPLE, SKY, BLACK)))
figure, panels = plt.subplots(1, 4, figsize=(13, 3.7))
order = [f"{letter} {title}, error" for letter in "AB" for title in tasks]
for axes, panel in zip(panels, order):
    for name in table[table.panel == panel].series.unique():
        label = name.replace("psi_L", r"$\psi_L$").replace("psi_H", r"$\psi_H$")
        draw(axes, table, panel, name, color=colors[name], label=label,
             marker=None if name == "ridge" else "o", ls="--" if name == "ridge" else "-")
    axes.axhline(1, color="grey", ls=":", label="zero")
    axes.set(title=panel.removesuffix(", error"), yscale="log")
    axes.set(**({"xscale": "log", "xlabel": "pre-training tasks T"} if panel[0] == "A"
                else {"xlabel": "context length n"}))
panels[0].set(ylabel="error / error of zero")
legend = figure.legend(*panels[0].get_legend_handles_labels(),
                       loc="outside lower center", ncols=7)

# %% [markdown]
# A is at 10 pairs, B at the largest $T$. Bands are 95% intervals over seeds. Left to right: linear
# functions and ReLU networks against $T$, then against $n$.
#
# ## Numbers

# %% tags=["numbers"]
from icllib.plotting import numbers

numbers(table, [panel for panel in table.panel.unique() if panel.startswith("A")])

# %% tags=["numbers"]
numbers(table, [panel for panel in table.panel.unique() if panel.startswith("B")])

# %% [markdown]
# ## Paper beside ours

# %%
def ratios(name, title):
    """Error at the longest context over that at n = 10; at T = 1e6 over that at T = 1e4."""
    at_10, errors = tasks[title][1].index(10), of(name, title, "error", most)
    few = of(name, title, "error", 10**4)[:, at_10]
    return errors[:, -1] / errors[:, at_10], of(name, title, "error", 10**6)[:, at_10] / few

alone, both = {}, {}
for title in tasks:
    for kernel in ("psi_L", "psi_H"):
        context, over_tasks = ratios(kernel, title)
        alone[f"context {kernel} {title}"] = context / 0.9
        alone[f"tasks {kernel} {title}"] = 0.95 / over_tasks
        context, over_tasks = ratios(f"prompt + {kernel}", title)
        both[f"context {kernel} {title}"] = context
        both[f"tasks {kernel} {title}"] = over_tasks
page.decide("context_scaling.14", alone, shown)
page.decide("context_scaling.15", both, shown)
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - The paper gives no steps, batch size, learning rate or $T$ of panel B for this figure.
# TEXT
#
# The numbers behind the figure: {download}`figure.csv <../../results/context_scaling/fig07_features/figure.csv>`.

# %% tags=["provenance"]
print(icllib.provenance_line(records, page.name))
