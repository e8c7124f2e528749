"""Checksums of what an executed page showed, which tell what was changed since.

The runner keeps it beside the figure's numbers, as results/<paper>/<page>/shown.json: a digest of
the notebook's outputs, one of every file that the page wrote, and the checksum of every record.
"""

import hashlib
import json
from pathlib import Path

from claimbook.records.checks import instance, text
from claimbook.records.components import digest
from claimbook.records.errors import DAMAGE
from claimbook.records.files import damage_told, read_bytes, read_object, there, to_json
from claimbook.records.records import load_record, paths_by_name, results_folder

FILE = "shown.json"
RECORDS = "records.json"  # in the folder where a page writes: what it read, by `records`


def with_digests(texts: dict[str, str], notebook=None) -> dict[str, str]:
    """The files that an execution wrote, by name, with FILE in the place of RECORDS."""
    texts = dict(texts)
    records = json.loads(texts.pop(RECORDS, "{}"))
    shown = {"files": {name: bytes_digest(text.encode()) for name, text in sorted(texts.items())},
             "records": dict(sorted(records.items()))}
    if notebook is not None:
        shown["notebook"] = outputs_digest(notebook)
    return texts | {FILE: to_json(shown)}


def names_shown(page: str) -> set[str]:
    """The names of the records that a page showed, its own and those that it shares with others."""
    path = results_folder() / page / FILE
    if not there(path):
        return set()
    with damage_told(path, "what the page shows"):
        return set(texts_of(read_object(path), "records"))


def texts_of(shown: dict, name: str) -> dict[str, str]:
    """The texts by name that stand under this name; raises InputError for something else."""
    instance(dict, **{name: shown[name]})
    text(**shown[name])
    return shown[name]


def paths_shown(page: str) -> list[Path]:
    """The files of the records that a page showed."""
    shown = names_shown(page)
    of_paper = results_folder().glob(f"{page.split('/')[0]}/*/*/*.json")
    return sorted(path for path in of_paper if path.stem in shown)


def changed_since(page: str, notebook) -> str | None:
    """What is no longer as it was when the page was executed, or None."""
    folder = results_folder() / page
    try:
        shown = read_object(folder / FILE)
        files, records = (texts_of(shown, name) for name in ("files", "records"))
    except FileNotFoundError:
        return f"{FILE} missing"
    except DAMAGE:
        return f"{FILE} damaged"
    for name, expected in files.items():
        try:
            content = read_bytes(folder / name)
        except FileNotFoundError:
            return f"{name} missing"
        except OSError as error:
            return f"{name} is {error.strerror}"
        if bytes_digest(content) != expected:
            return f"{name} edited since the page was executed"
    if shown.get("notebook") != outputs_digest(notebook):
        return "outputs edited since the page was executed"
    now = {(name, load_record(path).checksum) for name, paths in paths_by_name(page.split("/")[0]).items()
           if name in records for path in paths}
    if lost := sorted(records.items() - now):
        return f"{len(lost)} of {len(records)} records that it shows are gone or changed: {lost[0][0]}.json"
    return None


def outputs_digest(notebook) -> str:
    """Twelve hexadecimal digits that stand for all outputs of a notebook, images included."""
    return digest([cell.outputs for cell in notebook.cells if cell.cell_type == "code"])


def bytes_digest(content: bytes) -> str:
    """Twelve hexadecimal digits of a file's SHA-256."""
    return hashlib.sha256(content).hexdigest()[:12]
