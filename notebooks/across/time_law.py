# %% [markdown]
# # Does the time law of the solvable model appear in trained GPT-2 and SGPT?
#
# No. GPT-2's loss falls twice as fast as the law says: its exponent is $-0.92$ at $\alpha = 1.8$, where the law has
# $-0.44$. SGPT's falls faster still, and as no single power. In both, tasks share weights, which the solvable model
# leaves out.
#
# *What is asked.* {cite:t}`lyu2025solvable` solve {term}`linear attention` on a list of tasks whose frequencies fall as
# $s^{-\alpha}$. No task disturbs another there, and the loss falls with time as $t^{-(\alpha - 1)/\alpha}$: task $s$
# is learned after a time of the order of $s^\alpha$. Their model has no softmax, no perceptron and no Adam. Here
# {term}`GPT-2` and {term}`SGPT` learn the same tasks, with Adam at a constant rate. Time is counted in the steps that
# halve the loss of the most frequent task. The loss is the exact mean over all tasks, so rare ones are not missed.

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import claimbook
from papers.across import time_law as sheet

page = claimbook.Page("across/time_law", profile)
records = {name: page.recorded(lambda profile, name=name: sheet.models(profile)[name])
           for name in sheet.models("smoke")}
claimbook.settings_table(sheet.models("cpu")["GPT-2, alpha = 1.8"][0])

# %% [markdown]
# All of these are ours, but for the strength of the tasks and $\alpha$.
#
# ## Figure

# %%
curves = {}
for name, own in records.items():
    loss, first = (page.values(f"{metric}_along", own).unstack("step")
                   for metric in ("loss", "first_loss"))
    curves[name] = sheet.in_half_times(loss, first)
known = {alpha: sheet.solvable(alpha) for alpha in sheet.ALPHAS}
over_first = lambda curve: curve / curve.iloc[0]
table = page.save_figure(
    *(page.series(name.split(", ")[1], f"{name.split(', ')[0]}, seed {seed}", curve.index,
                  [over_first(curve).to_numpy()], scale="log")
      for name, own in curves.items() for seed, curve in own.items()),
    *(page.series(f"alpha = {alpha:g}", "solvable model", curve.index,
                  [over_first(curve).to_numpy()], scale="log")
      for alpha, curve in known.items()))

# %% tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import draw, legend_below
from papers.colors import color_of

figure, panels = plt.subplots(1, 2, figsize=(9, 4), sharey=True)
for axes, alpha in zip(panels, sheet.ALPHAS):
    title = f"alpha = {alpha:g}"
    for model in sheet.MODELS:
        for seed in curves[f"{model}, {title}"]:
            draw(axes, table, title, f"{model}, seed {seed}", color=color_of(model), lw=1,
                 label="_" if seed else model)
    draw(axes, table, title, "solvable model", color="black", ls="--",
         label="solvable model")
    axes.axvspan(*sheet.WINDOW, color="black", alpha=0.06, lw=0)
    axes.set(xscale="log", yscale="log", xlabel="time in half times",
             title=rf"$\alpha$ = {alpha:g}")
panels[0].set_ylabel("loss over the first")
figure.suptitle("Trained decoders are faster than the law in time", fontsize=11)
legend = legend_below(panels[0], 3)

# %% [markdown] tags=["caption"]
# Loss over its first value, five seeds each, and the solvable model's with as many tasks. Shaded: where slopes are
# fitted. A half time halves the most frequent task's loss.
#
# Alt text: Two panels of loss against time on log axes, with five curves each for GPT-2 and SGPT and a dashed one. All start
# flat and bend at time 1. The dashed one falls by a factor of 6 from 5 to 100, GPT-2's by about 20, SGPT's by a
# hundred and more with a step down at the end.

# %% [markdown]
# ## Numbers
#
# Exponents in time: printed, of the solvable model with as many tasks in the same window, and of the models with
# 95% intervals over seeds:

# %% tags=["numbers"]
import pandas as pd
from claimbook.claims.sentences import with_interval

exponents = {name: pd.Series({seed: sheet.exponent(curve) for seed, curve in own.items()})
             for name, own in curves.items()}
of_known = {alpha: sheet.exponent(curve) for alpha, curve in known.items()}
pd.DataFrame({f"alpha = {alpha:g}": {
    "printed": f"{-(alpha - 1) / alpha:.3f}",
    "solvable model": f"{of_known[alpha]:.3f}"} | {
    model: with_interval(exponents[f"{model}, alpha = {alpha}"], 3)
    for model in sheet.MODELS}
    for alpha in sheet.ALPHAS}).T

# %% [markdown]
# ## The claims, one by one

# %%
left = {name: page.values("loss", own) / (own[0].component.task.label_variance / 2)
        for name, own in records.items()}
page.decide("across.14", exponents, left,
            {name: [of_known[float(name.split("= ")[1])]] for name in exponents})
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - *The paper does not say it of them.* Its law is of linear attention under gradient flow. It finds that AdamW loses
#   the law, as [we do](../solvable_attention/fig10_softmax_adamw.ipynb).
# - *Two reasons, not told apart.* Adam gives rare tasks larger steps. And all tasks share the weights of later layers, so
#   that what one task teaches serves the next; a [perceptron](../solvable_attention/other_architectures.ipynb) is
#   faster than the law for that reason, without Adam.
# - *Small models*, with two layers of width 32, 200 tasks and contexts of 8 pairs. In the same window the solvable model
#   with 200 tasks has $-0.47$.
# - *Related theory.* {cite:t}`bordelon2026theory` derive laws in time for regression in context, and
#   {cite:t}`takanami2025learning` solve linear attention on tasks of low rank. {cite:t}`mainali2025exact` give the exact
#   course of training of a linear transformer, where each direction of the inputs has its own time.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/across/time_law/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
