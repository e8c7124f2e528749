# %% [markdown]
# # Figure 2: does linear attention with a causal mask stop short of the answer?
#
# Yes, as the paper says: with the {term}`causal mask` the error on queries stays near 0.4
# through all layers, while with the {term}`prefix mask` it keeps falling. One sentence is
# off: 98 pairs, not more than 100, bring the causal error below a hundredth.
#
# A prompt holds 40 labeled pairs, $y = w x$ with $x \sim U(-1, 1)^{16}$ and $w \sim N(0, I)$,
# and 200 queries. Layers of {term}`linear attention`, with the weights that
# {cite:t}`ding2024causallm` set by hand, turn each label into what is left of it. The left and
# middle panels follow its mean square.
#
# With the prefix mask the layers are {term}`gradient descent` on {term}`least squares`, so the
# errors on pairs and on queries fall together. With the causal mask they tend to the weights of
# *one online pass* over the pairs: the error on the pairs falls to zero, that on queries does
# not.
#
# The right panel follows the error of that limit as pairs are added, for inputs with mean
# $\mu$. It falls, the more slowly the larger the mean. At $\mu = 0$ its expectation has a
# closed form,
#
# $$\mathbb{E}\,(w x - w_n^* x)^2 = \frac d3 \Bigl(1 - \frac1d\Bigr)^{n}.$$
#
# | the paper says | ours | |
# |---|---|---|
# | the causal error on queries is stuck above 0.1 | 0.4 | yes |
# | the prefix error falls at the rate of that on the pairs | 0.93 times that rate | yes |
# | both masks have a linear rate on the pairs | causal yes; prefix slows down within 50 layers | partly |
# | at $\mu = 0$ the causal limit converges as pairs are added | error halved every 11 pairs | yes |
# | it needs more than 100 pairs to fall below 0.01 | 98 | no |
# | it converges more slowly for larger $\mu$ | 4 to 155,000 times the error at the next smaller $\mu$ | yes |

# %% tags=["parameters"]
profile = "stored"

# %% mystnb={"code_prompt_show": "Settings of the left and middle panels"} tags=["hide-output"]
import claimbook
from papers.causal_lm import fig02_linear_attention as sheet

page = claimbook.Page("causal_lm/fig02_linear_attention", profile)
claimbook.settings_table(sheet.LayerErrors(), assumed=("seed",))

# %% mystnb={"code_prompt_show": "Settings of the right panel"} tags=["hide-output"]
claimbook.settings_table(sheet.StationaryErrors(), assumed=("sequences", "seed"))

# %% [markdown]
# ## Figure

# %%
import numpy as np

from icllib.theory.gradient_descent import expected_kaczmarz_error

errors = {kind: page.values(kind).unstack("layer") for kind in
          ("prefix_pairs", "prefix_queries", "causal_pairs", "causal_queries")}
stationary = {int(mu): own.droplevel("mu").unstack("pairs")
              for mu, own in page.values("error", mu="input_mean").groupby("mu")}
pairs = stationary[0].columns
expected = expected_kaczmarz_error(sheet.StationaryErrors().dimension, pairs)
table = page.save_figure(
    *(page.series(*kind.split("_"), own.columns, own) for kind, own in errors.items()),
    *(page.series("stationary", f"mu = {mu}", pairs, own)
      for mu, own in stationary.items()),
    page.series("stationary", "closed form, mu = 0", pairs, expected))

# %% tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import OLIVE, draw
from papers.colors import color_of

figure, panels = plt.subplots(1, 3, figsize=(9, 3.7), sharey=True)
figure.suptitle("More layers do not help causal queries; more pairs do")
for axes, mask in zip(panels, ("prefix", "causal")):
    draw(axes, table, mask, "pairs", label="in-context pairs", color=color_of(mask),
         ls="--")
    draw(axes, table, mask, "queries", color=color_of(mask))
    axes.set(title=f"{mask} attention", xlabel="layers")
for mu, shade in zip(stationary, plt.cm.Greys((0.4, 0.55, 0.75, 1.0))):
    draw(panels[2], table, "stationary", f"mu = {mu}", label=rf"$\mu$ = {mu}",
         color=shade)
draw(panels[2], table, "stationary", "closed form, mu = 0", color=OLIVE, ls=":",
     lw=2, label=r"closed form, $\mu$ = 0")
panels[2].set(title="causal, infinitely many layers", xlabel="pairs n")
panels[0].set(yscale="log", ylabel="mean squared error", ylim=(1e-7, 100))
legends = [axes.legend() for axes in panels]

# %% [markdown] tags=["caption"]
# Error by layers, on pairs (dashed) and queries (solid), with both masks. Right: the error of
# infinitely many causal layers by the number of pairs, for inputs with mean $\mu$.
#
# Alt text: Three panels, errors on pairs dashed and on queries solid. Left, in green: under
# prefix attention both fall together over 50 layers. Middle, in purple: under causal attention
# the error on pairs falls, the error on queries stays near 0.4. Right, from light to dark grey:
# query error of the causal limit against the number of pairs, falling more slowly the larger
# the mean of the inputs; the closed form lies on the mu = 0 curve.

# %% [markdown]
# Bands are 95% intervals over five seeds, each with 64 prompts (left, middle) or 1,000 (right).
#
# ## Numbers

# %% tags=["numbers"]
from claimbook.pages.plotting import numbers

numbers(table, ["prefix", "causal"], xs=(0, 10, 20, 30, 40, 50), x="layers")

# %% [markdown]
# The factor by which one layer multiplies each error, fitted over layers 30 to 50, and the
# smallest causal query error of any seed and layer:

# %% tags=["numbers"]
rates = {kind: sheet.slope_over_layers(values, 30, 50)
         for kind, values in errors.items()}
for kind, slopes in rates.items():
    print(f"{kind.replace('_', ', ')}: {np.exp(slopes.mean()):.2f}")
print(f"smallest causal query error: {errors['causal_queries'].min(axis=None):.2f}")

# %% tags=["numbers"]
numbers(table, ["stationary"], xs=(40, 100, 200, 300), x="pairs n")

# %% [markdown]
# The curve at $\mu = 0$ against its closed form: the largest distance in standard errors over
# every tenth $n$, with all 5,000 prompts pooled. Neighboring $n$ share their prompts.

# %% tags=["numbers"]
each = page.values("standard_error", mu="input_mean").xs(0, level="mu").unstack("pairs")
pooled = np.sqrt((each**2).sum()) / len(each)
distances = (stationary[0].mean() - expected).abs() / pooled
print(f"largest distance: {distances[pairs % 10 == 0].max():.1f} standard errors")
print(f"standard error at n = 100 of a mean over 64 prompts: "
      f"{pooled[100] * np.sqrt(5000 / 64):.2g}")

# %% [markdown]
# ## The claims, one by one

# %%
import pandas as pd
from papers.causal_lm import layers

masks = ("prefix", "causal")
rate = lambda kind: sheet.slope_over_layers(errors[kind], 30, 50)
to_pairs = {mask: rate(f"{mask}_queries") / rate(f"{mask}_pairs") for mask in masks}
last = {kind: values[50] for kind, values in errors.items()}
ends = {mu: values[300] for mu, values in stationary.items()}
first = {mu: (stationary[mu] < 1e-2).idxmax(axis=1) for mu in (0, 1)}
swapped = sheet.LayerErrors(other_labels=True).measure()
page.decide("causal_lm.6", {"layer 50": last["prefix_queries"] / last["causal_queries"]},
            control={"layer 50": [float(swapped["prefix_queries"][50]
                                        / swapped["causal_queries"][50])]})
page.decide("causal_lm.7", {"mu = 0": first[0]}, control={"mu = 0": first[1]})
full = {mu: sheet.least_squares_error(mu) for mu in layers.INPUT_MEANS}
page.decide("causal_lm.8", {f"mu = {mu}": ends[mu] / ends[mu - 1] for mu in (1, 2, 3)},
            control={f"mu = {mu}": full[mu] / full[mu - 1] for mu in (1, 2, 3)})
without_noise = sheet.least_squares_error(0.0, noise_std=0.0, pairs=20)
page.decide("causal_lm.59", {"n = 20": stationary[0][20] / (16 / 3)},
            control={"n = 20": [without_noise.max() / (16 / 3)]})
noisy = layers.KaczmarzErrors(0.0, pairs=300, every=20).measure()["noisy_error"]
page.decide("causal_lm.41", {"mu = 0": ends[0] / stationary[0][40]},
            control={"mu = 0": [float(noisy[14] / noisy[1])]})  # at 300 and 40 pairs
page.decide("causal_lm.42", {"n = 40": errors["causal_queries"].min(axis=1)},
            control={"n = 40": errors["prefix_queries"].min(axis=1)})
page.decide("causal_lm.43", {"n = 40": to_pairs["prefix"]},
            control={"n = 40": to_pairs["causal"]})
power_law = sheet.late_to_early(pd.DataFrame([1 / np.maximum(range(51), 1)]))
page.decide("causal_lm.48", {mask: sheet.late_to_early(errors[f"{mask}_pairs"])
                             for mask in masks}, control=dict.fromkeys(masks, power_law))
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - *More than 100 examples* (claim 7). The closed form crosses $10^{-2}$ at $n = 98$: the
#   paper's sentence is right to within its own rounding, and wrong as a bound. Its public code
#   draws 64 prompts, at every 20th $n$. At $n = 100$ the expectation is 0.0084, and $10^{-2}$
#   lies only 1.3 standard errors of such a draw above it.
# - *"May not converge to $w^*$ even with ... increasing number of in-context examples"*
#   (Section 4.2). Without label noise the right panel falls geometrically for every $\mu$.
#   [Kaczmarz's method](kaczmarz.ipynb) has the exact rates.
# - *A linear rate on the pairs* (claim 48). On a logarithmic axis the mean over 64 prompts
#   bends: those whose error falls fast soon add nothing to it, and the slow ones are left. With
#   the prefix mask its slope over layers 30 to 50 is 0.71 of that over 10 to 30. On single
#   prompts the median of this ratio is 0.88 to 0.92. Followed to 300 layers, the mean falls
#   from about layer 150 on at a nearly constant rate, that of the few slowest prompts. So the
#   rate is linear in the end, as Proposition 3 says, and not yet in the paper's 50 layers.
# - *The step $\eta = 1.6$* is close to the largest that converges. It is below the bound for
#   each prompt drawn here, but the bound is as low as 1.8 on some prompts of [What
#   fails](what_fails.ipynb).
# - *Queries.* The text has 200 of them on the left and in the middle, as here; the public code
#   draws 20. In the right panel the mean over queries is taken exactly.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/causal_lm/fig02_linear_attention/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
