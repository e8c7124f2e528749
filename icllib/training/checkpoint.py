"""Checkpoints: where a fleet's training stands, so that a killed run goes on as if nothing was.

A checkpoint is a pair of files, tensors in safetensors and the rest in JSON, that names the
checksum of the tensors and has a digest of itself. The JSON is moved into place last: without it
a checkpoint does not exist. The last two are kept; a damaged one falls back to the one before.
"""

import contextlib
import fcntl
import json
import os
import shutil
import sys
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from icllib.data import checksum
from icllib.errors import DAMAGE, InputError
from icllib.files import write_text
from icllib.results import digest

KEPT = 2


@contextlib.contextmanager
def alone(folder: Path):
    """Keep a training's folder for this process; raises InputError where another one has it."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(f"{folder}: expected to train here alone, another process does"
                             ) from None
        yield


def save_checkpoint(folder: Path, step: int, tensors: dict, info: dict) -> None:
    """Write a checkpoint in two moves and drop those older than the last two.

    Raises OSError where there is no room for it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    data = folder / f"step-{step:09d}.safetensors"
    part = data.with_suffix(".part")
    try:
        save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, part)
    except SafetensorError as error:
        part.unlink(missing_ok=True)
        raise OSError(error) from None
    info = {"sha256": checksum(part), "step": step, **info}
    os.replace(part, data)
    write_text(data.with_suffix(".json"), json.dumps(info | {"digest": digest(info)}))
    for old in checkpoints(folder)[KEPT:]:
        old.unlink()
        old.with_suffix(".safetensors").unlink(missing_ok=True)


def checkpoints(folder: Path) -> list[Path]:
    """The checkpoints of a folder, newest first, each by its JSON file."""
    return sorted(folder.glob("step-*.json"), reverse=True)


def load_checkpoint(folder: Path) -> tuple[dict, dict] | None:
    """The newest sound checkpoint as (tensors, info), or None; says which ones were damaged."""
    found = checkpoints(folder)
    for path in found:
        try:
            return read_checkpoint(path)
        except InputError as error:
            then = "starting anew" if path == found[-1] else "falling back to the one before"
            print(f"icllib: {error}; {then}", file=sys.stderr)
    return None


def read_checkpoint(path: Path) -> tuple[dict, dict]:
    """One checkpoint; raises InputError where it is not what was written."""
    data = path.with_suffix(".safetensors")
    try:
        info = json.loads(path.read_text())
        if info.pop("digest") != digest(info):
            raise ValueError("its digest is another")
        checksum(data, info["sha256"])
    except DAMAGE as error:
        raise InputError(f"{path}: expected a checkpoint, got a damaged one ({error})") from None
    return load_file(data), info


def remove_checkpoints(folder: Path) -> None:
    """Drop a fleet's checkpoints once its records are written."""
    shutil.rmtree(folder, ignore_errors=True)
