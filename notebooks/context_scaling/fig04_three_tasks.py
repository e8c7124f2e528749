# %% [markdown]
# # Figure 4: does SGPT match GPT-2 on trees, networks and sparse functions?
#
# Partly. On ReLU networks it does with few pairs; with more we can't tell, and both err 1.7 to 3
# times as much as networks trained on the prompt. Trees and sparse functions are not tested: fewer
# dimensions, or too little learned. The paper claims all three.
#
# Linear regression has a closed form, so a transformer that solves it may have learned little. So the
# paper {cite:p}`abedsoltan2024context` turns to three families of {cite:t}`garg2022what`. SGPT is
# GPT-2 without key, query and value weights. All families have $x \sim N(0, I_d)$ and no noise:
#
# - A: decision trees of depth 4, which test the signs of random coordinates and have leaves $N(0,
#   1)$;
# - B: networks with one hidden layer, $y = \sqrt{2/r} \sum_{j \le r} \alpha_j
#   \operatorname{relu}(w_j^\top x)$, with $r = 100$ and standard normal weights;
# - C: sparse linear functions, $y = \beta^\top x$ with all but 3 entries of $\beta \sim N(0, I_d)$
#   set to zero.
#
# The paper reports SGPT as good as GPT-2 on all three and better than XGBoost on trees. On sparse
# functions it is near the Lasso and far below {term}`least squares`, which leaves the sparsity
# unused.
#
# On trees GPT-2 is shown twice: with $x$ and $y$ in one {term}`token`, and as separate tokens, which
# the paper took there.

# %% tags=["parameters"]
profile = "stored"

# %% mystnb={"code_prompt_show": "Settings of SGPT on trees"} tags=["hide-output"]
from claimbook import Page
from icllib.training import Run
from papers.context_scaling import fig04_three_tasks as sheet, gates, scaling

page = Page("context_scaling/fig04_three_tasks", profile)
records = page.records
runs = [record.component for record in records]
trained = [run for run in runs if isinstance(run, Run)]
assumed = (*scaling.SGPT_ASSUMED, "recipe.lengths", "evaluation.lengths")
page.settings(assumed)

# %% mystnb={"code_prompt_show": "What differs between panels and models"} tags=["hide-output"]
sheet.figure_4_settings(trained)

# %% [markdown]
# The decoder with separate tokens is that of Garg et al. At `gpu` and `paper` it has their
# 12 layers. The baselines know nothing but the pairs in the prompt.

# %% mystnb={"code_prompt_show": "Settings of the baselines"} tags=["hide-output"]
sheet.figure_4_baselines([run for run in runs if run not in trained])

# %% [markdown]
# XGBoost and the student have the settings of Garg et al. The *student* is a network like
# those of panel B, with biases, which Adam trains on each prompt alone. The Lasso has the
# best of its penalties at each context length, and least squares the solution of least norm
# where $n < d$. The settings of the baselines are the same in every profile but `smoke`, so
# their records are labeled `paper` even where the task is a small one.
#
# ## Figure
#
# Errors are divided by the error of the predictor that always answers 0.

# %%
import numpy as np


curves = sheet.figure_4_curves(records)
sweep = curves[sheet.SPARSE]["Lasso"]  # one row per penalty
curves[sheet.SPARSE]["Lasso"], penalties = sweep.min(), sweep.idxmin()
table = page.save_figure(*(
    page.series(panel, name, errors.axes[-1], errors)
    for panel, found in curves.items() for name, errors in found.items()))

# %% tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import ROSE
from papers.colors import color_of

colors = {"SGPT": color_of("SGPT"), "GPT-2": color_of("GPT-2"), "student network": ROSE}
told = {  # where each curve's name stands
    sheet.NETWORKS: ("B: ReLU networks",
        {"SGPT": (80, 0.56), "GPT-2": (36, 0.38), "student network": (45, 0.16)}),
    sheet.TREES: ("A: trees, not tested",
        {"GPT-2, separate tokens": (10, 1.05), "SGPT": (70, 0.52), "XGBoost": (62, 0.12)}),
    sheet.SPARSE: ("C: sparse, not tested",
        {"GPT-2": (21, 0.72), "SGPT": (21, 0.42), "Lasso": (11, 0.08),
         "least squares": (18.5, 0.13)})}
figure, panels = plt.subplots(1, 3, figsize=(9, 4), width_ratios=[2, 1, 1], sharey=True)
for axes, (panel, (title, places)) in zip(panels, told.items()):
    shades = colors if panel == sheet.NETWORKS else {}
    for name, errors in curves[panel].items():
        scaling.draw_seeds(axes, errors, shades.get(name, "grey"),
                           ls="-" if "GPT" in name else "--")
    for name, place in places.items():
        axes.text(*place, name, color=shades.get(name, "grey"))
    axes.axhline(1, color="grey", ls=":")
    axes.set(title=title, xlabel="pairs in the prompt", ylim=(0, 1.4))
panels[0].set(ylabel="error / error of zero")
title = figure.suptitle(
    "With many pairs neither SGPT nor GPT-2 matches a network trained on the prompt")

# %% [markdown] tags=["caption"]
# Error, over that of always answering 0, against the number of pairs; dots are seeds. Dashed methods
# are fitted to each prompt alone. Grey panels are not tested.
#
# Alt text: Three panels, error in units of the zero predictor's against the number of pairs in
# context. Decision trees: SGPT, GPT-2 with x and y as separate tokens, GPT-2 with joint tokens,
# XGBoost. ReLU networks: SGPT, GPT-2, a student network trained on each prompt. Sparse linear
# functions: SGPT, GPT-2, Lasso, least squares.

# %% [markdown]
# In B and C the tokens of GPT-2 hold $x$ and $y$ together. Without noise least squares is exact from
# $n = d$ on, and the Lasso nearly so.
#
# ## Numbers

# %% tags=["numbers"]
from claimbook.pages.plotting import numbers

numbers(table, [sheet.TREES], x="context length n")

# %% tags=["numbers"]
numbers(table, [sheet.NETWORKS], x="context length n")

# %% tags=["numbers"]
numbers(table, [sheet.SPARSE], x="context length n")

# %% [markdown]
# The best penalty of the Lasso, and the error of GPT-2 for each seed, on sparse linear
# functions:

# %% tags=["numbers"]
import pandas as pd

penalties.to_frame("Lasso penalty").T.rename_axis("n", axis=1).map("{:g}".format)

# %% tags=["numbers"]
curves[sheet.SPARSE]["GPT-2"].rename_axis("n", axis=1).round(2)

# %% [markdown]
# ## The claims, one by one

# %%
for found in curves.values():
    found["zero"] = pd.Series(1.0, found["SGPT"].columns)  # its error is the unit

def ratios(panel, label, name, at, factor=1.0, margin=0.0, of="SGPT"):
    """A curve's error over the bound that another sets, by part of the claim."""
    ours, other = (curves[panel][curve] for curve in (of, name))
    return {f"{label}n = {n}": np.atleast_1d(ours[n] / (factor * other[n] + margin))
            for n in at}

def measured(panel):
    """The task of a panel, and how errors are measured on it."""
    run = next(run for run in trained if sheet.figure_4_curve(run) == (panel, "SGPT"))
    return run.task, run.evaluation

def learned(panel, *names):
    """What the gates ask of these models, the worst of them at each seed."""
    found, (task, measure) = curves[panel], measured(panel)
    if panel == sheet.TREES:
        over = lambda name: found[name][100] / found["XGBoost"][100]
    else:  # without noise ridge is exact from d pairs on, so fewer on sparse ones
        at = 15 if panel == sheet.SPARSE else None
        over = lambda name: gates.over_ridge(
            found[name] * task.label_variance, task, measure, at)
    return gates.at_papers_dimension(gates.worst(*map(over, names)), task)

def trees(of):
    return (ratios(sheet.TREES, "GPT-2 ", "GPT-2, separate tokens", (50, 100), 1.25, of=of)
            | ratios(sheet.TREES, "XGBoost ", "XGBoost", (50, 100), of=of))

def sparse(of):
    return (ratios(sheet.SPARSE, "Lasso ", "Lasso", (5, 10, 15, 20), margin=0.05, of=of)
            | ratios(sheet.SPARSE, "OLS ", "least squares", (10, 15), 0.75, of=of))

def networks(label, name, of):
    return ratios(sheet.NETWORKS, label, name, (11, 31, 51, 71, 91), of=of)

task, measure = measured(sheet.NETWORKS)
curves[sheet.NETWORKS]["ridge"] = gates.best_ridge(task, measure) / task.label_variance
separate = "GPT-2, separate tokens"
page.decide("context_scaling.7", trees("SGPT"),
            {part: learned(sheet.TREES, *("SGPT", separate)[: 1 + ("GPT" in part)])
             for part in trees("SGPT")}, trees("zero"))
page.decide("context_scaling.8", networks("", "GPT-2", "SGPT"),
            learned(sheet.NETWORKS, "SGPT", "GPT-2"), networks("", "GPT-2", "ridge"))
page.decide("context_scaling.9", sparse("SGPT"),
            learned(sheet.SPARSE, "SGPT"), sparse("zero"))
few = 5, 10, 15, 20
page.decide("context_scaling.25", ratios(sheet.SPARSE, "", "GPT-2", few),
            learned(sheet.SPARSE, "SGPT", "GPT-2"),
            ratios(sheet.SPARSE, "", "GPT-2", few, of="zero"))
page.decide("context_scaling.26", ratios(
    sheet.TREES, "", separate, (50, 100), of="GPT-2, joint tokens"),
    learned(sheet.TREES, separate))
names = "SGPT", "GPT-2"
student, of_ridge = ({part: values for name in names for part, values in networks(
    f"{name} ", "student network", of or name).items()} for of in (None, "ridge"))
page.decide("context_scaling.37", student, {
    part: learned(sheet.NETWORKS, part.split()[0]) for part in student}, of_ridge)
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - *Size.* The models are small and training is short. There are fewer context lengths, and trees
#   have 4 dimensions instead of 20; networks and sparse functions are the paper's. What such models
#   fail to do says nothing about the paper's models.
# - *Fewer dimensions are another task.* On trees over 4 coordinates XGBoost has errors of 0.385 and
#   0.158 at 50 and 100 pairs. Over 20 it has 0.94 and 0.57. The latter is a trial of which no record
#   is kept. So the {term}`gates <gate>` count models at the paper's $d$ alone.
# - *Trees.* SGPT has 1.4 times the error of XGBoost at 50 pairs and 2.7 times at 100, perhaps since
#   trees over so few coordinates suit greedy splits. Beside GPT-2 with shared tokens, SGPT is worse
#   by 10% and by 17%.
# - *Separate tokens.* Unlike in the paper GPT-2 learns trees when $x$ and $y$ share a token. With
#   separate tokens its error hardly depends on $n$ and is far above 1.25 times that of XGBoost. It
#   would first have to learn which $y$ belongs to which $x$. The paper's decoder had been trained by
#   Garg et al., for longer and with a curriculum. Ours is trained here, like the others.
# - *Networks.* At 11 pairs SGPT and GPT-2 are equal. With more the error of SGPT is larger by 4 to
#   12% in the mean, but seeds differ so much that nothing is settled. At 11 pairs both have 1.1 times
#   the error of the student, at 91 pairs 3.0 and 2.7 times.
# - *Why seeds differ.* Half of the variance of such functions is linear in $x$, so that the best
#   linear answer has half of zero's error. Four of five SGPTs stop there, at 0.51 to 0.53 with 91
#   pairs, and one goes on to 0.28. Of the GPT-2s four go on, to 0.31 to 0.43, and one stays at 0.66.
#   Both were trained for about as long, SGPT with a third of the steps.
# - *Sparse functions.* SGPT stays above least squares at every context length. GPT-2 hardly leaves
#   the error of the zero predictor with two of its three seeds, which makes its band so wide. That
#   SGPT is no worse than GPT-2 here (claim 25) therefore says little of models that have learned.
# - *Longer training on sparse functions,* in trials with one seed that no record keeps. The GPT-2 of
#   [Figure 2](fig02_one_noise_level.ipynb), after 60,000 steps, had 0.40 of zero's error at 15 pairs,
#   where ridge regression has 0.27. Of four trials of its SGPT, after 2,500 to 10,000 steps, one
#   ended at 0.86 and three at 0.49 to 0.51. These four had other options too, so they do not tell
#   what more steps alone would do.
# - *A curriculum on sparse functions,* likewise without a record. With that of Garg et al.
#   (coordinates from 5 to 20 and points from 11 on, over half of training) neither model stays at
#   zero's error. At 15 pairs GPT-2 had 0.52 of it after 20,000 steps, ten minutes of a core, and SGPT
#   0.48 after 5,000, five minutes. That is 2.0 and 1.8 times the error of ridge regression; the gate
#   allows 1.25.
# - *Settings.* The law of the networks' weights and the factor $\sqrt{2/r}$ are those of Garg et al.;
#   the paper prints neither. Nor does it give steps, batch size, learning rate, penalties of the
#   Lasso, or context lengths for panels A and C. We choose the Lasso's penalty on the prompts that it
#   is measured on, which favors it a little.
# - *Test prompts.* On networks each seed is measured on 8,192 prompts of its own, so that the
#   intervals contain both spreads. On trees and sparse functions all seeds share their prompts. The
#   student is trained on 256 prompts, and its error has no interval.
#
# The numbers behind the figure: {download}`figure.csv
# <../../results/context_scaling/fig04_three_tasks/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
