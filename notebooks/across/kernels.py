# %% [markdown]
# # Which attention kernel finds the function as pairs are added?
#
# Not yet written.

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import claimbook
from papers.across import kernels as sheet

page = claimbook.Page("across/kernels", profile)
page.settings(assumed=["dimension", "noise_std", "functions", "queries", "counts", "seed"])

# %% [markdown]
# ## Figure

# %%
by_kernel = lambda metric: {name: errors.droplevel("kernel").unstack("n")
                            for name, errors in page.values(metric).groupby(level="kernel")}
errors = by_kernel("error")
table = page.save_figure(*(page.series("", name, sheet.COUNTS, errors[name], scale="log")
                           for name in sheet.KERNELS))

# %% mystnb={"image": {"classes": "on-white"}} tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import COLORS, draw

figure, axes = plt.subplots(figsize=(6, 4))
for color, name in zip(COLORS, sheet.KERNELS):
    draw(axes, table, "", name, color=color, marker="o", label=name)
axes.set(xscale="log", yscale="log", xlabel="pairs",
         ylabel="error over that of answering 0")
legend = axes.legend()

# %% [markdown] tags=["caption"]
# Error of a mean of labels with each kernel's weights, in two dimensions, against the number of pairs. Means over
# five seeds, with 95% intervals.
#
# Alt text: Not yet written.

# %% [markdown]
# ## Numbers

# %% tags=["numbers"]
import pandas as pd

pd.DataFrame({name: errors[name].mean() for name in sheet.KERNELS}).map("{:.3g}".format)

# %% [markdown]
# ## The claims, one by one

# %%
fallen = lambda of: {name: of[name][40_000] / of[name][40] for name in sheet.KERNELS}
page.decide("across.7", fallen(errors), control=fallen(by_kernel("shuffled")))
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# Not yet written.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/across/kernels/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
