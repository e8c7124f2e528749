# %% [markdown]
# # Errata: which printed formulas change what the paper says?
#
# Those of Table 2 and Appendix J; the main line stands, but for one sign. Table 2 exchanges the shares
# of compute, and its $3 \gamma$ is a $\gamma$ unless all strengths are large. Appendix J's solution
# needs corrections. The other misprints change no conclusion.
#
# The sign is in Eq. 14: for $v = -w$ the answer goes to 0 and not to the strength $\Lambda$. Each of 28
# formulas stands below with its correction and how far off both forms are.
#
# Two of the 28 are no misprints, but right under a condition that does not stand beside them
# {cite:p}`lyu2025solvable`. The $3 \gamma$ needs $\Lambda_s^2 \gg 1$ for all tasks, which Appendix F.3
# assumes. Appendix J's solution needs a start along $(1, \Lambda)$. And the entry that Table 1 lacks
# is an omission.
#
# Throughout, $M = 1 + \Lambda^2$, $c = \#_s / N$ and $a = c\,\psi M$, where $\#_s$ is the number of
# data points of task $s$, and $\psi$ the context length.

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import claimbook
from papers.solvable_attention import errata as sheet

page = claimbook.Page("solvable_attention/errata", profile)
records = page.records
solution, laws, first = records
claimbook.settings_table(sheet.SolutionFormulas(), assumed=(
    "context_length", "strength", "v", "w", "times", "seed"))

# %% [markdown]
# ## Figure

# %% tags=["figure"]
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from claimbook.pages.plotting import CRIMSON, VIOLET, legend_below

groups = {"the solution": solution, "the scaling laws": laws,
          "the first order": first}
pairs = {group: {name: value for name, value in r.metrics.items()
                 if isinstance(value, list)} for group, r in groups.items()}
forms = ("printed", "corrected")
table = page.save_figure(*(
    page.series(group, form, list(rows), [max(row[i], 1e-16) for row in rows.values()])
    for group, rows in pairs.items() for i, form in enumerate(forms)))
figure, axes = plt.subplots(figsize=(9, 4.4))
for row, (words, (group, name)) in enumerate(sheet.THAT_MATTER.items()):
    printed, corrected = pairs[group][name]
    axes.plot([printed, corrected], [row, row], color="0.8", lw=3, zorder=0)
    axes.plot(printed, row, "o", color=CRIMSON, ms=8, label="" if row else "as printed")
    axes.plot(corrected, row, "s", color=VIOLET, ms=7, label="" if row else "corrected")
axes.set(xscale="log", xlabel="off by", yticks=range(len(sheet.THAT_MATTER)),
         yticklabels=list(sheet.THAT_MATTER), ylim=(4.5, -0.5))
legend_below(axes, 2)
title = figure.suptitle("Five corrections that change what a reader would use")


def off(group):
    """How far the forms of a group are off; what is below 1e-9 is rounding."""
    text = lambda x: "none" if np.isnan(x) else f"{x:.2g}" if x > 1e-9 else "< 1e-9"
    return pd.DataFrame({name: dict(zip(forms, map(text, row)))
                         for name, row in pairs[group].items()}).T


# %% [markdown] tags=["caption"]
# How far five printed formulas (circles) and their corrections (squares) are off; rounding lies below
# $10^{-11}$. All 28 are in the tables below.
#
# Alt text: Five rows, each with a printed formula and its correction, on a logarithmic axis. The printed
# forms are off by 0.01 to 0.4, the sign of Eq. 14 by 34; the corrected ones by 0.005 and 0.02 in the two
# rows of Table 2, below one in a million in Appendix J and by rounding in the others.

# %% [markdown]
# ## The solution and its constants
#
# Where the last column is empty, "off" is the largest error of $f$.
#
# | equation | printed | corrected | off is |
# |---|---|---|---|
# | 40, C | $C = g_0 h_0$ | $C = g_0 h_0 / 2$ (Eq. 38) | |
# | 40, square | $(\lVert v \rVert^2 + \lVert w \rVert^2)^2 - 4 \langle v, w \rangle$ | $(\lVert v \rVert^2 + \lVert w \rVert^2)^2 - 4 \langle v, w \rangle^2$, all with $\psi H^0$ | distance to $g_0 h_0$ |
# | 39, second line | $\dot h = -2 a \Lambda g - \tfrac a2 h^2 + a C$ | $\dot h = -2 a \Lambda h - \tfrac a2 h^2 + a C$ (Eq. 12) | error of $\dot h / a$ |
# | 48 | $h = - q a / 2$ | $h = -2 q / a$ | error of $h$ |
# | 50, right side | $2 C$ | $-a^2 C / 2$ | error over $a^2 C / 2$ |
# | 56, denominator | $2 (f_0 - \Lambda) \lambda - 2 \Lambda$ | $2 (f_0 - \Lambda) (\lambda - 2 \Lambda)$ | |
# | 14, $v = -w$ | $f = \Lambda / (1 + \Delta e^{-2 a \Lambda t})$ | $f = \Lambda / (1 + \Delta e^{+2 a \Lambda t})$ | |
# | 58 | $e^{-2 a \lambda t}$ | $e^{-2 a \Lambda t}$ | |
# | 61 | $f \to \Lambda$ for any start | $f \to 0$ for $v = -w$, $\Lambda > 0$ and for $v = w$, $\Lambda < 0$ | error of the limit |
# | A | $a = c\,\psi (\Lambda^2 + 1)$ | $a = c\,\psi \Lambda$ | |
# | H.3 | $a = c\,\psi \mu$ | $a = c\,\mu$ | |
#
# In Eq. 49, $e^{\rho t}$ should be $e^{\sigma_+ t}$. The matrix $H$ of Eqs. 40 and 56 is
# positive semi-definite, not positive definite (rank 1 at zeroth order).

# %% tags=["numbers"]
off("the solution")

# %% [markdown]
# ## The scaling laws
#
# Exponents are fitted to exact sums over 200,000 tasks, with $\alpha = 1.8$ and, where they vary,
# $\beta = 0.5$ or $\gamma = 0.5$. Corrected ones are not off by zero, because the range is finite.
# Where the last column is empty, "off" is the distance to the fit.
#
# | equation | printed | corrected | off is |
# |---|---|---|---|
# | 1 and 16 | $Z = \sum_s s^{-\alpha}$ | $Z = 1 / \sum_s s^{-\alpha}$ | distance of $\sum_s P(s)$ to 1 |
# | Table 1, data | no entry | $N^{-(\alpha - 1)/\alpha}$ | |
# | 105, at $\gamma$ | $N^{-(\alpha + \gamma - 1)/\alpha}$ | $N^{-(\alpha + 2\gamma - 1)/\alpha}$, as in Table 2 | |
# | Table 2, time, at $\gamma$ | $t^{-(\alpha + 2\gamma - 1)/(\alpha + \beta + 3\gamma)}$ | $t^{-(\alpha + 2\gamma - 1)/(\alpha + \beta + \gamma)}$ | |
# | Table 2, shares of $C = D t$, at $\beta$ | $D \propto C^{q/(q + 1)}$, $q = \alpha + \beta + 3\gamma$ | $D \propto C^{1/(q + 1)}$ | |
# | 71 | $F = s^{-\alpha} \bar\psi + \tfrac\alpha t \ln s$ | $F = 2 s^{-\alpha} \bar\psi + \tfrac\alpha t \ln s$ | error of the coefficient |
# | 72 | $F(c) + F''(c) (s - c)^2$ | $F(c) + \tfrac12 F''(c) (s - c)^2$ | error of the coefficient |
# | 76, prefactor | $\bar\psi^{-(1 - 2/\alpha)}$ | $\bar\psi^{-(1 - 1/\alpha)}$ | distance to the integral's |
# | 83 | $F''(c) = \alpha (\alpha + 1) Z^{-2/\alpha} N^{-(\alpha + 2)/\alpha}$ | $\alpha^2 Z^{-2/\alpha} N^{-(\alpha + 2)/\alpha}$, as in Eq. 75 | relative error at $N = 10^6$ |
# | 63 and 64 | a task without room keeps $f(0)$: $\tfrac12 P(s) (f(0) - \Lambda)^2$ | it answers 0: $\tfrac12 P(s) \Lambda^2$ | ratio of the losses at the start of App. G, minus 1 |
#
# - The 3 in Table 2 needs $\Lambda_s^2 \gg 1$ for all tasks that matter, against
#   $\Lambda_s \propto s^{-\gamma}$. There the fit is -0.5456 where -0.5455 is printed
#   ([claim 39](table02_exponents.ipynb)).
# - Where $\psi_s \propto s^{-\beta}$ falls below 1, against Assumption 3.1, the law in time moves back
#   towards that of $\beta = 0$ ([Figure 4](fig04_varied_laws.ipynb)).
# - The $-1/N$ that Eq. 83 leaves out cancels the first term beside it. Eq. 102 leaves it out too,
#   which makes $F''$ 1.36 times as large at $\gamma = 0.5$; no exponent hangs on it.
# - In Eq. 99, $e^{-Ft}$ should be $e^{-FN}$. Between Eqs. 101 and 102 $1 + \gamma/\alpha$ should be
#   $1 + 2\gamma/\alpha$.
#
# [Tables 1 and 2](table02_exponents.ipynb) have more fits.

# %% tags=["numbers"]
off("the scaling laws")

# %% [markdown]
# Five more numbers. Laplace's method gives the exponent of Eq. 76, but another prefactor
# than the exact integral. The steps of Appendix G, 5,000 of $10^{-3}$, are $t = 5$, which
# is not $t \to \infty$. And at that learning rate {term}`gradient descent` is stable for
# small strengths only.

# %% tags=["numbers"]
pd.Series({
    "Laplace's prefactor over the exact one": laws["laplace_over_exact"],
    "the same at alpha = 2.1": laws["laplace_over_exact_other"],
    "loss of size 40 at t = 5 over that at infinity": laws["size_at_5"],
    "loss of 10,000 data points at t = 5 over that at infinity": laws["data_at_5"],
    "largest stable strength, psi = 100": laws["largest_stable_strength"],
}).round(2).to_frame("value")

# %% [markdown]
# ## The first-order solution
#
# One misprint at a time, at $\psi = 1600$, all others corrected. Where the last column is
# empty, "off" is the largest error of $f$.
#
# | equation | printed | corrected | off is |
# |---|---|---|---|
# | 121 | $g^0 = (\eta_s + \Lambda \eta_{\mathcal{N}_s + 1})^2$ | $g^0 = \psi (\eta_s + \Lambda \eta_{\mathcal{N}_s + 1})^2$ | relative error |
# | 127 | $\sqrt{2C}\,(\bar C \rho_{\mathcal{N}_s + 1} - \tilde C \eta_{\mathcal{N}_s + 1})$ | times the sign of $(\eta_s + \Lambda \eta_{\mathcal{N}_s + 1}) (\rho_s + \Lambda \rho_{\mathcal{N}_s + 1})$ | relative error where that is $-1$ |
# | 143, second | $\psi^2 \#$ | $\psi \#$ | relative error |
# | 137 | $f^1 = r + 2 (m - n)$ | $f^1 = \tfrac14 [r + 2 (m - n)]$ | |
# | 149 and 151 | $- F^2 e^{-2\xi t} \Lambda (1 + \Lambda a / \xi)$ | $+ F^2 e^{-2\xi t} \Lambda (1 + \Lambda a / \xi)$ | |
# | 150 and 151 | numerator at $t$ | numerator at $t$ minus numerator at 0 | |
# | range | $\bar C = \tilde C = 0$, unlike the start of App. G | the form of [Appendix J](appJ_first_order.ipynb), for any start | error of $f$ at that start |

# %% tags=["numbers"]
off("the first order")

# %% [markdown]
# ## Text and labels
#
# - $v_s$ and $w_s$ have $\mathcal{N}_s + 1$ components, not $\mathcal{N}_s$.
# - The left-hand side of Eq. 36 is $\dot n_s$, not $\dot h_s$. Near Eq. 66, "Eq. (65)" means Eq. 66.
# - The caption of Figure 9 says that the context length is fixed; it is varied.
# - Softmax attention averages over the $\psi$ tokens where linear attention sums. So its time law
#   hardly feels $\beta$, against [Figure 9](fig09_softmax_varied.ipynb).
# - The law of the features' signs changes how a task is learned, and the learning rate $10^{-3}$ barely
#   trains softmax attention ([Figure 8](fig08_softmax_laws.ipynb)).
#
# Right as printed are Eq. 13 with $C = gh/2$, Eq. 14 for $v = w$, and Eqs. 7, 9, 51 to 55 and 57, the
# last with $C = gh/2$.
#
# ## What differs and why
#
# The paper has no list of errata. Each item was found by checking its formula numerically; rows 71, 121
# and 143 are factors read off the formulas.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/solvable_attention/errata/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
