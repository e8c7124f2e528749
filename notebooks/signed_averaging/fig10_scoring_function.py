# %% [markdown]
# # Figure 10: how does SSA's scoring function differ from the exponential?
#
# Near a score of 0 {term}`SSA`'s power grows faster than {term}`softmax`'s exponential, and for large
# scores more slowly. With the exponent 2 the exponential overtakes it at a score of 2.5. As the exponent
# grows the power tends to the exponential. A formula is drawn; nothing is trained.
#
# The function is {cite:p}`naim2025scaled`
#
# $$f(x) = \left( 1 + b \lvert x \rvert \right)^{\operatorname{sgn}(x)\, n} , \qquad b > 0 , \ n \ge 1 .$$
#
# Figure 10 draws it for $b = 1$ and three exponents. Appendix J.2 gives its derivative and its *effective
# slope* $g$, the relative change of a weight with its score,
#
# $$f'(x) = n b \left( 1 + b \lvert x \rvert \right)^{\operatorname{sgn}(x)\, n - 1} , \qquad
#   g(x) = \frac{f'(x)}{f(x)} = \frac{n b}{1 + b \lvert x \rvert} ,$$
#
# where $g = 1$ for the exponential. Section 7 sets $n = m$ and $b = 1/m$ and lets $m \to \infty$: then
# $f(x) \to e^x$, for scores of both signs. More exactly,
# $f(x) e^{-x} - 1 \approx - \operatorname{sgn}(x)\, x^2 / 2m$.

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import claimbook
from papers.signed_averaging import fig10_scoring_function as sheet

page = claimbook.Page("signed_averaging/fig10_scoring_function", profile)
records = page.records
claimbook.settings_table(sheet.runs(profile)[0],
                      assumed=("extent", "points", "seed"))

# %% [markdown]
# ## Figure

# %%
import numpy as np
curves = {name: page.values(name, n="n").droplevel("seed").unstack()  # rows n, columns x
          for name in ("value", "derivative", "slope")}
x = curves["value"].columns
exponential = {"value": np.exp(x), "derivative": np.exp(x), "slope": 1 + 0 * x}
tables = [page.series(name, f"n = {n:g}", x, own.loc[n])
          for name, own in curves.items() for n in sheet.EXPONENTS]
tables += [page.series(name, "exp", x, y) for name, y in exponential.items()]
limit = curves["value"].loc[list(sheet.LIMIT)] / np.exp(x)
tables += [page.series("limit", f"m = {m:g}", x, own) for m, own in limit.iterrows()]
table = page.save_figure(*tables)

# %% tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import OLIVE, STEEL, VIOLET, draw
from papers.colors import color_of

figure, grid = plt.subplots(2, 2, figsize=(9, 6.4))
figure.suptitle("Steeper than the exponential near 0, and gentler far from it")
panels = grid.ravel()
titles = ("f(x), Figure 10", "derivative f'(x)", "effective slope f'(x) / f(x)",
          r"$f(x) e^{-x}$ with n = m, b = 1/m")
powers = (STEEL, VIOLET, OLIVE, color_of("softmax"))
colors = (powers, powers, powers, plt.cm.viridis(np.linspace(0, 0.8, len(limit))))
for axes, name, title, own in zip(panels, (*exponential, "limit"), titles, colors):
    axes.set(title=title, xlabel="x")
    for curve, color in zip(table.series[table.panel == name].unique(), own):
        style = "--" if curve == "exp" else "-"
        draw(axes, table, name, curve, color=color, ls=style)
panels[1].set(ylim=(0, 8))
panels[3].axhline(1, color=color_of("softmax"), ls="--", lw=1)
panels[0].legend()
legend = panels[3].legend()

# %% [markdown] tags=["caption"]
# SSA's function for several exponents beside the exponential; its derivative; its effective slope; and
# its ratio to the exponential for $n = m$, $b = 1/m$.
#
# Alt text: Four panels over x from -3 to 3. First: the function for n = 1.1, 1.5 and 2
# and the exponential; all pass through 1 at x = 0, and the exponential leaves the powers
# behind for large x. Second: their derivatives; those of the powers have a kink at 0.
# Third: effective slopes, peaks of height n at 0 that fall to both sides, beside the
# constant 1. Fourth: the ratio to the exponential for n = m and b = 1/m, which flattens
# to 1 on both sides as m grows.

# %% [markdown]
# ## Numbers
#
# With $n > 1$ and $b = 1$, $f$ is above the exponential from $x = 0$ until
# $n \log(1 + x) = x$. The last row of the first table is that $x$; the second table is on
# the limit.

# %% tags=["numbers"]
import pandas as pd
from icllib.theory.scoring import crossing

at = lambda name, n, place: curves[name].loc[n, place]
rows = pd.DataFrame({f"n = {n:g}": {
    "f(-3)": at("value", n, -3), "f(0)": at("value", n, 0), "f(3)": at("value", n, 3),
    "f'(0)": at("derivative", n, 0), "f'(3)": at("derivative", n, 3),
    "g(3)": at("slope", n, 3), "exp overtakes at x": crossing(n, 1.0),
} for n in sheet.EXPONENTS} | {"exp": {"f(-3)": np.exp(-3), "f(0)": 1, "f(3)": np.exp(3),
                             "f'(0)": 1, "f'(3)": np.exp(3), "g(3)": 1}})
rows.map("{:.3f}".format).replace("nan", "")  # exp does not overtake itself

# %% tags=["numbers"]
pd.DataFrame({f"m = {m:g}": {
    "f(3) / exp(3) - 1": limit.loc[m, 3] - 1, "-9 / 2m": -4.5 / m,
    "f(-3) / exp(-3) - 1": limit.loc[m, -3] - 1, "9 / 2m": 4.5 / m}
    for m in sheet.LIMIT}).T.map("{:.4f}".format)

# %% [markdown]
# ## What differs and why
#
# - *The range of $x$* is not given in the paper's text; $[-3, 3]$ is our choice. The paper
#   does not draw the derivative, the slope and the limit.
# - *What is drawn* is the transform that the models of this book run, $f(x) = e^{s(x)}$
#   with $s(x) = \operatorname{sgn}(x)\, n \log(1 + b \lvert x \rvert)$, with slopes from
#   its own backward pass. That gives $n b$ at $x = 0$, where automatic differentiation of
#   the formula gives 0.
# - *Stronger or gentler.* The paper says that $f$ reacts more gently to large positive
#   scores. It does so well before the crossing in the table: for $n = 2$ its derivative is
#   the smaller one from $x = 1.7$ on. Near 0 it reacts more strongly: its derivative there
#   is $n$, and that of the exponential is 1.
# - *The limit* is stated for $x \ge 0$. It holds for both signs, with errors that for large
#   $m$ are of the same size and opposite sign.
#
# The statements of Appendix J are checked on [the page of Appendix
# J](appendix_j_theory.ipynb).
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/signed_averaging/fig10_scoring_function/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
