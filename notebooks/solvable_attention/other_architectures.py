# %% [markdown]
# # Section 4.1: do other architectures have the same scaling laws?
#
# Some do. A diagonal linear network and a linear model have those of {term}`linear attention`, within
# 0.01. A ReLU {term}`perceptron` has those in size and data, but in time its loss falls faster:
# $t^{-0.64}$, not $t^{-0.44}$. The paper trains none of them; the sizes are ours.
#
# "Architecture does not matter for scaling laws when context sequence length is fixed", says
# {cite:t}`lyu2025solvable`. It names ReLU perceptrons {cite:p}`michaud2023quantization` and diagonal
# linear networks {cite:p}`nam2024exactly` for size, time and data. For time it names linear models
# {cite:p}`bordelon2024dynamical,hutter2021learning`. All this is for data with "a similar power-law
# structure".
#
# Here they learn the paper's own data: task $s$ with probability $P(s) \propto s^{-\alpha}$, feature
# $\pm e_s$, label $\pm \Lambda$. They have no context and read the query's feature alone. As the strength
# $\Lambda$ never changes, that is enough. The tasks of a perceptron share the weights of its last layer,
# which grow with every task that is learned.
#
# | model | answer to $e_s$ | flow |
# |---|---|---|
# | linear attention | $f_s$ of [Theorem 3.1](thm31_closed_form.ipynb) | $a_s = P(s) \psi (1 + \Lambda^2)$ |
# | diagonal network | $u_s v_s$ | $\dot u_s = P (\Lambda - f_s) v_s$, $\dot v_s = P (\Lambda - f_s) u_s$ |
# | linear model | $u_s$ | $\dot u_s = P (\Lambda - f_s)$ |
# | shared read-out | $A w_s$ | $\dot w_s = P (\Lambda - f_s) A$, $\dot A = \sum_s P (\Lambda - f_s) w_s$ |
# | ReLU perceptron | $a \cdot \mathrm{relu}(b + w_s) + c$ | gradient descent on $a, b, c$ and all $w_s$ |

# %% tags=["parameters"]
profile = "stored"

# %% mystnb={"code_prompt_show": "Settings of the perceptron, for the law in t"} tags=["hide-output"]
import claimbook
import numpy as np
from papers.solvable_attention import laws, other_architectures as sheet

page = claimbook.Page("solvable_attention/other_architectures", profile)
records = page.records
claimbook.settings_table(sheet.PerceptronTime(1.8), assumed=(
    "tasks", "width", "read_out", "learning_rate", "seed", "starts", "steps"))

# %% mystnb={"code_prompt_show": "Settings of the closed forms"} tags=["hide-output"]
claimbook.settings_table(sheet.ClosedFormModel("diagonal", 1.8),
                      assumed=("tasks", "start", "seed"))

# %% [markdown]
# ## Figure

# %% tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import BLACK, legend_below
from icllib.theory.scaling_laws import theory_exponents

found = sheet.by_architecture(records)
table = page.save_figure(*(
    row for alpha, models in found.items() if (printed := theory_exponents(alpha))
    for row in laws.exponent_series(f"α = {alpha}", {
        f"{law}: {name}": sheet.exponents_of(model, law) - np.array(printed[law])
        for law in laws.LAWS[:3] for name, model in models.items()
        if law in sheet.laws_of(model)}, page.profile)))
figure, axes = plt.subplots(figsize=(9, 5.4))
axes.axvline(0, color=BLACK, lw=1, label="Table 1")
laws.draw_exponents(axes, table)
axes.set(xlabel="exponent less that of Table 1")
legend = legend_below(axes, 3)
title = figure.suptitle("In size and data laws agree; a shared read-out is faster in time")

# %% [markdown] tags=["caption"]
# Distance of fitted exponents to the paper's Table 1 (line at 0), mean and 95% interval over starts; left is
# a loss that falls faster.
#
# Alt text: Rows for each law and model. In size and data all points lie within 0.05 of the line. In time
# linear attention, the diagonal network and the linear model lie on it, perceptrons with a large read-out
# up to 0.05 to its left, and the perceptron and the linear network with a shared read-out 0.15 to 0.2.

# %% [markdown]
# There are 3 starts, for $N$ 20 starts with data sets of their own. *Large read-out*, the control, is a
# perceptron whose $a$ starts ten times as large; *no biases* is the same with $b = c = 0$. A *half time* is
# when the loss on the most frequent task is half its first.
#
# ## Numbers
#
# Exponents of straight lines in log-log, means over starts. The windows were fixed before any exponent of a
# perceptron was seen:
#
# - first three models, 200,000 tasks: $D$ 10 to 1,000, $N$ $10^3$ to $10^6$, $t$ 10 to 1,000 half times
#   (for linear attention that of [Figure 3](fig03_scaling_laws.ipynb));
# - trained models, 2,000 tasks: $D$ 4 to 40, $N$ 10 to 1,000, $t$ 10 to 300 half times.

# %% tags=["numbers"]
sheet.architecture_table(found)

# %% [markdown]
# ## Why a shared read-out changes the law
#
# In the first three models the tasks are apart. To zeroth order linear attention is even
# a diagonal network that runs $\psi (1 + \Lambda^2)$ times as fast.
#
# In a perceptron the tasks share the read-out $a$, as they share $A$ in the linear
# network of the fourth row. There $A^2 - \sum_s w_s^2$ is conserved. With $K$ tasks
# learned, $w_s = \Lambda / A$ for each, so that $A^4$ grows as $K \Lambda^2$. Task $s$
# then takes a time of the order of $s^\alpha / A^2 \sim s^{\alpha - 1/2}$, and the law in
# $t$ becomes
#
# $$t^{-(\alpha - 1)/(\alpha - 1/2)} .$$
#
# The read-out of a perceptron in the runs for the law in $t$:

# %% tags=["numbers"]
sheet.read_out_table(found)

# %% [markdown]
# ## Where strengths fall
#
# The law in $t$ at $\alpha = 1.8$ for strengths that fall as $s^{-0.5}$. The strength
# enters the rate of a task in linear attention and in the diagonal network, not in the
# linear model.

# %% tags=["numbers"]
sheet.strength_table(records)


# %% [markdown]
# ## The claims, one by one
#
# The control of claims 35 and 36 has strengths that fall as $s^{-1/2}$, that of claim 38
# exchanges the perceptron and the one with a large read-out.

# %%
def evidence(name, names=("size", "time", "data")):
    return {f"{laws.LETTERS[law]} alpha = {alpha}":
            sheet.exponents_of(models[name], law)
            for law in names for alpha, models in found.items()}


in_time = lambda name, before="": {
    before + part[2:]: values for part, values in evidence(name, ["time"]).items()}
falling = {(kind, alpha): sheet.ClosedFormModel(kind, alpha, 0.5).measure()
           for kind in sheet.MODELS for alpha in found}  # strengths that fall as s^-0.5
page.decide("solvable_attention.35", evidence("diagonal network"), control={
    f"{laws.LETTERS[law]} alpha = {alpha}": sheet.exponents_of(
        falling["diagonal", alpha], law)
    for law in ("size", "time", "data") for alpha in found})
page.decide("solvable_attention.36", in_time("linear model"), control={
    f"alpha = {alpha}": sheet.exponents_of(falling["linear", alpha], "time")
    for alpha in found})
page.decide("solvable_attention.37", evidence("perceptron"))
page.decide("solvable_attention.38", in_time("perceptron")
            | in_time(sheet.LARGE, "large read-out, "),
            control=in_time(sheet.LARGE) | in_time("perceptron", "large read-out, "))
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - *That the first three models agree says little.* In $D$ and $N$ their laws follow from one formula: what
#   has room, or has occurred, is learned exactly, and the rest keeps its answer. Those parts of claim 35
#   could not fail. In $t$ any model whose tasks are apart has the law, if a task takes a time proportional
#   to $1/P(s)$.
# - *Why the perceptron differs.* Frequent tasks make the square of its shared read-out grow 14 to 21 times,
#   and rare tasks are then learned faster. With a read-out that starts large and hardly grows, the law is
#   0.04 to 0.05 steeper than Table 1, at the border of the tolerance (claim 38). Without biases, which are
#   shared too, it is within 0.01 of the linear model's.
# - *In $D$* the perceptron has the exponents of the linear model in the same window.
# - *Size* is the number of tasks that a model learns; the paper's $D$ is one more. Counted so, the
#   perceptron's exponents in $D$ would be -0.850 and -1.150, just inside the tolerance. Its width is 32 at
#   every $D$, and two hidden units are enough for every task.
# - *"Fixed context length" alone is not enough,* as the last table shows. Where strengths fall the linear
#   model has the exponent $-1$ and linear attention $-0.78$. Section 4.1 fixes the strength as well; the
#   abstract does not say so.
# - *Settings.* Numbers of tasks and learning rates are our choices, at the profile `paper` too. The
#   parities of bits that the perceptrons of {cite:t}`michaud2023quantization` learn were not run.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/solvable_attention/other_architectures/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance())
