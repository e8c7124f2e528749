# %% [markdown]
# # Figure 2: does the closed form follow the loss in training?
#
# Yes, for long contexts, as the paper says: at length 100 it stays within 7% of
# {term}`gradient descent`, and at length five it is off by 18%. That the gap shrinks tenfold, our own
# stricter question, is a no beside gradient descent and a yes beside infinitely small steps.
#
# A hundred tasks, task $s$ with share $P(s) \propto s^{-\alpha}$, are learned by
# {term}`linear attention` {cite:p}`lyu2025solvable`. The loss is
# $L = \tfrac12 \sum_s P(s) (f_s - \Lambda)^2$ (Eq. 15), where $f_s$ is the answer to task
# $s$ and $\Lambda$ the *strength* that all tasks share. The formula of
# [Theorem 3.1](thm31_closed_form.ipynb) leaves out terms of order one over the context length $\psi$.
#
# For each $\psi$ there are three curves: gradient descent, which is the paper's simulation; *gradient
# flow* (infinitely small steps), which the theorem is about; and the closed form.

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import claimbook
from papers.solvable_attention import fig02_loss_curves as sheet

page = claimbook.Page("solvable_attention/fig02_loss_curves", profile)
records = page.records
claimbook.settings_table(sheet.LossCurves(100),
                      assumed=("alpha", "strength", "shown", "seed"))

# %% [markdown]
# ## Figure

# %% tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import BLACK, GOLD, VIOLET, draw

names = {"closed_form": ("closed form", {"color": BLACK, "lw": 2}),
         "simulated": ("gradient descent", {"color": GOLD, "lw": 2, "ls": "--"}),
         "flow": ("gradient flow", {"color": VIOLET, "ls": "", "marker": "o",
                                    "mfc": "none", "markevery": 6})}
table = page.save_figure(*(
    page.series(f"psi={r.run['context_length']}", name, r["time"], r[name])
    for r in records for name in names))
figure, panels = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True)
panels[0].set(ylabel="loss")
for axes, r in zip(panels, records):
    psi = r.run["context_length"]
    for name, (label, style) in names.items():
        draw(axes, table, f"psi={psi}", name, label=label, **style)
    axes.set(xscale="log", yscale="log", xlabel="t = learning rate × steps",
             title=f"context length {psi}")
panels[0].legend()
title = figure.suptitle("In long contexts the closed form lies on the loss in training")

# %% [markdown] tags=["caption"]
# Loss in training against time, for a short and a long context. At length 100 the closed form lies on
# both simulations; at length 5 it ends above them.
#
# Alt text: Loss against time on logarithmic axes for context lengths 5 and 100: closed
# form as a solid line, gradient descent dashed, gradient flow as open circles. At 100 the
# three agree from t = 0.01 on, at 5 the closed form ends about 15 percent above the other
# two.

# %% [markdown]
# ## Numbers

# %% tags=["numbers"]
import pandas as pd

at = {"t = 0.001": 0, "t = 5": -1}
rows = {(r.run["context_length"], label): {when: f"{r[name][i]:.3g}"
                                           for when, i in at.items()}
        for r in records for name, (label, _) in names.items()}
pd.DataFrame(rows).T.rename_axis(["psi", "loss"])

# %% tags=["numbers"]
pd.DataFrame({f"psi = {r.run['context_length']}": {
    "largest |log10 ratio| to gradient descent": round(r["largest_log10_ratio"], 4),
    "largest |log10 ratio| of forward Euler to gradient descent":
        round(r["largest_log10_ratio_of_euler"], 4),
    "largest |log10 ratio| to gradient flow": round(r["largest_log10_ratio_to_flow"], 4)}
    for r in records})

# %% [markdown]
# ## The claims, one by one
#
# The control of claim 1, which fails, is claim 21, where gradient flow is in gradient
# descent's place. That of claim 21 has $\psi = 50$ for 5, and that of claims 27 and 42 is
# $\psi = 5$, where the paper sees a gap.

# %%
short, long = records
gaps = {number: {"psi = 100 against 5": [long[metric] / short[metric]]}
        for number, metric in ((1, "largest_log10_ratio"),
                               (21, "largest_log10_ratio_to_flow"))}
page.decide("solvable_attention.1", gaps[1], control=gaps[21])
half = sheet.LossCurves(50).measure()["largest_log10_ratio_to_flow"]
page.decide("solvable_attention.21", gaps[21], control={
    "psi = 100 against 5": [long["largest_log10_ratio_to_flow"] / half]})
for number, metric in ((27, "largest_log10_ratio"), (42, "largest_log10_ratio_of_euler")):
    page.decide(f"solvable_attention.{number}", {"psi = 100": [10 ** long[metric]]},
                control={"psi = 100": [10 ** short[metric]]})
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - *Claim 1 is our own question.* The paper speaks of the match at $\psi = 100$ (claim 27). That the
#   gap there should be a tenth of that at $\psi = 5$ is our bound; it is 0.4 of it.
# - *Where that gap is.* It is in the first few steps, where the first step of the most frequent task
#   moves $f$ by a quarter of its value. It belongs to the learning rate, $10^{-3}$, and not to the
#   context. From $t = 0.1$ on the curves agree to a fraction of a percent.
# - *Claim 21 sees the context length alone,* as it compares with gradient flow: a twentieth. It was
#   added, with the same bound, after claim 1 had been computed and before gradient flow was.
# - *A closer bound for claim 27.* It used to be a factor of 1.26, which $\psi = 5$ passed too, with
#   1.18. It is now 1.1, with which this book elsewhere calls two errors equal.
# - *Forward Euler.* Appendix G says that its prediction is "simulated with the forward Euler method":
#   the theorem's equations in steps of the learning rate, as we read it. Euler's error in the first
#   steps is of gradient descent's kind, which halves the gap at $\psi = 100$ to 3.3% (claim 42). At
#   $\psi = 5$ it changes nothing. Or Appendix G means that the solution is taken at $t = k \eta$.
# - *Settings.* The paper does not give $\alpha$ and $\Lambda$ here; we take those of Figure 3. The shares
#   of the tasks are their expectations $P(s)$, not counts from a finite data set.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/solvable_attention/fig02_loss_curves/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
