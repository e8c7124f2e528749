# %% [markdown]
# # Appendix A: does a trained model read the strength from its prompt?
#
# Yes, with the paper's constraint: strengths that training never had are answered exactly, as the
# paper says. Without it the model has learned its own strength, 0.5, in part by heart: a prompt of
# strength 1.5 gets 1.22.
#
# The *strength* $\Lambda$ of a task is the ratio of target to feature. The paper
# {cite:p}`lyu2025solvable` takes one task and a constraint: the first $\mathcal{N}_s$
# components of $v_s$ and the last of $w_s$ stay zero. Two numbers are left,
#
# $$f_s = \psi \Lambda\, v_{s; \mathcal{N}_s + 1}\, w_{s; s} .$$
#
# After training $f_s = \Lambda$, so that their product is $1/\psi$. A prompt of another strength
# $\tilde\Lambda$ then gives $f_s = \tilde\Lambda$ (Eq. 18).
#
# Left: what trained models answer to prompts of other strengths. In the *free* model, that of
# [Theorem 3.1](thm31_closed_form.ipynb), every weight is trained. Right: training with the
# constraint, by {term}`gradient descent` and by the closed form with the printed rate and with ours.

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import claimbook
from papers.solvable_attention import appA_unseen_strength as sheet

page = claimbook.Page("solvable_attention/appA_unseen_strength", profile)
records = page.records
constrained, free = records
claimbook.settings_table(sheet.UnseenStrength(True), assumed=(
    "strength", "context_length", "prompts", "shown", "seed"))

# %% [markdown]
# ## Figure

# %% tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import BLACK, CRIMSON, GOLD, OLIVE, VIOLET, draw

time = constrained["steps"] * constrained.component.learning_rate
lines = {"gradient descent": "trained", "corrected rate": "right_rate",
         "printed rate": "printed_rate"}
table = page.save_figure(
    *(page.series("training", label, time, constrained[name])
      for label, name in lines.items()),
    *(page.series("answers", label, r["strengths"], r["answers"])
      for label, r in (("constrained", constrained), ("free", free))))
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6))
draw(right, table, "training", "corrected rate", color=VIOLET, lw=2,
     label=r"closed form, $a = c\,\psi\Lambda$")
draw(right, table, "training", "printed rate", color=CRIMSON, ls="--",
     label=r"closed form, $a = c\,\psi(\Lambda^2 + 1)$")
draw(right, table, "training", "gradient descent", color=BLACK, ls="", marker="o",
     mfc="none", markevery=100)
right.set(xlabel="t = learning rate × steps", ylabel="f")
right.legend()
left.axline((0, 0), slope=1, color=BLACK, lw=0.8, label="the context's strength")
left.plot(free.component.strength, free.component.strength, "s", color=OLIVE, ms=8,
           label="training")
draw(left, table, "answers", "free", color=GOLD, label="free model")
draw(left, table, "answers", "constrained", color=VIOLET, ls="", marker="o",
     mfc="none", label="constrained model")
left.set(xlabel=r"strength $\tilde\Lambda$ of the context", ylabel="f")
left.legend()
title = figure.suptitle("With the constraint a model reads the strength, else in part only")

# %% [markdown] tags=["caption"]
# Left: on the diagonal a model reads its prompt's strength; the free model does so near its own. Right: in
# training the constrained model follows our rate.
#
# Alt text: Left: the constrained model's answers lie on the diagonal for all strengths from -1 to 2; the
# free model's are a parabola that crosses it at 0.5. Right: the answer during training rises from about
# 0.05 to 0.5; gradient descent lies on the closed form with the corrected rate, the one with the printed
# rate rises too early.

# %% [markdown]
# ## Numbers

# %% tags=["numbers"]
import numpy as np
import pandas as pd

nearest = lambda r, x: np.argmin(abs(r["strengths"] - x))
answer = lambda r, x: round(float(r["answers"][nearest(r, x)]), 3)
pd.DataFrame({f"context of strength {x}": {
    "constrained model": answer(constrained, x), "free model": answer(free, x)}
    for x in (*sheet.UNSEEN.values(), free.component.strength)}).T

# %% tags=["numbers"]
pd.Series({"corrected rate": "below 1e-8" if constrained["right_rate_deviation"] < 1e-8 else
           f"{constrained['right_rate_deviation']:.1e}",
           "printed rate": f"{constrained['printed_rate_deviation']:.3f}"},
          name="largest error of the closed form").to_frame()

# %% [markdown]
# ## The claims, one by one
#
# The control is the free model.

# %%
of_model, of_free = ({name: [deviation] for name, deviation in zip(
    sheet.UNSEEN, r["deviations"])} for r in (constrained, free))
page.decide("solvable_attention.18", of_model, control=of_free)
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - *Learned by heart.* In the free model a product of two weights at the feature answers without
#   looking at the labels. One at the label answers with the square of the strength. The paper says so
#   in words; here it is shown.
# - *Rate.* With the constraint $H_s$ is the number $\psi\Lambda$, so that the closed form is exact, at
#   the rate $a = c\,\psi\Lambda$ with $c$ the share of the task. The paper keeps that of the free
#   model, $c\,\psi(\Lambda^2 + 1)$, which is no solution.
# - *Settings.* The paper gives neither strength nor context length. We take the strength of Figure 3,
#   and a short context, for which $f$ starts far from $\Lambda$ at the start of Eq. 106.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/solvable_attention/appA_unseen_strength/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
