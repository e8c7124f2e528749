"""The state of every page, told anew only where something has changed: without that, in no time."""

import contextlib
import json
import os
from dataclasses import asdict, dataclass
from sysconfig import get_path

from claimbook.pages.names import notebooks_folder
from claimbook.records import digest, results_folder
from claimbook.records.checks import text
from claimbook.records.errors import DAMAGE
from claimbook.records.files import PACKAGE, PROJECT, VARIABLES, read_object, stamp, write_text
from claimbook.records.processor import cores

TOLD = PROJECT / "_build/status.json"  # what was told last


@dataclass(frozen=True)
class State:
    """A page at a profile; profile "stored" is the committed notebook itself."""

    paper: str
    page: str
    profile: str
    state: str  # fresh, stale or missing; unknown after an error, and where Jupyter is missing
    reason: str
    cost: str  # what making the missing and stale records is estimated to take


def kept_status(pages, ask) -> list[State]:
    """The state of these pages at every profile that has its own runs: `ask(page)`, or what was told
    of it the last time if nothing has changed since.

    Neither code nor installed packages, nor its files, nor the records of its paper, by the sizes and
    times of their files. What is unknown is asked anew.
    """
    try:
        before = read_object(TOLD)
    except DAMAGE:
        before = {}
    named = {name: value for name, value in os.environ.items() if name in VARIABLES}
    code = digest([named, cores(), stamp(PACKAGE, *(init.parent for init in sorted(PROJECT.glob("*/__init__.py")))), os.stat(get_path("purelib")).st_mtime_ns])
    results = {paper: digest(stamp(results_folder() / paper)) for paper in {page.split("/")[0] for page in pages}}
    now, states = {}, []
    for page in pages:
        files = [notebooks_folder() / f"{page}{suffix}" for suffix in (".py", ".ipynb")]
        seen = digest([code, results[page.split("/")[0]], stamp(*files)])
        own = told_then(before.get(page), seen) or ask(page)
        if not any(state.state == "unknown" for state in own):
            now[page] = {"seen": seen, "rows": list(map(asdict, own))}
        states += own
    with contextlib.suppress(OSError):  # where nothing can be kept
        write_text(TOLD, json.dumps(before | now))
    return states


def told_then(kept, seen: str) -> list[State] | None:
    """The states that were kept for this state of the files, or None."""
    try:
        if kept["seen"] != seen:
            return None
        for row in kept["rows"]:
            text(**row)
        return [State(**row) for row in kept["rows"]]
    except (TypeError, *DAMAGE):
        return None
