# %% [markdown]
# # Figure 5: softmax attention under the source-capacity condition
#
# Here features are dense. Task $s$ is a linear regression in context: features are normal with
# variances $\omega_k \propto k^{-\tau}$, the largest at coordinate $s$, and the target is
# $y = \Lambda_s \cdot x$ with one random $\Lambda_s$ for each task. As $\tau \to \infty$ only
# coordinate $s$ is left, which is the sparse problem. The paper trains
# $f(G) = V G \, \mathrm{softmax}(G^\top W_K^\top W_Q G)$ at $\tau = 3$ and finds laws in time and
# compute like those of Table 1 {cite:p}`lyu2025solvable`.
#
# Its contexts are long ($\psi = 1000$), and for $\psi \to \infty$ the average that a softmax takes is
# known: tokens $g = (x, y)$ of task $s$ are normal with a covariance $C_s$, so that
#
# $$\frac{E[g \, e^{g \cdot u}]}{E[e^{g \cdot u}]} = C_s u , \qquad
# f = v_s^\top C_s W_K^\top W_Q \binom{x}{0} ,$$
#
# where $v_s$ is row $s$ of $V$. Softmax attention is then a linear one, whose loss needs no samples.
# We train this limit at the full size of 500 tasks, and the softmax itself on fewer tasks.

# %% tags=["parameters"]
profile = "stored"

# %%
import icllib
from icllib.papers import solvable_attention as sheet

page = icllib.Page("solvable_attention/fig05_source_capacity")
records = icllib.records(sheet.fig05_source_capacity, profile, page=page.name)
icllib.settings_table(sheet.fig05_source_capacity("paper")[0], assumed=(
    "sizes", "tasks", "width", "scale", "seed"))

# %% [markdown]
# The softmax itself:

# %%
icllib.settings_table(sheet.fig05_source_capacity("paper")[3], assumed=(
    "sizes", "tasks", "width", "scale", "steps", "queries", "tests", "seed"))

# %% [markdown]
# ## Figure

# %%
from icllib.plotting import series
from icllib.results import samples

shown, seeds = icllib.shown_profile(records), sheet.STABLE_SEEDS
laws = [r for r in records if r.run["tasks"] == records[0].run["tasks"]]
softmax = [r for r in records if "context_length" in r.run]
limit = [r for r in records if r not in laws + softmax and r.run["seed"] in seeds]
best = [r for r in laws if len(r.run["sizes"]) > 1]
full = {alpha: [r for r in laws if r.run["alpha"] == alpha] for alpha in sheet.ALPHAS}
last = lambda runs: [r["loss"][-1] for r in runs]
sizes, times = best[0].run["sizes"], best[0]["time"]
table = page.save_figure(
    *(series("time", f"alpha = {alpha}", times, last(runs), shown)
      for alpha, runs in full.items()),
    series("time", "softmax", softmax[0]["time"], last(softmax), shown),
    series("time", "limit", limit[0]["time"], last(limit), shown),
    series("compute", "envelope", best[0]["budget"], samples(best, "envelope"), shown),
    *(series("compute", f"size {size}", size * times,
             [r["loss"][number] for r in best], shown) for number, size in enumerate(sizes)))

# %% tags=["figure"] mystnb={"image": {"alt": "Two log-log panels. Loss against time for two values of alpha in the limit of long contexts, beside the dashed laws of Table 1; below them, for 50 tasks, the softmax with 1000 tokens and its limit. Loss against compute for several sizes with their lower envelope and a dashed law."}}
import matplotlib.pyplot as plt
from icllib.plotting import BLUE, GREEN, ORANGE, PURPLE, RED, draw


def draw_law(axes, law, alpha, xs, start, color):
    axes.plot(xs, 1.5 * start * (xs / xs[0]) ** sheet.TABLE_1[law](alpha), "--",
              color=color, label=rf"Table 1, $\alpha$ = {alpha}")


figure, panels = plt.subplots(1, 2, figsize=(11, 4.4))
inside = times >= 30
for (alpha, runs), color in zip(full.items(), (BLUE, ORANGE)):
    draw(panels[0], table, "time", f"alpha = {alpha}", color=color,
         label=rf"$\psi \to \infty$, $\alpha$ = {alpha}")
    draw_law(panels[0], "time", alpha, times[inside],
             sum(last(runs))[inside][0] / len(runs), color)
small = rf"$\alpha$ = 1.8, {softmax[0].run['tasks']} tasks"
draw(panels[0], table, "time", "softmax", color=GREEN, label=rf"softmax, $\psi$ = 1000, {small}")
draw(panels[0], table, "time", "limit", color=PURPLE, ls=":",
     label=rf"$\psi \to \infty$, {small}")
for size in sizes:
    draw(panels[1], table, "compute", f"size {size}", color=BLUE, lw=0.8, alpha=0.4,
         label=r"single sizes, $\psi \to \infty$" if size == sizes[0] else "_")
draw(panels[1], table, "compute", "envelope", color=RED, label="best size")
draw_law(panels[1], "compute", 1.8, best[0]["budget"],
         samples(best, "envelope")[:, 0].mean(), RED)
panels[0].set(xlabel="t = learning rate x steps", ylabel="loss")
panels[1].set(xlabel=r"compute C = D t ($\alpha$ = 1.8)")
for axes in panels:
    axes.set(xscale="log", yscale="log")
    axes.legend(loc="lower left", fontsize=8)

# %% [markdown]
# Bands: 95% intervals over three seeds, each with its own strengths and start.
#
# ## Numbers
#
# Exponents of straight lines in log-log, mean over the seeds and each seed. The windows are those
# of [Figure 8](fig08_softmax_laws.ipynb), fixed before any run: $t$ from 30 to 1,000, $C$ from 300 to
# 30,000. "Coordinate by coordinate" is what a model of 500 tasks gives in the same window if its
# loss on the $k$-th largest coordinate of task $s$ falls as $e^{-P(s) \omega_k t}$.

# %% tags=["numbers"]
import pandas as pd

found = {("time", alpha): [r["time_exponent"][0] for r in runs]
         for alpha, runs in full.items()}
found["compute", 1.8] = [r["compute_exponent"][0] for r in best]
each = lambda values: ", ".join(f"{value:.2f}" for value in values)
pd.DataFrame({key: {
    "Table 1": f"{sheet.TABLE_1[key[0]](key[1]):.3f}",
    "coordinate by coordinate": f"{sheet.coordinate_by_coordinate(*key):.3f}",
    "ours": f"{sum(values) / len(values):.3f}", "each seed": each(values)}
    for key, values in found.items()}).T.rename_axis(["law", "alpha"])

# %% [markdown]
# The softmax with 1,000 tokens beside its limit, both with 50 tasks, the same strengths and the same
# start, at $\alpha = 1.8$: loss at the last step and the exponent for $t$ from 30 to 200.

# %% tags=["numbers"]
pd.DataFrame({name: {"loss at the end": each([loss[-1] for loss in last(runs)]),
                     "exponent": each([r["time_exponent"][0] for r in runs])}
              for name, runs in (("softmax", softmax), ("limit", limit))}).T

# %% [markdown]
# Which strengths can be trained at this learning rate. A task of one coordinate has a smallest
# possible curvature where it is learned, $3 P(s) [(1 + \Lambda^2) \Lambda^2]^{2/3}$, whatever the
# start. Gradient descent is unstable if this times the learning rate is above 2.

# %% tags=["numbers"]
from icllib.theory.riccati import task_shares

rows = {}
for r in (r for r in records if r.run["tasks"] == softmax[0].run["tasks"]):
    if "context_length" not in r.run:
        strength, alpha = r["first_strength"], r.run["alpha"]
        curvature = sheet.least_curvature(strength, task_shares(r.run["tasks"], alpha)[0])
        rows[alpha, r.run["seed"]] = {
            "strength of the most frequent task": f"{strength:.2f}",
            "learning rate x least curvature": f"{r.run['learning_rate'] * curvature:.2f}",
            "loss, t = 200 over t = 0.2": f"{r['loss'][-1, -1] / r['loss'][-1, 0]:.2f}"}
pd.DataFrame(rows).T.rename_axis(["alpha", "seed"]).sort_index()

# %% [markdown]
# ## Paper beside ours
#
# Decided on the limit of long contexts with 500 tasks.

# %%
letters = dict(time="t", compute="C")
evidence = {f"{letters[law]} alpha = {alpha}": v for (law, alpha), v in found.items()}
page.decide("solvable_attention.16", evidence, shown)
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# PLACEHOLDER
#
# The numbers behind the figure: {download}`figure.csv <../../results/solvable_attention/fig05_source_capacity/figure.csv>`.

# %% tags=["provenance"]
print(icllib.provenance_line(records, page.name))
