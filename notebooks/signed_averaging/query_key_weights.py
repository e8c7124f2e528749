# %% [markdown]
# # Section 5.3: do queries and keys shrink after training on wider inputs?
#
# **The question:** {term}`attention` scores are products of *queries* and *keys*, which
# matrices $Q$ and $K$ make from the {term}`tokens <token>`. Do these matrices learn smaller
# weights when training inputs are larger?
#
# **In short:** the paper writes that they do, and prints no weight. Our models are a
# *pilot*, an earlier and smaller design: three of each kind, of 2 layers and width 32, in 3
# minutes of processor time. In them both matrices grow in training whatever the inputs.
# After training on $N(0, 10)$ they end a fifth smaller than after $N(0, 1)$, as the paper
# says, with a spread that does not settle it. After $N(0, 100)$ one model has smaller ones
# and two about the same. None of these models has learned its task well enough to count, so
# that the claim is open.
#
# Where {term}`softmax` models were trained on inputs from $N(0, 10)$ or $N(0, 100)$ in
# place of $N(0, 1)$, {cite:t}`naim2025scaled` write that "this training gave the Q and K
# matrices small weights to compensate" (Section 5.3). In each head the scores are
# $z_{ij} = q_i^\top k_j / \sqrt{d}$, with
#
# $$q_i = Q^\top G u_i , \qquad k_j = K^\top G u_j ,$$
#
# where $d$ is the width of the head, $u_i$ is what the layer normalization makes of token
# $i$, and $G$ holds the gains of that normalization (biases are left out here). So beside
# $Q$ and $K$ this page weighs $G Q K^\top G / \sqrt{d}$, of which the scores are made and
# in which no size can be moved from $Q$ to $K$ or $G$.

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import icllib
from icllib.papers import signed_averaging as sheet
from icllib.papers.signed_averaging import weight_sizes

page = icllib.Page("signed_averaging/query_key_weights")
records = icllib.records(sheet.query_key_weights, profile, page=page.name)
shown = icllib.shown_profile(records)
icllib.settings_of(sheet.query_key_weights, shown, ["seed"])

# %% [markdown]
# These are the settings of the model trained on $N(0, 1)$; the others differ in
# `task.input_std`. They are the models of [Section 5.3: training on wider
# inputs](training_laws.ipynb), trained again and weighed.
#
# ## Figure
#
# The size of a matrix is the root mean square of its weights over all layers and heads. The
# figure follows it along training, over what is expected at the start, with one line for
# each {term}`seed`. *Scores* is $G Q K^\top G / \sqrt{d}$.

# %%
table = page.save_figure(*weight_sizes.size_tables(records, shown))

# %% tags=["figure"] mystnb={"image": {"alt": "Four panels, log axes, of the size of weights along 2,000 training steps over that at the start, one line for each of three models trained on N(0, 1), N(0, 10) and N(0, 100). Queries and keys end between 2.3 and 4.6 times, those of N(0, 10) below those of N(0, 1), and of N(0, 100) one model below all others and two near those of N(0, 1); values end near 1.7, 3.5 and 5 times; scores between 18 and 74 times, widest apart for N(0, 100)."}, "figure": {"caption": "Size of the query, key and value weights, and of the scores, along training, over their size at the start, for models that were trained on inputs of three widths; one line for each model. The paper says that training on wider inputs makes the query and key weights small: then the lines of wider inputs would lie below those of $N(0, 1)$."}}
legend = weight_sizes.draw_sizes(table)

# %% [markdown]
# Means over seeds:

# %% tags=["numbers"]
from icllib.plotting import numbers

numbers(table[table.series.isin(weight_sizes.LAWS)], digits=3, x="size over that at the start")

# %% [markdown]
# ## The paper's numbers beside ours

# %%
page.decide("signed_averaging.37", weight_sizes.evidence(records), shown,
            weight_sizes.reached(shown, icllib.records(
                sheet.training_laws, profile, page="signed_averaging/training_laws")))
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - *Small against what?* The paper does not say, nor how it weighed the matrices. Here it
#   is the same matrix after training on $N(0, 1)$, all layers together, seed by seed.
# - *Compensate for what?* In a decoder of this kind tokens are normalized before $Q$ and
#   $K$, so that no input, however large, gives scores beyond what the weights allow. In the
#   pilot what the scores are made of is as large after $N(0, 100)$ as after $N(0, 1)$ in
#   the mean, from 0.4 to 1.4 times by seed.
# - *What grows.* Labels grow with the inputs, to the order of 10 and 100. What must grow
#   with them is what is read out, and the values do: they end two to three times larger
#   than after $N(0, 1)$.
# - *Why the claim is open.* It counts models that have learned their own task, by the
#   measure of [the page that trains them](training_laws.ipynb). None has, least of all
#   those trained on $N(0, 100)$, and the weights of such models say little about trained
#   ones. `python -m icllib run signed_averaging/query_key_weights --profile cpu` trains a
#   larger design for longer, in hours that `python -m icllib status` estimates; whether its
#   models count is only seen then.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/signed_averaging/query_key_weights/figure.csv>`.

# %% tags=["provenance"]
print(icllib.provenance_line(records, page.name))
