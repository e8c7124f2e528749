"""Pages executed again beside their committed notebooks: which number moved, in which cell.

As in nbval, each kind of output is compared by itself, after the replacements of nbval.cfg. Left
out are bitmaps, and cells marked NBVAL_IGNORE_OUTPUT or NBVAL_SKIP by a tag or a comment. Beyond nbval,
the drawings are compared, and the files that the page writes.
"""

import base64
import configparser
import difflib
import io
import json
import math
import re
import sys
import time
from itertools import zip_longest
from pathlib import Path

from claimbook.commands.run import sound_notebook
from claimbook.pages.execution import PageFailed, execute, own_cells
from claimbook.pages.names import notebooks_folder
from claimbook.records import results_folder
from claimbook.records.checksums import FILE, bytes_digest, with_digests
from claimbook.records.compute import environment
from claimbook.records.errors import InputError
from claimbook.records.files import damage_told, read_text, temporary_folder, there, to_json

IGNORED = {"nbval-ignore-output", "nbval-skip"}
IGNORED_COMMENT = re.compile(r"^\s*#+\s*NBVAL_(IGNORE_OUTPUT|SKIP)\s*$", re.MULTILINE)
NOT_COMPARED = {"image/png", "image/jpeg", "application/vnd.jupyter.widget-view+json"}
DRAWING = "image/svg+xml"
HASHED = re.compile(r'(?<=[#"])([A-Za-z]\w*?)[0-9a-f]{10}(?=[")])')  # Matplotlib's names of markers and such
PIXELS = re.compile(r"data:image/png;base64,([^\"]*)")
NUMBER = re.compile(r"(?<![\w#.-])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
NEAR = 0.05  # pixels
LAST, NOTHING = 2e-5, 1e-12  # of six digits the last, and what is 0
WORD = re.compile(r"[^\s,;()\[\]]+")


def compare_notebooks(page: str) -> list[str]:
    """What is no longer as in the committed notebook, a line each: page, cell, both numbers."""
    path = notebooks_folder() / f"{page}.ipynb"
    committed = sound_notebook(path) if there(path) else None
    if committed is None:
        got = "none" if not there(path) else "a damaged one"
        got += " with conflict markers of git" * (there(path) and "\n<<<<<<< " in read_text(path))
        raise InputError(f"{page}: expected a committed notebook to compare with, got {got}; make it with "
                         f"python -m claimbook run {page}")
    with temporary_folder() as folder, environment(CLAIMBOOK_OUTPUT=folder):
        executed = execute(page, {})
        written = {path.name: read_text(path) for path in Path(folder).iterdir()}
    if executed is None:
        raise InputError(f"{page}: expected Jupyter, which executes notebooks, found none: pip install "
                         "papermill jupytext ipykernel")
    before, now = own_cells(committed), own_cells(executed)
    if [cell.source for cell in before] != [cell.source for cell in now]:
        raise InputError(f"{page}: expected the notebook of today's page, got one of another; make it with "
                         f"python -m claimbook run {page}")
    return [f"{page}: cell {number}: {told}" for number, cells in enumerate(zip(before, now), 1)
            for told in [*moved_outputs(*map(outputs_of, cells)), *moved_drawings(*cells)]
            ] + [f"{page}: {told}" for told in moved_files(page, with_digests(written))]


def compare_all(pages: list[str], say) -> int:
    """Compare pages one after the other and say how each went; returns how many have changed."""
    changed, begun = [], time.monotonic()
    for number, page in enumerate(pages, 1):
        try:
            found = compare_notebooks(page)
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
    """A text without what may differ from run to run, by the rules of notebooks/nbval.cfg."""
    rules = configparser.RawConfigParser()
    rules.read(notebooks_folder() / "nbval.cfg", encoding="utf-8")
    for name in rules.sections():
        text = re.sub(rules[name]["regex"], rules[name]["replace"], text)
    return text


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


def moved_drawings(before, now):
    """What differs between the drawings of two cells, in letters, colors and shapes, or in places by more
    than NEAR; machines and their libraries may differ in the last digits."""
    own, others = ([output.data[DRAWING] for output in cell.outputs if DRAWING in output.get("data", {})]
                   for cell in (before, now))
    for pair in zip(own, others):  # their numbers are compared with the other outputs
        (old, places), (new, new_places) = map(shape_and_places, pair)
        lines = zip_longest(old.splitlines(), new.splitlines())
        farthest = max((abs(one - other) for one, other in zip(places, new_places)), default=0)
        if old != new:
            line, other = next((one, other) for one, other in lines if one != other)
            yield f"another drawing, {line!r:.100} before, {other!r:.100} now"
        elif farthest > NEAR:
            yield f"another drawing, whose places moved by up to {farthest:.3g} pixels"


def shape_and_places(drawing: str) -> tuple[str, list[float]]:
    """An SVG without its numbers, and these; bitmaps in it are known by their pixels."""
    from PIL import Image

    names = {}
    named = lambda found: f"{found[1]}-{names.setdefault(found[0], len(names))}"
    pixels = lambda found: bytes_digest(Image.open(io.BytesIO(base64.b64decode(found[1]))).convert("RGBA").tobytes())
    text = HASHED.sub(named, PIXELS.sub(pixels, re.sub(r"Matplotlib v[\d.]+", "Matplotlib", drawing)))
    return NUMBER.sub("#", text), list(map(float, NUMBER.findall(text)))


def moved_files(page: str, now: dict[str, str]) -> list[str]:
    """What differs between the files that an execution wrote and those that are committed: the numbers of
    figures, the evidence, and which records the page showed."""
    found = []
    for name, text in now.items():
        path = results_folder() / page / name
        with damage_told(path, "what an execution writes"):
            before = read_text(path)
            if name == FILE:  # its digests are of the last bit
                before, text = (to_json(json.loads(own)["records"]) for own in (before, text))
        found += [f"{name}: {told}" for told in moved(before, but_for_last_digits(before, text))]
    return found


def but_for_last_digits(before: str, now: str) -> str:
    """The text of today, with lines as before in which only the last digits differ, as on other machines."""
    old, new = before.splitlines(), now.splitlines()
    same = lambda one, other: NUMBER.sub("#", one) == NUMBER.sub("#", other) and all(
        math.isclose(float(a), float(b), rel_tol=LAST, abs_tol=NOTHING)
        for a, b in zip(NUMBER.findall(one), NUMBER.findall(other)))
    return "\n".join(new if len(old) != len(new) else
                     [one if same(one, other) else other for one, other in zip(old, new)])


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
