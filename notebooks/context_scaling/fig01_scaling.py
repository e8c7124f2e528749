# %% [markdown]
# # Figure 1: which models gain from more tasks, which from longer prompts?
#
# GPT-2 gains from both, a perceptron mainly from tasks, as in the paper. After a million tasks longer
# prompts help the perceptron a little: up to a tenth less error. Our GPT-2 is much smaller than the
# paper's, yet within 1.2 times {term}`ridge regression`, the best possible method.
#
# A model can get better at {term}`in-context learning` in two ways. The first is
# {term}`task-scaling`: it was trained on more tasks. The second is {term}`context-scaling`: its
# {term}`prompt` holds more examples.
#
# {cite:t}`abedsoltan2024context` train GPT-2, a {term}`transformer`, and a {term}`perceptron` (MLP)
# with one hidden layer on linear regression,
#
# $$x \sim N(0, I_8), \quad \beta \sim N(0, I_8 / 8), \quad y = \beta^\top x + \epsilon,
#   \quad \epsilon \sim N(0, 0.05).$$
#
# Training goes through $T$ stored prompts again and again; $T$ is the number of *pre-training tasks*.
# Panel A shows the error against $T$ with 10 pairs in the prompt, panel B the error against the
# number of pairs $n$, the {term}`context length`.
#
# With more tasks, from $10^3$ to $10^6$, GPT-2's {term}`excess error` falls from 0.65 to 0.17. With
# more pairs, from 10 to 40, its error falls to 0.28 of what it was.
#
# The perceptron's error triples from 10 pairs to 40 after $10^5$ tasks. After $10^6$ it falls by a
# quarter from 5 pairs to 10 and by a tenth more up to 30.
#
# GPT-2 reads one {term}`token` $(x_i, y_i)$ for each example and then the {term}`query` $(x, 0)$. The
# perceptron reads the whole prompt as one vector, padded with zeros. Each is one model for all
# context lengths.

# %% tags=["parameters"]
profile = "stored"

# %% mystnb={"code_prompt_show": "Settings of GPT-2 in panel A"} tags=["hide-output"]
import claimbook
from icllib.training import untrained
from papers.context_scaling import gates, scaling

page = claimbook.Page("context_scaling/fig01_scaling", profile)
records = {"GPT-2": page.recorded(scaling.fig01_against_tasks, apart=True),
           "MLP": page.recorded(scaling.fig01_perceptrons, apart=True)}
in_context = records | {  # panel B
    "GPT-2": page.recorded(scaling.fig01_against_context, apart=True)}
profiles = {name: claimbook.shown_profile(own) for name, own in records.items()}
claimbook.settings_of(scaling.fig01_against_tasks, profiles["GPT-2"],
                   (*scaling.LINEAR_ASSUMED, "recipe.lengths", "evaluation.lengths"))

# %% mystnb={"code_prompt_show": "How GPT-2 in panel B differs"} tags=["hide-output"]
differing = r"recipe\.(lengths|steps|batch)|evaluation\.lengths"
claimbook.settings_of(scaling.fig01_against_context,
                      claimbook.shown_profile(in_context["GPT-2"]),
                   scaling.ASSUMED).filter(regex=differing, axis=0)

# %% mystnb={"code_prompt_show": "How the perceptron differs"} tags=["hide-output"]
claimbook.settings_of(scaling.fig01_perceptrons, profiles["MLP"], scaling.ASSUMED).filter(
    regex=r"model|recipe\.(steps|batch|learning_rate|warmup)", axis=0)

# %% [markdown]
# ## Figure
#
# The errors are measured against noisy labels, as in the paper. Ridge regression with the
# penalty $d \sigma^2$ is the posterior mean here, so that no predictor is better on
# average. "Zero" always answers 0. The tables below also have the {term}`excess error`, the
# part that is not label noise.

# %%
import numpy as np
import pandas as pd

from claimbook.pages.plotting import series
from icllib.baselines import Ridge, Zero

# A row for each seed and T, a column for each context length
found = {metric: {name: scaling.by_count(own, metric) for name, own in records.items()}
         for metric in ("error", "excess")}
Ts = found["error"]["MLP"].index.unique("T")
profiles |= dict.fromkeys(("ridge", "zero"), profiles["GPT-2"])
evaluation = scaling.evaluation(scaling.LENGTHS, profiles["ridge"])
for name, predictor in (("ridge", Ridge.bayes(scaling.LINEAR_8)), ("zero", Zero())):
    for metric, values in evaluation.measure(scaling.LINEAR_8, predictor).items():
        found[metric][name] = pd.concat(  # the same at each T
            {T: pd.DataFrame(values, columns=evaluation.lengths) for T in Ts},
            names=["T", "seed"])
panel_b = {metric: own | {"GPT-2": scaling.by_count(in_context["GPT-2"], metric)}
           for metric, own in found.items()}
tables = []
for metric in found:
    for name, errors in found[metric].items():
        at_10 = errors[10].unstack("T")
        tables.append(series(f"A {metric}", name, at_10.columns, at_10, profiles[name]))
    tables += [series(f"B {metric}, T = 1e{np.log10(T):.0f}", name, errors.columns,
                      errors.xs(T, level="T"), profiles[name])
               for T in Ts[-2:] for name, errors in panel_b[metric].items()]
table = page.save_figure(*tables)

# %% tags=["figure"]
import matplotlib.pyplot as plt
from papers.colors import color_of

figure, panels = plt.subplots(1, 3, figsize=(9, 3.5), sharey=True)
styles = {"GPT-2": (color_of("GPT-2"), "-"), "MLP": (color_of("perceptron"), "-"),
          "ridge": (color_of("ridge"), "--"), "zero": ("grey", ":")}
for axes, T in zip(panels, (None, *Ts[-2:])):
    for name, (color, dash) in styles.items():
        errors = (panel_b["error"][name].xs(T, level="T") if T
                  else found["error"][name][10].unstack("T"))
        scaling.draw_seeds(axes, errors, color, ls=dash)
    axes.set(yscale="log", xlabel="pairs in the prompt",
             title=f"B: {T:,} tasks" if T else "A: 10 pairs")
panels[0].set(xscale="log", xlabel="tasks in training", ylabel="mean squared error")
panels[0].set_yticks([0.1, 0.2, 0.5, 1, 2], ["0.1", "0.2", "0.5", "1", "2"])
for place, (name, label) in zip(((7, 0.66), (22, 0.16), (13, 0.06), (5, 1.25)), (
        ("MLP", "perceptron"), ("GPT-2", "GPT-2"), ("ridge", "ridge"),
            ("zero", "always 0"))):
    panels[1].text(*place, label, color=styles[name][0])
title = figure.suptitle(
    "GPT-2 gains from tasks and pairs; a perceptron from tasks, hardly from pairs")

# %% [markdown] tags=["caption"]
# Error on linear regression; dots are seeds. A: against the number of training tasks, at 10 pairs. B:
# against the number of pairs. Dashed: the best possible method.
#
# Alt text: Panel A: error at 10 pairs against the number of pre-training tasks; GPT-2's falls from
# 1,000 tasks to 100,000 and less to a million, the perceptron's stays above that of always answering
# 0 up to 10,000 and then falls. Panel B, for 100,000 and a million tasks: GPT-2's error falls close
# to ridge regression as the prompt grows from 5 to 40 pairs. The perceptron's grows past that of
# always answering 0 at 100,000; at a million it falls by a quarter from 5 pairs to 10 and by another
# tenth up to 30, and at 40 is back where it was at 10.

# %% [markdown]
# Bands are {term}`95% intervals <95% interval>` over {term}`seeds <seed>`. In panel A the errors of
# both fall most from $10^4$ tasks to $10^5$. GPT-2 of panel A is trained on prompts of 10 and 20
# pairs alone, that of panel B on all five lengths with a quarter as many prompts. So at 10 pairs the
# error in A is the lower one.
#
# ## Numbers

# %% tags=["numbers"]
from claimbook.pages.plotting import numbers

numbers(table, "A", x="pre-training tasks T")

# %% tags=["numbers"]
numbers(table, "B", x="context length n")

# %% [markdown]
# ## The claims, one by one

# %%
slopes = {name: scaling.slopes_over_tasks(found["excess"][name]) for name in records}
at_start = {name: scaling.slopes_over_tasks(scaling.by_count(untrained(own), "excess"))
            for name, own in records.items()}  # a control


def near_ridge(errors, T):
    own = scaling.evaluation(tuple(errors.columns), profiles["ridge"])
    return gates.over_ridge(errors.xs(T, level="T"), scaling.LINEAR_8, own)


def by_length(errors):
    """At 20, 30 and 40 pairs, for claim 4."""
    ratios = {n: scaling.context_ratios(errors, n=n) for n in (20, 30, 40)}
    return {f"{part} n = {n}": ratios[n][part] for part in ratios[20] for n in ratios}


errors, wide = found["error"], panel_b["error"]["GPT-2"]
over_zero = errors["MLP"][10] / scaling.LINEAR_8.label_variance
below_zero = {f"1e{k}": over_zero.xs(10**k, level="T") for k in (5, 6)}
page.decide("context_scaling.1", slopes["GPT-2"],
            gates.seen_twice(near_ridge(errors["GPT-2"], 10**6), records["GPT-2"]),
            at_start["GPT-2"], profile=profiles["GPT-2"])
page.decide("context_scaling.2", slopes["MLP"], below_zero["1e6"],
            at_start["MLP"], profile=profiles["MLP"])
# Controls: models of which the paper says the opposite, and ridge, which uses every pair
page.decide("context_scaling.3", scaling.context_ratios(wide),
            {f"T = 1e{k}": near_ridge(wide, 10**k) for k in (5, 6)},
            scaling.context_ratios(errors["MLP"]),
            profile=claimbook.shown_profile(in_context["GPT-2"]))
page.decide("context_scaling.4", by_length(errors["MLP"]),
            {part: below_zero[part.split()[2]] for part in by_length(errors["MLP"])},
            by_length(errors["ridge"]), profile=profiles["MLP"])


def highest(errors):
    """Claim 32's: at the T at which the error grows most from 10 pairs to 40."""
    return {"MLP": np.max([*scaling.context_ratios(errors).values()], axis=0)}


page.decide("context_scaling.32", highest(errors["MLP"]),
            gates.worst(*below_zero.values()), highest(errors["ridge"]),
            profile=profiles["MLP"])
page.verdicts()

# %% [markdown]
# The introduction of the paper also shows a language model that completes triples of
# numbers:

# %%
page.not_run()

# %% [markdown]
# ## What differs and why
#
# - *Sizes.* GPT-2 has three layers of width 64, where the paper has eight of width 256. The
#   perceptron has the paper's size and a shorter training.
# - *Length of training.* For this figure the paper prints no numbers, no spread, no steps, no batch
#   size and no learning rate. Those marked *assumed* are our choices, the same for every $T$ of a
#   panel.
# - *Prompts drawn.* GPT-2 of panel A draws two million: each of $10^6$ tasks twice, each of $10^3$
#   two thousand times. That of panel B draws 480,000: each of $10^5$ tasks five times, and fewer than
#   half of $10^6$. The perceptron draws 12.8 million: each of $10^6$ tasks 13 times, each of $10^5$
#   128 times.
# - *Short prompts in panel A.* Two million prompts of up to 40 pairs would take GPT-2 half an hour
#   for each model. So it trains at the 10 pairs that the panel shows, and at 20, where it is held
#   against ridge regression. In a trial with one seed 5 and 10 pairs were too short. The error at 10
#   pairs was 1.42 times that of ridge regression; here it is 1.12 to 1.15.
# - *A former version.* Claim 1 was open before, with smaller models that drew 48,000 prompts.
# - *GPT-2 memorizes too.* At 10 pairs its error is over three times that of ridge regression after
#   $10^3$ tasks, over twice after $10^4$, 1.2 times after $10^5$.
# - *The perceptron memorizes.* Up to $T = 10^4$ it fits the stored prompts, noise included, and
#   answers new ones worse than the zero predictor. At $T = 10^5$ it is better than zero up to 10
#   pairs and worse from 20 on. So the parts of claim 4 there say yes because the perceptron is
#   overfitted; its {term}`gate` looks at 10 pairs.
# - *At $T = 10^6$ more pairs do help a little.* By 30 pairs the error has fallen by a tenth since 10.
#   At 40 it is back. Claim 4 was first judged at 40 alone. At $T = 10^6$ the part at 20 pairs says
#   no, and that at 30 is undecided.
# - *Where it starts.* Claim 4 starts at 10 pairs, as claim 3 does. From 5, the shortest context, the
#   error at $10^6$ falls to 0.67 at 30 pairs and 0.75 at 40, so that the claim would fail there.
# - *The ranges of $T$.* With $10^2$ tasks every model overfits, so that a slope from there says
#   little. Claims 1, 2 and [31](what_would_a_reviewer_ask.ipynb) therefore share two ranges, from
#   $10^3$ and from $10^4$ on.
# - *Biases.* The paper's perceptron has no biases (Eq. 14). Without them such a network is a linear
#   function plus an even one, while the target is odd in the prompt and has no linear part. As
#   printed it could not beat the zero predictor, so ours has biases.
# - *Padding.* The paper does not say where the padding zeros go. Here pairs fill slots from the front
#   and the query has its own, the reading that serves the perceptron best.
# - *What the intervals leave out.* Each seed of GPT-2 has 16,384 test prompts of its own; all seeds
#   of the perceptron share 4,096. This matters for claim 4 at 40 pairs and $T = 10^6$, where the
#   ratio is 0.99 and the bound 0.95. Another set of prompts would move it by about 3%, as it does for
#   the zero predictor (3.4%) and ridge regression (2.5%). On other prompts this part could come out
#   otherwise.
# - *The triples.* The introduction asks the language model Claude for the last number of the last of
#   four triples. Each of the four rows of its table is an exact linear pattern that least squares on
#   the first three triples finds. We did not ask the model.
#
# The numbers behind the figure: {download}`figure.csv
# <../../results/context_scaling/fig01_scaling/figure.csv>`.

# %% tags=["provenance"]
for own in (*records.values(), in_context["GPT-2"]):
    print(page.provenance(own))
