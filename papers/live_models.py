"""The models of the live page: kept weights as a script that a browser reads from a file.

Weights are 16-bit integers with one scale per tensor; book/_static/live/model.js runs them.
"""

import base64
import json
from pathlib import Path

import numpy as np
import torch

from claimbook.records import PROJECT, results_folder
from claimbook.records.errors import InputError
from claimbook.records.files import read_text, write_text
from icllib.models import SignedAveraging, Softmax, Transformer
from icllib.streams import Stream
from icllib.tasks import AffineFunctions
from icllib.training import Run, load
from icllib.training.weights import find_weights, training_key
from papers.causal_lm import affine_functions
from papers.signed_averaging import affine

SCRIPT = PROJECT / "book" / "_static" / "live" / "models.js"
HEAD = """// Made by `python -m papers` from the book's kept weights: do not edit.
"use strict";
var live = window.live || {};
live.models = """
SIGMAS, POINTS = range(1, 11), 39  # the most, of the page's sliders
PROMPTS = 256  # behind a band
QUANTILES = (0.1, 0.9)
# The most that the mean error at sigma = 1 after the first pair may be: the gate of the claims on
# softmax and SSA, signed_averaging.3; of the decoders of lines, on which there is no claim, the bound
# of signed_averaging.1.
LEARNED = {"softmax": 0.005, "SSA": 0.005, "prefix": 0.15, "causal": 0.15}
LARGEST = 2**15 - 1


def models() -> dict[str, list[Run]]:
    """The page's models by name: of each, the runs of all seeds."""
    table, lines = (runs("cpu") for runs in (affine.scorings_on_affine_functions, affine_functions.runs))
    scorings = {"softmax": Softmax(), "SSA": SignedAveraging()}
    return {name: [run for run in table if run.model.scoring == scoring]
            for name, scoring in scorings.items()} | {
            mask: [run for run in lines if run.model.mask == mask] for mask in ("prefix", "causal")}


def export(target: Path = SCRIPT) -> list[str]:
    """Write the models with kept weights, of each the first seed that has learned; returns their names."""
    known = models()
    found = [exported(name, runs) for name, runs in known.items() if any(map(find_weights, runs))]
    if not found:
        raise InputError(f"models: expected weights of {', '.join(known)} in {results_folder()}, "
                         "found none")
    before = read(target) if target.exists() else []
    without_band = lambda model: json.loads(json.dumps(model | {"band": None}))
    # Where only bands differ: their last digit hangs on the processor that measures them.
    found = [next((old for old in before if without_band(old) == without_band(new)), new) for new in found]
    lines = ",\n".join(json.dumps(model, separators=(",", ":")) for model in found)
    write_text(target, f"{HEAD}[\n{lines}\n];\n")
    return [model["name"] for model in found]


def read(target: Path = SCRIPT) -> list[dict]:
    """The models of such a script."""
    return json.loads(read_text(target).removeprefix(HEAD).rstrip().removesuffix(";"))


def exported(name: str, runs: list[Run]) -> dict:
    """The first of these runs whose model is kept and has learned, as the page needs it."""
    for place, run in enumerate(runs):
        if find_weights(run) is None:
            continue
        needed, trained = architecture(run), load(run)
        errors = squared_errors(trained)
        if errors[0, :, 1:].mean() < LEARNED[name]:
            state = {part: values[0].numpy() for part, values in trained.module.state_dict().items()}
            identity = {"name": name, "place": place, "key": training_key(run)}
            return identity | needed | packed(state) | {"band": bands(errors)}
    raise InputError(f"{name}: expected a model whose mean error at sigma = 1 is under "
                     f"{LEARNED[name]}, got none among {len(runs)} seeds")


def architecture(run: Run) -> dict:
    """What the browser's forward pass asks of a decoder; raises InputError for one that it cannot run."""
    model = run.model
    plain = isinstance(model, Transformer) and isinstance(run.task, AffineFunctions) and (
        type(model.scoring) in (Softmax, SignedAveraging) and model.mask in ("causal", "prefix")
        and model.attention and model.perceptron and model.final_norm
        and model.tokens in ("joint", "separate") and not model.normalize_stream
        and model.attention_width is None and model.read_out_rate == 1
        and model.positions != "rotary" and model.normalization == "layer" and model.activation == "gelu"
        and model.most_pairs(max(run.recipe.lengths)) >= POINTS)
    if not plain:
        raise InputError("run: expected a plain decoder of affine functions, softmax or SSA, causal "
                         f"or prefix, for {POINTS} pairs, got {model} of {run.task}")
    return {"layers": model.layers, "heads": model.heads, "width": model.width,
            "tokens": model.tokens, "mask": model.mask, "shared": model.shared_layers,
            "seesItself": model.queries_see_themselves, "scoring": type(model.scoring).__name__}


def packed(state: dict[str, np.ndarray]) -> dict:
    """Every tensor's name, shape and scale, and all of them as one text of 16-bit integers."""
    tensors, numbers = [], b""
    for name, values in state.items():
        scale = float(np.abs(values).max()) / LARGEST or 1.0
        tensors.append((name, values.shape, scale))
        numbers += np.round(values / scale).astype("<i2").tobytes()
    return {"tensors": tensors, "weights": base64.b64encode(numbers).decode()}


def squared_errors(trained) -> np.ndarray:
    """At every sigma, prompt and number of points from 1 on: (sigmas, PROMPTS, POINTS)."""
    stream, ids = Stream.of([0], "live page"), torch.arange(PROMPTS)[None]
    lengths, errors = range(1, POINTS + 1), []
    for sigma in SIGMAS:
        prompt = AffineFunctions(function_std=float(sigma)).sample(stream, ids, POINTS + 1)
        with torch.no_grad():
            answers = trained.predict(prompt.xs, prompt.ys, lengths)
        errors.append((answers - prompt.ys[..., 1:])[0].square().numpy())
    return np.array(errors)


def bands(errors) -> list:
    """The low and the high quantile over prompts, two digits: (sigmas, POINTS, 2)."""
    quantiles = np.quantile(errors, QUANTILES, axis=1)  # (2, sigmas, POINTS)
    return [[[float(f"{value:.2g}") for value in pair] for pair in of_sigma]
            for of_sigma in np.moveaxis(quantiles, 0, -1)]
