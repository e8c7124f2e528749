# %% [markdown]
# # Fill in: the item, and in a few words what came out
#
# **The question:** fill in.
#
# **In short:** fill in: what came out, at which profile, and what the paper says.

# %% tags=["parameters"]
profile = "stored"
pilot = False  # True: one seed alone, which must pass the gate before the others are paid for

# %% tags=["hide-output"]
import claimbook
from papers.PAPER_NAME import PAGE_NAME as sheet

page = claimbook.Page("PAPER_NAME/PAGE_NAME", profile)
records = page.recorded(sheet.pilot if pilot else sheet.runs)
page.settings(assumed=("recipe.steps", "seed"))

# %% [markdown]
# ## Have the models learned?

# %%
errors = page.values("error", records).unstack("length")  # a row for each seed, a column for each length
baselines = sheet.of_baselines()
learned = errors[10] / baselines["ridge"][10]
if pilot:
    page.check_gate(CLAIM_NUMBER, learned)

# %% [markdown]
# ## Figure

# %% tags=["figure"]
import matplotlib.pyplot as plt

from claimbook.pages.plotting import draw, numbers

table = page.save_figure(page.series("error", "ours", errors.columns, errors))
figure, axes = plt.subplots(figsize=(5, 3.4))
draw(axes, table, "error", "ours")
labels = axes.set(xlabel="pairs in the prompt", ylabel="mean squared error")

# %% [markdown] tags=["caption"]
# Fill in: what is drawn, on which axes, and what to see, in one to three sentences that stay true when
# records change.
#
# Alt text: Fill in: the figure in words, for those who cannot see it.

# %% [markdown]
# ## Numbers

# %% tags=["numbers"]
numbers(table, x="pairs")

# %% [markdown]
# ## The claims, one by one

# %%
zero = baselines["zero"]
page.decide(CLAIM_NUMBER, {"10 pairs against 2": errors[10] / errors[2]}, learned,
            control={"10 pairs against 2": [zero[10] / zero[2]]})
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
