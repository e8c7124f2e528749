"""Trained weights, kept beside records: a model is trained once, however often it is measured.

A file of weights is named by the settings of its training, without what is measured, and holds
their key, versions included. Only one model's parameters are in it, without the axis of members.
Every record of the model has the SHA-256 of the file. Weights without such a record beside them are
ignored; a file with another SHA-256 is refused.
"""

import json
import os
import re
from dataclasses import replace
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open

from claimbook.records import (
    Record, check_records, digest, key, load_record, results_folder, settings, sources,
    versions)
from claimbook.records.checks import has_method, instance, integer, text
from claimbook.records.errors import InputError
from claimbook.records.files import damage_told, plain
from claimbook.records.provenance import tell_of_changed_sources
from claimbook.records.records import maker
from icllib.checks import floating
from icllib.data import checksum
from icllib.evaluate import Together
from icllib.streams import Stream
from icllib.training.build import build
from icllib.training.checkpoint import save_tensors
from icllib.training.run import Run, Trained, only_training


def save_weights(run: Run, folder: Path, module, member: int) -> dict:
    """Write the parameters of one member of a fleet, in one move; returns what its record has to
    note. Raises InputError where there is no room for them."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / weights_name(run)
    own = {name: values[member].to("cpu", copy=True) for name, values in module.state_dict().items()}
    made_by = sources(versions(only_training(run)))
    noted = {"sources": json.dumps(made_by)} if made_by else {}
    try:
        save_tensors(path, own, {"key": training_key(run)} | noted)
    except OSError as error:
        raise InputError(f"{path}: expected room for weights, got {str(error)!r}; what was trained "
                         "is kept as a checkpoint, the next call goes on from it") from None
    return noted_of(path)


def noted_of(path: Path) -> dict:
    """What a record notes of its weights."""
    return {"weights": {"file": path.name, "sha256": checksum(path)}}


def load(source) -> Trained:
    """A trained model of the book as a predictor, on the CPU and in single precision.

    source: a Run, a record or the path of one. Raises InputError for a path without the record of a
    trained model, and where no weights of its training are kept.
    """
    run = source if isinstance(source, Run) else run_of(source)
    path = find_weights(run)
    if path is None:
        made_by = "" if source is run else f"; its record was made by {maker(record_of(source).provenance)}"
        raise InputError(f"{type(run.model).__name__}, seed {run.seed}: expected its weights, "
                         f"{weights_name(run)}, in {results_folder()}, found none of today's "
                         "versions beside a record of them; delete its record, if there is one, and "
                         "run its page at its profile to train it" + made_by)
    noted, values = read_weights(path)
    own = json.loads(noted.get("sources", "{}")), versions(only_training(run))
    tell_of_changed_sources("this model was trained", [own])
    values = {name: value[None].float() for name, value in values.items()}
    if not all(value.isfinite().all() for value in values.values()):
        raise InputError(f"{path}: expected finite weights, got NaN or infinity; train it again")
    try:
        for device in ("meta", "cpu"):  # their shapes first, which may be too large for the memory
            module = build([run.model], [run.seed], run.task, replace(run.recipe, precision="fp32"), device)
            module.load_state_dict({name: value.to(device) for name, value in values.items()})
    except RuntimeError as error:
        raise InputError(f"{path}: expected the weights of this model, got others "
                         f"({' '.join(str(error).split())}); delete it or restore it from git"
                         ) from None
    return Trained(module, Stream.of([run.seed], "training", "cpu"))


SMALL = {"prompts": 256, "functions": 3, "sequences": 8}  # most of each where a control is measured


def untrained(records, evaluation=None, seeds: int = 3) -> list[Record]:
    """Records of the models of the first seeds before any training, measured on fewer prompts: a
    control for claims about trained models.

    evaluation: what is measured, by default the same as on the trained models.
    """
    check_records(records)
    integer(seeds=seeds)
    if evaluation is not None:
        has_method("measure", evaluation=evaluation)
    made, metrics = [], {}
    first = sorted({run_of(record).seed for record in records})[:seeds]
    for record in records:
        run = run_of(record)
        if run.seed in first:
            small = with_few_prompts(evaluation or run.evaluation)
            start = replace(run, pretraining_tasks=None, evaluation=None, along=None), small
            if start not in metrics:
                module = build([run.model], [run.seed], run.task, run.recipe, "cpu")
                predictor = Trained(module, Stream.of([run.seed], "training", "cpu"))
                found = small.measure([run.task], predictor)
                metrics[start] = {name: values[0].tolist() for name, values in found.items()}
            measured = replace(run, evaluation=evaluation) if evaluation else run
            made.append(replace(record, run=settings(measured), metrics=metrics[start]))
    return made


def with_few_prompts(evaluation):
    """An evaluation on at most as many prompts as SMALL says."""
    if isinstance(evaluation, Together):
        return replace(evaluation, parts=tuple(map(with_few_prompts, evaluation.parts)))
    return replace(evaluation, **{name: min(most, getattr(evaluation, name))
                                  for name, most in SMALL.items() if hasattr(evaluation, name)})


def run_of(source) -> Run:
    """The run of a trained model's record, or of the one at a path; raises InputError where there is none."""
    run = record_of(source).component
    if not isinstance(run, Run):
        raise InputError(f"record: expected one of a trained model, got one of {type(run).__name__}, "
                         "which trains nothing")
    return run


def record_of(source) -> Record:
    """A record, or the one at a path; raises InputError where there is none."""
    if isinstance(source, Record):
        return source
    instance(str | Path, "a run, a record or the path of one", source=source)
    if not os.path.isfile(source):
        raise InputError(f"{source}: expected the path of a record, found no file; models with a "
                         "name are in icllib.estimators")
    return load_record(Path(source))


def trained_folders() -> list[Path]:
    """Where trained models are looked for: where records live, then what the package ships."""
    return [results_folder(), Path(__file__).parents[1] / "results"]


def find_weights(run: Run) -> Path | None:
    """The file of a run's trained weights, if a record of them lies beside it, or None; raises
    InputError for a file that is not what was recorded."""
    paths = (path for folder in trained_folders()
             for path in sorted(folder.glob(f"*/*/*/{weights_name(run)}")))
    return next((path for path in paths if has_records(path, run)), None)


def has_records(path: Path, run: Run) -> bool:
    """Whether records beside a file of weights are of today's training of this run; raises InputError
    for weights that are not those of the records."""
    own = versions(only_training(run)).items()
    beside = (other for other in path.parent.glob("*.json")
              if other.is_file() and path.name.encode() in other.read_bytes())
    noted = [noted_in(other, record) for other in beside
             if own <= (record := load_record(other)).versions.items()]
    expected = {sha256 for name, sha256 in noted if name == path.name}
    for one in expected:
        try:
            checksum(path, one)
        except InputError as error:
            raise InputError(f"{error}: these weights are not those of their record; delete them or "
                             "restore them from git") from None
    return bool(expected) and read_weights(path)[0]["key"] == training_key(run)


def noted_in(path: Path, record: Record) -> tuple[str | None, str | None]:
    """The file of weights and its SHA-256 that a record notes, or None twice; raises InputError for a
    file without one, which nothing could be checked against."""
    noted = record.provenance.get("weights")
    if noted is None:
        return None, None
    found = [noted.get(name) for name in ("file", "sha256")] if isinstance(noted, dict) else [None] * 2
    if not isinstance(found[0], str) or not re.fullmatch("[0-9a-f]{64}", str(found[1])):
        raise InputError(f"{path}: weights: expected a file and its SHA-256, got {noted!r:.200}; delete "
                         "the record or restore it from git")
    return found[0], found[1]


def can_be_measured(run: Run) -> bool:
    """Whether a run needs no training: its weights are kept, and it measures nothing on the way."""
    return not run.along and find_weights(run) is not None


def read_weights(path: Path) -> tuple[dict[str, str], dict[str, torch.Tensor]]:
    """What is noted in a file of weights, such as its key, and the tensors; raises InputError for damage."""
    with damage_told(path, "the weights of a trained model", "delete it or restore it from git",
                     also=[SafetensorError]):
        with open(path, "rb", opener=plain), safe_open(path, "pt") as file:
            noted, tensors = file.metadata() or {}, {name: file.get_tensor(name) for name in file.keys()}
        floating(**tensors)
        text(key=noted["key"], **json.loads(noted.get("sources", "{}")))
        return noted, tensors


def weights_name(run: Run) -> str:
    """The file of a run's weights."""
    return f"{digest(settings(only_training(run)))}.safetensors"


def training_key(run: Run) -> str:
    """The identity of a training: settings and versions together."""
    return key(settings(only_training(run)), versions(only_training(run)))
