# %% [markdown]
# # One large number in a sequence
#
# Why do decoders that were trained on $x_i \sim \mathcal{N}(0, 1)$ fail when a number is far larger?
# {cite:t}`naim2025scaled` (Section 5) report that under the quantifiers "models base their predictions
# for an entire deviant sequence $S$ solely on their prediction for the largest element in $S$", and
# that a "single sufficiently large number in $S$ was enough to trigger this behavior consistently".
# Their example is [Figure 2](fig02_attention_maps.ipynb): after $1, -2, 3, 70$ the model says that
# every number is positive.
#
# That can be seen only where the answer to the large number alone is not the truth. So one number
# $x_p$ of an ordinary sequence is replaced by $m$ under `every` (are all numbers so far positive?) and
# by $-m$ under `some` (is any?). Alone it would leave the label open, but a number before it has
# settled the label: an $x_i \le 0$ under `every`, an $x_i > 0$ under `some`. What is counted is how
# often the answer at $x_p$, and at the ten numbers after it, is the model's own to the large number
# alone and not the truth. At $m = 1$, an ordinary number, this is the rate of plain mistakes.
#
# **In short:** TO BE WRITTEN

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import icllib
from icllib.papers import signed_averaging as sheet
from icllib.papers.signed_averaging import deviant_sequences as deviant

page = icllib.Page("signed_averaging/deviant_numbers")
records = icllib.records(sheet.deviant_numbers, profile, page=page.name)
shown = icllib.shown_profile(records)
icllib.settings_of(sheet.deviant_numbers, shown, deviant.ASSUMED)

# %% [markdown]
# These are the models of [Figure 4](fig04_every.ipynb) and [Figure 5](fig05_some.ipynb) with
# positions, trained again and asked other things. The settings are those of softmax under `every`.
# All models see the same numbers, at every size.
#
# ## Figure
#
# Means over the places $p$ of the large number, and on the right over the ten answers after it. Bands
# are 95% intervals over seeds.

# %%
table = page.save_figure(*deviant.deviant_tables(records, shown))

# %% tags=["figure"] mystnb={"image": {"alt": "TO BE WRITTEN"}}
legend = deviant.draw_shares(table)

# %% tags=["numbers"]
from icllib.plotting import numbers

numbers(table[table.series.isin(["softmax", "SSA"])])

# %% [markdown]
# ### What the other numbers still do
#
# A model that answers for the largest number alone has the same log-odds whatever stands before it.
# Below: the mean log-odds of the open label at the large number, where the other numbers settle the
# label, and where the same numbers, with other signs, leave it open. Above 0 the model answers as for
# the large number alone.

# %% tags=["figure"] mystnb={"image": {"alt": "TO BE WRITTEN"}}
legend = deviant.draw_log_odds(table)

# %% tags=["numbers"]
numbers(table[table.panel.str.endswith("log-odds")])

# %% [markdown]
# ## Paper beside ours

# %%
page.decide("signed_averaging.36", deviant.evidence(records), shown)
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - TO BE WRITTEN
#
# The numbers behind the figure: {download}`figure.csv <../../results/signed_averaging/deviant_numbers/figure.csv>`.

# %% tags=["provenance"]
print(icllib.provenance_line(records, page.name))
