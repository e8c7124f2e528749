# %% [markdown]
# # Figure 2: the closed form beside the loss in training
#
# **The question:** the formula of [Theorem 3.1](thm31_closed_form.ipynb) leaves out terms
# of order one over the context length $\psi$. How close does it come to the loss that is
# measured in training?
#
# **In short:** at $\psi = 100$ it is within 7% of {term}`gradient descent` at all times,
# and within 3.3% if it is computed by forward Euler steps, as we read the paper. At
# $\psi = 5$ it is off by 18%. Compared with *gradient flow* (infinitely small steps), its
# largest error at $\psi = 100$ is a twentieth of that at $\psi = 5$. Compared with gradient
# descent it is 0.4 times as large, because of the first few steps, and so misses the bound of
# a tenth that we set for this ratio. Everything is at the paper's size and takes a second.
#
# A hundred tasks, task $s$ with share $P(s) \propto s^{-\alpha}$, are learned by
# {term}`linear attention` {cite:p}`lyu2025solvable`. The loss is
# $L = \tfrac12 \sum_s P(s) (f_s - \Lambda)^2$ (Eq. 15), where $f_s$ is the answer to task
# $s$ and $\Lambda$ the strength that all tasks share.
#
# For each $\psi$ there are three curves: gradient descent, which is the paper's simulation;
# gradient flow, which the theorem is about; and the closed form. Appendix G says that its
# prediction is "simulated with the forward Euler method". The numbers below have this too:
# the equations of the theorem in steps of the learning rate.

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
             title=rf"$\psi$ = {psi}")
    axes.legend()

# %% [markdown] tags=["caption"]
# Loss of linear attention during training, against time, on logarithmic axes, for a short
# and a long context. The closed form of the paper holds for long contexts: at length 100
# it lies on gradient descent and gradient flow, at length 5 it ends above them.
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
# - *Claim 1 is our own question.* The paper speaks of the match at $\psi = 100$ (claim 27).
#   That the gap there should be a tenth of that at $\psi = 5$ is our bound. At $\psi = 100$ the
#   largest gap to gradient descent is in the first few steps, where the first step of the
#   most frequent task moves $f$ by a quarter of its value. This gap belongs to the learning
#   rate, $10^{-3}$, and not to the context. From $t = 0.1$ on the curves agree to a
#   fraction of a percent.
# - *Claim 21 sees the context length alone,* as it compares with gradient flow. It was
#   added, with the same bound, after claim 1 had been computed and before gradient flow
#   was.
# - *A closer bound for claim 27.* It used to be 0.1 decades, a factor of 1.26, which the
#   closed form at $\psi = 5$ passed too, with a factor of 1.18. It is now 1.1, the factor
#   with which this book elsewhere calls two errors equal.
# - *Forward Euler* makes the same kind of error in the first steps as gradient descent
#   does, and so halves the gap at $\psi = 100$ (claim 42). At $\psi = 5$, where the short
#   context makes the gap, it changes nothing. Appendix G may also mean no more than that
#   the solution is taken at $t = k \eta$.
# - *Settings.* The paper does not give $\alpha$ and $\Lambda$ for this figure; we take
#   those of Figure 3. The shares of the tasks are their expectations $P(s)$, not counts
#   from a finite data set (Eq. 8 with $\#_s / N$ at its expectation).
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/solvable_attention/fig02_loss_curves/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
