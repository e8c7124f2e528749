"""Models with a name, for the estimators of scikit-learn; the package ships them.

`export` writes results/models.json: for each name the record and the weights of one model that has
passed the gate of its paper's claims. setup.py copies these files into the package.
"""

import math
from pathlib import Path

from icllib.claims import find_claim
from icllib.estimators import MODELS
from icllib.files import to_json, write_text
from icllib.models import SGPT, SignedAveraging, Softmax, Transformer
from icllib.papers import causal_lm, context_scaling, signed_averaging
from icllib.papers.context_scaling.learned import over_ridge, over_zero
from icllib.papers.signed_averaging.quantifier_figures import reached
from icllib.results import Record, digest, load_record, results_folder, settings
from icllib.tasks import AffineFunctions, BagOfWords, LinearRegression, Quantifier
from icllib.training import Run
from icllib.training.weights import find_weights

NAMES = {  # name: the page, what its models are made of, a claim whose gate they must pass
    "context_scaling/gpt2": (context_scaling.fig01_scaling, {Transformer, LinearRegression},
                             "context_scaling.1"),
    "context_scaling/sgpt": (context_scaling.by_depth, {SGPT, LinearRegression},
                             "context_scaling.1"),
    "signed_averaging/softmax": (signed_averaging.fig03_softmax_ssa, {Softmax},
                                 "signed_averaging.2"),
    "signed_averaging/ssa": (signed_averaging.fig03_softmax_ssa, {SignedAveraging},
                             "signed_averaging.3"),
    "signed_averaging/every": (signed_averaging.fig04_every, {Quantifier}, "signed_averaging.9"),
    "signed_averaging/some": (signed_averaging.fig05_some, {Quantifier}, "signed_averaging.10"),
    "causal_lm/words": (causal_lm.few_shot_tokens, {BagOfWords}, "causal_lm.39"),
}


def target() -> Path:
    """What is written: models.json among the results."""
    return results_folder() / MODELS


def export() -> list[str]:
    """Write which model each name stands for; returns the names of which there is one."""
    found = {name: files for name in NAMES if (files := chosen(name))}
    write_text(target(), to_json(found))
    return list(found)


def chosen(name: str) -> dict[str, str] | None:
    """The record and the weights of the model, by their places among the results: of those that
    have learned the first seed with the most tasks in training and the most layers; or None."""
    runs_of_page, parts, claim = NAMES[name]
    gate, results = find_claim(claim).gate, results_folder()
    runs = [run for run in runs_of_page("cpu") if parts <= made_of(run)]
    for run in sorted(runs, key=lambda run: (-(run.pretraining_tasks or math.inf),
                                             -run.model.layers)):
        paths = sorted(results.glob(f"{name.split('/')[0]}/*/cpu/{digest(settings(run))}.json"))
        weights = find_weights(run)
        if paths and weights and gate.passes(at_gate(run, load_record(paths[0]))):
            return {"record": str(paths[0].relative_to(results)),
                    "weights": str(weights.relative_to(results))}
    return None


def made_of(run) -> set[type]:
    """The kinds of its task, its model and the scoring of its attention; none if nothing is trained."""
    if not isinstance(run, Run):
        return set()
    return {type(run.task), type(run.model), type(getattr(run.model, "scoring", None))}


def at_gate(run: Run, record: Record) -> float:
    """What the gates of the claims ask of a model of this kind."""
    if isinstance(run.task, Quantifier):
        return reached([record], ["it"], ["it"])[0]
    if isinstance(run.task, AffineFunctions):
        return signed_averaging.reached({"it": record["error"]}, "it")[0]
    errors, evaluation = [record["error"]], run.evaluation
    if isinstance(run.task, BagOfWords):
        return over_zero(errors, run.task, evaluation.lengths, max(evaluation.lengths))[0]
    return over_ridge(errors, run.task, evaluation)[0]
