"""Files of data that the project does not contain: a reader gets them and puts them in place."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from icllib.errors import InputError
from icllib.results import PROJECT


def data_folders() -> list[Path]:
    """Where data is looked for: $ICLLIB_DATA, if it is set, and data/ of the project."""
    named = os.environ.get("ICLLIB_DATA")
    return [PROJECT / folder for folder in (named, "data") if folder]


@dataclass(frozen=True)
class DataFile:
    """A file by its name in a folder of data, and the checksum that says which file it is."""

    name: str
    sha256: str
    version: ClassVar[int] = 1

    def read(self) -> str:
        """Its text; raises InputError where it is not there or is another file."""
        content = self.path().read_bytes()
        found = hashlib.sha256(content).hexdigest()
        if found != self.sha256:
            raise InputError(f"{self.path()}: expected the file with SHA-256 {self.sha256}, "
                             f"got one with {found}")
        return content.decode()

    def path(self) -> Path:
        """Where it is; raises InputError where it is not."""
        for folder in data_folders():
            if (folder / self.name).is_file():
                return folder / self.name
        raise InputError(f"{self.name}: expected this file of data in "
                         f"{' or '.join(map(str, data_folders()))}, found none; "
                         "book/howto/language_data.md says where to get it")
