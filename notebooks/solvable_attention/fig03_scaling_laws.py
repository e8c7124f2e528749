# %% [markdown]
# # Figure 3 and Table 1: scaling laws at fixed context length
#
# **In short:** the paper derives that the loss is a power law in model size $D$, time $t$, data $N$
# and compute $C$. In the limit all eight exponents are within 0.02 of its Table 1. At its own size
# the laws in time and compute are already there ($-0.48$ and $-0.29$ at $\alpha = 1.8$; Table 1:
# $-0.44$ and $-0.29$); those in $D$ and $N$ mostly bend away, since 5,000 steps are not an infinite
# time. All of it takes a minute.
#
# Tasks come with frequencies $P(s) \propto s^{-\alpha}$. If size $D$ (room for the $D$ most
# frequent tasks), time $t$, data $N$ or compute $C = D t$ is what is short, the loss falls as a power
# of it {cite:p}`lyu2025solvable`:
#
# | short of | exponent | condition |
# |---|---|---|
# | size $D$ | $-(\alpha - 1)$ | $t, N \to \infty$ |
# | time $t$ | $-(\alpha - 1)/\alpha$ | $N \to \infty$, $D = N_s$ |
# | data $N$ | $-(\alpha - 1)/\alpha$ | $t \to \infty$, $D = N_s$ |
# | compute $C$ | $-(\alpha - 1)/(\alpha + 1)$ | $N \to \infty$, the best $D$ for each $C$ |
#
# (The table's entry for $N$ is missing in print; it is taken from the derivation.) The figure is
# gradient descent at the paper's size, $N_s = 500$ tasks and 5,000 steps. The exponents are decided
# where the laws are meant to hold: closed forms at $N_s = 200{,}000$, for $D$ and $N$ at late times;
# and, as claim 30, at the paper's size.
#
# The paper's $D$ is the size of its matrices: a model of size $D$ cannot learn the tasks $s \ge D$ (Eqs.
# 63 and 64), so that it learns $D - 1$ tasks.

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import icllib
from icllib.papers import solvable_attention as sheet

page = icllib.Page("solvable_attention/fig03_scaling_laws")
records = icllib.records(sheet.fig03_scaling_laws, profile, page=page.name)
icllib.settings_table(sheet.LawsBySimulation(1.8), assumed=("seed",))

# %% [markdown]
# The limit, which decides in $t$ and $C$:

# %% tags=["hide-output"]
icllib.settings_table(sheet.LawsInTheLimit(1.8), assumed=("tasks", "seed"))

# %% [markdown]
# Late times, which decide in $D$ and $N$:

# %% tags=["hide-output"]
icllib.settings_table(sheet.FiniteTime(0.0, sheet.LATER[-1]), assumed=(
    "beta", "time", "strength", "context_length", "tasks", "draws", "seed"))

# %% [markdown]
# ## Figure

# %%
from icllib.plotting import band, series

shown = icllib.shown_profile(records)
limit = {r.run["alpha"]: r for r in records if "compute_exponent" in r.metrics}
simulated = [r for r in records if "kept_size_loss" in r.metrics]
on_the_way = [r for r in records if "time" in r.run]
tables = [series("compute", "N_s = 500, alpha = 1.8", sheet.ENVELOPE_BUDGETS,
                 sheet.simulated_envelope(simulated[0]), shown)]
for alpha, r in limit.items():
    same = [run for run in simulated if run.run["alpha"] == alpha]
    for law in sheet.LAWS[:3]:
        losses = [run[f"{law}_loss"] for run in same]
        xs = same[0][law] + (law == "size")  # D is one more than the tasks
        tables.append(series(law, f"N_s = 500, alpha = {alpha}", xs,
                             losses if law == "data" else losses[0], shown))
    tables.append(series("size", f"keeps f(0), alpha = {alpha}", same[0]["size"] + 1,
                         same[0]["kept_size_loss"], shown))
    for law in sheet.LAWS:
        tables.append(series(law, f"limit, alpha = {alpha}", r[law] + (law == "size"),
                             r[f"{law}_loss"], shown))
    tables.append(series("time", f"closed form, alpha = {alpha}", same[0]["time"],
                         sheet.closed_form_losses(same[0].run, same[0]["time"]), shown))
by_size = zip(simulated[0]["compute"], simulated[0]["compute_loss"])
for number, (x, y) in enumerate(by_size):
    tables.append(band("compute", f"alpha = 1.8, size {number}", x, y, y, y, 1, shown))
table = page.save_figure(*tables)

# %% tags=["figure"] mystnb={"image": {"alt": "Four log-log panels: loss against model size, time, number of data points and compute, for alpha 1.8 and 2.1. In the limit the losses are straight lines, parallel to the dotted power laws of Table 1; at 500 tasks and 5,000 steps the curves in size turn up beyond about 25 to 40 tasks, those in data flatten, those in time follow the line, on top of the closed form's dots, and the lower envelope of the sizes in compute runs along its line."}, "figure": {"caption": "Scaling laws: loss against model size, time, data and compute, on logarithmic axes, where a power law is a straight line. Solid lines are gradient descent at the paper's size, dashed ones the limit of many tasks and long training, dotted ones the exponents of the paper's Table 1. In the limit the lines are parallel to Table 1; at the paper's size those in size and data bend away."}}
import matplotlib.pyplot as plt
from icllib.plotting import BLUE, ORANGE, draw, legend_below
from icllib.theory.scaling_laws import theory_exponents

figure, panels = plt.subplots(2, 2, figsize=(9, 7))
panels = panels.ravel()
for axes, letter, (law, name) in zip(panels, "abcd", sheet.axis_names().items()):
    axes.set(xscale="log", yscale="log", title=f"({letter})", xlabel=name, ylabel="loss")
    for alpha, color in zip(sheet.ALPHAS, (BLUE, ORANGE)):
        draw(axes, table, law, f"limit, alpha = {alpha}", color=color, ls="--",
             label=rf"limit, $\alpha$ = {alpha}")
        draw(axes, table, law, f"N_s = 500, alpha = {alpha}", color=color,
             label=rf"$N_s$ = 500, $\alpha$ = {alpha}")
        draw(axes, table, law, f"keeps f(0), alpha = {alpha}", color=color, lw=1,
             alpha=0.5, label="_")
        sheet.draw_power_law(
            axes, table, law, f"limit, alpha = {alpha}", theory_exponents(alpha)[law],
            least=0, color=color, ls=":", label=rf"Table 1, $\alpha$ = {alpha}")
        draw(axes, table, law, f"closed form, alpha = {alpha}", color=color, ls="",
             marker="o", mfc="white", markevery=4,
             label=rf"closed form, $\alpha$ = {alpha}")
sheet.draw_power_law(panels[3], table, "compute", "N_s = 500, alpha = 1.8",
                     theory_exponents(1.8)["compute"], least=0, color=BLUE, ls=":")
for number in range(8):
    draw(panels[3], table, "compute", f"alpha = 1.8, size {number}", color=BLUE, lw=1,
         alpha=0.2 + 0.1 * number)
legend = legend_below(panels[1], 4)

# %% [markdown]
# Solid: gradient descent at the paper's size; dashed: the limit; dotted: the power laws of Table 1,
# shifted up. The pale lines of (a) are the same training if tasks beyond the model keep $f(0)$. The dots
# of (b) are the closed form for the same 500 tasks. (d) shows eight numbers of tasks from $N_s/100$
# to $N_s/5$ for $\alpha = 1.8$, darker for larger ones, their lower envelope, and dashed the
# lower envelopes in the limit for both $\alpha$.
#
# ## Numbers
#
# Exponents fitted by a straight line in log-log, with the half width of the 95% interval of the fit:
# over the whole of each dashed line for the limit ($D$ 11 to 1,001; $t$ 0.01 to 1, which is steps 10
# to 1,000; $N$ and $C$ $10^3$ to $10^6$), over the whole of each solid line at $N_s = 500$ (in $C$ of
# the envelope, 1 to 100).

# %% tags=["numbers"]
sheet.law_table(limit, simulated)

# %% [markdown]
# ### On the way to the limit
#
# The laws in $D$ and $N$ of the closed form after $t$ time constants of the first task, with
# $f_s(0) = \Lambda / 2$ and 200,000 tasks; in $N$ the mean over twelve draws of the training sets. At $t = 0$
# nothing has been learned, which is the control of claims 2 and 4; the last two times decide them. The
# 5,000 steps of the paper are 330 to 400 time constants.

# %% tags=["numbers"]
sheet.way_table(on_the_way)

# %% [markdown]
# ### What a task beyond the model answers, and what $D$ counts
#
# The law in $D$ of the simulations, at $t = 5$, if a task beyond the model answers 0, and if it keeps
# $f(0)$, as Eqs. 63 and 64 print it; for $D$ from 2 to 251 as the paper counts it, over the sizes of
# Figure 3d alone, and for $D$ as the number of tasks. At $\alpha = 1.8$ the paper's count and $f(0)$
# together give $-0.767$, within 0.05 of Table 1; the other exponents are further off. That the loss
# turns up is due to the 0.

# %% tags=["numbers"]
sheet.cutoff_table(simulated[::3])

# %% [markdown]
# ## Paper beside ours

# %%
for number, law in ((2, "size"), (4, "data")):
    page.decide(f"solvable_attention.{number}",
                sheet.late_exponents(on_the_way, law), shown,
                control=sheet.late_exponents(on_the_way, law, untrained=True))
for number, law in ((3, "time"), (5, "compute")):
    exponents = {f"alpha = {alpha}": [r[f"{law}_exponent"][0]]
                 for alpha, r in limit.items()}
    page.decide(f"solvable_attention.{number}", exponents, shown)
page.decide("solvable_attention.30", sheet.simulated_exponents(simulated), shown)
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - Five thousand steps at a learning rate of $10^{-3}$ are $t = 5$, not infinity: at $N_s = 500$ the
#   rare tasks have not been learned yet. The curve in $N$ flattens. If tasks beyond the model answer 0,
#   the curve in $D$ even turns up near $D = 38$ ($\alpha = 1.8$) and $26$ ($\alpha = 2.1$), since a task
#   that the model has room for starts at $f(0) = 2.5$, farther from $\Lambda = 0.5$ than 0. The laws are
#   laws of the limit.
# - If tasks beyond the model keep the printed $f(0)$, the curve in $D$ falls throughout. At
#   $\alpha = 1.8$ it then has the exponent of Table 1 within 0.05, at $\alpha = 2.1$ it is too flat. This
#   page used to count $D$ as the number of tasks, which hid that: the exponent is then $-0.706$.
# - The limit that decides claims 2 to 5 has 200,000 tasks, not the paper's 500: it is a closed form,
#   and not the paper's setting, which is claim 30. Claims 2 and 4 used to be decided at infinite time,
#   where the laws follow from the sum over tasks and could not fail; now the tasks have to be learned
#   first. Claim 4 had three draws of the training sets at first and held; it has twelve since claim 8,
#   which three draws left mixed, needed more.
# - Claim 30 fits the simulations over the whole of each curve: the law in time is within the
#   distance of 0.05, that in $N$ is not, and that in $D$ is in one case of four.
# - The envelope of (d) is ours, and so is its window, which was chosen after the curves had been seen:
#   below it the smallest of the eight sizes is the best, above it the larger ones are not yet trained.
# - The time law is already straight at $N_s = 500$, but ends a little too steep, since there is no tail
#   of rarer tasks behind the last one.
# - A task beyond the size of the model answers 0, so that it costs $\Lambda^2/2$ and not
#   $(f(0) - \Lambda)^2/2$ as printed in Eqs. 63 and 64; the exponent is the same.
# - The band of the data law is the 95% interval over three draws of the training set.
#
# The numbers behind the figure: {download}`figure.csv <../../results/solvable_attention/fig03_scaling_laws/figure.csv>`.

# %% tags=["provenance"]
print(icllib.provenance_line(records, page.name))
