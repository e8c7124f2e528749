"""Trained weights, kept beside the records that they answer for.

A file of weights has its record's name and holds the record's key, so that weights and record
cannot be mixed up. Only the parameters of one model are in it, without the axis of members.
"""

from dataclasses import replace
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from icllib.errors import DAMAGE, InputError
from icllib.results import Record, digest, from_settings, key, load_record, results_folder, settings
from icllib.streams import Stream
from icllib.training.build import build
from icllib.training.run import Run, Trained


def save_weights(record: Record, folder: Path, module, member: int) -> None:
    """Write one member's parameters where its record will be, in one move."""
    path = record.path(folder).with_suffix(".safetensors")
    path.parent.mkdir(parents=True, exist_ok=True)
    own = {name: values[member].to("cpu", copy=True) for name, values in module.state_dict().items()}
    part = path.with_suffix(".part")
    save_file(own, part, {"key": key(record.run, record.versions)})
    part.replace(path)


def load(source) -> Trained:
    """A trained model of the book as a predictor, on the CPU.

    source: a Run whose record has weights beside it, or the path of such a record. Raises
    InputError where there are none or they belong to another record.
    """
    path = path_of(source) if isinstance(source, Run) else Path(source).with_suffix(".json")
    record = load_record(path)
    run = from_settings(record.run)
    module = build([run.model], [run.seed], run.task, replace(run.recipe, precision="fp32"), "cpu")
    state = read_weights(path.with_suffix(".safetensors"), record)
    module.load_state_dict({name: values[None].float() for name, values in state.items()})
    return Trained(module, Stream.of([run.seed], "training", "cpu"))


def path_of(run: Run) -> Path:
    """The record of a run that has weights; raises InputError where there is none."""
    name = digest(settings(run))
    found = sorted(results_folder().glob(f"*/*/*/{name}.safetensors"))
    if not found:
        raise InputError(f"{type(run.model).__name__}, seed {run.seed}: expected weights "
                         f"{name}.safetensors in {results_folder()}, found none; run its page at "
                         "the run's profile to train it")
    return found[0].with_suffix(".json")


def read_weights(path: Path, record: Record) -> dict[str, torch.Tensor]:
    """The tensors of a file of weights; raises InputError for none and for those of another."""
    try:
        with safe_open(path, "pt") as file:
            belongs = (file.metadata() or {}).get("key")
            tensors = {name: file.get_tensor(name) for name in file.keys()}
    except (SafetensorError, *DAMAGE) as error:
        raise InputError(f"{path}: expected the weights of a trained model, got none that can be "
                         f"read ({error}); run its page again or restore it from git") from None
    if belongs != key(record.run, record.versions):
        raise InputError(f"{path}: expected the weights of its record, got those of another, "
                         f"{belongs}")
    return tensors
