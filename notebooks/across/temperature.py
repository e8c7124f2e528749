# %% [markdown]
# # Does a temperature that is tuned after training repair a shift?
#
# Not yet written.

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
table = page.save_figure(
    *(page.series("linear functions", title, sheet.TEMPERATURES, errors, scale="log")
      for title, errors in over_optimum.items()),
    *(page.series("lines", title, sheet.TEMPERATURES, errors.div(errors[1.0], axis=0),
                  scale="log")
      for title, errors in by_sigma.items()))

# %% mystnb={"image": {"classes": "on-white"}} tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import BLACK, COLORS, draw, legend_below

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4.2))
for panel, axes, titles in (("linear functions", left, over_optimum),
                            ("lines", right, by_sigma)):
    for color, title in zip((BLACK, *COLORS), titles):
        draw(axes, table, panel, title, color=color, label=title)
    axes.axvline(1, color="0.6", lw=1, ls=":")
    axes.axhline(1, color="0.6", lw=1, ls=":")
    axes.set(xscale="log", yscale="log", xlabel="temperature after training")
left.set(ylabel="error over that of the optimum", title="GPT-2 on linear functions")
right.set(ylabel="error over that at temperature 1", title="softmax on lines")
left_legend, right_legend = legend_below(left, 3), legend_below(right, 2)

# %% [markdown] tags=["caption"]
# Error against the temperature of every softmax. Left over the optimum, right over the error at temperature 1,
# that of training. Means over models, with 95% intervals.
#
# Alt text: Not yet written.

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
# The best temperature is chosen on the very prompts that it is measured on, in favor of the claims. The controls
# are models before training (claim 1) and lines as in training (claim 2).

# %%
best = {title: errors.min(axis=1) for title, errors in over_optimum.items()}
gate = over_optimum["as trained"][1.0]
start = sheet.by_shift(page, sheet.untrained_linear(linear, profile), profile)
repaired = {title: errors.min(axis=1) / errors[1.0] for title, errors in by_sigma.items()}
parts = list(best)[1:]
page.decide("across.1", {title: best[title] for title in parts}, dict.fromkeys(parts, gate),
            {title: start[title].min(axis=1) for title in parts})
parts = list(repaired)[1:]
page.decide("across.2", {title: repaired[title] for title in parts},
            dict.fromkeys(parts, by_sigma["sigma = 1"][1.0]),
            dict.fromkeys(parts, repaired["sigma = 1"]))
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# Not yet written.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/across/temperature/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
