"""The page runner: from a page's .py to its executed .ipynb and its results.

The .py is the source. A page is executed in a temporary folder; only when all of it has
succeeded do the notebook and the files in results/ take the place of the old ones.
"""

import contextlib
import difflib
import io
import os
import sys
from pathlib import Path

from claimbook.claims import load_claims
from claimbook.claims.decisions import decision_on_record
from claimbook.claims.verdicts import Verdicts
from claimbook.pages.execution import (
    SHOWN, check_parameters, check_shows_stored, execute, read_page, source_hash, text_lines)
from claimbook.pages.names import notebooks_folder
from claimbook.records import check_page, check_profile, results_folder
from claimbook.records.checks import instance
from claimbook.records.checksums import changed_since, with_digests
from claimbook.records.compute import environment
from claimbook.records.errors import DAMAGE, InputError
from claimbook.records.files import check_writable, read_text, temporary_folder, there, write_text, write_together
from claimbook.records.limits import FILE, Limits


def run_page(page: str, profile: str, parameters: dict, limits=Limits()) -> str:
    """Compute what a page misses at a profile and execute it; returns what was done.

    "stored" trains nothing; "smoke" runs everything at tiny sizes and keeps nothing; other profiles compute
    the missing records and then show the best ones that are stored. What is refused is so before any work.
    """
    check_page(page)
    check_profile(profile)
    instance(dict, parameters=parameters)
    instance(Limits, limits=limits)
    check_parameters(page, parameters)
    if parameters and profile == "stored":
        raise InputError("-p: expected a profile to compute at (--profile), got parameters alone")
    if profile != "smoke":
        check_shows_stored(page)
        check_nothing_lost(page)
        check_writable(results_folder() / page, "figure.csv", "evidence.json", "shown.json")
        check_writable((notebooks_folder() / page).parent, f"{page.split('/')[1]}.ipynb")
    if profile != "stored":
        with temporary_folder() as folder, environment(CLAIMBOOK_OUTPUT=folder), \
                contextlib.redirect_stdout(io.StringIO()):  # the notebook shows what a script prints
            write_text(Path(folder) / FILE, limits.as_json())
            execute(page, parameters | {"profile": profile}, limits.deadline)
        if profile == "smoke":
            return "executed at smoke, nothing kept"
    if parameters:
        return "records computed; the notebook shows the page's own parameters and was left"
    return refresh(page)


def refresh(page: str) -> str:
    """Execute a page as it is and put its notebook and results in place."""
    with temporary_folder() as folder, environment(CLAIMBOOK_OUTPUT=folder):
        notebook = execute(page, {})
        texts = {path.name: read_text(path) for path in Path(folder).iterdir()}
    texts = {results_folder() / page / name: text for name, text in with_digests(texts, notebook).items()}
    if notebook is None:
        write_together(texts)
        return "results written; no notebook (papermill is not installed)"
    check_nothing_lost(page)  # the page took its time
    import nbformat

    write_together(texts | {notebooks_folder() / f"{page}.ipynb": nbformat.writes(notebook) + "\n"})
    with contextlib.suppress(OSError):  # another user's
        os.utime(notebooks_folder() / f"{page}.py")  # Jupyter shows the newer: the source
    return "notebook and results written"


def check_nothing_lost(page: str) -> None:
    """Raises InputError for a notebook that was edited, in VS Code or Colab say, and would be overwritten."""
    path = notebooks_folder() / f"{page}.ipynb"
    try:
        notebook, source = sound_notebook(path), read_page(page)
    except (FileNotFoundError, ImportError):  # without Jupyter no notebook is written
        return
    if notebook is None:
        return
    executed = notebook.metadata.get("claimbook", {}).get("source") == source_hash(notebook)
    if executed and source_hash(source) != source_hash(notebook):  # only the .py was edited
        return
    lines = difflib.unified_diff(text_lines(source), text_lines(notebook), n=0, lineterm="")
    differences = [line[:100] for line in lines if not line.startswith(("---", "+++", "@@"))]
    if differences:
        more = f"\n  and {len(differences) - 6} more lines" if len(differences) > 6 else ""
        print(f"{path}: in its .py (-), and as edited (+):\n  " + "\n  ".join(differences[:6]) + more, file=sys.stderr)
        raise InputError(f"{path}: expected the text of its .py, got one that was edited and would be lost; keep "
                         f"it with jupytext --to py:percent {path}, or delete that file")


def notebook_problem(page: str) -> str | None:
    """Why the committed notebook is not an execution of the page, or None if it is."""
    path = notebooks_folder() / f"{page}.ipynb"
    if not there(path):
        return "never executed"
    notebook = sound_notebook(path)
    if notebook is None:
        return "notebook damaged"
    source = source_hash(read_page(page))
    if notebook.metadata.get("claimbook", {}).get("source") != source:
        return "edited since it was executed"
    if source_hash(notebook) != source:
        return "notebook edited by hand; the .py is the source"
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if [cell.execution_count for cell in code] != list(range(1, len(code) + 1)):
        return "outputs cleared or cells executed out of order"
    for cell in code:
        tags = cell.metadata.get("tags", [])
        if ("figure" in tags or "numbers" in tags) and not cell.outputs:
            return f"outputs cleared in {cell.id}"
        for output in cell.outputs:
            if other := sorted(output.get("data", {}).keys() - SHOWN):
                return f"{cell.id} shows {other[0]}, which is none of {', '.join(sorted(SHOWN))}"
    tags = [tag for cell in code for tag in cell.metadata.get("tags", [])]
    if tags.count("numbers") < tags.count("figure"):
        return "a figure lacks its numbers cell"
    if not verdicts_are_todays(page, code):
        return "verdicts are not today's"
    return changed_since(page, notebook)


def sound_notebook(path: Path):
    """The notebook in a file, or None where that is damaged or none of ours."""
    import nbformat

    try:
        notebook = nbformat.v4.reads(read_text(path))  # which leaves the check to us
        if notebook.nbformat != 4:
            return None
        nbformat.validate(notebook)
    except (nbformat.ValidationError, TypeError, AttributeError, *DAMAGE):
        return None
    return notebook if isinstance(notebook.metadata.get("claimbook", {}), dict) else None


def verdicts_are_todays(page: str, cells) -> bool:
    """Whether each of its claims has evidence, and its verdict of today stands in these outputs."""
    shown = "\n".join(output.get("data", {}).get("text/plain", "")
                      for cell in cells for output in cell.outputs)
    decided = (decision_on_record(claim) for claim in load_claims(page.split("/")[0]) if claim.page == page)
    return all(item.evidence and repr(Verdicts([item])) in shown for item in decided)
