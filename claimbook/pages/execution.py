"""Executes a page: as a notebook through papermill, or as the script that it is without Jupyter.

Both ways set parameters behind the page's own and work in the page's folder, so that files beside it
are found. Cells are counted as Jupyter counts them: those with code, from 1.
"""

import ast
import contextlib
import io
import json
import logging
import os
import re
import signal
import socket
import sys
import threading
import time
import traceback

from claimbook.pages.names import notebooks_folder
from claimbook.records import PROJECT, digest
from claimbook.records.compute import environment
from claimbook.records.errors import InputError, OutOfTime
from claimbook.records.files import damage_told, matplotlib_folder, read_text, temporary_folder

CELL = re.compile(r"^# %%(.*)$", re.MULTILINE)
NO_CODE = re.compile(r"\[(markdown|md|raw)\]")  # in the line that begins a cell
TAGS = re.compile(r"""tags["']?\s*[=:]\s*(\[[^\]]*\])""")
STOPS = (InputError, OutOfTime)
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
SHOWN = {"text/plain", "text/html", "text/markdown", "image/svg+xml"}  # what a page may show, by type
SAVING = 120.0  # seconds that a kernel has to save what it trains when it is asked to stop
START, OUTPUT = 600, 60  # seconds that a loaded machine has to start a kernel, and to bring what a cell wrote


class PageFailed(RuntimeError):
    """A page stopped with an error of its own, or did not come to its end."""


def execute(page: str, parameters: dict, deadline: float | None = None):
    """Run a page and return its notebook, or None where Jupyter is missing.

    deadline: the time.monotonic() at which training stops; a cell that is still running SAVING seconds
    later has failed. Raises PageFailed where a cell fails or a later one was not reached.
    """
    try:
        import papermill  # noqa: F401
    except ImportError:
        execute_as_script(page, parameters)
        return None
    return execute_as_notebook(page, parameters, deadline)


# ---- a page's text --------------------------------------------------------------------------


def page_source(page: str) -> str:
    """The text of a page; raises InputError where it has none."""
    path = notebooks_folder() / f"{page}.py"
    with damage_told(path, "a page"):
        return read_text(path, "utf-8-sig")


def parameters_cell(page: str) -> tuple[str, int, int]:
    """A page's text, and where its one parameters cell begins and ends; InputError for none, or several."""
    source = f"{page_source(page).rstrip()}\n"
    heads = list(CELL.finditer(source))
    ends = [head.start() for head in heads[1:]] + [len(source)]
    found = [(head.end(), end) for head, end in zip(heads, ends)
             if not NO_CODE.search(head[1]) and "parameters" in tags_of(page, head[1])]
    if len(found) != 1:
        raise InputError(f'{page}: expected a cell that begins with # %% tags=["parameters"], found '
                         f'{len(found) or "none"}')
    return source, *found[0]


def tags_of(page: str, head: str) -> list[str]:
    """The tags in the line that begins a cell; raises InputError if it is not a list of texts."""
    found = TAGS.search(head)
    try:
        return list(ast.literal_eval(found[1])) if found else []
    except (ValueError, SyntaxError):
        raise InputError(f'{page}: tags: expected a list as in tags=["parameters"], got {found[1]}') from None


def parameters_of(page: str) -> dict[str, ast.expr]:
    """What a page's parameters cell assigns, by name; raises InputError where it is no Python."""
    source, start, end = parameters_cell(page)
    try:
        nodes = ast.parse(source[start:end]).body
    except SyntaxError as error:
        line = source.count("\n", 0, start) + error.lineno
        raise InputError(f"{page}: line {line}: expected Python in its parameters cell, got {error.msg}"
                         ) from None
    named = [(node.target if isinstance(node, ast.AnnAssign) else target, node.value)
             for node in nodes if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value
             for target in getattr(node, "targets", [None])]
    return {target.id: value for target, value in named if isinstance(target, ast.Name)}


def parse_parameter(text: str) -> tuple[str, object]:
    """NAME=VALUE, the value read as JSON or Python where it is, else as text; else raises InputError."""
    name, equals, value = text.partition("=")
    if not equals:
        raise InputError(f"parameter: expected NAME=VALUE, got {text!r}")
    as_list = lambda text: json.loads(json.dumps(ast.literal_eval(text)))  # papermill writes a tuple as text
    for read in (json.loads, as_list):
        with contextlib.suppress(ValueError, SyntaxError, TypeError):
            return name, read(value)
    return name, value


def check_parameters(page: str, parameters: dict) -> None:
    """Raises InputError for a parameter that the page does not have, and for text in place of a boolean."""
    if "profile" in parameters:
        raise InputError("parameter: expected --profile for the profile, got -p")
    defaults = parameters_of(page)
    known = [name for name in defaults if name != "profile"]
    expected = f"one of {', '.join(known)}" if known else "none (--profile is the only one)"
    for name, value in parameters.items():
        if name not in known:
            raise InputError(f"parameter: expected {expected}, got {name!r}")
        if isinstance(value, str) and isinstance(getattr(defaults[name], "value", None), bool):
            raise InputError(f"parameter: expected {name}=True or {name}=False, got {name}={value}")


def check_shows_stored(page: str) -> None:
    """Raises InputError for a page that was saved with another profile, from Jupyter say."""
    profile = parameters_of(page).get("profile")
    if not (isinstance(profile, ast.Constant) and profile.value == "stored"):
        raise InputError(f'{page}: expected profile = "stored" in its parameters cell, got another '
                         "one; set it back there, --profile asks for another")


# ---- as a script ----------------------------------------------------------------------------


def execute_as_script(page: str, parameters: dict) -> None:
    """Run a page's script in this process; raises PageFailed for its errors, and for what is no Python."""
    import matplotlib
    from matplotlib import pyplot

    matplotlib.use("Agg")
    source, _, end = parameters_cell(page)
    given = "".join(f"{name} = {value!r}; " for name, value in parameters.items())
    path = notebooks_folder() / f"{page}.py"
    searched = list(sys.path)
    sys.path.insert(0, str(path.parent))
    try:  # parameters stand in the line in which the next cell begins, so that all lines keep their numbers
        code = compile(f"{source[:end]}{given}{source[end:]}", path, "exec")
        with contextlib.chdir(path.parent):
            exec(code, {"__name__": "__main__", "display": print})
    except STOPS:
        raise
    except SyntaxError as error:
        raise PageFailed(f"{page}: line {error.lineno}: expected Python, got {error.text!r}; what needs "
                         "Jupyter needs pip install papermill jupytext ipykernel") from None
    except (Exception, SystemExit) as error:
        raise PageFailed(f"{page}: {type(error).__name__}: {error}\n{traceback.format_exc()}") from None
    finally:
        sys.path[:] = searched
        pyplot.close("all")


# ---- as a notebook --------------------------------------------------------------------------


def read_page(page: str):
    """A page as a notebook without outputs; cell ids are stable, so that reruns are identical."""
    import jupytext

    notebook = jupytext.reads(page_source(page), fmt="py:percent")
    notebook.metadata = METADATA
    heads = [head for head in CELL.findall(page_source(page)) if not NO_CODE.search(head)]
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for cell, head in zip(code[-len(heads):], heads):  # a first cell may have no head
        if tags := tags_of(page, head):  # jupytext leaves out those in single quotes
            cell.metadata["tags"] = tags
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number:02d}"
    return notebook


def source_hash(notebook) -> str:
    """A hash of a notebook's cells and captions, by which a page that was edited since is known."""
    return digest([[cell.cell_type, cell.source, cell.metadata.get("mystnb")] for cell in notebook.cells])


def text_lines(notebook) -> list[str]:
    """The lines of a notebook's cells, each cell behind one with its kind and its options."""
    found = []
    for cell in notebook.cells:
        options = {name: cell.metadata[name] for name in ("mystnb", "tags") if cell.metadata.get(name)}
        found += [f"# %% [{cell.cell_type}] {json.dumps(options, sort_keys=True)}", *cell.source.splitlines()]
    return found


def execute_as_notebook(page: str, parameters: dict, deadline: float | None = None):
    """Run a page through papermill and return the finished notebook."""
    import nbformat
    import papermill

    notebook = read_page(page)
    hashed = source_hash(notebook)
    with temporary_folder() as folder:
        source, target = f"{folder}/in.ipynb", f"{folder}/out.ipynb"
        nbformat.write(notebook, source)
        paths = filter(None, (str(PROJECT), os.environ.get("PYTHONPATH")))
        # Whoever calls sees how training goes on: at a terminal at once, in a file every 30 s.
        shown = {"stderr_file": sys.stderr if sys.stderr.isatty() else NowAndThen(sys.stderr)} if parameters else {}
        # Of a cell; 0 would be no limit.
        left = None if deadline is None else max(1, round(deadline - time.monotonic() + SAVING))
        failure = None
        try:
            # The kernel of this environment, without what a user lets start with it.
            with ended_gently(), environment(PYTHONPATH=os.pathsep.join(paths), PYDEVD_DISABLE_FILE_VALIDATION="1",
                             IPYTHONDIR=f"{folder}/ipython", MPLCONFIGDIR=matplotlib_folder(folder),
                             JUPYTER_PATH=f"{sys.prefix}/share/jupyter"):
                papermill.execute_notebook(source, target, parameters, kernel_name="python3",
                                           progress_bar=False, kernel_manager_class=kernel_manager(folder),
                                           execution_timeout=left, start_timeout=START, iopub_timeout=OUTPUT,
                                           cwd=str(notebooks_folder() / page.split("/")[0]), **shown)
        except (papermill.PapermillExecutionError, RuntimeError, TimeoutError) as error:
            failure = error
        except KeyboardInterrupt:  # its kernel has saved what it trained
            raise OutOfTime("stopped, as it was asked to") from None
        executed = nbformat.read(target if os.path.exists(target) else source, as_version=4)
    check_executed(page, executed, failure, left is not None)
    for cell in executed.cells:  # timings and empty tags change from run to run
        kept = {name: cell.metadata.get(name) for name in ("tags", "mystnb")}
        cell.metadata = {name: value for name, value in kept.items() if value}
    executed.metadata = METADATA | {"claimbook": {"source": hashed}}
    return executed


class NowAndThen(io.StringIO):
    """A stream that takes what a page says of its progress and passes its last line on every 30 s."""

    def __init__(self, stream):
        super().__init__()
        self.stream, self.due = stream, time.monotonic() + 30

    def write(self, text: str) -> int:
        words = text.replace("\x1b[K", "").strip()
        if words and time.monotonic() > self.due:
            print(words.splitlines()[-1], file=self.stream, flush=True)
            self.due = time.monotonic() + 30
        return len(text)


@contextlib.contextmanager
def ended_gently():
    """SIGTERM stops a page as Ctrl-C does: its kernel is interrupted, saves and ends."""
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    if threading.current_thread() is not threading.main_thread():  # only it may set handlers
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def kernel_manager(folder: str) -> type:
    """One whose kernel has the time to save what it trains; its file and sockets go with this folder."""
    from jupyter_client import AsyncKernelManager

    class PatientKernelManager(AsyncKernelManager):
        shutdown_wait_time = SAVING

        def __init__(self, **options):
            super().__init__(**options, connection_file=f"{folder}/kernel.json", **sockets(folder))

    return PatientKernelManager


def sockets(folder: str) -> dict:
    """How a manager speaks with a kernel through sockets in a folder of its own, not through ports, of which
    another program may take one; empty, so through ports, where the folder can have no sockets."""
    name = f"{folder}/kernel"
    try:
        with socket.socket(socket.AF_UNIX) as trial:
            trial.bind(f"{name}-trial")
    except (AttributeError, OSError):
        return {}
    os.remove(f"{name}-trial")
    return {"transport": "ipc", "ip": name}


def check_executed(page: str, notebook, failure, limited: bool) -> None:
    """Raises what stopped a page, by its cell: OutOfTime at the time limit, if its cells were limited,
    PageFailed for an error of its own and where a cell has not run."""
    cells, ended = own_cells(notebook), f"its kernel ended ({failure}); for lack of memory?"
    begun = sum(bool(cell.metadata.get("papermill", {}).get("start_time")) for cell in cells)
    done = begun - bool(failure)  # where a kernel ends, papermill calls every cell completed
    for number, cell in enumerate(cells, 1):
        status = cell.metadata.get("papermill", {}).get("status")
        errors = [output for output in cell.outputs if output.output_type == "error"]
        if status == "completed" and number <= done and cell.execution_count is not None and not errors:
            continue
        where = f"{page}: cell {number}"
        if isinstance(failure, TimeoutError) and (not limited or "IOPub" in str(failure)):
            raise PageFailed(f"{where} wrote more than could be read within {OUTPUT} s after its end: print less")
        if isinstance(failure, TimeoutError):
            raise OutOfTime(f"{where} was still running after the time limit")
        if errors:
            tell_error(where, errors[0])
        if status == "failed":  # of a magic or a group of errors, told on standard error
            lines = "".join(output.get("text", "") for output in cell.outputs).splitlines()
            said = list(filter(None, (line.strip(" |+-") for line in lines)))  # a group's are framed
            raise PageFailed(f"{where}: {said[-1] if said else 'failed without a word'}")
        raise PageFailed(f"{where}: {ended if failure else 'it did not run'}")
    if failure:
        raise PageFailed(f"{page}: {ended}")


def tell_error(where: str, error) -> None:
    """Raises the error that a cell shows."""
    for kind in STOPS:
        if error.ename == kind.__name__:
            raise kind(error.evalue)
    if error.ename == "KeyboardInterrupt":
        raise OutOfTime("stopped")
    raise PageFailed(f"{where}: {error.ename}: {error.evalue}\n" + "\n".join(error.traceback))


def own_cells(notebook) -> list:
    """A notebook's cells with code, without those in which papermill sets parameters and tells an error."""
    return [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()
            and not {"injected-parameters", "papermill-error-cell-tag"} & set(cell.metadata.get("tags", []))]
