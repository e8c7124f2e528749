"""Other forms of SGPT and of the perceptron: what the paper leaves open, and what one may ask."""

from dataclasses import replace

import numpy as np

from icllib.baselines import Ridge, Zero
from icllib.papers.context_scaling.common import LENGTHS, LINEAR_8, evaluation
from icllib.papers.context_scaling.perceptrons import (
    FIGURE_5, FIGURE_5_LENGTHS, MOST_TASKS, seeds)
from icllib.papers.context_scaling.scaling import (
    FIGURE_1, SGPTS, fig01_scaling, scaling_tasks, transformers)
from icllib.results import samples
from icllib.training import Run

FORMS = {  # the readings of phi (Section 4) and of the last skip (Eq. 13 or Section 4)
    "signed, skip": {"normalization": "l1", "mlp_skip": True},
    "absolute, skip": {"normalization": "absolute", "mlp_skip": True},
    "signed, no skip": {"normalization": "l1", "mlp_skip": False},
    "absolute, no skip": {"normalization": "absolute", "mlp_skip": False},
}
DEPTHS = {"smoke": (1, 2), "quick": (1, 2, 4, 8), "gpu": (1, 2, 4, 8, 16), "paper": (1, 2, 4, 8, 16)}
COUNTS = (100, 10**3, 10**4, 10**5, 10**6)  # Figure 1A's
WIDE_COUNT = 10**5  # ASSUMED: the smaller T of Figure 1B, which training goes through often


def normalization(profile: str) -> list[Run]:
    """Equation 13 and Section 4: every form of SGPT on the tasks of Figure 8."""
    runs = []
    for task, lengths in scaling_tasks(profile).values():
        sgpt, recipe = transformers(profile, lengths=lengths)["SGPT"]
        runs += [Run(task, replace(sgpt, **form), recipe, evaluation(lengths, profile), seed,
                     MOST_TASKS) for form in FORMS.values() for seed in seeds(profile)]
    return runs


def what_would_a_reviewer_ask(profile: str) -> list[Run]:
    """SGPT by depth and without phi, one layer against T, a wider perceptron; and Figure 1's."""
    sgpt, recipe = transformers(profile)["SGPT"]
    decoder, _, mlp, mlp_recipe, _, _ = FIGURE_1[profile]
    one_layer, one_layer_recipe = FIGURE_5[profile]
    measure = evaluation(LENGTHS, profile)
    # ASSUMED: half the rate, since layers that cube their input overflow sooner.
    slower = replace(recipe, learning_rate=recipe.learning_rate / 2)
    cases = [(replace(sgpt, layers=layers), recipe, measure, MOST_TASKS)
             for layers in DEPTHS[profile]]
    cases += [(replace(sgpt, layers=layers, normalization="none"), slower, measure, MOST_TASKS)
              for layers in (1, sgpt.layers)]
    cases += [(one_layer, one_layer_recipe, evaluation(FIGURE_5_LENGTHS, profile), count)
              for count in COUNTS]
    cases += [(replace(mlp, width=2 * mlp.width), mlp_recipe, measure, WIDE_COUNT)]
    asked = [Run(LINEAR_8, model, how, what, seed, count)
             for model, how, what, count in dict.fromkeys(cases) for seed in seeds(profile)]
    return asked + [run for run in fig01_scaling(profile)
                    if run.model == decoder or run.pretraining_tasks == WIDE_COUNT]


def answers(records, profile: str) -> dict:
    """The curves of the reviewer's page by panel and name: x values, and errors (seeds, x values).

    A: SGPT against layers. B: with phi and without it, against n. C: one layer against T, at n = 10.
    D: perceptrons against n.
    """
    measure, at, deep = evaluation(LENGTHS, profile), LENGTHS.index, SGPTS[profile][0].layers
    ridge, zero = (measure.measure(LINEAR_8, baseline)["error"]
                   for baseline in (Ridge.bayes(LINEAR_8), Zero()))

    def of(model, count=MOST_TASKS, **chosen):
        found = [r for r in records if chosen.items() <= r.run["model"].items()]
        return samples(found, "error", model=model, pretraining_tasks=count)

    def over_tasks(model, counts, place):
        return counts, np.stack([of(model, count)[:, place] for count in counts], axis=1)

    depths, panels = DEPTHS[profile], {"A": {}, "B": {}}
    by_depth = np.stack([of("SGPT", layers=k, normalization="l1") for k in depths], axis=1)
    for n in (10, 40):
        panels["A"] |= {f"SGPT, n = {n}": (depths, by_depth[..., at(n)]),
                        f"ridge, n = {n}": (depths, ridge[:, [at(n)] * len(depths)])}
    for name, phi in (("l1", "l1"), ("identity", "none")):
        panels["B"] |= {f"{name}, layers: {k}": (LENGTHS, of("SGPT", layers=k, normalization=phi))
                        for k in sorted({1, deep})}
    scattered = f"identity, layers: {deep}"  # its seeds are too far apart for a mean
    panels["B"] |= {f"{scattered}, seed {seed}": (LENGTHS, errors)
                    for seed, errors in enumerate(panels["B"].pop(scattered)[1])}
    panels["B"]["ridge"] = LENGTHS, ridge
    counts, first = FIGURE_1[profile][4], FIGURE_5_LENGTHS.index(10)
    panels["C"] = {"one-layer SGPT": over_tasks("FeatureMLP", COUNTS, first),
                   "GPT-2": over_tasks("Transformer", counts, at(10)),
                   "ridge": (counts, ridge[:, [at(10)] * len(counts)])}
    width = FIGURE_1[profile][2].width
    panels["D"] = {f"MLP, width {w}": (LENGTHS, of("MLP", WIDE_COUNT, width=w))
                   for w in (width, 2 * width)} | {"zero": (LENGTHS, zero)}
    return panels
