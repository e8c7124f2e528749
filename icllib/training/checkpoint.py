"""Checkpoints: the state of a fleet's training, from which a killed run goes on unchanged.

A checkpoint is two files: tensors in safetensors, the rest in JSON with the checksum of the tensors
and its own digest. The JSON is moved into place last: without it a checkpoint does not exist. The
last two are kept; where one is damaged, the one before is used.
"""

import contextlib
import json
import shutil
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from claimbook.records import digest
from claimbook.records.errors import InputError
from claimbook.records.files import damage_told, flush, is_free, read_object, write_text
from icllib.data import checksum
from icllib.progress import tell

KEPT = 2


@contextlib.contextmanager
def locked_folder(folder: Path):
    """Lock a training's folder; raises InputError where another process holds the lock."""
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / "lock").is_symlink():  # it could lead to any file of somebody's
        raise InputError(f"{folder}/lock: expected a file, got a link")
    with open(folder / "lock", "a", encoding="utf-8") as file:
        if not is_free(file, folder):
            raise InputError(f"{folder}: expected to train here alone, another process does")
        yield


def save_tensors(path: Path, tensors: dict, metadata: dict | None = None) -> None:
    """Write tensors in one move, for others to read too; raises OSError where there is no room."""
    part = path.with_suffix(".part")
    try:
        save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, part, metadata)
        part.chmod(0o644)  # safetensors makes files that others cannot read
        flush(part)
        part.replace(path)
        flush(path.parent)
    except (OSError, SafetensorError) as error:
        part.unlink(missing_ok=True)
        raise OSError(error) from None


def save_checkpoint(folder: Path, step: int, tensors: dict, info: dict) -> None:
    """Write a checkpoint and delete all but the last two, later ones too, which were damaged."""
    folder.mkdir(parents=True, exist_ok=True)
    data = folder / f"step-{step:09d}.safetensors"
    save_tensors(data, tensors)
    info = {"sha256": checksum(data), "step": step, **info}
    write_text(data.with_suffix(".json"), json.dumps(info | {"digest": digest(info)}))
    found = checkpoints(folder)
    own = found.index(data.with_suffix(".json"))
    for old in found[:own] + found[own + KEPT :]:
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
            tell(f"{error}; {then}")
    return None


def read_checkpoint(path: Path) -> tuple[dict, dict]:
    """One checkpoint; raises InputError where it is not what was written."""
    data = path.with_suffix(".safetensors")
    with damage_told(path, "a checkpoint", also=[SafetensorError]):
        info = read_object(path)
        if info.pop("digest") != digest(info):
            raise ValueError("its digest is another")
        checksum(data, info["sha256"])
        return load_file(data), info


def split_checkpoint(folder: Path, parts: dict[Path, int]) -> int:
    """Split the newest checkpoint of a fleet into one for each of its parts.
    parts: folder -> number of members, in order. Each gets its share of the cost, and the digests
    of the code that training began with. Returns the step, 0 where there is no checkpoint."""
    found = load_checkpoint(folder)
    if found is None:
        return 0
    tensors, info = found
    first, members = 0, sum(parts.values())
    for part, count in parts.items():
        chosen = slice(first, first + count)
        own = {name: of_members(name, tensor, chosen) for name, tensor in tensors.items()}
        cost = {name: round(info[name] * count / members, 1)
                for name in ("wall_seconds", "processor_seconds")}
        save_checkpoint(part, info["step"], own, cost | {"sources": info.get("sources")})
        first += count
    return info["step"]


def of_members(name: str, tensor: torch.Tensor, chosen: slice) -> torch.Tensor:
    """Some members' part of a tensor of a fleet's state, by its name."""
    if name.rpartition(".")[2] == "step":  # which all share
        return tensor
    return tensor[:, chosen] if name == "losses" else tensor[chosen]


def remove_checkpoints(folder: Path) -> None:
    """Drop a fleet's checkpoints once its records are written."""
    shutil.rmtree(folder, ignore_errors=True)
