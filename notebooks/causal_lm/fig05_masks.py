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
records = page.records
claimbook.settings_table(sheet.MaskCheck("prefix"), assumed=(
    "mask", "pairs", "queries", "block", "layers", "step_size", "seed"))

# %% [markdown]
# ## Figure

# %%
import numpy as np

columns = np.arange(1, 19)
table = page.save_figure(*(
    page.series(r.run["mask"], f"row {row}", columns, cells)
    for r in records for row, cells in enumerate(r["mask"], start=1)))

# %% mystnb={"image": {"classes": "on-white"}} tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import GOLD, VIOLET

figure, panels = plt.subplots(1, 4, figsize=(9, 2.9), sharey=True)
panels[0].set(ylabel="attends\n(violet: pair, gold: query)")
for axes, r in zip(panels, records):
    mask = r["mask"]
    colors = np.where(np.arange(len(mask)) < r.run["pairs"], VIOLET, GOLD)
    for row, cells in enumerate(mask, start=1):
        for column in columns[cells == 1]:
            axes.add_patch(plt.Rectangle((column - 0.4, row - 0.4), 0.8, 0.8, lw=0,
                                         color=colors[row - 1]))
    axes.set(title=r.run["mask"], xlim=(0.3, 18.7), ylim=(18.7, 0.3), aspect="equal",
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
# How many columns a row sees, and whether a query's answer is the same as if it were the only
# query of its prompt: the largest difference over ten layers of {term}`linear attention`.

# %% tags=["numbers"]
import pandas as pd

pd.DataFrame({r.run["mask"]: {
    "first pair sees": int(r["mask"][0].sum()),
    "last pair sees": int(r["mask"][11].sum()),
    "a query sees": int(r["mask"][17].sum()),
    "unaware of other queries": bool(r["difference"] < 1e-12),
    "largest difference": (f"{r['difference']:.2g}" if r["difference"] > 1e-12
                           else "rounding"),
} for r in records})

# %% [markdown]
# ## What differs and why
#
# - The figure belongs to the setting, so there is no verdict here.
# - Section 5.1 has 40 pairs and 200 queries; with 12 and 6 each cell can be seen.
# - *Full* is the encoder of Section 2.1, in which queries are seen as if they were pairs with
#   the label 0. The paper's formula for prefixLM there, a sum to $\max(j, n')$, has the same
#   fault for queries: [What fails](what_fails.ipynb) measures it.
# - *Block-causal* is the mask of an experiment in the appendix, for which the paper gives no
#   block size.
#
# The numbers behind the figure: {download}`figure.csv
# <../../results/causal_lm/fig05_masks/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
