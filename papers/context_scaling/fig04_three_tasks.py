"""Figure 4: SGPT and GPT-2 on trees, networks and sparse functions, beside baselines."""

from dataclasses import dataclass, replace

import pandas as pd

from claimbook.records import Component
from claimbook.records.values import values
from icllib.baselines import LASSO_PENALTIES, Lasso, LeastSquares, StudentNetwork, XGBoost
from icllib.evaluate import ErrorByLength
from icllib.tasks import DecisionTree, ReluNetwork, SparseLinear
from icllib.training import Run
from papers.context_scaling.scaling import FIGURE_4_COUNT, at_seeds, in_20_dimensions, transformers

TREES, NETWORKS, SPARSE = "decision trees", "ReLU networks", "sparse linear functions"
# Per panel: the task and its context lengths, d = 20 throughout (Appendix A). ASSUMED: the lengths
# of trees and sparse functions, which the paper does not give.
FIGURE_4 = {
    TREES: (DecisionTree(20), tuple(range(10, 101, 10))),
    NETWORKS: (ReluNetwork(20), tuple(range(1, 101, 10))),  # Appendix A, item 4
    SPARSE: (SparseLinear(20), tuple(range(5, 41, 5))),
}
# At smoke and cpu. ASSUMED: trees small enough for small models to learn in minutes, and fewer
# context lengths.
FIGURE_4_SMALL = {
    TREES: (DecisionTree(4), (10, 25, 50, 100)),
    NETWORKS: (ReluNetwork(20), (1, 11, 31, 51, 71, 91)),
    SPARSE: (SparseLinear(20), (5, 10, 15, 20, 30)),
}
# ASSUMED: fewer steps where a step costs more; elsewhere those of Figure 1.
STEPS = {"cpu": {TREES: 2000, SPARSE: 6000}, "gpu": {TREES: 10_000, NETWORKS: 10_000, SPARSE: 20_000}}
# On networks at cpu, with the models of Figure 2. ASSUMED: in pilots of one seed SGPT's error was
# 0.86 of ridge regression's after 1,500 steps, that of GPT-2 0.98 after 3,000, in less time. Both
# train for longer, and for about the same time.
NETWORK_STEPS = {"SGPT": 3000, "GPT-2": 9000}
NETWORK_SEEDS, NETWORK_PROMPTS = 5, 2**13  # ASSUMED; each seed has its own prompts
NAMES = {"Transformer": "GPT-2", "StudentNetwork": "student network",
         "LeastSquares": "least squares"}  # of curves; others have the name of the class
PROMPTS = 2048  # ASSUMED, for every curve but the student's
STUDENT_PROMPTS = 256  # ASSUMED: fewer, since a student is trained for each prompt


@dataclass(frozen=True)
class Baseline(Component):
    """A predictor without pre-training, on the prompts of one seed."""

    task: object
    predictor: object
    evaluation: ErrorByLength

    def axes(self, metric: str) -> dict:
        return self.evaluation.axes(metric)

    def measure(self) -> dict:
        """The mean squared error at each context length: (K,)."""
        return {"error": self.evaluation.measure(self.task, self.predictor)["error"][0]}


def runs(profile: str) -> list:
    """Figure 4: per panel two or three models at every seed, then the baselines."""
    runs = []
    for panel, (task, lengths) in (FIGURE_4 if profile in ("gpu", "paper") else FIGURE_4_SMALL).items():
        evaluation = ErrorByLength(lengths, 16 if profile == "smoke" else PROMPTS)
        measure, own_seeds = evaluation, None
        if (profile, panel) == ("cpu", NETWORKS):
            measure = ErrorByLength(lengths, NETWORK_PROMPTS, own_prompts=True)
            own_seeds = range(NETWORK_SEEDS)
        models = figure_4_models(panel, lengths, profile)
        runs += at_seeds(task, models, measure, profile, (FIGURE_4_COUNT,), own_seeds)
        fewer = replace(evaluation, prompts=min(STUDENT_PROMPTS, evaluation.prompts))
        runs += [Baseline(task, predictor, fewer if isinstance(predictor, StudentNetwork) else evaluation)
                 for predictor in baselines(panel, profile)]
    return runs


def figure_4_models(panel: str, lengths: tuple, profile: str) -> list:
    """SGPT and the decoder with their recipes; on trees also the decoder of Garg et al. (2022)."""
    if profile == "cpu" and panel == NETWORKS:
        return list(in_20_dimensions(lengths, NETWORK_STEPS).values())
    steps = {"steps": STEPS[profile][panel]} if profile in STEPS else {}
    sgpt, decoder = transformers(profile, lengths=lengths, **steps).values()
    if panel != TREES:
        return [sgpt, decoder]
    # Garg et al.: x and y as separate tokens, 12 layers, a loss at every point. At smoke and cpu
    # it has the layers of the other decoder.
    joint, recipe = decoder
    layers = 12 if profile in ("gpu", "paper") else joint.layers
    separate = replace(joint, tokens="separate", layers=layers)
    everywhere = replace(recipe, lengths=tuple(range(max(lengths) + 1)))
    return [sgpt, (separate, everywhere), decoder]


def baselines(panel: str, profile: str) -> list:
    """The baselines of a panel at their default settings, which at smoke are tiny."""
    if panel == SPARSE:
        return [*map(Lasso, LASSO_PENALTIES), LeastSquares()]
    if profile == "smoke":
        return [XGBoost(trees=2)] if panel == TREES else [StudentNetwork(steps=4)]
    return [XGBoost()] if panel == TREES else [StudentNetwork()]


def figure_4_curves(records) -> dict[str, dict]:
    """Errors over the zero predictor's, by panel and curve: a row for each seed or penalty."""
    found, curves = {}, {}
    for record in records:
        found.setdefault(figure_4_curve(record.component), []).append(record)
    for (panel, curve), own in found.items():
        rows = {"penalty": "predictor.penalty"} if curve == "Lasso" else {}
        errors = values(own, "error", **rows) / own[0].component.task.label_variance
        errors = errors if errors.index.nlevels == 1 else errors.unstack("length")
        curves.setdefault(panel, {})[curve] = errors
    return curves


def figure_4_curve(run) -> tuple[str, str]:
    """The panel and the curve that a run belongs to."""
    panel = {DecisionTree: TREES, ReluNetwork: NETWORKS, SparseLinear: SPARSE}[type(run.task)]
    predictor = run.model if isinstance(run, Run) else run.predictor
    kind = type(predictor).__name__
    if panel == TREES and kind == "Transformer":
        return panel, f"GPT-2, {predictor.tokens} tokens"
    return panel, NAMES.get(kind, kind)


def figure_4_baselines(runs) -> pd.DataFrame:
    """The settings of each baseline in a column, all values used; without seed and tolerance."""
    rows = [{"baseline": figure_4_curve(run)[1], "prompts": run.evaluation.prompts} | vars(run.predictor)
            for run in runs]
    table = pd.DataFrame(rows).drop(columns=["seed", "tolerance"], errors="ignore")
    listed = lambda values: ", ".join(map("{:g}".format, values.dropna().unique()))
    table = table.groupby("baseline", sort=False).agg(listed).rename(
        columns=lambda name: name.replace("_", " "))
    return table.T.rename_axis(columns=None)


def figure_4_settings(runs) -> pd.DataFrame:
    """What differs between the panels and models of trained runs."""
    rows = [dict(zip(("panel", "model"), figure_4_curve(run))) | {
        "d": run.task.dimension, "layers": run.model.layers, "width": run.model.width,
        "steps": run.recipe.steps, "learning rate": run.recipe.learning_rate,
        "lengths of training": len(run.recipe.lengths), "longest": max(run.recipe.lengths)} for run in runs]
    return pd.DataFrame(rows).drop_duplicates().set_index(["panel", "model"])
