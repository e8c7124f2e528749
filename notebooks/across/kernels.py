# %% [markdown]
# # Which attention kernel finds the function as pairs are added?
#
# Softmax's exponential does, and so does linear attention. From 40 pairs to 40,000 the exponential's error falls to
# 0.02 of what it was, the Hilbert kernel's to 0.36; {term}`SSA`'s stays at 0.75. The paper on context
# scaling proves it of the Hilbert kernel alone.
#
# *What is asked.* Attention without trained weights is a mean of labels, weighted by the scores
# $z = q^\top x$ of the query $q$ with the inputs. Such a mean either finds the function as pairs are added,
# that is, it is {term}`consistent`, or it stops short. {cite:t}`abedsoltan2024context` explain
# context-scaling by one kernel that is known to be consistent, the Hilbert estimate
# {cite:p}`devroye1998hilbert`. Here the scores of the other papers are put to the same test: a linear function
# of two normal inputs with label noise, and the error against the function itself.
#
# *Why the exponential gets there.* For normal inputs
# $\mathbb E[x e^{q^\top x}] / \mathbb E[e^{q^\top x}] = q$. So the weighted mean of $w^\top x$ is
# $w^\top q$, the right answer, whatever the query. SSA's weight grows only like a power of the score, and its mean
# of the inputs falls short of $q$. With $z \ln n$ in the exponent a few pairs take all the weight,
# and they are the farthest in the direction of $q$, not the nearest to it. {cite:t}`hayase2026unified` say at which
# such factors a row of attention collapses so, from how many scores lie near the largest; {cite:t}`bruno2026scaling`
# say it for keys on a sphere.

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

# %% tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import BLACK, OLIVE, ROSE, draw
from papers.colors import color_of

figure, axes = plt.subplots(figsize=(6, 4))
colors = BLACK, color_of("softmax"), color_of("SSA"), ROSE, OLIVE
for color, name in zip(colors, sheet.KERNELS):
    draw(axes, table, "", name, color=color, marker="o", label=name)
axes.set(xscale="log", yscale="log", xlabel="pairs",
         ylabel="error over that of answering 0")
axes.set_title("SSA's mean stops short of the function, softmax's does not", fontsize=11)
legend = axes.legend()

# %% [markdown] tags=["caption"]
# Error of a mean of labels with each kernel's weights, in two dimensions, against the number of pairs. Means over
# five seeds, with 95% intervals.
#
# Alt text: Five curves on two log axes. The linear kernel falls in a straight line by a factor of 1,000, the
# exponential by about 50, the Hilbert kernel to a third; SSA is nearly flat and log n rises fivefold.

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
# - *No paper asks this.* Context scaling proves consistency of the Hilbert kernel; signed averaging speaks of
#   trained models. A trained layer has weights before and after the mean, and may undo what is short here.
# - *Another law of the inputs* would change the exponential's answer; it owes its limit to normal inputs.
# - *The two dimensions, the noise and the numbers of pairs* are ours. In more dimensions the Hilbert kernel needs
#   many more pairs.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/across/kernels/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
