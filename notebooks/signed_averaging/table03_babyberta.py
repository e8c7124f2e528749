# %% [markdown]
# # Table 3: BabyBERTa
#

# %% tags=["parameters"]
profile = "stored"

# %%
import icllib
from icllib.papers import signed_averaging

page = icllib.Page("signed_averaging/table03_babyberta")
records = icllib.records(signed_averaging.table03_babyberta, profile, page=page.name)
