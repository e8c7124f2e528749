# %% [markdown]
# # Which algorithm is each trained network nearest to, layer by layer?
#
# To ridge regression, after the last layer, in five kinds of model of six. For GPT-2, with three models, we can't tell
# it from gradient steps. Causal models end there too, 15 times nearer than to one online pass. SGPT goes there by gradient
# steps, at first one a layer.
#
# *What is asked.* Papers on in-context learning name algorithms: steps of {term}`gradient descent`, {term}`ridge regression`, one
# online pass (Kaczmarz's method), an average with a kernel. Here the kept models of two papers are held against
# all of them on linear functions. The measure is the share of the answers' variance that an algorithm leaves
# unexplained, $1 - r^2$.
#
# *A probe with a known answer.* After each layer a linear probe reads the query's state; half of the
# prompts fit it to the labels, the others are asked. Layers with the weights of Propositions 1 and 2 of {cite:t}`ding2024causallm` say whether
# it can be trusted. Layer $k$ must come out as $k$ steps of gradient descent, causal ones under the causal
# mask. It names them all.
#
# *What follows from a name.* If a network does what it is nearest to, it does so on other inputs too. On inputs half of
# whose coordinates are halved, least squares stays exact while gradient descent falls behind: it learns these
# coordinates a quarter as fast.

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import claimbook
from papers.across import nearest_algorithm as sheet

page = claimbook.Page("across/nearest_algorithm", profile)
records = {name: page.recorded(lambda profile, name=name: sheet.models(profile)[name])
           for name in sheet.models("smoke")}
hand_set = page.recorded(sheet.hand_set, apart=True)
page.settings(["evaluation.parts"], runs=lambda profile: sheet.models(profile)["GPT-2"])

# %% [markdown]
# ## Figure

# %%
columns = [*sheet.ALGORITHMS]
by_layer = {name: page.values("layer_distance", own).unstack("algorithm")[columns]
            for name, own in records.items()}
known = page.values("layer_distance", hand_set, mask="mask", narrowed="narrowed")
known = known.unstack("algorithm")[columns].xs(False, level="narrowed")
named = {mask: sheet.share_named(known.xs(mask, level="mask"), mask)
         for mask in ("prefix", "causal")}
learned = {name: page.values("unexplained", own) <= sheet.LEARNED
           for name, own in records.items()}
sound = {name: own[learned[name].reindex(own.index.get_level_values("seed")).to_numpy()]
         if learned[name].any() else own for name, own in by_layer.items()}
sound |= {f"hand-set, {mask}": known.xs(mask, level="mask") for mask in named}
shown = {(name, family): nearest.unstack("layer") for name, own in sound.items()
         for family, nearest in sheet.by_family(own).items()}
table = page.save_figure(*(page.series(name, family, own.columns, own, scale="log")
                           for (name, family), own in shown.items()))

# %% tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import BLACK, GOLD, OLIVE, ROSE, VIOLET, draw, legend_below
from papers.colors import color_of

colors = dict(zip(sheet.FAMILIES, (color_of("ridge"), OLIVE, GOLD, ROSE, VIOLET)))
figure, panels = plt.subplots(2, 4, figsize=(9, 5), sharey=True)
for axes, name in zip(panels.flat, sound):
    for family in sheet.FAMILIES:
        draw(axes, table, name, family, color=colors[family], label=family, marker=".")
    axes.set(yscale="log", title=name, xlabel="layer")
    axes.locator_params(axis="x", integer=True)
for axes in panels[:, 0]:
    axes.set_ylabel("unexplained share")
figure.suptitle("Trained networks end at ridge, hand-set ones do not", fontsize=11)
legend = legend_below(panels[1, 1], 5)

# %% [markdown] tags=["caption"]
# How much of the answers that a probe reads from each layer every algorithm leaves unexplained, lower is nearer; of steps
# the nearest number. Means over models, with 95% intervals.
#
# Alt text: Eight panels with a curve for each family of algorithms over layers. In the four kinds of model of causal_lm ridge
# regression falls below all others by the last layer. In SGPT and GPT-2 it meets the gradient steps. In hand-set networks
# the family of their own weights is a factor of 100 below the rest.

# %% [markdown]
# ## Numbers
#
# The algorithm that most models of a kind are nearest to, after each layer:

# %% tags=["numbers"]
import pandas as pd

pd.DataFrame({name: own.groupby("layer").apply(lambda of: of.idxmin(axis=1).mode()[0])
              for name, own in sound.items() if name in records}).fillna("")

# %% [markdown]
# The share of hand-set layers that the probe names:

# %% tags=["numbers"]
pd.Series(named, name="named").to_frame()

# %% [markdown]
# How far the models' own answers are from the algorithms, on inputs as in training and on narrowed ones:

# %% tags=["numbers"]
answers = {kind: {name: page.values(metric, own).unstack("algorithm")[columns]
                  for name, own in records.items()}
           for kind, metric in (("as in training", "distance"),
                                ("narrowed", "narrowed_distance"))}
pd.concat({kind: pd.DataFrame({name: sheet.by_family(own[learned[name]]).mean()
                               for name, own in found.items()}).map("{:.2g}".format)
           for kind, found in answers.items()})

# %% [markdown]
# ## The claims, one by one

# %%
gates = {name: own.map({True: min(named.values()), False: 0.0})
         for name, own in learned.items()}
trained, narrowed = answers["as in training"], answers["narrowed"]
pass_over_ridge = lambda own: own["one pass"] / own["ridge"]
of_hand_set = lambda mask, narrow: page.values(
    "distance", hand_set, mask="mask", narrowed="narrowed").unstack("algorithm").xs(
        (mask, narrow), level=("mask", "narrowed"))
sharings = {f"{sharing} layers": f"causal, {sharing}" for sharing in ("shared", "unshared")}
page.decide("across.12",
            {part: pass_over_ridge(trained[name]) for part, name in sharings.items()},
            {part: gates[name] for part, name in sharings.items()},
            dict.fromkeys(sharings, pass_over_ridge(of_hand_set("causal", False))))
page.decide("across.13", {name: sheet.named_over_others(trained[name], narrowed[name])
                          for name in records}, gates,
            {name: sheet.named_over_others(own, of_hand_set("prefix", True)[: len(own)]
                                           .set_index(own.index))
             for name, own in trained.items()})
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - *Nearest is not equal.* On narrowed inputs the distance from ridge regression grows from 0.0004 to 0.003 with a
#   prefix mask. {cite:t}`hill2025transformers` conclude from larger shifts that transformers do not learn least squares.
# - *The list is ours.* An algorithm that is not on it cannot be named. {cite:t}`kulick2026transformers` probe a GPT-2 on
#   Gaussian processes in the same way, and name preconditioned Richardson iteration, which is a gradient descent
#   with another metric.
# - *Gradient steps* all have the step of hand-set layers. Trained layers may take larger ones, or precondition.
# - *Models of causal_lm* learn without noise, where ridge regression is least squares; those of context scaling
#   with noise.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/across/nearest_algorithm/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
