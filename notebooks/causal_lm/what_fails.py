# %% [markdown]
# # What fails when a condition of the construction is dropped?
#
# What the paper says. A {term}`query` that attends to itself ends with the error of a model
# that has learned nothing. Starting weights that are not zero are missing from the prediction.
# Of the paper's six step sizes 1.6 is the largest that converges.
#
# **A query that attends to itself** (a footnote in Section 3.1 of {cite:t}`ding2024causallm`)
# obeys
# $\delta_q \leftarrow \delta_q - \frac{\eta}{n} \bigl( \sum_i \delta_i\, x_i^\top x_q + \delta_q \lVert x_q \rVert^2 \bigr)$,
# where $-\delta_q$ is its prediction. The $\delta_i$ of the pairs tend to 0, and then so does
# $\delta_q$: with depth the prediction is forgotten.
#
# Its error ends at 5.4, in place of 0.00015 ({term}`prefix mask`) or 0.39
# ({term}`causal mask`). It dips before, so that a shallow model hides the fault. The sum to
# $\max(j, n')$, the paper's formula for prefixLM in Section 2.1, makes a query see itself and
# the queries before it.
#
# **Starting weights $w^{(0)} \ne 0$ in the value matrix of every layer** (Proposition 6) give
#
# $$\delta_j^{(l)} = y_j - (w^{(l)} - w^{(0)})\, x_j, \qquad
#   \delta_q^{(l)} = -(w^{(l)} - w^{(0)})\, x_q,$$
#
# with $w^{(l)}$ {term}`gradient descent` from $w^{(0)}$. This is not the residual of $w^{(l)}$:
# the prediction $-\delta_q$ lacks $w^{(0)} x_q$.
#
# **The step size** must obey $\eta < 2n / \lambda_{\max}(X X^\top)$ for the prefix mask and
# $\eta < 2n / \max_i \lVert x_i \rVert^2$ for the causal one. Propositions 3 and 4 do not say
# so.

# %% tags=["parameters"]
profile = "stored"

# %% mystnb={"code_prompt_show": "Settings of the left panel"} tags=["hide-output"]
import claimbook
from papers.causal_lm import what_fails as sheet

page = claimbook.Page("causal_lm/what_fails", profile)
claimbook.settings_table(sheet.SelfAttention(), assumed=("queries", "seed"))

# %% mystnb={"code_prompt_show": "Settings of the right panel"} tags=["hide-output"]
claimbook.settings_table(sheet.StepBounds(), ("prompts", "watched", "layers", "seed"))

# %% [markdown]
# ## Figure
#
# Left and middle at $\eta = 1.6$; bands are 95% intervals over five seeds.

# %%
from claimbook.claims.sentences import POSITIVE, SHARE
labels = {
    "self": {"prefix": "prefix", "prefix_self": "prefix, sees itself",
             "prefix_printed": "prefix, sum to max(j, n')", "causal": "causal",
             "causal_self": "causal, sees itself"},
    "w0": {"error_read_plainly": "every layer, −δ",
           "error_w0_added": "every layer, w⁽⁰⁾x − δ",
           "error_w0_in_first": "first layer only, −δ"},
    "steps": {"prefix_beyond": "prefix", "causal_beyond": "causal"}}
curves = {(panel, name): page.values(name).unstack()
          for panel, names in labels.items() for name in names}
table = page.save_figure(*(
    page.series(panel, name, own.columns, own, SHARE if panel == "steps" else POSITIVE)
    for (panel, name), own in curves.items()))

# %% tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import draw
from papers.colors import color_of

figure, panels = plt.subplots(1, 3, figsize=(9, 5.1))
figure.suptitle("Queries that see themselves forget, and large steps diverge")
prefix, causal = color_of("prefix"), color_of("causal")
lines = {"self": [(prefix, "-"), (prefix, "--"), (prefix, ":"), (causal, "-"),
                  (causal, "--")],
         "w0": [(prefix, ":"), (prefix, "--"), (prefix, "-")],
         "steps": [(prefix, "-"), (causal, "-")]}
for axes, (panel, names) in zip(panels, labels.items()):
    for (name, label), (of_mask, dash) in zip(names.items(), lines[panel]):
        draw(axes, table, panel, name, label=label, color=of_mask, ls=dash)
    axes.set(yscale="log", xlabel="layers", ylim=(1e-5, 30))
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18))
panels[2].vlines(sheet.STEP_SIZES, -0.05, 1.05, "grey", ":", lw=1)
panels[0].set(title="a query that sees itself", ylabel="mean squared query error")
panels[1].set(title=r"$w^{(0)} \sim N(0, I)$, prefix")
panels[2].set(title="step sizes", xscale="log", yscale="linear", ylim=(-0.05, 1.05))
labeled = panels[2].set(xlabel=r"step size $\eta$", ylabel="share of prompts that diverge")

# %% [markdown] tags=["caption"]
# Left: error by layers if a query sees itself. Middle: with starting weights, read plainly and
# with the missing part added. Right: share of prompts that diverge, by step size.
#
# Alt text: Three panels. Left: query error over 50 layers; where queries see themselves it
# falls for a few layers and then rises to about 5.4. Middle: with w0 in every layer the plain
# reading stays near its start, adding w0 x back converges, and so does the plain reading with
# w0 in the first layer alone. Right: the share of prompts that diverge, from 0 to 1 between
# step sizes 1.8 and 3.5 for prefix and 7.5 and 12.3 for causal attention.

# %% [markdown]
# ## Numbers

# %% tags=["numbers"]
from claimbook.pages.plotting import numbers

titles = {"self": "a query that sees itself", "w0": "starting weights",
          "steps": "step sizes"}
in_words = {"series": labels["self"] | labels["w0"] | labels["steps"], "panel": titles}
named = table.replace(in_words)
numbers(named, [titles["self"], titles["w0"]], xs=(0, 1, 5, 10, 20, 50), x="layers")

# %% tags=["numbers"]
numbers(named, titles["steps"], xs=sheet.STEP_SIZES, digits=4, x="step size")

# %% [markdown]
# The bounds over all prompts, and what happens on their two sides: the share of prompts on
# which the layers still move more at the end than half way there.

# %% tags=["numbers"]
import pandas as pd

rows = {}
for mask in ("prefix", "causal"):
    bounds = page.values(f"{mask}_bound").unstack()
    grows = page.values(f"{mask}_grows").unstack().mean()
    rows[mask] = {"smallest bound": bounds["smallest"].min(), "mean": bounds["mean"].mean(),
                  "largest": bounds["largest"].max(),
                  "diverge at 0.98 x bound": grows[0.98], "at 1.02 x bound": grows[1.02]}
pd.DataFrame(rows).T.round(2)

# %% [markdown]
# The table says whether $\delta$ is that of Proposition 6, to $10^{-10}$, with $w^{(0)}$ in
# every layer and in the first alone:

# %% tags=["numbers"]
parts = {"first layer": "first_layer", "later layers": "later_layers"}
pd.DataFrame({name: {part: page.values(metric + suffix).max() < 1e-10
                     for part, metric in parts.items()}
              for name, suffix in (("every layer", ""),
                                   ("first layer only", "_w0_in_first"))})

# %% [markdown]
# ## The claims, one by one

# %%
after = lambda layers, name: curves["self", name][layers]
wrong = sheet.StartingWeights(off=0.01).measure()  # w0 is one percent off
page.decide("causal_lm.16", {part: [page.values(metric).max()]
                             for part, metric in parts.items()},
            control={part: [wrong[metric]] for part, metric in parts.items()})
page.decide("causal_lm.36", {mask: after(50, f"{mask}_self") / after(50, mask)
                             for mask in ("prefix", "causal")},
            control={mask: after(1, f"{mask}_self") / after(1, mask)  # it still holds a 0
                     for mask in ("prefix", "causal")})
smallest = page.values("causal_bound").unstack()["smallest"]
alone = [max(step for step in sheet.STEP_SIZES if step < bound) for bound in smallest]
page.decide("causal_lm.37", {"both masks": page.values("fastest")},
            control={"both masks": alone})
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - Proposition 6 holds in every layer: a value is $w^{(0)} x_i - \delta_i$, and the
#   $w^{(0)} x_i$ that $\delta_i$ holds cancels. Only its reading needs care.
# - With $w^{(0)}$ in the first layer alone, later layers are gradient descent too, but from
#   $w^{(1)} - w^{(0)}$, and their plain reading converges.
# - The bound of the prefix mask is smaller than that of the causal one by a factor of about
#   four. The causal mask alone could take the step 3.2.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/causal_lm/what_fails/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
