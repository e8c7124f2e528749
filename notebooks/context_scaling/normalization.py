# %% [markdown]
# # Section 4 and Equation 13: normalization and the last skip of SGPT
#
# The paper {cite:p}`abedsoltan2024context` leaves two things about a layer of SGPT
# open.
#
# - $\phi$ is "row-wise $\ell_1$ normalization" of $S = H H^\top$. Are signs kept,
#   $\phi(S)_{ij} = S_{ij} / \sum_k \lvert S_{ik} \rvert$, or dropped, $\phi(S)_{ij}
#   = \lvert S_{ij} \rvert / \sum_k \lvert S_{ik} \rvert$?
# - Equation 13 ends in a skip, $H \leftarrow \operatorname{gelu}(Z W_{\mathrm{mlp}})
#   + Z$ with $Z = \phi(S) H W_{\mathrm{proj}} + H$. The text of Section 4 says that
#   this skip is removed, $H \leftarrow \operatorname{gelu}(Z W_{\mathrm{mlp}})$.
#
# Here are the four readings on two tasks of Figure 8. All other pages use one of
# them: signs kept, and Equation 13 as printed.
#
# In the first layer a query's row of $H$ is linear in $x_N$, since its label is 0.
# Its score with a pair is then linear in $x_N$ too, so that signed weights change
# sign with $x_N$, as a linear target does. Absolute weights do not: what they gather
# from the labels is even in $x_N$, and a linear target has no even part.

# %% tags=["parameters"]
profile = "stored"

# %%
import icllib
from icllib.papers import context_scaling as sheet

page = icllib.Page("context_scaling/normalization")
records = icllib.records(sheet.normalization, profile, page=page.name)
shown = icllib.shown_profile(records)
settings, printed = sheet.normalization(shown), sheet.normalization("paper")
icllib.settings_table(settings[0], (*sheet.ASSUMED, "pretraining_tasks",
                                    "model.normalization", "model.mlp_skip"),
                      printed[0], shown)

# %% [markdown]
# These are the settings of the default on linear functions. The other forms differ
# in `normalization` and `mlp_skip` alone, the ReLU networks (100 units, $d = 8$) in
# the task alone. Without the skip $W_{\mathrm{mlp}}$ starts larger, since it alone
# carries $H$ on.
#
# ## Figure
#
# Errors are against noisy labels, divided by the error of the predictor that always
# answers 0.

# %%
from icllib.plotting import series

tasks = sheet.form_tasks(shown)

def of(title, form, metric="error"):
    """(seeds, context lengths)."""
    settings = sheet.FORMS[form].items()
    chosen = [r for r in records if settings <= r.run["model"].items()]
    return icllib.samples(chosen, metric, task=type(tasks[title][0]).__name__)

default, *others = sheet.FORMS

def ratios(title, form):
    """Error averaged over context lengths over the default's, one per seed."""
    return of(title, form).mean(axis=1) / of(title, default).mean(axis=1)

tables = []
for title, (task, lengths) in tasks.items():
    for form in sheet.FORMS:
        for suffix, metric in (("", "error"), (", excess", "excess")):
            errors = of(title, form, metric) / task.label_variance
            tables.append(series(f"{title}{suffix}", form, lengths, errors, shown))
floor = sheet.bayes_floor(settings[0].evaluation)
tables.append(series("linear", "ridge", sheet.LENGTHS, floor, shown))
for title in tasks:
    for form in others:
        row = [others.index(form)]
        tables.append(series("over the default", f"{form}, {title}", row,
                             ratios(title, form)[:, None], shown))
table = page.save_figure(*tables)

# %% tags=["figure"] mystnb={"image": {"alt": "PENDING"}}
import matplotlib.pyplot as plt
from icllib.plotting import BLUE, ORANGE, draw, draw_rows

figure, panels = plt.subplots(1, 3, figsize=(12, 3.6), width_ratios=(1, 1, 0.9))
for axes, title in zip(panels, tasks):
    for form in sheet.FORMS:
        draw(axes, table, title, form, marker="s" if "no skip" in form else "o",
             color=BLUE if "signed" in form else ORANGE,
             mfc="none" if "no skip" in form else None)
    axes.axhline(1, color="grey", ls=":", label="zero")
    axes.set(xlabel="context length n", title=title, ylim=(0, 1.1))
draw(panels[0], table, "linear", "ridge", color="black", ls="--",
     label="ridge (optimal)")
panels[0].set(ylabel="error / error of zero")
for title, marker in zip(tasks, "ox"):
    for form in others:
        draw_rows(panels[2], table, "over the default", f"{form}, {title}",
                  marker=marker, color=BLUE if "signed" in form else ORANGE)
panels[2].axvline(1, color="grey", lw=1)
panels[2].set(xlabel="error / error of the default", ylim=(len(others) - 0.5, -0.5))
panels[2].set_yticks(range(len(others)), others)
panels[2].set_title("averaged over n (circle: linear, cross: ReLU)")
legend = figure.legend(*panels[0].get_legend_handles_labels(),
                       loc="outside lower center", ncols=6)

# %% [markdown]
# Bands and bars are 95% intervals over seeds.
#
# ## Numbers

# %% tags=["numbers"]
from icllib.plotting import numbers

numbers(table, ["linear", "ReLU network"], digits=3)

# %% [markdown]
# Errors averaged over context lengths, over those of the default with the same seed:
# mean over seeds and 95% interval. Above 1 the default is better.

# %% tags=["numbers"]
import pandas as pd

def text(samples):
    return "{:.2f} [{:.2f}, {:.2f}]".format(*icllib.claims.interval(samples))

pd.DataFrame({title: {form: text(ratios(title, form)) for form in others}
              for title in tasks})

# %% [markdown]
# ## What differs and why
#
# PENDING
#
# The numbers behind the figure: {download}`figure.csv <../../results/context_scaling/normalization/figure.csv>`.

# %% tags=["provenance"]
print(icllib.provenance_line(records, page.name))
