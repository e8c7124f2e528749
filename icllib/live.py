"""The models of the live page: kept weights as a script that a browser reads from a file.

Weights become 16-bit integers with one scale per tensor, which halves their size and moves a
model's answers by far less than its own error. book/_static/live/model.js runs them.
"""

import base64
import json
from pathlib import Path

import numpy as np
import torch

from icllib.errors import InputError
from icllib.files import write_text
from icllib.models import SignedAveraging, Softmax, Transformer
from icllib.results import PROJECT, from_settings, key, load_record
from icllib.streams import Stream
from icllib.tasks import AffineFunctions
from icllib.training.weights import load

MODELS = PROJECT / "book" / "_static" / "live" / "models.js"
HEAD = """// Made by `python -m icllib export` from the weights of these records: do not edit.
"use strict";
var live = window.live || {};
live.models = """
SIGMAS = range(1, 11)  # of the page's slider
PROMPTS = 512  # behind a band
QUANTILES = (0.1, 0.9)
LEARNED = 0.15  # error at sigma = 1 from the third point on: the bound of signed_averaging.1
LARGEST = 2**15 - 1


def export(records: dict[str, Path], target: Path = MODELS) -> list[str]:
    """Write these models, by the names that the page gives them; returns the names.

    records: paths of records that have weights beside them; empty to export anew the models that
    are there. Raises InputError for what the page cannot run and for what has not learned.
    """
    paths = records or {model["name"]: PROJECT / model["record"] for model in read(target)}
    models = [exported(name, Path(path).with_suffix(".json")) for name, path in paths.items()]
    lines = ",\n".join(json.dumps(model, separators=(",", ":")) for model in models)
    write_text(target, f"{HEAD}[\n{lines}\n];\n")
    return list(paths)


def read(target: Path = MODELS) -> list[dict]:
    """The models of such a script; none where there is none."""
    if not target.exists():
        return []
    return json.loads(target.read_text().removeprefix(HEAD).rstrip().removesuffix(";"))


def exported(name: str, path: Path) -> dict:
    """One model as the page needs it."""
    record, trained = load_record(path), load(path)
    run = from_settings(record.run)
    check_runnable(name, run)
    pairs = max(run.recipe.lengths)
    errors = squared_errors(trained, pairs)
    check_learned(name, errors[0])
    state = {key: values[0].numpy() for key, values in trained.module.state_dict().items()}
    return {"name": name, "record": place_in_project(path), "key": key(record.run, record.versions),
            "pairs": pairs} | architecture(run.model) | packed(state) | {"band": bands(errors)}


def architecture(model: Transformer) -> dict:
    """What the forward pass asks of a decoder."""
    return {"layers": model.layers, "heads": model.heads, "width": model.width,
            "tokens": model.tokens, "mask": model.mask, "shared": model.shared_layers,
            "seesItself": model.queries_see_themselves, "scoring": type(model.scoring).__name__}


def check_runnable(name: str, run) -> None:
    """Raises InputError for all but decoders of affine functions with what model.js has."""
    model = run.model
    plain = isinstance(model, Transformer) and isinstance(run.task, AffineFunctions) and (
        type(model.scoring) in (Softmax, SignedAveraging) and model.mask in ("causal", "prefix")
        and model.attention and model.perceptron and model.final_norm
        and not model.normalize_stream and model.attention_width is None)
    if not plain:
        raise InputError(f"{name}: expected a plain decoder of affine functions, softmax or SSA, "
                         f"causal or prefix, got {model} of {run.task}")


def check_learned(name: str, errors) -> None:
    """Raises InputError for a model that has not learned to fit a line in context."""
    error = float(errors[:, 1:].mean())
    if not error < LEARNED:
        raise InputError(f"{name}: expected an error under {LEARNED} at sigma = 1, got {error:.3g}")


def place_in_project(path: Path) -> str:
    """As the page writes it down: relative to the project where it is inside."""
    path = path.resolve()
    return str(path.relative_to(PROJECT) if path.is_relative_to(PROJECT) else path)


# ---- weights in 16 bits ---------------------------------------------------------------------


def packed(state: dict[str, np.ndarray]) -> dict:
    """Every tensor's name, shape and scale, and all of them as one text of 16-bit integers."""
    tensors, numbers = [], b""
    for name, values in state.items():
        scale = float(np.abs(values).max()) / LARGEST or 1.0
        tensors.append((name, values.shape, scale))
        numbers += np.round(values / scale).astype("<i2").tobytes()
    return {"tensors": tensors, "weights": base64.b64encode(numbers).decode()}


def unpacked(model: dict) -> dict[str, np.ndarray]:
    """The tensors that `packed` has written, as the page reads them."""
    numbers = np.frombuffer(base64.b64decode(model["weights"]), "<i2").astype(float)
    sizes = [int(np.prod(shape)) for _, shape, _ in model["tensors"]]
    parts = np.split(numbers, np.cumsum(sizes)[:-1])
    return {name: np.asarray(scale * values.reshape(shape))
            for (name, shape, scale), values in zip(model["tensors"], parts)}


# ---- what the book measured -----------------------------------------------------------------


def squared_errors(trained, pairs: int) -> np.ndarray:
    """At every sigma, prompt and number of points from 1 on: (sigmas, PROMPTS, pairs)."""
    stream, ids = Stream.of([0], "live page"), torch.arange(PROMPTS)[None]
    lengths, errors = range(1, pairs + 1), []
    for sigma in SIGMAS:
        prompt = AffineFunctions(function_std=float(sigma)).sample(stream, ids, pairs + 1)
        with torch.no_grad():
            answers = trained.predict(prompt.xs, prompt.ys, lengths)
        errors.append((answers - prompt.ys[..., 1:])[0].square().numpy())
    return np.array(errors)


def bands(errors) -> list:
    """The low and the high quantile over prompts, two digits: (sigmas, pairs, 2)."""
    quantiles = np.quantile(errors, QUANTILES, axis=1)  # (2, sigmas, pairs)
    return [[[float(f"{value:.2g}") for value in pair] for pair in of_sigma]
            for of_sigma in np.moveaxis(quantiles, 0, -1)]
