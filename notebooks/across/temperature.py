# %% [markdown]
# # Does a temperature that is tuned after training repair a shift?
#
# Against noise, yes; against larger functions, no. {cite:t}`demir2025optimal` say that it can bring a near-optimal
# error. With noise of 1 in the labels the best temperature takes GPT-2 from 2.0 times the optimum's error to 1.3. With
# weights twice as large it stays at 9 times.
#
# *What is asked.* {term}`Softmax` weighs tokens by $e^{z / \tau}$ of their scores $z$. Models are trained at
# $\tau = 1$. The paper proves for an approximate softmax in high dimensions that another $\tau$, chosen
# after training, helps on prompts of another law, and when the error is near the best. Training at temperatures of 5 to 100
# does not help softmax [on steep lines](../signed_averaging/table01_scoring_functions.ipynb). Here it is
# changed afterwards: for GPT-2 on linear functions in eight dimensions, and for softmax on lines. All layers get the
# same $\tau$, from a quarter to sixteen.
#
# *Why noise and not size?* With more noise the best answer is a smaller one, as
# {term}`ridge regression` with a larger penalty gives. A higher temperature averages more and shrinks answers.
# Larger functions need larger answers, which no temperature gives: the final layer normalization
# [caps them](caps.ipynb).

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import claimbook
from papers.across import temperature as sheet

page = claimbook.Page("across/temperature", profile)
linear, lines = page.recorded(sheet.linear), page.recorded(sheet.lines)
page.settings(["evaluation.temperatures", "evaluation.evaluation.seed"], runs=sheet.lines)

# %% [markdown]
# ## Figure

# %%
over_optimum = sheet.by_shift(page, linear, profile)
on_lines = page.values("error", lines)
by_sigma = {f"sigma = {sigma}": errors.droplevel("sigma").unstack("temperature")
            for sigma, errors in on_lines.groupby(level="sigma")}
over_own = {title: errors.div(errors[1.0], axis=0) for title, errors in by_sigma.items()}
table = page.save_figure(
    *(page.series("linear functions", title, sheet.TEMPERATURES, errors, scale="log")
      for title, errors in over_optimum.items()),
    *(page.series("lines", title, sheet.TEMPERATURES, errors, scale="log")
      for title, errors in over_own.items()))

# %% tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import BLACK, COLORS, draw

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4.2))
figure.get_layout_engine().set(w_pad=0.12)  # room for the names
for panel, axes, titles in (("linear functions", left, over_optimum),
                            ("lines", right, over_own)):
    for color, title in zip((BLACK, *COLORS), titles):
        draw(axes, table, panel, title, color=color)
        axes.text(18, titles[title].iloc[:, -1].mean(), title, color=color, va="center")
    axes.axvline(1, color="0.6", lw=1, ls=":")
    axes.axhline(1, color="0.6", lw=1, ls=":")
    axes.set(xscale="log", yscale="log", xlabel="temperature after training")
left.set(ylabel="error over that of the optimum")
right.set(ylabel="error over that at temperature 1")
left.set_title("It repairs noise, not larger weights", fontsize=11)
title = right.set_title("On steep lines it hardly helps", fontsize=11)

# %% [markdown] tags=["caption"]
# Error against the temperature of every softmax. Left GPT-2 on linear functions, over the optimum; right softmax
# on lines, over the error at temperature 1. Means with 95% intervals.
#
# Alt text: Left, curves of training's law and three noises are bowls whose lowest points move to higher temperatures
# with the noise and come near 1; those of larger weights are flat at 9 and 66 before they rise. Right, curves of lines
# have their lowest points near 1.

# %% [markdown]
# ## Numbers
#
# The best temperature, and the error there; on linear functions over the optimum, on lines over the error at
# temperature 1. Geometric means over models with 95% intervals:

# %% tags=["numbers"]
import pandas as pd
from claimbook.claims.sentences import with_interval

def row(errors, unit):
    best = errors.min(axis=1)
    return {"at temperature 1": with_interval(errors[1.0] / unit, 3, "log"),
            "at the best": with_interval(best / unit, 3, "log"),
            "best temperatures": ", ".join(f"{t:.3g}" for t in errors.idxmin(axis=1))}

pd.DataFrame({title: row(errors, 1) for title, errors in over_optimum.items()}
             | {title: row(errors, errors[1.0]) for title, errors in by_sigma.items()}).T

# %% [markdown]
# ## The claims, one by one
#
# Claim 1 asks whether the tuned model is as near to the optimum as on the task of training. Its control is the same model
# without tuning; that of claim 2 has lines as in training, whose scores were divided by four before. The best
# temperature is chosen on the very prompts that it is measured on, which favors the claims. The statistic of claim 1 was
# changed twice. Counting the labels' noise, untrained models passed. Asking for 1.25 times the optimum, no model
# could pass, as GPT-2 has 1.7 times in training. Three models left it open, so five more had a second look.

# %%
trained = over_optimum["as trained"][1.0]
best = {title: errors.min(axis=1) / trained for title, errors in over_optimum.items()}
gate = sheet.by_shift(page, linear, profile, "error")["as trained"][1.0]
repaired = {title: errors.min(axis=1) / errors[1.0] for title, errors in by_sigma.items()}
parts = list(best)[1:]
page.decide("across.1", {title: best[title] for title in parts}, dict.fromkeys(parts, gate),
            {title: over_optimum[title][1.0] / trained for title in parts})
parts = list(repaired)[1:]
page.decide("across.2", {title: repaired[title] for title in parts},
            dict.fromkeys(parts, by_sigma["sigma = 1"][1.0]),
            dict.fromkeys(parts, repaired["sigma = 1"] / over_own["sigma = 1"][4.0]))
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - *The models.* The paper's theorem is about linear attention, its experiments about GPT-2 of another size. Ours has
#   three layers of width 64, with eight seeds.
# - *The shifts* are ours: labels with two to nine times the noise of training, and larger weights. The paper moves the
#   inputs' covariance and mean as well.
# - *On lines* the optimum is exact, so the error is laid over that at temperature 1.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/across/temperature/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
