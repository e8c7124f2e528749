# %% [markdown]
# # Figures 6 and 7: Llama on the same tasks (not run)
#
# Not tested: the weights of Llama cannot be had here. The paper says that Llama models, prompted or
# fine-tuned, fail on lists longer than their examples. On lines it prints 25 times the small
# {term}`softmax` model's error for Llama 3.3 70B, in distribution.
#
# {cite:t}`naim2025scaled` give the quantifiers `some` (Figure 6) and `every` (Figure 7) to Llama 3.3 70B
# and Llama 3.1 8B, with five examples in a system {term}`prompt`.
#
# After each number of a list the model has to say whether any, or all, numbers so far are positive. Llama
# 3.1 8B is also fine-tuned, by LoRA, which trains a small addition to the weights. The figures are heat
# maps of the error over the length and the scale $\sigma$ of the numbers. The last row of Table 1 is
# Llama 3.3 70B on lines $y = a x + c$; at the largest scale its error is 1.1 times softmax's.
#
# This page shows that one printed row, what errors are to be read against, and the commands. What they
# count would take an estimated 9 hours of an H200 GPU.

# %% tags=["parameters"]
profile = "stored"

# %%
from claimbook import Page
from papers.language_models import prompted, prompts
from papers.signed_averaging import affine, comparisons, fig06_07_llama as sheet
from papers.signed_averaging.quantifiers import reader_error

page = Page("signed_averaging/fig06_07_llama", profile)

# %% [markdown]
# ## What a model is asked
#
# A model gets the system prompt of the paper's Appendix K and one list, from the
# sequences on which [the small models](fig04_every.ipynb) are tested at {term}`profile`
# `paper`:

# %% tags=["numbers"]
prompt, truth = prompted.asked("every", 10, 10)[0]
print(sheet.SYSTEM["every"][:96], "...\n\n", prompt, " ", truth, sep="")

# %% [markdown]
# A sequence is wrong if a label from the third on is wrong; so is an answer of another length, and one
# that is no list of booleans. An affine prompt is a list $x_1, y_1, \dots, x_k$, and its answer one
# number.
#
# ## Figure
#
# Left are the printed rows of Table 1 and the error $2 \sigma^2$ of always answering 0. Beside them is
# that of the {term}`least-squares <least squares>` line through the pairs *as they are written in the
# prompts*. It is uneven where two inputs are so close that two decimals spoil the slope.
#
# Right is what the heat maps are to be read against. Take a predictor that is right on the first
# $r \ge 2$ numbers, and then gives the answer that most sequences have (false for `every`, true for
# `some`). It errs on a share $2^{-(r+1)}$ of all sequences, at every $\sigma$ and [every
# length](quantifier_base_rates.ipynb). One that reads nothing errs on one in eight.

# %%
from claimbook.pages.plotting import series
from icllib.tasks import Quantifier

lines = prompted.AFFINE_SIZE
line = prompted.error_table([
    prompted.measure("affine", prompts.least_squares_answer, sigma, length)
    for sigma in lines["sigmas"] for length in lines["lengths"]])
rows = {"Llama 3.3 70B, prompted": sheet.TABLE_1_LLAMA,
        "softmax": affine.PRINTED["softmax"], "SSA": affine.PRINTED["SSA"],
        "always 0": [2 * sigma**2 for sigma in affine.SIGMAS],
        "least squares on the prompts": line.squared_error}
reads = range(21)
rates = [reader_error(Quantifier("every"), r, 200) for r in reads]
table = page.save_figure(
    *(series("Table 1", name, affine.SIGMAS, row, "paper") for name, row in rows.items()),
    series("quantifiers", "right on r numbers, then constant", reads, rates, "paper"))

# %% tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import BLACK, CRIMSON, OLIVE, draw, legend_below
from papers.colors import marked

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), width_ratios=(1.2, 1))
figure.suptitle("Not run: printed errors, and what to read them against")
styles = ({"color": CRIMSON, "marker": "o"}, marked("softmax"),
          marked("SSA"), {"color": "grey", "ls": ":"},
          {"color": BLACK, "ls": "--"})
for name, style in zip(rows, styles):
    draw(left, table, "Table 1", name, **style)
left.set(xlabel=r"$\sigma$", ylabel="mean squared error", yscale="log",
         title="affine functions", xticks=affine.SIGMAS)
draw(right, table, "quantifiers", "right on r numbers, then constant", color=OLIVE)
right.set(xlabel="r", ylabel="share of wrong sequences", yscale="log",
          title="quantifiers, right on r, then constant", xticks=range(0, 21, 5))
legend = legend_below(left, 3)

# %% [markdown] tags=["caption"]
# Left: printed errors on lines, with least squares and always answering 0. Right: errors of a predictor
# that reads $r$ numbers and no more. No Llama was run.
#
# Alt text: Left, log axis: printed squared errors over sigma from 1 to 10. SSA is lowest,
# softmax comes up to the prompted Llama 3.3 70B at sigma 10; Llama jumps from 0.002 to
# 5.5 between sigma 1 and 2 and stays below always answering 0. Least squares on the same
# prompts stays below 0.02. Right, log axis: the sequence error of a predictor that is
# right on r numbers and then constant falls from one eighth as two to the minus r plus
# one.

# %% [markdown]
# ## Numbers

# %% tags=["numbers"]
from claimbook.pages.plotting import numbers

numbers(table, ["Table 1"], digits=3, x="sigma").T

# %% tags=["numbers"]
numbers(table, ["quantifiers"], (0, 2, 3, 5, 10, 20), x="r")

# %% [markdown]
# The printed Llama row over other printed rows. First that of softmax, then that of 12L8AH in Table 6 (12
# layers of 8 heads), which ought to be the same model. Last the lowest row of Table 1 after SSA and
# softmax, taken anew at each $\sigma$. Table 6 prints 0.0 at $\sigma$ = 1 and 2:

# %% tags=["numbers"]
import numpy as np
import pandas as pd

llama = np.array(sheet.TABLE_1_LLAMA)
others = np.array(list(affine.PRINTED.values()))[2:].min(axis=0)
ratios = {"over softmax": llama / affine.PRINTED["softmax"],
          "over 12L8AH of Table 6": [value / small if small else np.nan for value, small
                                     in zip(llama, comparisons.TABLE_6["12L8AH"])],
          "over the best alternative": llama / others}
ratios = pd.DataFrame(ratios, index=pd.Index(affine.SIGMAS, name="sigma")).T
ratios.map(lambda ratio: "" if pd.isna(ratio) else f"{ratio:.2g}")

# %% [markdown]
# ## The paper's claims
#
# The heat maps have no printed numbers. By the text (Section 5.1) the prompted 8B model
# masters neither the inputs of the tests nor long lists. The 70B model does better on
# inputs outside $\mathcal{N}(0, 1)$, but not on long lists. The fine-tuned 8B model copes
# with large inputs, but not with lists beyond the 40 numbers of its training; fine-tuned
# on affine functions it answered with lists (Appendix L).

# %%
page.not_run()

# %% [markdown]
# ## How to run it
#
# With a chat model of `transformers` in a folder, this makes the two heat maps and the row of Table 1. A
# command that was stopped goes on where it was:
#
# ```bash
# for task in some every affine; do
#     python -m papers.language_models.prompted FOLDER $task $task.json
# done
# ```
#
# The sequences for fine-tuning, in the chat format that trainers read, come from
#
# ```bash
# python -m papers.language_models.prompts every every.jsonl
# ```
#
# Training itself is not part of this project; a fine-tuned model, its adapter merged into the weights,
# goes through the first commands. Llama 3.3 70B (141 GB in bfloat16) needs two H200 and the package
# `accelerate`.
#
# ### What it would cost
#
# Hours of an H200, estimated from 2 FLOPs per parameter and token (4 in fine-tuning, for 2 epochs). Added
# is the time of reading all weights once for each token that a batch of 64 prompts writes. Assumed are
# $4 \times 10^{14}$ FLOPs and $2.4 \times 10^{12}$ bytes per second, 5 tokens per number, 2 per boolean,
# and answers that end where they should.

# %% tags=["numbers"]
hours = {}
for model, parameters in sheet.PARAMETERS.items():
    for task in sheet.SYSTEM:
        hours[task, f"{model}, prompted"] = sheet.answering_hours(
            task, parameters, **prompted.SIZE[task])
for task in ("every", "some"):  # Llama 3.1 8B, the last of the models
    answering = hours[task, f"{model}, prompted"]
    hours[task, f"{model}, fine-tuned"] = answering + sheet.training_hours(
        task, parameters, prompts.SEQUENCES)
costs = pd.Series(hours).unstack()
costs.map(lambda number: "" if pd.isna(number) else f"{number:.1f}")

# %% tags=["numbers"]
print(f"all: {costs.sum().sum():.0f} H200-hours")

# %% [markdown]
# ## What differs and why
#
# - *When is an answer wrong?* The paper does not say. Nearly all lists are settled after a few numbers,
#   so a model that errs on *long* lists alone has most likely lost count of the labels that it writes. We
#   count wrongly long answers apart; whether this explains Figures 6 and 7 cannot be told from the paper.
# - *Assumed, since the paper does not say:* two decimals, labels of the numbers as written, greedy
#   decoding, and models tuned for chat. Assumed, too, is 0 in place of an answer to an affine prompt that
#   is no number. Two decimals do not limit a model much, as least squares shows.
# - *The grid.* The captions say $\sigma$ from 1 to 10, which the commands follow, and Appendix A says 1
#   to 30. Of its "few test batches" in each cell we assume one, of 64.
# - *Does Llama 3.3 70B underperform the small models,* as the text says? By the printed softmax row it
#   does at every $\sigma$; by the row 12L8AH it is better at $\sigma$ = 9 and 10. The softmax row may be
#   [one $\sigma$ off](table01_scoring_functions.ipynb).
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/signed_averaging/fig06_07_llama/figure.csv>`.

# %% tags=["provenance"]
print("printed values and references computed on this page; no run, no record")
