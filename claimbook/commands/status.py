"""The state of every page, told anew only where something has changed: without that, in no time."""

import contextlib
import json
import os
from dataclasses import asdict
from sysconfig import get_path

from claimbook.commands.output import State
from claimbook.pages.names import notebooks_folder
from claimbook.records import digest, results_folder
from claimbook.records.errors import DAMAGE
from claimbook.records.files import PACKAGE, PROJECT, VARIABLES, read_object, stamp, write_text
from claimbook.records.processor import cores

TOLD = PROJECT / "_build/status.json"  # what was told last


def kept_status(pages) -> list[State]:
    """The state of these pages at every profile that has its own runs, as it was told the last time if
    nothing has changed since: neither code nor packages, nor its files, nor the records of its paper."""
    try:
        before = {page: (kept["seen"], [State(**row) for row in kept["rows"]])
                  for page, kept in read_object(TOLD).items()}
    except (TypeError, *DAMAGE):
        before = {}
    named = {name: value for name, value in os.environ.items() if name in VARIABLES}
    packages = (init.parent for init in sorted(PROJECT.glob("*/__init__.py")))
    code = digest([named, cores(), stamp(PACKAGE, *packages), os.stat(get_path("purelib")).st_mtime_ns])
    papers = {page.split("/")[0] for page in pages}
    results = {paper: digest(stamp(results_folder() / paper)) for paper in papers}
    now, states = {}, []
    for page in pages:
        files = [notebooks_folder() / f"{page}{suffix}" for suffix in (".py", ".ipynb")]
        seen = digest([code, results[page.split("/")[0]], stamp(*files)])
        then, own = before.get(page, (None, []))
        if then != seen or not own:
            from claimbook.commands.page_state import states_of  # which needs all that pages import

            own = states_of(page)
        if not any(state.state == "unknown" for state in own):
            now[page] = seen, own
        states += own
    kept = {page: {"seen": seen, "rows": list(map(asdict, own))} for page, (seen, own) in (before | now).items()}
    with contextlib.suppress(OSError):  # where nothing can be kept
        write_text(TOLD, json.dumps(kept))
    return states
