# %% [markdown]
# # Section 5.1: the estimators inside a feature map
#
# One attention layer without weights maps the prompt matrix $A$, whose last row is $(x_N, 0)$, to a
# matrix $\psi(A)$ of the same shape. {cite:t}`abedsoltan2024context` note that its last entry is
# already an estimate of $y_N$, with nothing to train:
#
# | feature map | $\psi(A)_{N, d+1}$ |
# |---|---|
# | $\psi_L(A) = (A A^\top) A$ | $x_N^\top X^\top y$, one step of gradient descent from zero (Eq. 10) |
# | $\psi_K(A)$, $K(z, z') = e^{z^\top z'}$ | the exponential kernel smoother, softmax attention (Eq. 12) |
# | $\psi_H(A)$, $H(z, z') = \lVert z - z' \rVert^{-d}$ | the Hilbert estimate (Eqs. 5 and 12) |
#
# The Hilbert estimate is consistent {cite:p}`devroye1998hilbert`: with enough pairs its error
# beyond the label noise goes to zero on any task. This page checks the three identities and follows
# the errors to 100,000 pairs. Nothing is trained.

# %% tags=["parameters"]
profile = "stored"

# %%
import icllib
from icllib.papers import context_scaling as sheet

page = icllib.Page("context_scaling/estimators")
records = icllib.records(sheet.estimators, profile, page=page.name)
icllib.settings_table(sheet.EstimatorErrors(sheet.LINEAR_8), assumed=(
    "lengths", "functions", "queries", "seed"))

# %% [markdown]
# These are the settings of the linear task at $d = 8$. The ReLU networks have $d = 8$ and $r = 100$;
# linear functions are also taken at $d = 1, 2, 4$ with the same noise and
# $\beta \sim N(0, I_d / d)$.
#
# $\psi_L$ has no scale of its own: $x^\top X^\top y$ grows with $n$. As a predictor it gets the best
# scalar step for each $n$. For a task with $m = \mathbb{E}[x y \mid f]$,
#
# $$s_n = \frac{S}{V + (n - 1) S}, \qquad S = \mathbb{E} \lVert m \rVert^2, \quad
#   V = \mathbb{E} \lVert x \rVert^2 y^2, \qquad
#   \text{error} = \mathbb{E} y^2 - s_n n S ,$$
#
# which is $s_n = 1/(n + d + 1 + d \sigma^2)$ for linear functions and $s_n = 1/(n + 2d + 3)$ for ReLU
# networks. The error goes to $\sigma^2$ for the first and to $d/2$, half of the label variance, for the
# second: a linear predictor sees half of a ReLU network. The exponential smoother tends to
# $\mathbb{E}_g f(x + g)$, $g \sim N(0, I)$. For linear functions that is $f(x)$ itself, for ReLU networks
# it is not, and the error that stays is an integral in one variable.
#
# ## Figure

# %%
import numpy as np

from icllib.plotting import band, series

names = {"one_step": "one gradient step", "exponential": "exponential",
         "hilbert": "Hilbert", "ridge": "ridge"}
errors = [r for r in records if "hilbert_error" in r.metrics]
lengths, shown = errors[0].run["lengths"], icllib.shown_profile(records)

def of(task, metric, dimension=8):
    """A metric of every seed: (seeds, lengths)."""
    return np.array([r[metric] for r in errors if r.run["task"]["dimension"] == dimension
                     and r.run["task"]["type"] == f"tasks.{task}"])

def theory(panel, name, values):
    return band(panel, f"{name}, theory", lengths, values, values, values, 1, shown)

LINEAR, RELU = "LinearRegression", "ReluNetwork"
tables = []
for panel, task, kind in (("linear, error", LINEAR, "error"),
                          ("linear, excess", LINEAR, "excess"),
                          ("ReLU network", RELU, "error")):
    for key, name in names.items():
        if key != "ridge" or task == LINEAR:
            tables.append(series(panel, name, lengths, of(task, f"{key}_{kind}"), shown))
    at = sheet.RELU_8 if task == RELU else sheet.LINEAR_8
    noise = at.noise_std**2 if kind == "excess" else 0
    tables.append(theory(panel, names["one_step"],
                         [sheet.one_step_error(at, n) - noise for n in lengths]))
limit = [sheet.exponential_limit(8)] * len(lengths)
tables.append(theory("ReLU network", names["exponential"], limit))
for d in (1, 2, 4, 8):
    tables.append(series("Hilbert, excess", f"d = {d}", lengths,
                         of(LINEAR, "hilbert_excess", d), shown))
table = page.save_figure(*tables)

# %% tags=["figure"] mystnb={"image": {"alt": "Four panels against the context length from 10 to 100,000, both axes logarithmic. Linear functions: one gradient step and ridge regression fall to the noise level, the exponential smoother and the Hilbert estimate fall slowly and stay above it. Their excess errors: ridge and the gradient step fall as straight lines, the other two slowly. ReLU networks: the gradient step stops at half of the label variance, the exponential smoother near its limit, the Hilbert estimate keeps falling. Hilbert estimate in 1, 2, 4 and 8 dimensions: four slowly falling lines."}}
import matplotlib.pyplot as plt
from icllib.plotting import BLACK, BLUE, GREEN, ORANGE, draw

colors = dict(zip(names.values(), (BLUE, ORANGE, GREEN, BLACK)))
figure, panels = plt.subplots(1, 4, figsize=(13, 3.7))
for axes, panel in zip(panels, table.panel.unique()):
    axes.set(xscale="log", yscale="log", xlabel="context length n", title=panel)
    for name in table[table.panel == panel].series.unique():
        color = colors.get(name.removesuffix(", theory"))
        draw(axes, table, panel, name, color=color,
             ls="--" if "theory" in name else "-")
panels[0].set(ylabel="mean squared error")
panels[3].legend()
legend = figure.legend(*panels[0].get_legend_handles_labels(),
                       loc="outside lower center", ncols=5)

# %% [markdown]
# Bands are 95% intervals over seeds, each with its own functions. Solid: simulation; dashed: the
# closed forms above. Ridge regression with the penalty $d \sigma^2$ is the floor for linear functions.
#
# ## Numbers

# %% tags=["numbers"]
from icllib.plotting import numbers

numbers(table, xs=[10, 100, 1000, 10_000, 100_000])

# %% [markdown]
# Slopes of $\log_{10}$ excess error against $\log_{10} n$ over the whole range, means over seeds; and
# $\psi_L$ without a step, which is no predictor: its error in units of the zero predictor's.

# %% tags=["numbers"]
import pandas as pd

def slopes(task, metric, dimension=8):
    """One per seed."""
    logs = np.log10(of(task, metric, dimension)).T
    return np.polyfit(np.log10(lengths), logs, 1)[0]

rows = {(name, task): f"{slopes(task, f'{key}_excess').mean():.2f}"
        for key, name in names.items() for task in (LINEAR, RELU)
        if key != "ridge" or task == LINEAR}
for d in (1, 2, 4):
    rows["Hilbert", f"{LINEAR}, d = {d}"] = \
        f"{slopes(LINEAR, 'hilbert_excess', d).mean():.2f}"
pd.DataFrame({"slope": rows}).rename_axis(["estimator", "task"])

# %% tags=["numbers"]
pd.DataFrame({at: {f"n = {n}": f"{sheet.one_step_error(at, n, 1.0) / at.label_variance:.2g}"
                   for n in (5, 10, 40, 100)}
              for at in (sheet.LINEAR_8, sheet.RELU_8)}).rename(columns=lambda at: type(at).__name__)

# %% [markdown]
# The identities on 500 random prompts of 40 pairs, from the whole matrices in double precision. With
# the $y$ that is printed next to Eq. 10, which contains $y_N$, the right side is
# $x_N^\top X^\top y + \lVert x_N \rVert^2 y_N$: the label that is to be predicted leaks in. The kernel
# printed as exponential, $e^{-z^\top z}$, does not depend on the second point.

# %% tags=["numbers"]
exact = [r for r in records if "psi_L" in r.metrics]
pd.DataFrame({f"d = {r.run['dimension']}": {
    "psi_L is one gradient step, within 1e-10": r["psi_L"] < 1e-10,
    "with the printed y, |x_N|^2 y_N too much, within 1e-10": r["printed_y"] < 1e-10,
    "size of that leak, relative to the estimate": f"{r['leak']:.2f}",
    "exponential smoother with exp(z.z'), within 1e-12": r["exponential"] < 1e-12,
    "Hilbert estimate, within 1e-12": r["hilbert"] < 1e-12,
    "printed exp(-z.z) is the plain average, within 1e-12": r["printed_kernel"] < 1e-12}
    for r in exact})

# %% [markdown]
# ## Paper beside ours

# %%
page.decide("context_scaling.12", {f"d = {r.run['dimension']}": [r["psi_L"]] for r in exact},
            shown)
page.decide("context_scaling.13", {"linear": slopes(LINEAR, "hilbert_excess"),
                                   "ReLU network": slopes(RELU, "hilbert_excess")}, shown)
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# TEXT
#
# The numbers behind the figure: {download}`figure.csv <../../results/context_scaling/estimators/figure.csv>`.

# %% tags=["provenance"]
print(icllib.provenance_line(records, page.name))
