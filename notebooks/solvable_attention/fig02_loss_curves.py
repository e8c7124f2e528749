# %% [markdown]
# # Figure 2: does the closed form follow the loss in training?
#
# Yes, for long contexts, as the paper says: at length 100 it stays within 7% of
# {term}`gradient descent`, and at length five it is off by 18%. We also asked
# whether the gap shrinks tenfold: to gradient descent it does not, to infinitely small steps it does.
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
of_psi = lambda metric: page.values(
    metric, psi="context_length", seed="seed").droplevel("seed")
losses = {name: of_psi(name).unstack() for name in names}  # rows psi, columns t
table = page.save_figure(*(
    page.series(f"psi={psi}", name, own.columns, own.loc[psi])
    for psi in (5, 100) for name, own in losses.items()))
figure, panels = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True)
panels[0].set(ylabel="loss")
for axes, psi in zip(panels, (5, 100)):
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

rows = {(psi, label): {f"t = {t:g}": f"{losses[name].loc[psi, t]:.3g}" for t in (0.001, 5)}
        for psi in (5, 100) for name, (label, _) in names.items()}
pd.DataFrame(rows).T.rename_axis(["psi", "loss"])

# %% tags=["numbers"]
metrics = {"to gradient descent": "largest_log10_ratio",
           "of forward Euler to gradient descent": "largest_log10_ratio_of_euler",
           "to gradient flow": "largest_log10_ratio_to_flow"}
gaps = pd.DataFrame({f"largest |log10 ratio| {name}": of_psi(metric)
                     for name, metric in metrics.items()})
gaps.round(4).T.rename(columns="psi = {}".format).rename_axis(columns=None)

# %% [markdown]
# ## The claims, one by one
#
# The control of claim 1, which fails, is claim 21, where gradient flow is in gradient
# descent's place. That of claim 21 has $\psi = 50$ for 5, and that of claims 27 and 42 is
# $\psi = 5$, where the paper sees a gap.

# %%
descent, euler, flow = (of_psi(metric) for metric in metrics.values())
over = lambda gap: {"psi = 100 against 5": [gap[100] / gap[5]]}
page.decide("solvable_attention.1", over(descent), control=over(flow))
half = sheet.LossCurves(50).measure()["largest_log10_ratio_to_flow"]
page.decide("solvable_attention.21", over(flow), control={
    "psi = 100 against 5": [flow[100] / half]})
for number, gap in ((27, descent), (42, euler)):
    page.decide(f"solvable_attention.{number}", {"psi = 100": [10 ** gap[100]]},
                control={"psi = 100": [10 ** gap[5]]})
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
