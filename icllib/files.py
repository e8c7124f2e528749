"""Files that are written whole or not at all."""

import os
import tempfile
from pathlib import Path

from icllib.errors import InputError


def write_text(path: Path, text: str) -> None:
    """Write a file so that a reader sees the old text or the new one, never a part."""
    write_together({path: text})


def write_together(texts: dict[Path, str]) -> None:
    """Write several files so; none takes its place before all are written, so that a full disk
    leaves them as they were."""
    parts = {}
    try:
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False,
                                             suffix=".part") as file:
                parts[file.name] = path
                file.write(text)
            os.chmod(file.name, 0o644)
        for part, path in parts.items():
            os.replace(part, path)
    finally:
        for part in parts:
            Path(part).unlink(missing_ok=True)


def check_writable(folder: Path) -> None:
    """Raises InputError, before hours of work, for a folder that cannot take a megabyte."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(2**20))
    except OSError as error:
        raise InputError(f"{folder}: expected a folder to write to, got {error.strerror!r}") from None
