# %% [markdown]
# # The quantifiers without labels in the prompt
#
# **In short:** in the paper's prompt $x_1, y_1, x_2, y_2, \dots$ the label before each number holds
# all that the earlier numbers say, so that `every` and `some` ask a model to find two tokens and not
# to look at all. Here models read the numbers alone. Does scaled signed averaging (SSA) then keep a
# lower error than softmax over longer sequences and larger numbers, and does one large number decide
# the answers? The verdicts below say what is found.
#
# In the prompt of {cite:t}`naim2025scaled` the label $y_{k-1}$ stands right before $x_k$, and
#
# $$y_k = y_{k-1} \wedge (x_k > 0) \quad \text{for } \textit{every}, \qquad
#   y_k = y_{k-1} \vee (x_k > 0) \quad \text{for } \textit{some} .$$
#
# Without labels the answer at $x_k$ must be found among all of $x_1, \dots, x_k$. This control is ours.
# Its claims repeat those of [Figure 4](fig04_every.ipynb), [Figure 5](fig05_some.ipynb) and
# [one large number](deviant_numbers.ipynb), with their tolerances.

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import icllib
from icllib.papers import signed_averaging as sheet
from icllib.papers.signed_averaging import deviant_sequences as deviant
from icllib.papers.signed_averaging import quantifier_figures as figures
from icllib.papers.signed_averaging import unlabeled as control

page = icllib.Page("signed_averaging/without_labels")
records = icllib.records(sheet.without_labels, profile, page=page.name)
shown = icllib.shown_profile(records)
icllib.settings_of(sheet.without_labels, shown)

# %% [markdown]
# These are the settings of softmax under `every`. The models are those of Figures 4 and 5 with
# positions, but for `model.tokens`: a token for each number and none for labels. They take twice the
# steps to learn.
#
# ## Figure
#
# The share of wrong sequences over length and $\sigma$, means over seeds. A sequence is wrong if any
# answer from the third on is.

# %%
table = page.save_figure(*control.tables(records, shown))

# %% tags=["figure"] mystnb={"image": {"alt": "Four heat maps of the share of wrong sequences over length, across, and sigma, upwards: softmax left and SSA right, every above and some below.", "classes": "on-white"}, "figure": {"caption": "Share of sequences with a wrong answer if the model sees the numbers and no labels, over the length of the list (across) and the scale $\\sigma$ of its numbers (upwards), for softmax and scaled signed averaging (SSA), on the quantifiers *every* (above) and *some* (below). Darker colors are lower errors. White dots mark cells in which always giving the same answer does as well; its error is the white line in the scale."}}
scale = figures.draw_heat_maps(table, deviant.QUANTIFIERS)
level = scale.ax.axhline(1 / 8, color="white")

# %% [markdown]
# White line in the scale: the constant predictor, 1/8. White dots: cells in which it does as well as
# the model or better.

# %% tags=["numbers"]
from icllib.plotting import numbers

few = table[table.series.str.contains("constant|sigma = (?:1|3|10|30)$")]
numbers(few, list(deviant.QUANTIFIERS), (10, 40, 60, 100, 200), x="length")

# %% [markdown]
# ### One large number
#
# An ordinary sequence in which one number is replaced by $m$ under `every`, and by $-m$ under `some`,
# where an earlier number has settled the label: how often is the answer, at the number and after it,
# the model's own to the large number alone and not the truth?

# %% tags=["figure"] mystnb={"image": {"alt": "Four panels against the size of the number, from 1 to 100, for softmax and SSA, with a line at 0.9: every above and some below, at the number left and after it right."}, "figure": {"caption": "Without labels in the prompt: how often models with softmax and with scaled signed averaging (SSA) are wrong if one number of a list is very large, against the size of that number, at the number itself and after it, for the quantifiers *every* and *some*. The line at 0.9 is the bound of the claim, which says that the large number alone decides the answer."}}
legend = deviant.draw_shares(table)

# %% tags=["numbers"]
numbers(table[table.series.isin(["softmax", "SSA"])], x="size m")

# %% [markdown]
# ## The paper's numbers beside ours

# %%
page.decide("signed_averaging.52", control.ratios(records), shown,
            control.reached_by_part(records))
cells = deviant.chosen_cells()
page.decide("signed_averaging.53", deviant.evidence(records), shown,
            figures.reached(records, cells, cells[:1]), deviant.evidence(records, size=0))
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - The paper has no such experiment; its printed values are those of the claims that are repeated.
# - Models count that err on 2% of the sequences at most at $\sigma = 1$ and 40 numbers, as in Figures 4
#   and 5.
#
# The numbers behind the figure: {download}`figure.csv <../../results/signed_averaging/without_labels/figure.csv>`.

# %% tags=["provenance"]
print(icllib.provenance_line(records, page.name))
