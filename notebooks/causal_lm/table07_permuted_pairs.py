# %% [markdown]
# # Table 7: what shuffling the pairs in training changes
#
# **The question:** does a causal model do worse because it learns the order of the pairs in
# its training sequences by heart?
#
# **In short:** in the paper the {term}`prefix mask` stays ahead when the pairs of a
# training sequence come in a new order every time. This changes little with shared layers,
# and helps the {term}`causal mask` with unshared ones, until the masks are level in
# classification. In our smaller models ({term}`profile` `cpu`, five {term}`seeds <seed>`,
# 5.2 hours of processor time) the prefix mask stays ahead, by a factor of 7 to 15 in
# regression and by 5 to 6% in classification. The new orders change little with shared
# layers. With unshared ones they help the causal mask by 3% in classification, where the
# paper has 18%, and by 12% on the nonlinear task and by 11% on the linear one, where the
# seeds scatter by more. With 12 passes over the sequences, where the paper has 100, there may be little to learn by heart.
#
# In Table 7 of {cite:t}`ding2024causallm` the pairs of a training sequence come in a new
# random order whenever it is seen. If the order were the trouble, the causal mask would
# gain by it. The models are otherwise those of [Table 1](table01_prefix_causal.ipynb).

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import claimbook
from papers.causal_lm import table07_permuted_pairs as sheet, trained

page = claimbook.Page("causal_lm/table07_permuted_pairs", profile)
records = page.records
# The runs of a kind are side by side, one per seed: the first of the last kind.
of_paper = sheet.runs("paper")[-trained.SIZES["paper"].seeds]
of_shown = sheet.runs(page.profile)[-trained.SIZES[page.profile].seeds]
claimbook.settings_table(of_shown, trained.ASSUMED,
                      of_paper, page.profile)

# %% [markdown]
# ## Figure

# %%
fixed, cells = trained.as_in_table_1(), trained.as_in_table_1(permuted=True)
errors = trained.final_errors(records, fixed + cells)
learned = trained.learned(errors, page.profile)
of_rows = lambda cells: {cell: learned[cell] for cell in cells}
paper = {cell: sheet.permuted_pairs(cell) for cell in cells}
table = page.save_figure(*trained.task_rows("fixed order", of_rows(fixed), page.profile),
                         *trained.task_rows("permuted", of_rows(cells), page.profile),
                         *trained.task_rows("permuted, paper", paper, "paper"))

# %% tags=["figure"]
styles = {"fixed order": {"ms": 9, "elinewidth": 4}, "permuted": {"marker": "s"},
          "permuted, paper": trained.DIAMOND}
legend = trained.draw_tasks(table, styles, height=2.6)

# %% [markdown] tags=["caption"]
# Error on queries in three tasks, after training on pairs in a fixed order and after
# training on pairs in a new order every time. Each row is a kind of trained transformer:
# prefix or causal mask, with layers that share their weights or do not. Dots with 95%
# intervals over seeds are ours, diamonds are printed in the paper for new orders; where
# the two kinds of dots lie on each other, the order made no difference.
#
# Alt text: Three panels, one per task, with four rows each: prefix and causal masks,
# shared and unshared layers. Points with bars are our errors after training in fixed
# order and on permuted pairs, diamonds the printed ones for permuted pairs.

# %% [markdown]
# Bars are 95% intervals over seeds; one that leaves its panel on the left includes 0 or
# nearly so. The two trainings mostly lie on each other. Four of the 120 models did not learn,
# see below, and are left out. The diamonds are the paper's numbers, which belong to its own
# model and data, and so to profile `paper`.
#
# ## Numbers
#
# After training on permuted pairs:

# %% tags=["numbers"]
trained.beside(of_rows(cells), paper)

# %% [markdown]
# The class errors that the paper prints for the two masks, and their difference in standard
# errors of the paper's 1,280 test answers, with the two caveats of [Table
# 1](table01_prefix_causal.ipynb):

# %% tags=["numbers"]
trained.class_differences(sheet.permuted_pairs, cells, mask="causal")

# %% [markdown]
# After training in fixed order:

# %% tags=["numbers"]
trained.beside(of_rows(fixed), {cell: trained.extra_loss(cell) for cell in fixed})


# %% [markdown]
# ## The claims, one by one

# %%
def decide(claim, pairs, **handed):
    """Ratio of the errors of each pair of cells, seed by seed."""
    page.decide(f"causal_lm.{claim}",
                **trained.ratios(errors, pairs, page.profile) | handed)

masks = {f"{cell.task} {cell.sharing}": (cell, cell._replace(mask="causal"))
         for cell in cells if cell.mask == "prefix"}
decide(28, masks)
to_fixed = {cell: (cell, cell._replace(permuted=False)) for cell in cells}
other = {"prefix": "causal", "causal": "prefix"}
shared = {c: both for c, both in to_fixed.items() if c.shared}
decide(29, {f"{c.task} {c.mask}": both for c, both in shared.items()},
       control={f"{c.task} {c.mask}": errors[c._replace(mask=other[c.mask])] / errors[c]
                for c in fixed if c.shared})
decide(56, {c.mask: both for c, both in shared.items() if c.task == "classes"},
       control={c.mask: errors[c._replace(mask=other[c.mask])] / errors[c]
                for c in fixed if c.shared and c.task == "classes"})
decide(30, {c.task: both for c, both in to_fixed.items()
            if c.mask == "causal" and not c.shared})
level = masks["classes unshared"]
in_fixed_order = [errors[cell._replace(permuted=False)] for cell in level]
decide(46, {"unshared layers": level},
       control={"unshared layers": in_fixed_order[0] / in_fixed_order[1]})
for claim, kept in ((54, ("linear", "nonlinear")), (55, ("classes",))):
    own = [cell for cell in cells if cell.task in kept]
    named = {f"{c.task} {c.mask} {c.sharing}": errors[c] for c in own}
    page.decide(f"causal_lm.{claim}",
                **trained.beside_printed(named, own, page.profile))
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - *Two bounds for classification.* The control of claim 29 is the change that the mask
#   makes. On classes it is below the factor of 1.25, too, so this bound could not tell it
#   from none; claim 56 has a closer one there.
# - Claims 54 and 55 compare our errors with the printed ones, and count on the paper's task
#   alone.
# - *Four models that did not learn.* All have the prefix mask and unshared layers: with
#   permuted pairs two on linear functions and one on nonlinear ones, in fixed order one on
#   nonlinear functions, in another seed. They are left out of claim 28, in which the linear kind
#   rests on three seeds.
# - *Is the causal mask level in classification?* The paper has 26.1 and 26.2% with unshared
#   layers, where ours have 26.1 and 27.4%. The interval of the ratio, 0.934 to 0.966, lies
#   across the lower end of the range of claim 46, 0.949. Its control is the
#   same ratio after training in fixed order, where the masks are to differ.
# - What differs for [Table 1](table01_prefix_causal.ipynb) differs here; the models in fixed
#   order are those of Tables 1 and 3. In the paper's public code all sequences of a batch
#   share one new order. Here every sequence has its own.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/causal_lm/table07_permuted_pairs/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
