# %% [markdown]
# # Is the best mask prefix or leave-one-out?
#
# Prefix. With fewer pairs than in training leave-one-out errs 2 to 4 times as much in regression, where Fang et al.
# expect the opposite. With as many pairs one comparison of six tells them apart, for prefix. Leave-one-out is ahead of
# the causal mask, in regression 6 times and more.
#
# *What is asked.* Under the {term}`prefix mask` every pair attends to all pairs, itself among them. {cite:t}`fang2025invariance`
# find that so a pair's label leaks into its own encoding. Leaving each pair out of its own context beats the prefix mask
# and the causal one, they say, at untrained lengths too. Theirs is a reply to the question of
# {cite:t}`ding2024causallm`. Here the mask is tried in the setting of its Table 1, on all three tasks: five models each
# with shared and with unshared layers, beside the kept ones under the two other masks, on new prompts.
#
# *The mask.* A pair attends to every other pair but not to itself; the query attends to all. In the paper each pair is there
# twice, so that no label comes back to its pair through another one in the layers above. Ours has one copy, and there it
# can.

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import claimbook
from papers.across import leave_one_out as sheet
from papers.causal_lm import trained

page = claimbook.Page("across/leave_one_out", profile)
records = page.recorded(sheet.runs)
claimbook.settings_table(sheet.runs("cpu")[0])

# %% [markdown]
# ## Figure

# %%
errors = trained.errors_by_cell(records)
final = trained.final_errors(records)
learned = trained.learned_errors(errors, page.profile, final)
pairs = sorted(next(iter(errors.values())).columns)
table = page.save_figure(*(page.series(f"{cell.task}, {cell.sharing}", cell.mask, pairs,
                                       own[pairs], trained.WITHIN[cell.task], "log")
                           for cell, own in learned.items()))

# %% tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import VIOLET, draw, legend_below
from papers.colors import color_of

colors = dict(zip(sheet.MASKS, (color_of("prefix"), VIOLET, color_of("causal"))))
figure, panels = plt.subplots(2, 3, figsize=(9, 5.5), sharex=True)
for column, task in zip(panels.T, trained.TASKS):
    for axes, sharing in zip(column, ("shared", "unshared")):
        for mask in sheet.MASKS:
            draw(axes, table, f"{task}, {sharing}", mask, color=colors[mask], marker="o")
        axes.set(yscale="linear" if task == "classes" else "log", xticks=pairs,
                 title=f"{task}, {sharing} layers")
    axes.set_xlabel("pairs")
figure.supylabel("mean squared error; of classes, errors in percent", fontsize=10)
figure.suptitle("Leave-one-out falls behind prefix with fewer pairs", fontsize=11)
legend = legend_below(panels[1, 0], 3)

# %% [markdown] tags=["caption"]
# Error on three tasks against the number of pairs, under three masks; training has 20 pairs. Means over five
# models with 95% intervals.
#
# Alt text: Six panels of error against 8 to 20 pairs, for three tasks with shared and unshared layers. At 20 pairs prefix
# and leave-one-out lie close together, causal above, in regression ten times. With fewer pairs leave-one-out rises
# fastest, and lies above prefix at 8 pairs in every panel.

# %% [markdown]
# ## Numbers
#
# Leave-one-out errors over those under the other mask, geometric means with 95% intervals:

# %% tags=["numbers"]
import pandas as pd
from claimbook.claims.sentences import with_interval

pd.DataFrame({f"{task}: {name}": {
    f"{n} pairs": with_interval((learned[own][n] / learned[other][n]).dropna(), 3, "log")
    for n in pairs}
    for task in trained.TASKS for name, (own, other) in sheet.compared(task).items()}).T

# %% [markdown]
# ## The claims, one by one

# %%
others = {f"{task}, {name}": both for task in trained.TASKS[1:]
          for name, both in sheet.compared(task).items()}
fewest = {cell: own[min(pairs)] for cell, own in errors.items()}
for numbers, beside in (((16, 17), sheet.compared("linear")), ((19, 20), others)):
    for number, measured in zip(numbers, (final, fewest)):
        page.decide(number, **trained.ratios(measured, beside, page.profile, final))
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - *One copy of the pairs, not two.* So a label can come back to its pair through another one, from the second layer
#   on. InvICL forbids that with a second copy, at twice the tokens; a fair test of it needs that copy. It was not
#   tried. Its [code](https://github.com/PKU-ML/InvICL) is public; we have not read it.
# - *Other models.* Fang et al. try linear regression with a larger GPT-2, and language models. Ours are the small models of
#   causal_lm, with its quirks.
# - *Untrained lengths* are shorter ones here: training has 20 pairs, and no test has more.
# - *Why it could be worse.* A pair that does not see itself meets another number of tokens at each length. We did not ask.
# - *Who counts.* One prefix model of the nonlinear function, with unshared layers, answers with a constant. Figure,
#   table and verdicts are without it.
# - *Fixed before.* The bounds of claims 19 and 20 were committed before their models were trained.
#   The control of claims 16 and 17 was changed after their results were known: it now sets a seed beside the seed before,
#   within one mask. No verdict moved.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/across/leave_one_out/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
