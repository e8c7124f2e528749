"""Files of data that the project does not contain: a reader gets them and puts them in place."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from claimbook.records import Component
from claimbook.records.checks import instance, text
from claimbook.records.errors import InputError
from claimbook.records.files import PROJECT, damage_told, folder_named


def data_folders() -> list[Path]:
    """Where data is looked for: $CLAIMBOOK_DATA, if it is set, and data/ of the project."""
    return list(dict.fromkeys([folder_named("CLAIMBOOK_DATA", "data"), PROJECT / "data"]))


@dataclass(frozen=True)
class DataFile(Component):
    """A file by its name in a folder of data, and the checksum that says which file it is."""

    name: str
    sha256: str

    def check(self):
        text(name=self.name, sha256=self.sha256)

    def read(self) -> str:
        """The text of the file; raises InputError where it is not there or is another one."""
        path = self.path()
        checksum(path, self.sha256)
        with damage_told(path, "text in UTF-8"):
            return path.read_text("utf-8")

    def path(self) -> Path:
        """The path of the file; raises InputError where it is not there."""
        for folder in data_folders():
            if os.path.isfile(folder / self.name):
                return folder / self.name
        raise InputError(f"{self.name}: expected this file of data in "
                         f"{' or '.join(map(str, data_folders()))}, found none; "
                         "book/howto/language_data.md says where to get it")


def checksum(path: Path, expected: str | None = None) -> str:
    """The SHA-256 of a file; raises InputError if another one is expected or there is no file."""
    if not os.path.isfile(path):
        raise InputError(f"{path}: expected a file, got none")
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if expected is not None and found != expected.lower():
        raise InputError(f"{path}: expected SHA-256 {expected}, got {found}")
    return found


def open_token_ids(path: Path, least: int = 1) -> np.ndarray:
    """The ids in a flat file of little-endian uint16, as nanoGPT's data preparation writes it.
    They stay on the disk."""
    instance(str | Path, path=path)
    if not os.path.isfile(path):
        raise InputError(f"{path}: expected a file of token ids, got none")
    size = os.path.getsize(path)
    if size % 2 or size // 2 < least:
        raise InputError(f"{path}: expected at least {least} tokens of two bytes, got {size} bytes")
    return np.memmap(path, "<u2", "r")
