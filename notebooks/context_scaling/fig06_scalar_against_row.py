# %% [markdown]
# # Figure 6: is one number as good as all the features?
#
# Nearly. As the paper finds, {term}`linear regression <least squares>` on the one number matches a
# perceptron on the row, within a tenth, in three of four cases. In the fourth it errs up to 1.26
# times as much, just past our margin. Our models have the paper's size.
#
# Attention turns a prompt $A$ into features $\psi(A)$. Their last row has $d + 1$ entries: $d$
# smoothed inputs and, last, an [estimate of the label](estimators.ipynb).
# {cite:t}`abedsoltan2024context` ask which of them make the error fall with longer prompts. They
# compare
#
# - an MLP on the whole row $\psi(A)_{N,:}$ with
# - linear regression on the single number $\psi(A)_{N,d+1}$, $\hat y = a \, \psi(A)_{N,d+1} + b$,
#
# for the linear map $\psi_L$ and the Hilbert map $\psi_H$ ([their definitions](estimators.ipynb)).
# The fourth case is $\psi_L$ on linear functions.
#
# Its gap comes from the single slope $a$ for all numbers of pairs. With few pairs $\psi_L$ is mostly
# noise and should be scaled down; with many it should not. With a slope for each $n$ the number alone
# is as good as the row (dotted line).

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import claimbook
from icllib.baselines.gradient import one_step_error
from papers.context_scaling import fig06_scalar_against_row as sheet, gates, scaling

page = claimbook.Page("context_scaling/fig06_scalar_against_row", profile)
assumed = (*scaling.LINEAR_ASSUMED, "pretraining_tasks", "recipe.lengths",
           "evaluation.lengths")
page.settings(assumed)

# %% [markdown]
# These are the settings of the row for linear functions; the runs are those of [Figure
# 7](fig07_features.ipynb). The regression on the number is trained in the same way, without
# weight decay, with one $a$ and $b$ for all context lengths. The ReLU networks have 100
# units and $d = 8$. For both models $\psi_L$ is divided by $n$, since a sum over pairs has
# no scale of its own.
#
# ## Figure
#
# Errors are against noisy labels, divided by the error of the predictor that always answers 0.

# %%
found = {metric: page.values(metric, task="task", model="model", reads="model.features")
         for metric in ("error", "excess")}

def of(kernel, title, model, metric="error"):
    """A row per seed, a column per context length."""
    task = type(scaling.TASKS[title][0]).__name__
    same = found[metric].xs((task, model, scaling.KERNELS[kernel]),
                            level=("task", "model", "reads"))
    return same.unstack("length")

def ratios(kernel, title):
    return of(kernel, title, "ScalarRegression") / of(kernel, title, "FeatureMLP")

own_slopes = lambda task, lengths: [one_step_error(task, n) / task.label_variance
                                    for n in lengths]
models = {"row": "FeatureMLP", "scalar": "ScalarRegression"}
floor = scaling.bayes_floor(sheet.runs(page.profile)[0].evaluation)
tables = [page.series("linear", "ridge", scaling.LENGTHS, floor)]
for title, (task, lengths) in scaling.TASKS.items():
    tables.append(page.series(title, "psi_L, own slope for each n", lengths,
                              own_slopes(task, lengths)))
    for panel, metric, unit in ((title, "error", task.label_variance),
                                (f"{title}, excess", "excess", 1)):
        tables += [page.series(panel, f"{kernel} {name}", lengths,
                          of(kernel, title, model, metric) / unit)
                   for kernel in scaling.KERNELS for name, model in models.items()]
    tables += [page.series(f"{title}, scalar / row", kernel, lengths, ratios(kernel, title))
               for kernel in scaling.KERNELS]
table = page.save_figure(*tables)

# %% tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import GOLD, VIOLET
from papers.colors import color_of

figure, panels = plt.subplots(2, 2, figsize=(9, 6), sharex="col", sharey="row")
for (top, bottom), (title, (task, lengths)) in zip(panels.T, scaling.TASKS.items()):
    for kernel, color in zip(scaling.KERNELS, (VIOLET, GOLD)):
        for model, dash in (("FeatureMLP", "-"), ("ScalarRegression", "--")):
            top.plot(of(kernel, title, model).mean() / task.label_variance, color=color,
                     ls=dash)
        scaling.draw_seeds(bottom, ratios(kernel, title), color)
    bottom.axhline(1.25, color="grey", lw=1)
    bottom.axhline(1, color="black", lw=1, ls="--")
    top.set(title=title, ylim=(0, 1.1))
    top.plot(lengths, own_slopes(task, lengths), color="black", ls=":")
    bottom.set(xlabel="pairs in the prompt", ylim=(0.97, 1.3))
panels[0, 0].plot(floor, color=color_of("ridge"), ls="-.")
panels[0, 0].text(20, 0.8, "solid: MLP on the row\ndashed: regression on one number\n"
                           r"dotted: $\psi_L$, own slope for each $n$")
panels[0, 0].text(24, 0.12, "ridge", color=color_of("ridge"))
panels[1, 1].text(42, 1.12, r"linear map $\psi_L$", color=VIOLET)
panels[1, 1].text(42, 1.045, r"Hilbert map $\psi_H$", color=GOLD)
panels[1, 0].text(5, 1.262, "our margin", color="grey")
panels[0, 0].set(ylabel="error / error of zero")
panels[1, 0].set(ylabel="one number / row")
title = figure.suptitle(
    "One number does as well as the row, but for the linear map on linear functions")

# %% [markdown] tags=["caption"]
# Above: error, over that of always answering 0, of regression on one number and of a perceptron on
# the row. Below: their ratio; dots are seeds.
#
# Alt text: Error against context length for linear functions and ReLU networks: for each of two
# feature maps the regression on one number lies on the perceptron on the whole row or above it,
# clearly above only for psi_L at short and, on linear functions, at long contexts; all fall with the
# context length. The lower row shows the ratio of the two errors at each length.

# %% [markdown]
# Dotted black is the expected error of $a_n \psi_L(A)_{N,d+1}$ with the best $a_n$ for each $n$, from
# its [closed form](estimators.ipynb).
#
# ## Numbers
#
# The errors and ratios of the figure, and the {term}`excess errors <excess error>`, not divided.

# %% tags=["numbers"]
from claimbook.pages.plotting import numbers

readable = lambda name: name.replace("psi", "ψ")
numbers(table, "linear", digits=3, x="context length n").rename(readable)

# %% tags=["numbers"]
numbers(table, "ReLU", digits=3, x="context length n").rename(readable)


# %% [markdown]
# ## The claims, one by one

# %%
def for_all(value):
    """By part of the claim, what this gives for a feature map and a task."""
    return {f"{kernel} {title}": value(kernel, title)
            for title in scaling.TASKS for kernel in scaling.KERNELS}

def learned(kernel, title):
    task, lengths = scaling.TASKS[title]
    return gates.worst(*(of(kernel, title, model)[max(lengths)] / task.label_variance
                         for model in models.values()))

def zero_over_row(kernel, title):
    row = of(kernel, title, "FeatureMLP") / scaling.TASKS[title][0].label_variance
    return (1 / row).max(axis=1)

worst = for_all(lambda kernel, title: ratios(kernel, title).max(axis=1))
page.decide("context_scaling.11", worst, for_all(learned), for_all(zero_over_row))
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - *Settings.* The paper gives no context lengths, no $T$ and no training settings for this figure.
#   We take those of Figure 7, at $T = 10^6$. Its Section 5.1 speaks of a second MLP on the number
#   alone, its Appendix A of linear regression; we follow Appendix A.
# - *Where the gap comes from.* It is 1.24 in smaller models, whose row is trained less, and 1.26
#   here. The dotted line meets the row from 10 pairs on. The row holds a hint of $n$ in its first
#   entries, $X^\top X x_N / n$, where $X$ has all inputs, the query's too. With $\psi_H$, which needs
#   no such slope, the two models differ little everywhere.
# - *What the intervals leave out.* All seeds are measured on the same 4,096 prompts. It matters for
#   $\psi_L$ on linear functions: 1.259 against a bound of 1.25. Another set of prompts would move
#   this ratio by about 1.5% (measured without trained models, on 12 sets). That is twice its distance
#   from the bound, so that this part could come out otherwise.
#
# The numbers behind the figure: {download}`figure.csv
# <../../results/context_scaling/fig06_scalar_against_row/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
