# %% [markdown]
# # Figure 5: which token may look at which?
#
# In three of the four masks a {term}`query` sees all pairs and nothing else, and is answered as
# if it were alone. Under the *full* mask queries see each other, and an answer changes by up to
# 0.21. The figure claims nothing.
#
# The pairs come first and then the queries {cite:p}`ding2024causallm`. Row $t$ attends to
# column $s$ where the cell is filled. The masks differ in which pairs see each other. As
# queries do not, many of them can share one prompt.
#
# The matrices are those that the book's models use, at a smaller size.

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import claimbook
from papers.causal_lm import fig05_masks as sheet

page = claimbook.Page("causal_lm/fig05_masks", profile)
claimbook.settings_table(sheet.MaskCheck("prefix"), assumed=(
    "mask", "pairs", "queries", "block", "layers", "step_size", "seed"))

# %% [markdown]
# ## Figure

# %%
cells = page.values("mask", mask="mask").droplevel("seed")
table = page.save_figure(*(
    page.series(mask, f"row {row}", own.index.get_level_values("column"), own)
    for (mask, row), own in cells.groupby(["mask", "row"])))

# %% mystnb={"image": {"classes": "on-white"}} tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import GOLD, VIOLET

figure, panels = plt.subplots(1, 4, figsize=(9, 3), sharey=True)
figure.suptitle("All masks but the full one hide the queries from each other")
panels[0].set(ylabel="attends\n(violet: pair, gold: query)")
for axes, mask in zip(panels, sheet.MASKS):
    for (row, column), seen in cells[mask].items():
        if seen:
            axes.add_patch(plt.Rectangle((column - 0.4, row - 0.4), 0.8, 0.8, lw=0,
                                         color=VIOLET if row <= 12 else GOLD))
    axes.set(title=mask, xlim=(0.3, 18.7), ylim=(18.7, 0.3), aspect="equal",
             xticks=(1, 12, 18), yticks=(1, 12, 18), xlabel="attended to")
    axes.grid(False)
    axes.axvline(12.5, color="black", lw=0.8)
    axes.axhline(12.5, color="black", lw=0.8)

# %% [markdown] tags=["caption"]
# Four attention masks over 12 labeled pairs (violet rows), then 6 queries (gold rows). A filled
# cell: the token of this row sees that of this column.
#
# Alt text: Four square masks over 12 pairs and 6 queries. Full: everything filled. Prefix: all
# pairs see all pairs, queries see all pairs. Block-causal: pairs see blocks of four up to their
# own. Causal: a triangle over the pairs. In the last three the query columns are empty.

# %% [markdown]
# ## Numbers
#
# How many columns a row sees, and whether a query's answer is the same as if it were alone. The
# largest difference is that over ten layers of {term}`linear attention`.

# %% tags=["numbers"]
import pandas as pd

sees = cells.groupby(["mask", "row"]).sum().astype(int)
pd.DataFrame({mask: {
    "first pair sees": sees[mask, 1], "last pair sees": sees[mask, 12],
    "a query sees": sees[mask, 18],
    "unaware of other queries": difference < 1e-12,
    "largest difference": f"{difference:.2g}" if difference > 1e-12 else "rounding",
} for (seed, mask), difference in page.values("difference", mask="mask").items()})

# %% [markdown]
# ## What differs and why
#
# - Section 5.1 has 40 pairs and 200 queries; with 12 and 6 each cell can be seen.
# - *Full* is the encoder of Section 2.1, in which queries are seen as if they were pairs with
#   the label 0. The paper's formula for prefixLM there, a sum to $\max(j, n')$, has the same
#   fault for queries: [What fails](what_fails.ipynb) measures it.
# - *Block-causal* is the mask of an experiment in the appendix, for which the paper gives no
#   block size.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/causal_lm/fig05_masks/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
