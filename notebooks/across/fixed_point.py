# %% [markdown]
# # Is the answer of looped layers a fixed point?
#
# No. Trained with five loops, shared layers lose their answer with the sixth. Random numbers of loops in training let
# them keep it for some loops more, at twice the error under the prefix mask. After fifty loops they err hundreds of
# times as much as after five.
#
# *What is asked.* A transformer that applies one layer again and again is an iteration. {cite:t}`ding2024causallm` call
# it "a recurrent system" in which "a stationary point may exist". Hand-set layers of {term}`linear attention` have one
# (Propositions 3 and 5). The book [has seen](../causal_lm/fig03_layer_probes.ipynb) that trained layers with five loops
# err a thousand times more after fifty. How soon do they leave, and do they come to rest at all?
#
# *What training would make one?* A loss that asks for the answer after any number of loops. So five models of each mask
# are trained anew. Each step draws how often it loops, from three to seven times with equal chance, and takes the loss
# after the last loop. All else is as before, and so is the mean cost of a step.

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import claimbook
from papers.across import fixed_point as sheet

page = claimbook.Page("across/fixed_point", profile)
records = {name: page.recorded(lambda profile, name=name: sheet.models(profile)[name])
           for name in sheet.models("smoke")}
hand_set = page.recorded(sheet.hand_set, apart=True)
claimbook.settings_table(sheet.models("cpu")["prefix, random loops"][0])

# %% [markdown]
# Loops, prompts and seeds of the evaluation and the range of random loops are ours; the rest is as in
# [Table 1](../causal_lm/table01_prefix_causal.ipynb).
#
# ## Figure

# %%
by_name = lambda metric: {name: page.values(metric, own).unstack("loop")
                          for name, own in records.items()}
of_hand_set = {metric: page.values(metric, hand_set, mask="mask").unstack("loop")
               for metric in ("error", "moved")}
errors, moved = by_name("error"), by_name("moved")
loops = range(1, sheet.LOOPS + 1)
curves = errors | {f"{mask}, hand-set": of_hand_set["error"].xs(mask, level="mask")
                   for mask in sheet.MASKS}
table = page.save_figure(
    *(page.series("error", name, loops, own, scale="log") for name, own in curves.items()),
    *(page.series("moved", name, loops, own, scale="log") for name, own in moved.items()))

# %% tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import draw, legend_below
from papers.colors import color_of

figure, panels = plt.subplots(1, 2, figsize=(9, 4))
dashes = {"": "-", "random loops": "-.", "hand-set": "--"}
for name in curves:
    mask, _, other = name.partition(", ")
    style = {"color": color_of(mask), "ls": dashes[other]}
    draw(panels[0], table, "error", name, **style,
         label=name if other else f"{mask}, five loops")
    if name in moved:
        draw(panels[1], table, "moved", name, **style, label="_")
for axes, ends in zip(panels, ((1e-5, 1e3), (1e-6, 1e1))):
    axes.axvline(5, color="black", lw=1, ls=":")
    axes.set(xscale="log", yscale="log", xticks=[1, 2, 5, 10, 20, 50], ylim=ends,
             xticklabels=[1, 2, 5, 10, 20, 50], xlabel="loops")
panels[0].set_ylabel("error over the labels' mean square")
panels[1].set_ylabel("squared change in a loop")
figure.suptitle("The sixth loop loses the answer; random loops lose it later", fontsize=11)
legend = legend_below(panels[0], 3)

# %% [markdown] tags=["caption"]
# Left: error by the number of loops. Right: squared change of the answer in a loop. Both over the labels' mean square;
# means over seeds with 95% intervals. Dotted: five.
#
# Alt text: Left, error against loops on log axes. Errors of models trained with five loops fall steeply to loop 5, and
# rise as steeply to 10 by loop 20, where they stay. With random loops they fall alike, stay low to about loop 10, then
# rise more slowly. Those of hand-set layers fall smoothly all the way. Right, changes of the answer rise to 0.3 at loop
# 10 with five loops, and stay far lower with random ones; intervals are wide.

# %% [markdown]
# ## Numbers

# %% tags=["numbers"]
import pandas as pd

shown = [3, 4, 5, 6, 7, 8, 10, 20, 50]
pd.concat({"error": pd.DataFrame({name: own.mean()[shown] for name, own in curves.items()}),
           "moved": pd.DataFrame({name: own.mean()[shown] for name, own in moved.items()})},
          axis=1).map("{:.2g}".format)

# %% [markdown]
# What random loops cost at five loops: the error over that with five loops in all of training, geometric means with 95%
# intervals. And the last loop after which each model's error has stayed within twice that after five.

# %% tags=["numbers"]
from claimbook.claims.sentences import with_interval

stays = {name: own.loc[:, 5:].le(2 * own[5], axis=0).cumprod(axis=1).sum(axis=1) + 4
         for name, own in errors.items()}
pd.DataFrame({mask: {
    "error, random over five": with_interval(
        (errors[mask + sheet.RANDOM][5] / errors[mask][5]).dropna(), 2, "log"),
    "last loop, five": stays[mask].astype(int).tolist(),
    "last loop, random": stays[mask + sheet.RANDOM].astype(int).tolist()}
    for mask in sheet.MASKS})

# %% [markdown]
# ## The claims, one by one

# %%
def further(loops: int, kind: str = "") -> dict:
    """The error after so many loops over that after five."""
    own = {mask: curves[mask + kind] for mask in sheet.MASKS}
    return {mask: curve[loops] / curve[5] for mask, curve in own.items()}


moves = lambda loop: {mask: moved[mask][loop] for mask in sheet.MASKS}
gate = lambda kind: {mask: errors[mask + kind][5] for mask in sheet.MASKS}
page.decide("across.10", further(6), gate(""), further(6, ", hand-set"))
page.decide("across.11", moves(50), gate(""), moves(2))
page.decide("across.18", further(50, sheet.RANDOM), gate(sheet.RANDOM),
            further(50, ", hand-set"))
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - *The paper says "may exist".* It proves a fixed point of linear attention, and speaks of trained layers with care.
# - *Hand-set layers* have the step of the paper's Appendix E. Under the causal mask they come to rest at one online pass,
#   with more error than under the prefix mask.
# - *Coming to rest.* Of ten models six move their answers by less than a hundredth in the fiftieth loop, and four by more.
#   They rest at errors above that of answering 0.
# - *Random loops.* These models have no probes after each loop; the rest trains alike without them. All seeds draw the
#   same numbers of loops. One causal model has not learned (0.25 after five loops). It is in the figure and the tables,
#   and does not count in the verdict. More loops than seven in training, or a loss after every loop, were not tried.
# - *No prompt after the start.* Our loops do not read it anew. {cite:t}`labovich2026stability` proves that such loops
#   have countably many fixed points, which cannot hang strongly on the input (second hand, its abstract).
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/across/fixed_point/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
