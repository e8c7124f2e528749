"""Pages executed again beside their committed notebooks: which number moved, in which cell.

As in nbval, each kind of output is compared by itself, after the replacements of nbval.cfg. Left
out are bitmaps, and cells marked NBVAL_IGNORE_OUTPUT or NBVAL_SKIP by a tag or a comment.
"""

import configparser
import difflib
import re
import sys
import time
from itertools import zip_longest

from claimbook.commands.run import sound_notebook
from claimbook.pages.execution import PageFailed, execute, own_cells
from claimbook.pages.names import notebooks_folder
from claimbook.records.compute import environment
from claimbook.records.errors import InputError
from claimbook.records.files import temporary_folder

IGNORED = {"nbval-ignore-output", "nbval-skip"}
IGNORED_COMMENT = re.compile(r"^\s*#+\s*NBVAL_(IGNORE_OUTPUT|SKIP)\s*$", re.MULTILINE)
NOT_COMPARED = {"image/png", "image/jpeg", "application/vnd.jupyter.widget-view+json"}
WORD = re.compile(r"[^\s,;()\[\]]+")


def compare(page: str) -> list[str]:
    """What is no longer as in the committed notebook, a line each: page, cell, both numbers.

    Raises InputError where there is no notebook to compare with, PageFailed where a cell fails.
    """
    path = notebooks_folder() / f"{page}.ipynb"
    committed = sound_notebook(path) if path.exists() else None
    if committed is None:
        raise InputError(f"{page}: expected a committed notebook to compare with, got none; make it with "
                         f"python -m claimbook run {page}")
    with temporary_folder() as folder, environment(CLAIMBOOK_OUTPUT=folder):
        executed = execute(page, {})
    if executed is None:
        raise InputError(f"{page}: expected Jupyter, which executes notebooks, found none: pip install "
                         "papermill jupytext ipykernel")
    before, now = own_cells(committed), own_cells(executed)
    if [cell.source for cell in before] != [cell.source for cell in now]:
        raise InputError(f"{page}: expected the notebook of today's page, got one of another; make it with "
                         f"python -m claimbook run {page}")
    return [f"{page}: cell {number}: {told}" for number, cells in enumerate(zip(before, now), 1)
            for told in moved_outputs(*map(outputs_of, cells))]


def compare_all(pages: list[str], say) -> int:
    """Compare pages one after the other and say how each went; returns how many have changed."""
    changed, begun = [], time.monotonic()
    for number, page in enumerate(pages, 1):
        try:
            found = compare(page)
        except (InputError, PageFailed) as error:
            found = [str(error)]
        changed += [page] * bool(found)
        for line in found or [f"{page}: as committed"]:
            say(line)
        left = (time.monotonic() - begun) / number * (len(pages) - number)
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[K{number} of {len(pages)} pages, {left:.0f} s left\r")
    return len(changed)


def outputs_of(cell) -> dict[str, list[str]]:
    """What a cell shows as nbval compares it: texts by the stream's name or by the type of data."""
    found = {}
    if IGNORED & set(cell.metadata.get("tags", [])) or IGNORED_COMMENT.search(cell.source):
        return found
    for output in cell.outputs:
        if output.output_type == "stream":  # parts of one stream are one text
            found[output.name] = ["".join([*found.get(output.name, []), output.text])]
        for kind, value in output.get("data", {}).items():
            if kind not in NOT_COMPARED:
                found.setdefault(kind, []).append(str(value))
    return {kind: [sanitized(text) for text in texts] for kind, texts in found.items()}


def sanitized(text: str) -> str:
    """A text without what may differ from run to run."""
    for pattern, replacement in replacements():
        text = re.sub(pattern, replacement, text)
    return text


def replacements() -> list[tuple[str, str]]:
    """The pairs of notebooks/nbval.cfg."""
    rules = configparser.RawConfigParser()
    rules.read(notebooks_folder() / "nbval.cfg", encoding="utf-8")
    return [(rules[name]["regex"], rules[name]["replace"]) for name in rules.sections()]


def moved_outputs(before: dict, now: dict) -> list[str]:
    """What differs between the outputs of a cell, kind by kind."""
    found = []
    for kind in dict.fromkeys([*before, *now]):
        old, new = before.get(kind, []), now.get(kind, [])
        if len(old) != len(new):
            found.append(f"{len(old)} outputs of {kind} before, {len(new)} now")
        else:
            found += [told for texts in zip(old, new) for told in moved(*texts)]
    return list(dict.fromkeys(found))  # a table's number stands in its text and in its HTML


def moved(before: str, now: str) -> list[str]:
    """The words, mostly numbers, in which two texts differ, with the line that they stand in."""
    if before == now:
        return []
    old, new = before.splitlines(), now.splitlines()
    if len(old) != len(new):
        lines = [line for line in difflib.unified_diff(old, new, "committed", "now", "", n=0)
                 if not line.startswith(("---", "+++", "@@"))]
        return [f"{len(old)} lines before, {len(new)} now; the first that differs: {lines[0]!r}"]
    return [f"{one} before, {other} now, in {after.strip()!r}"
            for line, after in zip(old, new) if line != after
            for one, other in zip_longest(WORD.findall(line), WORD.findall(after), fillvalue="nothing")
            if one != other]
