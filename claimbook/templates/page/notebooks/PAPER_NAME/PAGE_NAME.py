# %% [markdown]
# # Fill in: the item, and in a few words what came out
#
# **The question:** fill in.
#
# **In short:** fill in: what came out, at which profile, and what the paper says.

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import claimbook

page = claimbook.Page("PAPER_NAME/PAGE_NAME", profile)
page.settings(assumed="seed")

# %% [markdown]
# ## Figure

# %% tags=["figure"]
import matplotlib.pyplot as plt

from claimbook.pages.plotting import draw, numbers

errors = page.values("error").unstack("n")  # a row for each seed, a column for each n
table = page.save_figure(page.series("error", "ours", errors.columns, errors))
figure, axes = plt.subplots(figsize=(5, 3.4))
draw(axes, table, "error", "ours")
labels = axes.set(xlabel="n", ylabel="mean squared error")

# %% [markdown] tags=["caption"]
# Fill in: what is drawn, on which axes, and what to see, in one to three sentences that stay true when
# records change.
#
# Alt text: Fill in: the figure in words, for those who cannot see it.

# %% [markdown]
# ## Numbers

# %% tags=["numbers"]
numbers(table, x="n")

# %% [markdown]
# ## The claims, one by one

# %%
control = page.values("control").unstack("n")
ratio = lambda of: {"n = 40 against 10": of[40] / of[10]}
page.decide(CLAIM_NUMBER, ratio(errors), control=ratio(control))
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# Fill in.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/PAPER_NAME/PAGE_NAME/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
