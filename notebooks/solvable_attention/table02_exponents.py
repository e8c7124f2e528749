# %% [markdown]
# # Tables 1 and 2: do the printed exponents hold?
#
# In the limit, Table 1 does, and Table 2 in size and data, and for varied contexts. Where strengths fall
# with rank, the loss falls faster in time and compute than printed ($t^{-0.78}$, not $t^{-0.55}$). In the
# paper's own 5,000 steps the loss in size and data levels off.
#
# The limit is that of many tasks and long training, where closed forms need no model. The laws are in size
# $D$, time $t$, data $N$ and compute $C = D t$. In Table 1 of {cite:t}`lyu2025solvable` all tasks are alike.
# In its Table 2 the context length falls with the rank $s$ of the task as $s^{-\beta}$, or the strength (the
# ratio of target to feature) as $s^{-\gamma}$. With $p = \alpha + 2\gamma - 1$ they are
#
# $$D^{-p}, \quad t^{-p/q}, \quad N^{-p/\alpha}, \quad C^{-p/(q + 1)} ,$$
#
# where task $s$ takes a time that grows as $s^q$. Its rate is proportional to
# $s^{-\alpha} \psi_s (1 + \Lambda_s^2) \Lambda_s$. Table 2 has $q = \alpha + \beta + 3\gamma$, which is right
# while $\Lambda_s^2 \gg 1$. Where it is small beside 1, as for all rare tasks if $\Lambda_1$ is not huge,
# $q = \alpha + \beta + \gamma$: the *generic* form.

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import claimbook
from papers.solvable_attention import laws, table02_exponents as sheet

page = claimbook.Page("solvable_attention/table02_exponents", profile)
records = page.records
simulated = laws.of_class(records, laws.VariedBySimulation)
in_limit = laws.of_class(records, laws.VariedInTheLimit, start="proportional")
printed_start = laws.of_class(records, laws.VariedInTheLimit, start="printed")
large_strength = laws.of_class(in_limit, laws.VariedInTheLimit, strength=1e4, beta=0.0)
both, both_large = laws.of_class(in_limit, laws.VariedInTheLimit, beta=0.5, gamma=0.5)
limits = [r for r in in_limit if r.component.strength == 1 and r is not both]
on_the_way = laws.of_class(records, laws.FiniteTime)
claimbook.settings_table(laws.VariedInTheLimit(), assumed=(
    "beta", "gamma", "strength", "start", "tasks", "context_length", "seed"))

# %% [markdown]
# These are the settings of the limit, which decides: closed forms, and infinite time in $D$ and $N$. The
# start is $f_s(0) = \Lambda_s / 2$, because the paper's derivation has the same $\Lambda_s / f_s(0)$ for all
# tasks.
#
# ## Figure

# %%
table = page.save_figure(*sheet.exponent_rows(
    {"limit": [*limits, *large_strength], "500 tasks, 5,000 steps": simulated},
    page.profile))

# %% tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import legend_below

figure, panels = plt.subplots(1, 2, figsize=(9, 5), sharey=True)
for axes, alpha in zip(panels, laws.ALPHAS):
    laws.draw_exponents(axes, table, f"alpha = {alpha}")
    axes.set(title=f"α = {alpha}")
legend = legend_below(panels[0], 3)
title = figure.suptitle("Where strengths fall, time and compute differ from the print")

# %% [markdown] tags=["caption"]
# Exponents: printed (hollow), in the limit (dots) and after the paper's 5,000 steps (squares).
# Where strengths fall ($\gamma$) and are not large, those in time and compute miss.
#
# Alt text: Two panels, for alpha 1.8 and 2.1, with a row for each kind of tasks and law. The dots of the
# limit lie inside the hollow diamonds of the printed exponents in all rows but two: for strengths that
# fall, in time and compute, they lie to the left, at faster laws. For strengths that are all large they
# are back inside. After 5,000 steps the squares lie near the dots in time and compute, and far to the
# right in size and data.

# %% [markdown]
# *Fixed* is $\beta = \gamma = 0$, and *large strength* is $\Lambda_1 = 10^4$. The limits in $D$ and $N$ do not
# contain $\beta$, and $\Lambda_1$ is only a factor of theirs.
#
# ## Numbers
#
# Exponents in three settings:
#
# - in the limit;
# - with the paper's start $v_s = w_s = 10^{-5}$ (*printed start*);
# - in the paper's setting, that of [Figure 4](fig04_varied_laws.ipynb): gradient descent from that start,
#   500 tasks, 5,000 steps.
#
# Each has the half width of the 95% interval of the fit. In the limit, where nothing is random, it says only
# how straight the line is. The last column says which form is within 0.05 of the fit in the limit.
#
# The windows were fixed before. For the limits they are $D$ 10 to 1,000, $N$ $10^3$ to $10^6$, $t$ from
# $10^4$ to $10^6$ and $C$ from $10^5$ to $10^8$. Units are those of the first task's time constant
# $1 / (2 a_1 \Lambda_1)$, with $a_s = P(s)\,\psi_s (1 + \Lambda_s^2)$. For the paper's setting they are those
# of Figure 4.

# %% tags=["numbers"]
laws.exponent_table(limits, **{"printed start": printed_start,
                               "paper's setting": simulated})

# %% [markdown]
# ### When the printed exponents hold
#
# At $\gamma = 0.5$ with $\Lambda_1 = 10^4$ all tasks have $\Lambda_s^2 \gg 1$, and the
# printed exponents hold. Gradient descent cannot be run there: at $\psi = 100$ and a
# learning rate of $10^{-3}$ it is stable only up to the strength in the last column.

# %% tags=["numbers"]
sheet.large_strength_table(large_strength)

# %% [markdown]
# ### The best size and time for a budget
#
# The size with the lowest loss grows as $D \propto C^y$, and its time as $t \propto C^x$.
# Right is $x = q / (q + 1)$ and $y = 1 / (q + 1)$. So the best share is nearer to long
# training than to large size. Table 2 has the two exponents in each other's place (*printed*
# is its formula, in the rows of equal tasks too); Table 1, for equal tasks, has them right.
# Sizes are tried in steps of about 8%, which is coarser than some half widths.

# %% tags=["numbers"]
sheet.allocation_table(sorted([*limits, *large_strength], key=lambda r: r.component.alpha))

# %% [markdown]
# ### Context length and strength varied at once
#
# At $\beta = \gamma = 0.5$, in the limit.

# %% tags=["numbers"]
laws.exponent_table([both], **{"large strength": [both_large]})

# %% [markdown]
# ### On the way to the limit
#
# The laws in $D$ and $N$ at $\gamma = 0.5$ of the closed form after $t$ time constants of the first task. In
# $N$ it is the mean over twelve draws of the training sets. Here a model of size $D$ learns $D - 1$ tasks, as
# in the paper; elsewhere on this page $D$ is the number of tasks. The last two times decide claims 6 and 8;
# $t = 0$, where nothing has been learned, is their control.

# %% tags=["numbers"]
laws.way_table(on_the_way)

# %% [markdown]
# ### At the end of training
#
# At $t = 5$ the laws in $D$ and $N$ of the simulation level off. The last two columns
# show that Eq. 105 has one $\gamma$ too few ([errata](errata.ipynb)).

# %% tags=["numbers"]
sheet.late_table(simulated, limits)


# %% [markdown]
# ## The claims, one by one
#
# For claims 23 and 24 the column *corrected*, in place of *paper*, holds the generic form,
# which is ours.
# The paper's own numbers are judged by claims 7 and 9, and at large strength by claim 39.
# Controls exchange strengths of 1 and large ones (claims 23, 24, 32 and 39), or the best
# size and the best time (28 and 29).

# %%
def evidence(law, *kinds):
    return {(f"{kind} " if len(kinds) > 1 else "") + f"alpha = {r.component.alpha}":
            [r[f"{law}_exponent"][0]]
            for kind in kinds for r in limits if sheet.kind(r) == kind}


fixed, by_context, by_strength = sheet.KINDS[:3]
for number, law in ((6, "size"), (8, "data")):
    page.decide(f"solvable_attention.{number}",
                laws.late_exponents(on_the_way, law),
                control=laws.late_exponents(on_the_way, law, untrained=True))
for number, law in ((7, "time"), (9, "compute")):
    page.decide(f"solvable_attention.{number}",
                evidence(law, by_context, by_strength))
at_large = {law: {f"alpha = {r.component.alpha}": [r[f"{law}_exponent"][0]]
                  for r in large_strength} for law in ("time", "compute")}
for number, law in ((23, "time"), (24, "compute")):
    page.decide(f"solvable_attention.{number}", evidence(law, by_strength),
                control=at_large[law])
for number, tasks in ((28, fixed), (29, by_context)):
    page.decide(f"solvable_attention.{number}", evidence("best_time", tasks),
                control=evidence("best_size", tasks))
both_laws = lambda of: {f"{laws.LETTERS[law]} {part}": values for law in at_large
                        for part, values in of(law).items()}
page.decide("solvable_attention.39", both_laws(at_large.get),
            control=both_laws(lambda law: evidence(law, by_strength)))
page.decide("solvable_attention.32", {"alpha = 1.8": both["time_exponent"][:1]},
            control={"alpha = 1.8": both_large["time_exponent"][:1]})
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - *The $3\gamma$ of Table 2* rests on an assumption of Appendix F.3, "for simplicity that
#   $\Lambda_s^2 \gg 1$". The paper gives no strength; the tasks of claims 7 and 9 have $\Lambda_1 = 1$.
# - *The limit is not the paper's setting*, in which only a few tasks are learned by $t = 5$. There the laws
#   in $t$ and $C$ can be made out, with wide intervals; those in $D$ and $N$ level off. These fits decide
#   nothing here.
# - *Claims 6 and 8* used to be decided at infinite time, where they could not fail; now the tasks have to be
#   learned first. With three draws of the training sets claim 8 was mixed, as its intervals reached beyond
#   the tolerance; it was then measured with twelve.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/solvable_attention/table02_exponents/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
