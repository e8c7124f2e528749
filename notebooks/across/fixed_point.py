# %% [markdown]
# # Do looped layers come to rest at a fixed point?
#
# No. Trained with five loops, shared layers leave their answer with the sixth. The error grows 40 times under the causal
# mask and 180 times under the prefix mask. Whether they come to rest somewhere else, five models of each
# cannot tell: some do.
#
# *What is asked.* A transformer that applies one layer again and again is an iteration. {cite:t}`ding2024causallm` call
# it "a recurrent system" in which "a stationary point may exist". Hand-set layers of {term}`linear attention` have one
# (Propositions 3 and 5). The book [has seen](../causal_lm/fig03_layer_probes.ipynb) that trained layers with five loops
# err a thousand times more after fifty. Two questions are left: how soon do they leave, and do they come to rest at all?

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import claimbook
from papers.across import fixed_point as sheet

page = claimbook.Page("across/fixed_point", profile)
records = {name: page.recorded(lambda profile, name=name: sheet.models(profile)[name])
           for name in sheet.models("smoke")}
hand_set = page.recorded(sheet.hand_set, apart=True)
page.settings(["evaluation.loops", "evaluation.prompts", "evaluation.seed"],
              runs=lambda profile: sheet.models(profile)["prefix"])

# %% [markdown]
# ## Figure

# %%
by_mask = lambda metric: {mask: page.values(metric, own).unstack("loop")
                          for mask, own in records.items()}
of_hand_set = {metric: page.values(metric, hand_set, mask="mask").unstack("loop")
               for metric in ("error", "moved")}
errors, moved = by_mask("error"), by_mask("moved")
loops = range(1, sheet.LOOPS + 1)
curves = errors | {f"{mask}, hand-set": of_hand_set["error"].xs(mask, level="mask")
                   for mask in errors}
table = page.save_figure(
    *(page.series("error", name, loops, own, scale="log") for name, own in curves.items()),
    *(page.series("moved", mask, loops, own, scale="log") for mask, own in moved.items()))

# %% mystnb={"image": {"classes": "on-white"}} tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import draw, legend_below
from papers.colors import color_of

figure, panels = plt.subplots(1, 2, figsize=(9, 4))
for name in curves:
    mask, *other = name.split(", ")
    draw(panels[0], table, "error", name, color=color_of(mask), ls="--" if other else "-",
         label=name if other else f"{mask}, trained")
for mask in moved:
    draw(panels[1], table, "moved", mask, color=color_of(mask), label="_")
for axes in panels:
    axes.axvline(5, color="black", lw=1, ls=":")
    axes.set(xscale="log", yscale="log", xticks=[1, 2, 5, 10, 20, 50],
             xticklabels=[1, 2, 5, 10, 20, 50], xlabel="loops")
panels[0].set_ylabel("error over the labels' mean square")
panels[1].set_ylabel("squared change of the answer in a loop")
figure.suptitle("Five loops are no fixed point: the sixth loses the answer", fontsize=11)
legend = legend_below(panels[0], 2)

# %% [markdown] tags=["caption"]
# Error of trained shared layers and of hand-set ones against the number of loops (left), and how far each loop moves the
# answer (right), both over the labels' mean square. Dotted: the loops of training. Means over seeds, with 95% intervals.
#
# Alt text: Left, error against loops on log axes. The trained models' errors fall steeply to loop 5, and rise as steeply
# to 10 by loop 20, where they stay. Those of hand-set layers fall smoothly all the way. Right, changes of the answer
# rise to 0.3 at loop 10, then fall to 0.001 in the mean, with wide intervals.

# %% [markdown]
# ## Numbers

# %% tags=["numbers"]
import pandas as pd

shown = [4, 5, 6, 10, 20, 50]
pd.concat({"error": pd.DataFrame({name: own.mean()[shown] for name, own in curves.items()}),
           "moved": pd.DataFrame({mask: own.mean()[shown] for mask, own in moved.items()})},
          axis=1).map("{:.2g}".format)

# %% [markdown]
# ## The claims, one by one

# %%
gate = {mask: own[5] for mask, own in errors.items()}
further = lambda own: own[6] / own[5]
page.decide("across.10", {mask: further(own) for mask, own in errors.items()}, gate,
            {mask: further(curves[f"{mask}, hand-set"]) for mask in errors})
page.decide("across.11", {mask: own[50] for mask, own in moved.items()}, gate,
            {mask: own[2] for mask, own in moved.items()})
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - *The paper says "may exist".* It proves a fixed point of linear attention, and speaks of trained layers with care.
# - *Hand-set layers* have the step of the paper's Appendix E. Under the causal mask they come to rest at one online pass,
#   with more error than under the prefix mask.
# - *Coming to rest.* Of ten models six move their answers by less than a hundredth in the fiftieth loop, and four by more.
#   They rest at errors above that of answering 0.
# - *What training would make a fixed point?* A loss after a random number of loops asks for one. It was not tried: the
#   training of this book loops as often as the model says. Ten models would take some half an hour on one core.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/across/fixed_point/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
