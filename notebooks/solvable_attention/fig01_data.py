# %% [markdown]
# # Figure 1: how a prompt is made, and why its tasks stay apart
#
# A prompt matters only through a matrix with four entries, and training moves only four weights for
# each task. So each task is learned without the others, as the paper says. Training these alone gives
# the same answers as training all weights; this is exact.
#
# The problem is *multitask sparse feature regression* {cite:p}`lyu2025solvable`:
#
# 1. A task $s$ is drawn with $P(s) \propto s^{-\alpha}$ (Eq. 1): a few tasks are frequent, most rare.
# 2. The feature of each of its $\psi$ pairs, and of the query, is $\pm e_s$ (Eq. 2): zero but for one
#    entry.
# 3. The targets are $\Lambda$, the *strength* of the task, times the sign (Eq. 3).
# 4. Features and targets are the columns of $\Phi$, in which the query's target is 0 (Eq. 4).
#
# First, the signs cancel in
#
# $$\Phi\Phi^\top = H_s = \begin{pmatrix} \mathrm{diag}((\psi + 1) e_s) & \psi\Lambda e_s \\
#   \psi\Lambda e_s^\top & \psi\Lambda^2 \end{pmatrix} \qquad \text{(Eq. 7)},$$
#
# which is the same for all prompts of a task. Second, {term}`linear attention` answers
# $f = [V \Phi\Phi^\top W \hat\phi]_s$. Each row $v_s$ of $V$ and column $w_s$ of $W$ learns its own
# task, and only the coordinates $s$ and the label ever move (Eq. 8).

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import claimbook
from papers.solvable_attention import fig01_data as sheet

page = claimbook.Page("solvable_attention/fig01_data", profile)
point, *checks = page.records
checks, noisy = checks[:2], checks[2:]
claimbook.settings_table(sheet.DataPoint(), assumed=(
    "task.tasks", "task.alpha", "task.strength", "task.positive_share",
    "context_length", "prompts", "seed"))

# %% [markdown]
# ## Figure

# %% mystnb={"image": {"classes": "on-white"}} tags=["figure"]
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from claimbook.pages.plotting import GOLD, VIOLET, draw, matrix

tasks, pairs, s = len(point["shares"]), point.component.context_length, point["type"]
columns, names = np.arange(1, pairs + 2), [*range(1, tasks + 1), "y"]
table = page.save_figure(
    page.series("shares", "P(s)", range(1, tasks + 1), point["shares"]),
    *(page.series("Phi", f"row {name}", columns, row)
      for name, row in zip(names, point["phi"])),
    *(page.series("Phi Phi^T", f"row {name}", range(1, tasks + 2), row)
      for name, row in zip(names, point["product"])),
    *(page.series(r.component.kind, f"{form}, s={i + 1}", range(len(f)), f)
      for r in checks for form in ("full", "reduced")
      for i, f in enumerate(r[form])))
figure, panels = plt.subplots(2, 2, figsize=(9, 6.4))
panels = panels.ravel()
colors = [GOLD if task + 1 == s else VIOLET for task in range(tasks)]
panels[0].bar(range(1, tasks + 1), point["shares"], color=colors)
panels[0].set(title=f"1. task s = {s} is drawn", xlabel="s", ylabel="P(s)")
phi = pd.DataFrame(point["phi"], names, [*columns[:-1], "q"])
matrix(panels[1], phi[:-1])
matrix(panels[2], phi)
panels[2].text(pairs + 0.5, tasks + 0.5, "?", ha="center", va="center", color="red")
panels[2].axhline(tasks, color="black", lw=0.8)
matrix(panels[3], pd.DataFrame(point["product"], names, names), digits=3)
titles = r"2. features $\pm e_s$", r"3. and 4. targets, and $\Phi$", r"$\Phi\Phi^\top$"
for axes, title in zip(panels[1:], titles):
    axes.set(title=title, anchor="W", xlabel="pair", ylabel="coordinate")
panels[3].set(xlabel="coordinate")
title = figure.suptitle("Of a prompt only four entries matter")

# %% [markdown] tags=["caption"]
# One data point: a task $s$ is drawn, its features are $\pm 1$ in coordinate $s$ alone, its targets
# proportional to them. The model needs only $\Phi \Phi^\top$.
#
# Alt text: Four panels: bars of the task shares with the drawn task marked; the features
# as a matrix whose only row that is not zero has entries of either sign; the targets
# below them as the last row of the matrix Phi, with a question mark for the query's
# missing target; and Phi times its transpose, with four entries that are not zero.

# %% [markdown]
# The column of the query is marked q. Zeros are left empty; the question mark is the target that the
# model has to find.
#
# The second figure has gradient descent on all of $V$ and $W$ (lines) and on two coordinates per task
# (dots), from a random start in all entries, on sampled prompts. On the right $\psi_s$ and $\Lambda_s$
# fall as $s^{-1/2}$. A rare task may have no prompt in the training set; its answers then stay as they
# were. The settings are our choice.

# %% mystnb={"code_prompt_show": "Settings of the two forms"} tags=["hide-output"]
check = sheet.Decoupling("fixed context")
claimbook.settings_table(check, assumed=[name for name in vars(check) if name != "noise"])

# %% tags=["figure"]
figure, panels = plt.subplots(1, 2, figsize=(9, 3.2))
panels[0].set(ylabel="f")
for axes, r in zip(panels, checks):
    for task in range(len(r["full"])):
        name = r.component.kind
        draw(axes, table, name, f"full, s={task + 1}", label=f"s = {task + 1}")
        draw(axes, table, name, f"reduced, s={task + 1}", label="", color="black",
             ls="", marker="o", mfc="none", markevery=20)
    axes.set(title=name, xlabel="step")
handles = panels[0].get_legend_handles_labels()
figure.legend(*handles, loc="outside right center")
title = figure.suptitle("Four numbers for each task give the same answers as all weights")

# %% [markdown] tags=["caption"]
# Answers to the four most frequent tasks in training. Lines: {term}`gradient descent` on all weights.
# Dots: four numbers for each task, to which the paper reduces it.
#
# Alt text: Answers f of the four most frequent tasks against the step, for equal and for
# varied context and strength: the dots of the two-coordinate recursion lie on the lines
# of the full matrices.

# %% [markdown]
# ## Numbers

# %% tags=["numbers"]
import pandas as pd

pd.DataFrame({"P(s)": point["shares"].round(3),
              "prompts of 1,000": point["counts"].astype(int)},
             index=pd.Index(range(1, tasks + 1), name="s")).astype(str).T

# %% tags=["numbers"]
pd.Series({"Phi Phi^T and Eq. 7 differ by at most": point["deviation"]}).to_frame("")

# %% tags=["numbers"]
pd.DataFrame({r.component.kind: {
    "full matrices and two coordinates agree to 1e-12": r["deviation"] <= 1e-12,
    "tasks without a prompt, of 20": r["unseen_tasks"],
    "f of task 1 at the end": round(r["full"][0][-1], 4)} for r in checks})

# %% [markdown]
# ## The claims, one by one
#
# The control is the same training on features with noise of standard deviation $1/\psi$,
# those of [Figure 6](fig06_approximately_sparse.ipynb), which couple the tasks.

# %%
page.decide("solvable_attention.22",
            {r.component.kind: [r["deviation"]] for r in checks},
            control={r.component.kind: [r["deviation"]] for r in noisy})
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# - The paper's Figure 1 is a sketch without numbers; the example here is drawn, and small.
# - How often a feature is $+e_s$ is not said; here it is half of the time. Linear attention does not
#   notice: the signs cancel in $\Phi\Phi^\top$, and the query's is in its answer and its target.
# - The text calls $v_s$ and $w_s$ vectors of $\mathcal{N}_s$ components; they have $\mathcal{N}_s + 1$,
#   the last one for the label.
#
# The numbers behind the figures:
# {download}`figure.csv <../../results/solvable_attention/fig01_data/figure.csv>`.

# %% tags=["provenance"]
print(page.provenance([point, *checks, *noisy]))
