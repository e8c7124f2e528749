# %% [markdown]
# # Figure 1: do computed layers look like the paper's drawing?
#
# Yes, with the {term}`prefix mask`, which it draws: layer by layer the pairs go to zero and a
# {term}`query` goes to minus its label. With the {term}`causal mask` the pairs get there too,
# but the queries end 21 to 57% of the way off.
#
# The paper's Figure 1 {cite:p}`ding2024causallm` is a sketch of {term}`linear attention` with
# weights set by hand. Layer 0 holds what enters: the label $y_j$ of each pair, and 0 for a
# query. The inputs $x$ never change, so the last coordinate of each {term}`token` is all there
# is to see:
#
# $$\delta_j^{(l)} = y_j - w^{(l)} x_j, \qquad
#   \delta_{\text{query}}^{(l)} = -w^{(l)} x_{\text{query}} .$$
#
# With the prefix mask $w^{(l)}$ is {term}`gradient descent` on all pairs ([Proposition
# 1](propositions.ipynb)), so the pairs go to 0 and a query to $-y_{\text{query}}$. With the
# causal mask pair $j$ has weights $w_j^{(l)}$ of its own, and queries follow those of the last
# pair.

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import claimbook
from papers.causal_lm import fig01_dynamics as sheet

page = claimbook.Page("causal_lm/fig01_dynamics", profile)
claimbook.settings_table(sheet.Dynamics(),
                      assumed=("every", "shown_queries", "seed"))

# %% [markdown]
# ## Figure
#
# One prompt: every fifth of its 40 pairs, darker for later ones, and four of its 200 queries.

# %%
import pandas as pd

of_first = lambda metric: page.values(metric).xs(0, level="seed")
labels = of_first("query_labels")
tables = [page.series(mask, f"{kind} {place}", curve.index, curve)
          for mask in ("prefix", "causal")
          for kind, several in (("pair", "pairs"), ("query", "queries"))
          for place, curve in of_first(f"{mask}_{several}").unstack("layer").iterrows()]
table = page.save_figure(*tables)

# %% mystnb={"image": {"classes": "on-white"}} tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import COLORS, draw, legend_below

figure, panels = plt.subplots(1, 2, figsize=(9, 4.1), sharey=True)
figure.suptitle("Prefix queries reach their answers, causal ones stop elsewhere")
for axes, mask in zip(panels, ("prefix", "causal")):
    for j in of_first("prefix_pairs").index.unique("pair"):
        draw(axes, table, mask, f"pair {j}", color=str(0.8 - 0.018 * j), lw=1,
             label=f"pair {j}" if j in (5, 40) else None)
    for (k, label), color in zip(labels.items(), COLORS):
        draw(axes, table, mask, f"query {k}", color=color, lw=2)
        axes.axhline(-label, color=color, ls=":", lw=1.5)
    axes.set(title=f"{mask} attention", xlabel="layers")
panels[0].set(ylabel=r"last coordinate $\delta$")
legend = legend_below(panels[0], 6)

# %% [markdown] tags=["caption"]
# The last coordinate of pairs (grey, lighter for early ones) and of four queries (color), layer
# by layer. A pair is solved at 0, a query at its dotted line.
#
# Alt text: Two panels, prefix and causal attention: the last coordinate of eight pairs and four
# queries over 50 layers. Under both masks the pairs go from their labels to 0. The queries go
# from 0 to minus their labels under prefix attention and to other values under causal
# attention.

# %% [markdown]
# ## Numbers

# %% tags=["numbers"]
from claimbook.pages.plotting import numbers

wide = numbers(table, xs=(0, 1, 2, 5, 10, 20, 50), x="layers")
limits = [0] * 8 + [f"{-label:.2g}" for label in labels]
wide.assign(limit=limits + [""] * 12)  # of the prefix rows

# %% [markdown]
# How much of the way from layer 0 to the prefix limit is left after 50 layers, over all pairs
# and all queries? Root mean squares, the smallest and the largest of five prompts:

# %% tags=["numbers"]
left = {(mask, kind): page.values(f"{mask}_{kind}_left")
        for mask in ("prefix", "causal") for kind in ("pairs", "queries")}
pd.DataFrame({names: {"smallest": f"{min(values):.2g}",
                      "largest": f"{max(values):.2g}"}
              for names, values in left.items()}).T

# %% [markdown]
# ## The claims, one by one

# %%
kinds = ("pairs", "queries")
page.decide("causal_lm.35", {kind: left["prefix", kind] for kind in kinds},
            control={kind: left["causal", kind] for kind in kinds})
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - The paper's figure is a sketch without numbers. The sizes here are those of its Section 5.1;
#   the number of layers and the step are those of its Appendix E.1.
# - From the pairs alone one could not tell that the causal queries will be wrong: each pair is
#   fitted by weights that were made to fit it.
# - A query attends neither to itself nor to other queries. [What fails](what_fails.ipynb) shows
#   why.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/causal_lm/fig01_dynamics/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
