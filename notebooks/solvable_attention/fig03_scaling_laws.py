# %% [markdown]
# # Figure 3 and Table 1: does the loss fall as a power where tasks are alike?
#
# Yes, in the limit of many tasks and long training: all eight exponents are Table 1's, within 0.02. In
# the paper's 5,000 steps on 500 tasks the law in time is there, and in compute at the best sizes. Those
# in size and data mostly bend away.
#
# Task $s$ comes with frequency $P(s) \propto s^{-\alpha}$. If one thing is short, the loss of
# {term}`linear attention` falls as a power of it {cite:p}`lyu2025solvable`:
#
# | short of | exponent | condition |
# |---|---|---|
# | size $D$ | $-(\alpha - 1)$ | $t, N \to \infty$ |
# | time $t$ | $-(\alpha - 1)/\alpha$ | $N \to \infty$, $D = N_s$ |
# | data $N$ | $-(\alpha - 1)/\alpha$ | $t \to \infty$, $D = N_s$ |
# | compute $C = D t$ | $-(\alpha - 1)/(\alpha + 1)$ | $N \to \infty$, the best $D$ for each $C$ |
#
# The paper's table has no entry for $N$; it is taken from the derivation. A model of size $D$ cannot
# learn the tasks $s \ge D$ (Eqs. 63 and 64), so it learns the $D - 1$ most frequent ones.

# %% tags=["parameters"]
profile = "stored"

# %% mystnb={"code_prompt_show": "Settings of the simulations"} tags=["hide-output"]
import claimbook
from papers.solvable_attention import fig03_scaling_laws as sheet, laws, softmax

page = claimbook.Page("solvable_attention/fig03_scaling_laws", profile)
records = page.records
claimbook.settings_table(sheet.LawsBySimulation(1.8), assumed=("seed",))

# %% mystnb={"code_prompt_show": "Settings of the limit, which decides in t and C"} tags=["hide-output"]
claimbook.settings_table(laws.LawsInTheLimit(1.8), assumed=("tasks", "seed"))

# %% mystnb={"code_prompt_show": "Settings of late times, which decide in D and N"} tags=["hide-output"]
claimbook.settings_table(sheet.runs("paper")[-1], assumed=(
    "beta", "time", "strength", "context_length", "tasks", "draws", "seed"))

# %% [markdown]
# ## Figure

# %%
from icllib.theory.scaling_laws import theory_exponents

limit = {r.component.alpha: r for r in records if "compute_exponent" in r.metrics}
simulated = [r for r in records if "kept_size_loss" in r.metrics]
on_the_way = [r for r in records if isinstance(r.component, laws.FiniteTime)]
tables = [page.series("compute", "alpha = 1.8", sheet.ENVELOPE_BUDGETS,
                      sheet.simulated_envelope(simulated[0]))]
for alpha in limit:
    same = [run for run in simulated if run.component.alpha == alpha]
    for law in laws.LAWS[:3]:
        losses = [run[f"{law}_loss"] for run in same]
        xs = same[0][law] + (law == "size")  # D is one more than the tasks
        tables.append(page.series(law, f"alpha = {alpha}", xs,
                                  losses if law == "data" else losses[0]))
    tables.append(page.series("size", f"keeps f(0), alpha = {alpha}", same[0]["size"] + 1,
                              same[0]["kept_size_loss"]))
by_size = zip(simulated[0]["compute"], simulated[0]["compute_loss"])
tables += [page.series("compute", f"alpha = 1.8, size {number}", *curve)
           for number, curve in enumerate(by_size)]
at_500 = sheet.exponents_at_500(simulated)
fits = sheet.simulated_exponents(simulated)
for name, of in {
        "printed": lambda law, alpha: theory_exponents(alpha)[law],
        "limit": lambda law, alpha: limit[alpha][f"{law}_exponent"][0],
        "500 tasks, 5,000 steps": lambda law, alpha: at_500[law, alpha]}.items():
    tables += laws.exponent_series(name, {
        f"{law}, alpha = {alpha}": of(law, alpha) for law in laws.LAWS for alpha in limit},
        page.profile)
tables += laws.exponent_series("the same, f(0) beyond the model", {
    f"size, alpha = {alpha}": fits[f"D alpha = {alpha}, keeps f(0)"] for alpha in limit},
    page.profile)
table = page.save_figure(*tables)

# %% tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import GOLD, VIOLET, draw, legend_below

figure, axes = plt.subplots(figsize=(9, 4.2))
laws.draw_exponents(axes, table)
legend = legend_below(axes, 2)
title = figure.suptitle("In the limit as printed; in 5,000 steps size and data miss")

# %% [markdown] tags=["caption"]
# Exponents of the loss in size, time, data and compute: printed (hollow), in the limit of many tasks and
# long training, and after 5,000 steps on 500 tasks.
#
# Alt text: Eight rows, one for each law and alpha. In every row the filled dot of the limit lies inside
# the hollow diamond of the printed exponent. After 5,000 steps the squares of time and compute lie at or
# near it, those of data 0.1 to 0.15 and those of size 0.6 to 1 to its right; triangles, for tasks that
# keep their first answer, are in it at alpha 1.8 and 0.27 to its right at 2.1.

# %% [markdown]
# The curves behind these exponents:

# %% tags=["figure"]
figure, panels = plt.subplots(2, 2, figsize=(9, 7))
panels = panels.ravel()
for axes, letter, (law, name) in zip(panels, "abcd", laws.axis_names().items()):
    axes.set(xscale="log", yscale="log", title=f"({letter})", xlabel=name, ylabel="loss")
    for alpha, color in zip(laws.ALPHAS, (VIOLET, GOLD)):
        if law != "compute" or alpha == 1.8:
            draw(axes, table, law, f"alpha = {alpha}", color=color, label=f"α = {alpha}")
            softmax.draw_power_law(
                axes, table, law, f"alpha = {alpha}", theory_exponents(alpha)[law], least=0,
                color=color, ls=":", label=f"Table 1, α = {alpha}")
for alpha, color in zip(laws.ALPHAS, (VIOLET, GOLD)):
    draw(panels[0], table, "size", f"keeps f(0), alpha = {alpha}", color=color, alpha=0.5)
for number in range(8):
    draw(panels[3], table, "compute", f"alpha = 1.8, size {number}", color=VIOLET, lw=1,
         alpha=0.2 + 0.1 * number)
legend = legend_below(panels[1], 4)
title = figure.suptitle("At the paper's size the loss bends away in size and data")

# %% [markdown] tags=["caption"]
# Loss of {term}`gradient descent` at the paper's size against size, time, data and compute. Dotted lines have
# the exponents of Table 1; in size and data the loss bends away.
#
# Alt text: Four log-log panels: loss against model size, time, number of data points and compute, for alpha
# 1.8 and 2.1. The curves in size turn up beyond about 25 to 40 tasks, those in data flatten, those in time
# follow the dotted lines, and so does the lower envelope of the sizes in compute.

# %% [markdown]
# The pale lines of (a) are the same training if tasks beyond the model keep their first answer $f(0)$. For
# $\alpha = 1.8$ (d) shows eight sizes from $N_s/100$ to $N_s/5$, stronger for larger ones, and their lower
# envelope. The band of (c) is the 95% interval over three draws of the training set.
#
# ## Numbers
#
# Exponents fitted by a straight line in log-log, with the half width of the 95% interval of the fit.
# The windows:
#
# - limit: 10 to 1,000 tasks, $t$ from 0.01 to 1 (steps 10 to 1,000), $N$ and $C$ from $10^3$ to $10^6$;
# - $N_s = 500$: all of each solid line, and $C$ from 1 to 100 of the envelope.
#
# With the paper's $D$, one more than the tasks, the limit's exponents in size are $-0.809$ and $-1.110$.

# %% tags=["numbers"]
sheet.law_table(limit, at_500)

# %% [markdown]
# ### On the way to the limit
#
# The laws in $D$ and $N$ of the closed form after $t$ time constants of the first task, with
# $f_s(0) = \Lambda / 2$ and 200,000 tasks. In $N$ it is the mean over twelve draws of the training
# sets. The last two times decide claims 2 and 4; $t = 0$, where nothing has been learned, is their
# control. The paper's 5,000 steps are 330 to 400 time constants.

# %% tags=["numbers"]
laws.way_table(on_the_way)

# %% [markdown]
# ### What a task beyond the model answers, and what $D$ counts
#
# At $t = 5$ the law in $D$ depends on whether a task beyond the model answers 0 or, as in the paper's
# Eqs. 63 and 64, keeps $f(0)$. Three columns follow Table 1's exponent: $D$ from 2 to 251 as the paper
# counts it, the sizes of Figure 3d alone, and $D$ as the number of tasks. Only $f(0)$ and the paper's
# count together come within 0.05 of Table 1, at $\alpha = 1.8$.

# %% tags=["numbers"]
sheet.cutoff_table([r for r in simulated if r.component.seed == 0])

# %% [markdown]
# ## The claims, one by one

# %%
for number, law in ((2, "size"), (4, "data")):
    page.decide(f"solvable_attention.{number}",
                laws.late_exponents(on_the_way, law),
                control=laws.late_exponents(on_the_way, law, untrained=True))
soon = {alpha: laws.LawsInTheLimit(alpha, sooner=1e-9).measure()
        for alpha in limit}  # before anything is learned
for number, law in ((3, "time"), (5, "compute")):
    exponents, at_start = ({f"alpha = {alpha}": [r[f"{law}_exponent"][0]]
                            for alpha, r in own.items()} for own in (limit, soon))
    page.decide(f"solvable_attention.{number}", exponents, control=at_start)
letters = {letter: law for law, letter in laws.LETTERS.items()}
page.decide("solvable_attention.30", fits, control={  # of strengths that fall as 1 / s
    part: [theory_exponents(alpha, gamma=1.0)[letters[part[0]]]]
    for alpha in laws.ALPHAS for part in fits if f"alpha = {alpha}" in part})
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - *Where claims are decided.* Claims 2 to 5: where the laws are meant to hold, by closed forms at
#   $N_s = 200{,}000$. Claim 30: by the simulations of the figure.
# - *5,000 steps are not an infinite time.* At a learning rate of $10^{-3}$ they are $t = 5$, at which
#   the rare tasks have not been learned. The curve in $N$ flattens.
# - *The curve in $D$ turns up* near $D = 38$ ($\alpha = 1.8$) and $26$ ($\alpha = 2.1$), if tasks beyond
#   the model answer 0. A task that the model has room for starts at $f(0) = 2.5$, farther from
#   $\Lambda = 0.5$ than 0.
# - *Two readings of size.* By its definition a task beyond the model answers 0, and costs
#   $\Lambda^2/2$; in Eqs. 63 and 64 it keeps $f(0)$. In the limit the exponent is the same.
# - *The paper's setting* (claim 30) is fitted over the whole of each curve. The law in time is within
#   the distance of 0.05, that in $N$ is not, and that in $D$ is in one case of four. The law in time
#   ends a little too steep, since no rarer tasks come behind the last one.
# - *Claims 2 and 4* used to be decided at infinite time, where they could not fail; now the tasks have
#   to be learned first. Claim 4 held with three draws of the training sets. It has twelve because claim
#   8, which three draws left mixed, needed more.
# - *The envelope* of (d) is ours, and so is its window, chosen after the curves had been seen. Below it
#   the smallest of the eight sizes is the best, above it the larger ones are not yet trained.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/solvable_attention/fig03_scaling_laws/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
