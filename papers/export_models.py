"""Models with a name, for the estimators of scikit-learn: `export` writes results/models.json.

setup.py copies it and the files that it names into the package.
"""

import math
from itertools import groupby
from pathlib import Path

import torch

from claimbook.claims import find_claim
from claimbook.records import Record, digest, load_record, results_folder, settings
from claimbook.records.files import to_json, write_text
from claimbook.records.values import values
from icllib.data import checksum
from icllib.estimators.named_models import MODELS, best_predictor
from icllib.models import SGPT, SignedAveraging, Softmax, Transformer
from icllib.streams import Stream
from icllib.tasks import AffineFunctions, BagOfWords, Quantifier
from icllib.training import Run, load
from icllib.training.cpu import one_core
from icllib.training.weights import find_weights
from papers.causal_lm import few_shot_tokens
from papers.context_scaling import every_length
from papers.context_scaling.gates import over_ridge
from papers.signed_averaging import fig03_softmax_ssa, fig04_every, fig05_some
from papers.signed_averaging.quantifiers import TRAINED, at_length

# A model answers well where its error is at most NEAR times that of the best predictor, or at most
# NEXT_TO_NONE of the labels' variance; of classes, where at most that share of answers is wrong.
NEAR, NEXT_TO_NONE = 1.25, 0.01
SEEDS, PROMPTS = 3, 1024  # on each seed's own prompts

NAMES = {  # name: the page's runs, what its models are made of, a claim whose gate they must pass
    "context_scaling/gpt2": (every_length.gpt2, {Transformer}, "context_scaling.1"),
    "context_scaling/gpt2_without_positions": (every_length.gpt2_without_positions, {Transformer},
                                               "context_scaling.1"),
    "context_scaling/sgpt": (every_length.sgpt, {SGPT}, "context_scaling.1"),
    "signed_averaging/softmax": (fig03_softmax_ssa.runs, {Softmax}, "signed_averaging.2"),
    "signed_averaging/ssa": (fig03_softmax_ssa.runs, {SignedAveraging}, "signed_averaging.3"),
    "signed_averaging/every": (fig04_every.runs, {Quantifier}, "signed_averaging.9"),
    "signed_averaging/some": (fig05_some.runs, {Quantifier}, "signed_averaging.10"),
    "causal_lm/words": (few_shot_tokens.runs, {BagOfWords}, "causal_lm.39"),
}


def target() -> Path:
    """What is written: models.json among the results."""
    return results_folder() / MODELS


def export() -> list[str]:
    """Write which model each name stands for; returns the names of which there is one."""
    found = {name: files for name in NAMES if (files := chosen(name))}
    write_text(target(), to_json(found))
    return list(found)


def chosen(name: str) -> dict | None:
    """The model of this name: paths of its record and weights within results/, their SHA-256, and
    `good_pairs`; or None. Of the models that pass the gate it has the most tasks in training, of these the
    most layers, and of these it answers at the most numbers of pairs."""
    runs_of_page, parts, claim = NAMES[name]
    gate = find_claim(claim).gate
    runs = [run for run in runs_of_page("cpu") if parts <= made_of(run)]
    rank = lambda run: (-(run.pretraining_tasks or math.inf), -run.model.layers)
    for _, alike in groupby(sorted(runs, key=rank), rank):
        found = [files for run in alike if (files := named(run, gate))]
        if found:
            return max(found, key=lambda files: len(files["pairs"]))
    return None


def named(run: Run, gate) -> dict | None:
    """The entry of models.json for one model; None for one without weights, one that does not pass
    the gate or that answers well at no number of pairs."""
    weights, results = find_weights(run), results_folder()
    record = weights and weights.with_name(f"{digest(settings(run))}.json")
    if not (record and record.exists() and gate.passes(at_gate(run, load_record(record)))
            and (pairs := good_pairs(run))):
        return None
    return {"record": str(record.relative_to(results)), "record_sha256": checksum(record),
            "weights": str(weights.relative_to(results)), "weights_sha256": checksum(weights), "pairs": pairs}


def good_pairs(run: Run) -> list[int]:
    """At how many pairs, up to the most of its training, a model answers well on every seed."""
    lengths, model = range(1, max(run.recipe.lengths) + 1), load(run)
    tells_truth = run.recipe.loss == "cross-entropy"
    good = torch.ones(len(lengths), dtype=torch.bool)
    for seed in range(SEEDS):
        xs, ys, _ = run.task.sample(Stream.of([seed], "answers well", "cpu"),
                                    torch.arange(PROMPTS)[None], run.recipe.points)
        with torch.no_grad(), one_core():  # which keeps memory: SGPT takes much for each length
            said, best = model.predict(xs, ys, lengths), best_answers(run.task, xs, ys, lengths)
        right = ys[:, :, list(lengths)]
        if tells_truth:  # and answers in log-odds
            said = (said > 0).to(ys.dtype)
        own, least = ((answers - right).double().square().movedim(2, 0).flatten(1).mean(dim=1)
                      for answers in (said, best))
        scale = 1 if tells_truth else ys.double().square().mean()
        good &= own <= (NEAR * least).clamp(min=NEXT_TO_NONE * scale)
    return [length for length, well in zip(lengths, good.tolist()) if well]


def best_answers(task, xs, ys, lengths):
    """What the best predictor of a task's labels answers: (1, B, K), or (1, B, K, classes)."""
    if isinstance(task, Quantifier):
        return ys[:, :, list(lengths)]
    if isinstance(task, BagOfWords):
        return few_shot_tokens.RidgeByClass().predict(xs, ys, lengths)
    return best_predictor(task).predict(xs.double(), ys.double(), lengths)


def made_of(run) -> set[type]:
    """The kinds of its task, its model and the scoring of its attention; none if nothing is trained."""
    if not isinstance(run, Run):
        return set()
    return {type(run.task), type(run.model), type(getattr(run.model, "scoring", None))}


def at_gate(run: Run, record: Record) -> float:
    """What the gates of the claims ask of a model of this kind."""
    if isinstance(run.task, Quantifier):
        return at_length([record], TRAINED)[1].item()
    if isinstance(run.task, AffineFunctions):
        return record["error"][0]
    errors = values([record], "error").droplevel("seed")  # by length
    if isinstance(run.task, BagOfWords):
        return errors[max(errors.index)] / run.task.label_variance
    return over_ridge(errors, run.task, run.evaluation)
