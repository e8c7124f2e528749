# %% [markdown]
# # What caps a model's answers?
#
# Every layer's normalization, not only the last. On functions 30 times as large as in training, answers of
# {term}`softmax` and {term}`SSA` stop at the bound of the final one, 11; without it they stop at 20. SGPT has none, and
# its answers keep growing.
#
# *What is asked.* Far from training the decoders of signed averaging level off, at *boundary values*. The book
# [traced them](../signed_averaging/what_caps_the_answers.ipynb) to the layer normalization before the read-out, which
# bounds every answer. Two questions are left: do models of other papers have such a cap, and is it the only one? Here
# kept models of two papers get functions of 1 to 30 times the size that they were trained on.
#
# *Why answers stop without the last one.* A layer adds to the stream of states what it makes of *normalized* states, and so
# no more than its weights allow, however large the labels. The stream starts with the query's own token, which has
# no label. So the answer is a sum of bounded parts. Only a model that never normalizes can follow: {term}`SGPT`
# averages states as they are.
#
# So the cap is no matter of softmax or of SSA. It comes with the block of GPT-2, and GPT-2 on linear functions has it
# too.

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import claimbook
from papers.across import caps as sheet

page = claimbook.Page("across/caps", profile)
records = {name: page.recorded(lambda profile, name=name: sheet.models(profile)[name])
           for name in sheet.models("smoke")}
page.settings(["evaluation.factors", "evaluation.seed"],
              runs=lambda profile: sheet.models(profile)["GPT-2"])

# %% [markdown]
# ## Figure

# %%
largest = {name: page.values("largest", own).unstack("factor")
           for name, own in records.items()}
unexplained = {name: page.values("unexplained", own) for name, own in records.items()}
bounds = {name: bound for name, own in records.items()
          if (bound := page.values("bound", own).dropna()).size}
growth = {name: own.div(own[1], axis=0) for name, own in largest.items()}
table = page.save_figure(*(page.series("answers", name, sheet.FACTORS, own, scale="log")
                           for name, own in growth.items()))

# %% tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import draw, legend_below
from papers.colors import color_of

figure, axes = plt.subplots(figsize=(6, 4.4))
for name in growth:
    free = name.endswith("no LayerNorm")
    draw(axes, table, "answers", name, color=color_of(name.removesuffix(", no LayerNorm")),
         ls="--" if free else "-", marker="o", mfc="none" if free else None, label=name)
axes.plot(sheet.FACTORS, sheet.FACTORS, color="black", lw=1, ls=":", label="in proportion")
axes.set(xscale="log", yscale="log", xticks=sheet.FACTORS, xticklabels=sheet.FACTORS,
         xlabel="size of the functions, over that in training",
         ylabel="largest answer, over that in training")
axes.set_title("Only SGPT, which never normalizes, follows", fontsize=11)
legend = legend_below(axes, 3)

# %% [markdown] tags=["caption"]
# The largest answer of a model on larger functions than in training, over its largest there. Means over models,
# with 95% intervals; dotted, in proportion.
#
# Alt text: Six curves on two log axes and a dotted diagonal. SGPT rises along the diagonal. Softmax and SSA are flat
# from 3 on, at 1.4 times their largest answer in training; without the final LayerNorm they are flat at 2.6 from 10 on.
# GPT-2 is flat at 1.

# %% [markdown]
# ## Numbers
#
# The bound of the final layer normalization, and the largest answers, means over models:

# %% tags=["numbers"]
import pandas as pd

pd.DataFrame({name: {"bound": bounds[name].mean() if name in bounds else float("nan")}
              | {f"largest, functions x {factor}": own[factor].mean() for factor in own}
              for name, own in largest.items()}).T.map(
    "{:.3g}".format).replace("nan", "none")

# %% [markdown]
# ## The claims, one by one

# %%
reached = {name: own.div(bounds[name], axis=0)
           for name, own in largest.items() if name in bounds}
free = [name for name in largest if name not in bounds]
grown = {name: own[30] / own[3] for name, own in largest.items()}
page.decide("across.3", {name: own[30] for name, own in reached.items()},
            {name: unexplained[name] for name in reached},
            {name: own[1] for name, own in reached.items()})
page.decide("across.4", {name: grown[name] for name in free},
            {name: unexplained[name] for name in free},
            dict(zip(free, (grown[name] for name in reached))))
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - *The papers do not ask this.* Signed averaging calls the levels boundary values and blames softmax for them.
# - *Linear functions* are measured at the five context lengths of training alone: at others
#   [GPT-2 guesses](../context_scaling/every_length.ipynb).
# - *The bound that is drawn* is that of the final layer normalization. That of the layers before it is seen here, not
#   computed from their weights.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/across/caps/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
