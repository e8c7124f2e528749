# %% [markdown]
# # Queries and keys after training on wider inputs
#
# Where softmax models were trained on inputs from $N(0, 10)$ or $N(0, 100)$ in place of $N(0, 1)$,
# {cite:t}`naim2025scaled` write that "this training gave the Q and K matrices small weights to
# compensate" (Section 5.3). They print no weight. This page weighs the models of
# [Wider training distributions](training_laws.ipynb).
#
# In each head the scores are $z_{ij} = q_i^\top k_j / \sqrt{d}$, with queries and keys made from the
# normalized stream $u$ of the tokens by
#
# $$q_i = Q^\top G u_i , \qquad k_j = K^\top G u_j ,$$
#
# where $G$ holds the gains of the layer normalization (biases are left out here). So beside the
# matrices $Q$ and $K$ there is $G Q K^\top G / \sqrt{d}$, of which the scores are made and in which no
# size can be moved from $Q$ to $K$ or $G$.
#
# **In short:** TO BE WRITTEN

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import icllib
from icllib.papers import signed_averaging as sheet
from icllib.papers.signed_averaging import weight_sizes

page = icllib.Page("signed_averaging/query_key_weights")
records = icllib.records(sheet.query_key_weights, profile, page=page.name)
shown = icllib.shown_profile(records)
icllib.settings_of(sheet.query_key_weights, shown, ("along.steps", "seed"))

# %% [markdown]
# These are the settings of the model trained on $N(0, 1)$; the others differ in `task.input_std`.
# They are the models of [that page](training_laws.ipynb), trained again and weighed.
#
# ## Figure
#
# The root mean square of the weights over all layers and heads along training, over what is expected
# at the start. *Scores* is $G Q K^\top G / \sqrt{d}$. Bands are 95% intervals over seeds.

# %%
table = page.save_figure(*weight_sizes.size_tables(records, shown))

# %% tags=["figure"] mystnb={"image": {"alt": "TO BE WRITTEN"}}
legend = weight_sizes.draw_sizes(table)

# %% tags=["numbers"]
from icllib.plotting import numbers

numbers(table, digits=3)

# %% [markdown]
# ## Paper beside ours

# %%
page.decide("signed_averaging.38", weight_sizes.evidence(records), shown)
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - TO BE WRITTEN
#
# The numbers behind the figure: {download}`figure.csv <../../results/signed_averaging/query_key_weights/figure.csv>`.

# %% tags=["provenance"]
print(icllib.provenance_line(records, page.name))
