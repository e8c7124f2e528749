"""The page runner: from a page's .py to its executed .ipynb and its results.

The .py is the source. A page is executed in a temporary folder; only when all of it has
succeeded do the notebook and the files in results/ take the place of the old ones.
"""

import contextlib
import io
import os
import re
import sys
import traceback
from pathlib import Path

from icllib.claims import load_claims
from icllib.decisions import decision_on_record
from icllib.errors import DAMAGE, InputError, OutOfTime
from icllib.files import check_writable, temporary_folder, write_together
from icllib.pages import notebooks_folder
from icllib.results import PROJECT, check_profile, digest, results_folder
from icllib.shown import changed_since, with_digests
from icllib.training.records import environment
from icllib.verdicts import Verdicts

CELL = re.compile(r"^# %%(.*)$", re.MULTILINE)
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


class PageFailed(RuntimeError):
    """A page stopped with an error of its own."""


def run_page(page: str, profile: str, parameters: dict, deadline: float | None) -> str:
    """Compute what a page misses at a profile and execute it; returns what was done.

    "stored" trains nothing; "smoke" runs everything at tiny sizes and keeps nothing; other
    profiles compute the missing records and then show the best ones that are stored.
    deadline: the time.monotonic() at which training stops.
    Raises InputError before any work for an unknown profile or parameter, a page that was saved
    with another profile than "stored", and folders that cannot be written to.
    """
    check_profile(profile)
    check_parameters(page, parameters)
    if parameters and profile == "stored":
        raise InputError("-p: expected a profile to compute at (--profile), got parameters alone")
    if profile != "smoke":
        check_shows_stored(page)
        check_writable(results_folder() / page)
        check_writable((notebooks_folder() / page).parent)
    if profile != "stored":
        with temporary_folder() as folder, environment(
                ICLLIB_OUTPUT=folder, ICLLIB_DEADLINE=deadline):
            if profile == "smoke":
                execute(page, parameters | {"profile": "smoke"})
                return "executed at smoke, nothing kept"
            with contextlib.redirect_stdout(io.StringIO()):  # the notebook shows it
                execute_as_script(page, parameters | {"profile": profile})
    if parameters:
        return "records computed; the notebook shows the page's own parameters and was left"
    return refresh(page)


def refresh(page: str) -> str:
    """Execute a page as it is and put its notebook and results in place."""
    with temporary_folder() as folder, environment(ICLLIB_OUTPUT=folder):
        notebook = execute(page, {})
        texts = {path.name: path.read_text("utf-8") for path in Path(folder).iterdir()}
    texts = {results_folder() / page / name: text
             for name, text in with_digests(texts, notebook).items()}
    if notebook is None:
        write_together(texts)
        return "results written; no notebook (papermill is not installed)"
    write_together(texts | {notebooks_folder() / f"{page}.ipynb": as_text(notebook)})
    return "notebook and results written"


def execute(page: str, parameters: dict):
    """Run a page as a notebook and return it, or as a script where Jupyter is missing."""
    try:
        import papermill  # noqa: F401
    except ImportError:
        execute_as_script(page, parameters)
        return None
    return execute_as_notebook(page, parameters)


# ---- as a script ----------------------------------------------------------------------------


def page_source(page: str) -> str:
    """The text of a page; raises InputError where it has none."""
    path = notebooks_folder() / f"{page}.py"
    try:
        return path.read_text("utf-8")
    except DAMAGE as error:
        raise InputError(f"{path}: expected a page, got a damaged file ({error})") from None


def parameters_of(page: str) -> list[str]:
    """The names that a page's parameters cell assigns; raises InputError where it has none."""
    source = page_source(page)
    for header, body in zip(CELL.findall(source), CELL.split(source)[2::2]):
        if '"parameters"' in header:
            return re.findall(r"^(\w+) = ", body, re.MULTILINE)
    raise InputError(f"{page}: expected a cell tagged parameters, found none")


def check_parameters(page: str, parameters: dict) -> None:
    """Raises InputError for a parameter that the page does not have, or that is an option."""
    if "profile" in parameters:
        raise InputError("parameter: expected --profile for the profile, got -p")
    known = [name for name in parameters_of(page) if name != "profile"]
    expected = f"one of {', '.join(known)}" if known else "none (--profile is the only one)"
    for name in parameters:
        if name not in known:
            raise InputError(f"parameter: expected {expected}, got {name!r}")


def check_shows_stored(page: str) -> None:
    """Raises InputError for a page that was saved with another profile, from Jupyter say."""
    if not re.search(r"""^profile = (["'])stored\1$""", page_source(page), re.MULTILINE):
        raise InputError(f'{page}: expected profile = "stored" in its parameters cell, got another '
                         "one; set it back there, --profile asks for another")


def execute_as_script(page: str, parameters: dict) -> None:
    """Run a page in this process, with other values in its parameters cell.

    Raises PageFailed for an error of the page's own.
    """
    import matplotlib

    matplotlib.use("Agg")
    source = page_source(page)
    for name, value in parameters.items():
        source = re.sub(rf"^{name} = .*$", lambda _: f"{name} = {value!r}", source, count=1,
                        flags=re.MULTILINE)
    try:
        exec(compile(source, f"{page}.py", "exec"), {"__name__": "__main__"})
    except (InputError, OutOfTime):
        raise
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and error.name in required():
            raise PageFailed(f"{page}: {error}; requirements.txt has its version") from None
        raise PageFailed(f"{page}: {traceback.format_exc()}") from None
    finally:
        matplotlib.pyplot.close("all")


def required() -> list[str]:
    """The packages that requirements.txt names."""
    return re.findall(r"^[\w-]+", (PROJECT / "requirements.txt").read_text("utf-8"), re.MULTILINE)


# ---- as a notebook --------------------------------------------------------------------------


def read_page(page: str):
    """A page as a notebook without outputs; cell ids are stable, so that reruns are identical."""
    import jupytext

    page_source(page)  # refuses what is no text
    notebook = jupytext.read(notebooks_folder() / f"{page}.py")
    notebook.metadata = METADATA
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number:02d}"
    return notebook


def source_hash(notebook) -> str:
    """A hash of a notebook's cells, by which an edited page that was not re-executed is known.

    Captions and alternative texts stand in a cell's metadata.
    """
    return digest([[cell.cell_type, cell.source, cell.metadata.get("mystnb")]
                   for cell in notebook.cells])


def execute_as_notebook(page: str, parameters: dict):
    """Run a page through papermill and return the finished notebook."""
    import nbformat
    import papermill

    notebook = read_page(page)
    hashed = source_hash(notebook)
    with temporary_folder() as folder:
        source, target = f"{folder}/in.ipynb", f"{folder}/out.ipynb"
        nbformat.write(notebook, source)
        paths = filter(None, (str(PROJECT), os.environ.get("PYTHONPATH")))
        try:
            # The kernel of this environment, without what a user lets start with it.
            with environment(PYTHONPATH=os.pathsep.join(paths), PYDEVD_DISABLE_FILE_VALIDATION="1",
                             IPYTHONDIR=f"{folder}/ipython",
                             JUPYTER_PATH=f"{sys.prefix}/share/jupyter"):
                papermill.execute_notebook(source, target, parameters, kernel_name="python3",
                                           progress_bar=False, cwd=folder)
        except papermill.PapermillExecutionError as error:
            for kind in (InputError, OutOfTime):
                if error.ename == kind.__name__:
                    raise kind(error.evalue) from None
            raise PageFailed(f"{page}: cell {error.exec_count}: {error.ename}: {error.evalue}\n"
                             + "\n".join(error.traceback)) from None
        except RuntimeError as error:
            raise PageFailed(f"{page}: its kernel ended ({error}); for lack of memory?") from None
        executed = nbformat.read(target, as_version=4)
    return cleaned(executed, hashed)


def as_text(notebook) -> str:
    """A notebook as the content of its file."""
    import nbformat

    return nbformat.writes(notebook) + "\n"


def cleaned(notebook, hashed: str):
    """Without what changes from run to run: timings, empty tags, versions."""
    for cell in notebook.cells:
        kept = {name: cell.metadata.get(name) for name in ("tags", "mystnb")}
        cell.metadata = {name: value for name, value in kept.items() if value}
    notebook.metadata = METADATA | {"icllib": {"source": hashed}}
    return notebook


def notebook_problem(page: str) -> str | None:
    """Why the committed notebook is not an execution of the page, or None if it is."""
    path = notebooks_folder() / f"{page}.ipynb"
    if not path.exists():
        return "never executed"
    notebook = sound_notebook(path)
    if notebook is None:
        return "notebook damaged"
    source = source_hash(read_page(page))
    if notebook.metadata.get("icllib", {}).get("source") != source:
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
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
    except (nbformat.ValidationError, *DAMAGE):
        return None
    return notebook if isinstance(notebook.metadata.get("icllib", {}), dict) else None


def verdicts_are_todays(page: str, cells) -> bool:
    """Whether each of its claims has evidence, and its verdict of today stands in these outputs."""
    shown = "\n".join(output.get("data", {}).get("text/plain", "")
                      for cell in cells for output in cell.outputs)
    decided = (decision_on_record(claim) for claim in load_claims(page.split("/")[0])
               if claim.page == page)
    return all(item.evidence and repr(Verdicts([item])) in shown for item in decided)
