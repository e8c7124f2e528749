# %% [markdown]
# # Temperatures in the softmax on `every`
#
# {cite:t}`naim2025scaled` divide the scores by a temperature of 5 to 100 before the softmax, and write
# that neither this nor any other known replacement "yielded improvements over standard Softmax on our
# tasks" (Section 6; Appendix C). [Table 1](table01_scoring_functions.ipynb) has the numbers for
# affine functions. For the quantifiers, their other task, no number is printed. Here every temperature
# is trained on `every`, in the setting of [Figure 4](fig04_every.ipynb): up to 40 numbers
# $x_i \sim \mathcal{N}(0, 1)$ in training, 10 to 200 numbers $x_i \sim \mathcal{N}(0, \sigma)$ with
# $\sigma$ from 1 to 30 in the tests.
#
# **In short:** TO BE WRITTEN

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import icllib
from icllib.papers import signed_averaging as sheet
from icllib.papers.signed_averaging import quantifier_temperatures as temperatures
from icllib.papers.signed_averaging import quantifier_models as models

page = icllib.Page("signed_averaging/temperatures_on_every")
records = icllib.records(sheet.temperatures_on_every, profile, page=page.name)
shown = icllib.shown_profile(records)
icllib.settings_of(sheet.temperatures_on_every, shown, models.ASSUMED)

# %% [markdown]
# These are the settings of SSA; the others differ in `model.scoring` alone. Softmax and SSA are the
# models of Figure 4 with positions. Every model of a seed is trained on the same sequences, and all are
# tested on the same.
#
# ## Figure
#
# Left: the share of wrong sequences, over the whole grid and in distribution ($\sigma = 1$, lengths up
# to 40), with 95% intervals over seeds. Right: over that of softmax of the same seed, one circle for
# each seed, with their geometric mean; dotted, the claim's 0.9.

# %%
rates = temperatures.error_rates(records)
table = page.save_figure(*temperatures.rate_tables(rates, shown))

# %% tags=["figure"] mystnb={"image": {"alt": "TO BE WRITTEN"}}
legends = temperatures.draw_rates(table)

# %% tags=["numbers"]
temperatures.rate_table(rates)

# %% [markdown]
# ## Paper beside ours

# %%
page.decide("signed_averaging.38", temperatures.evidence(rates), shown)
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - TO BE WRITTEN
#
# The numbers behind the figure: {download}`figure.csv <../../results/signed_averaging/temperatures_on_every/figure.csv>`.

# %% tags=["provenance"]
print(icllib.provenance_line(records, page.name))
