# %% [markdown]
# # Figure 6: one number against a row of features
#
# The last row of $\psi(A)$ has $d + 1$ entries: $d$ smoothed inputs and, last, an
# [estimate of the label](estimators.ipynb). {cite:t}`abedsoltan2024context` ask which of them make
# the error fall with the context length. They compare
#
# - an MLP on the whole row $\psi(A)_{N,:}$ with
# - linear regression on the single number $\psi(A)_{N,d+1}$, $\hat y = a \, \psi(A)_{N,d+1} + b$,
#
# for $\psi_L$ and $\psi_H$, and find that the number alone is as good.

# %% tags=["parameters"]
profile = "stored"

# %%
import icllib
from icllib.papers import context_scaling as sheet

page = icllib.Page("context_scaling/fig06_scalar_against_row")
records = icllib.records(sheet.fig06_scalar_against_row, profile, page=page.name)
shown = icllib.shown_profile(records)
settings, printed = (sheet.fig06_scalar_against_row(name) for name in (shown, "paper"))
icllib.settings_table(settings[0], (*sheet.ASSUMED, "pretraining_tasks"), printed[0], shown)

# %% [markdown]
# These are the settings for linear regression and the row; the runs are those of
# [Figure 7](fig07_features.ipynb). The regression on the number is trained in the same way, without
# weight decay, one $a$ and $b$ for all context lengths. The ReLU networks have 100 units, $d = 8$ and
# the context lengths of the figure. $\psi_L$ is divided by $n$ for both, since a sum over pairs has
# no scale of its own.
#
# ## Figure
#
# Errors are against noisy labels, divided by the error of the predictor that always answers 0.

# %%
import numpy as np

from icllib.baselines import Ridge
from icllib.plotting import series

tasks = {"linear": (sheet.LINEAR_8, sheet.LENGTHS),
         "ReLU network": (sheet.RELU_8, sheet.RELU_LENGTHS)}
kernels = dict(zip(("psi_L", "psi_H"), sheet.KERNELS))
models = {"row": "FeatureMLP", "scalar": "ScalarRegression"}

def of(kernel, title, name, metric="error"):
    """(seeds, context lengths)."""
    same = [r for r in records if r.run["model"]["features"] == kernels[kernel]]
    return icllib.samples(same, metric, model=models[name],
                          task=type(tasks[title][0]).__name__)

tables = []
for title, (task, lengths) in tasks.items():
    for kernel in kernels:
        for name in models:
            tables.append(series(title, f"{kernel} {name}", lengths,
                                 of(kernel, title, name) / task.label_variance, shown))
            tables.append(series(f"{title}, excess", f"{kernel} {name}", lengths,
                                 of(kernel, title, name, "excess"), shown))
        ratios = of(kernel, title, "scalar") / of(kernel, title, "row")
        tables.append(series(f"{title}, scalar / row", kernel, lengths, ratios, shown))
floor = settings[0].evaluation.measure(sheet.LINEAR_8, Ridge.bayes(sheet.LINEAR_8))
tables.append(series("linear", "ridge", sheet.LENGTHS,
                     floor["error"] / sheet.LINEAR_8.label_variance, shown))
table = page.save_figure(*tables)

# %% tags=["figure"] mystnb={"image": {"alt": "Error against context length for linear functions and ReLU networks: for each of two feature maps the regression on one number lies on or a little above the perceptron on the whole row, and all fall with the context length. A third panel shows the ratio of the two errors at each length."}}
import matplotlib.pyplot as plt
from icllib.plotting import BLUE, ORANGE, draw

figure, panels = plt.subplots(1, 3, figsize=(12, 3.6))
for axes, title in zip(panels, tasks):
    for kernel, color in zip(kernels, (BLUE, ORANGE)):
        letter = kernel[-1]
        draw(axes, table, title, f"{kernel} row", color=color, marker="s",
             label=rf"$\psi_{letter}$, MLP on the row")
        draw(axes, table, title, f"{kernel} scalar", color=color, marker="o", mfc="none",
             ls="--", label=rf"$\psi_{letter}$, regression on the scalar")
        draw(panels[2], table, f"{title}, scalar / row", kernel, color=color,
             ls="-" if title == "linear" else ":", marker="o",
             label=rf"$\psi_{letter}$, {title}")
    axes.axhline(1, color="grey", ls=":", label="zero")
    axes.set(xlabel="context length n", title=title, ylim=(0, 1.1))
draw(panels[0], table, "linear", "ridge", color="black", ls="-.", label="ridge (optimal)")
panels[0].set(ylabel="error / error of zero")
panels[2].axhline(1.25, color="grey", lw=1)
panels[2].set(xlabel="context length n", title="error, scalar / row")
panels[2].legend()
legend = figure.legend(*panels[0].get_legend_handles_labels(),
                       loc="outside lower center", ncols=3)

# %% [markdown]
# Bands are 95% intervals over seeds. The grey line on the right is the margin of the claim.
#
# ## Numbers

# %% tags=["numbers"]
from icllib.plotting import numbers

numbers(table, [panel for panel in table.panel.unique() if panel.startswith("linear")])

# %% tags=["numbers"]
numbers(table, [panel for panel in table.panel.unique() if panel.startswith("ReLU")])

# %% [markdown]
# ## Paper beside ours

# %%
worst = {f"{kernel} {title}": np.max(of(kernel, title, "scalar") / of(kernel, title, "row"),
                                     axis=1) for title in tasks for kernel in kernels}
page.decide("context_scaling.11", worst, shown)
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - The paper gives no context lengths, no $T$ and no training settings for this figure. Ours are
#   those of Figure 7, at $T = 10^6$.
# TEXT
#
# The numbers behind the figure: {download}`figure.csv <../../results/context_scaling/fig06_scalar_against_row/figure.csv>`.

# %% tags=["provenance"]
print(icllib.provenance_line(records, page.name))
