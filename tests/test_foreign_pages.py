"""Pages as people write them behave alike at every profile, in papermill, nbval and Jupyter's kernel."""

import json
import os
import subprocess
import sys

import nbformat
import pytest
from nbclient import NotebookClient

from icllib.execution import execute_as_script
from icllib.results import PROJECT

PROFILES = ("smoke", "stored", "cpu")
# Each cell fails where what it is about does not work.
WORKING = {
    "shown values": "from IPython.display import Markdown\ndisplay(Markdown('*hello*'))\n1 + 1",
    "await": "import asyncio\nasync def answer():\n    return 42\nassert await answer() == 42",
    "magics": "%time x = 3\n%matplotlib inline\nassert x == 3",
    "cell magics": "%%capture said\nprint('hidden')",
    "after a cell magic": "assert said.stdout == 'hidden\\n'",
    "shell lines": "!echo from the shell\nfound = !echo 7\nassert found == ['7']",
    "quotes": "text = \"it's\" + ' \"quoted\" '\nassert len(text) == 14",
    "data beside the page": "assert open('beside.csv').read() == 'x,y\\n1,2\\n'",
    "a module beside the page": "import helpers_of_page\nassert helpers_of_page.seven == 7",
    "a plot that is shown": "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()",
    "a bar of progress": "import sys\nfor k in range(3):\n    print(f'\\r{k}/3', end='', file=sys.stderr)",
    "main": "assert __name__ == '__main__'",
    "unicode": "name = 'Grüße, 世界, σ²'\nprint(name)",
    "warnings": "import warnings\nwarnings.warn('as people do')",
    "names of later cells": "def twice(n):\n    return 2 * n\nassert twice(size) == 2 * size",
    "html": "from IPython.display import HTML\nHTML('<b>bold</b>')",
    "a table": "import pandas as pd\npd.DataFrame({'a': [1]})",
}
# body -> what is told; the first cell with code has the parameters.
FAILING = {
    "an exit": ("import sys\nsys.exit(0)\n# %%\nprint('not reached')", "cell 2: SystemExit: 0"),
    "an exit in Jupyter's way": ("exit()\n# %%\nimport time; time.sleep(60)", "cell 3: its kernel ended"),
    "a dead kernel": ("import os\nos._exit(1)\n# %%\n1", "cell 2: its kernel ended"),
    "a magic that is not there": ("%nothing", "cell 2: UsageError: Line magic function `%nothing` not found"),
    "a cell without end": ("x = (1,", "cell 2: SyntaxError"),
    "an error of its own": ("1\n# %%\n1 / 0", "cell 3: ZeroDivisionError: division by zero"),
    "an assertion": ("assert size == 2, 'size is not 2'", "cell 2: AssertionError: size is not 2"),
    "no such file": ("open('nothing.csv')", "cell 2: FileNotFoundError"),
}
HEADS = {
    "double quotes": 'tags=["parameters"]', "single quotes": "tags=['parameters']",
    "JSON": '{"tags": ["parameters"]}', "two tags": 'tags=["parameters", "hide-input"]'}
DEFAULTS = {
    "plain": "rate = 0.1", "annotated": "rate: float = 0.1",
    "four lines": "rate = [\n    0.1,\n    0.2,\n]", "with a comment": "rate = 0.1  # from the paper",
    "text in quotes": "rate = 'a \"b\"'"}
NAMED = {("double quotes", "plain"), ("single quotes", "four lines"), ("JSON", "annotated")}
large = pytest.mark.large


def written(page, text: str, encoding: str = "utf-8"):
    """The page with this text, with the files that it reads beside it; returns its folder."""
    folder = page("")
    (folder / "sample.py").write_text(text, encoding)
    (folder / "beside.csv").write_text("x,y\n1,2\n", "utf-8")
    (folder / "helpers_of_page.py").write_text("seven = 7\n", "utf-8")
    return folder


def with_cells(*bodies, head='# %% tags=["parameters"]\nprofile = "stored"\nsize = 1\n') -> str:
    return "\n".join([head, *(f"# %%\n{body}\n" for body in bodies)])


@pytest.mark.parametrize("profile", PROFILES)
def test_what_people_write_works_at_every_profile(page, icllib, profile):
    written(page, with_cells(*WORKING.values()))
    code, out, err = icllib("run", "causal_lm/sample", "--profile", profile)
    assert code == 0, err


def test_the_same_page_works_in_papermill_nbval_and_a_kernel(page, icllib, tmp_path):
    folder = written(page, with_cells(*WORKING.values()))
    assert icllib("run", "causal_lm/sample")[0] == 0
    own = os.environ | {"PYTHONPATH": str(PROJECT)}
    papermill = [sys.executable, "-m", "papermill", "sample.ipynb", str(tmp_path / "out.ipynb"), "-p", "size",
                 "3", "--no-progress-bar"]
    subprocess.run(papermill, cwd=folder, env=own, check=True, capture_output=True)
    nbval = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--nbval-lax", "sample.ipynb"]
    subprocess.run(nbval, cwd=folder, env=own, check=True, capture_output=True)
    notebook = nbformat.read(folder / "sample.ipynb", as_version=4)
    NotebookClient(notebook, resources={"metadata": {"path": str(folder)}}).execute()


SAMPLE = ("an exit", "a magic that is not there", "an error of its own")


@pytest.mark.parametrize("kind, profile", [
    *((kind, "stored") for kind in SAMPLE),
    *(pytest.param(kind, profile, marks=large) for kind in FAILING for profile in PROFILES
      if (kind, profile) not in {(kind, "stored") for kind in SAMPLE})])
def test_a_page_that_stops_half_way_is_not_published(page, icllib, results, tmp_path, kind, profile):
    body, told = FAILING[kind]
    folder = written(page, with_cells(body))
    code, _, err = icllib("run", "causal_lm/sample", "--profile", profile)
    assert code == 1 and told in err
    assert (folder / "sample.ipynb").read_text("utf-8") == "old"
    assert (results / "causal_lm/sample/figure.csv").read_text("utf-8") == "old"


@pytest.mark.parametrize("head, default", [
    pytest.param(head, default, marks=[] if (head, default) in NAMED else large)
    for head in HEADS for default in DEFAULTS])
def test_parameters_count_however_they_are_written(page, icllib, head, default):
    """Also where an earlier cell assigns the same name."""
    cell = f'# %% {HEADS[head]}\nprofile = "stored"\n{DEFAULTS[default]}\n'
    text = f"# %%\nrate = 5\n{cell}# %%\nassert (rate, profile) == (0.7, 'smoke')"
    written(page, text)
    words = ("run", "causal_lm/sample", "--profile", "smoke", "-p", "rate=0.7")
    code, _, err = icllib(*words)
    assert code == 0, err


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_a_page_may_begin_with_a_byte_order_mark(page, icllib, encoding):
    folder = written(page, with_cells("print('é')"), encoding)
    assert icllib("run", "causal_lm/sample")[0] == 0
    shown = json.loads((folder / "sample.ipynb").read_text("utf-8"))["cells"][-1]["outputs"]
    assert shown[0]["text"] == ["é\n"]


@pytest.mark.parametrize("cell, message", [
    ("# %% tags=[parameters]\nprofile = 1", "tags: expected a list as in"),
    ("# %%\nprofile = 'stored'", "expected a cell that begins with"),
    ('# %% tags=["parameters"]\nprofile = (', "line 2: expected Python in its parameters cell")])
def test_a_page_without_parameters_that_can_be_read_is_one_clear_line(page, icllib, cell, message):
    written(page, cell)
    code, _, err = icllib("run", "causal_lm/sample", "--profile", "smoke")
    assert code == 2 and message in err and len(err.strip().splitlines()) == 1


def test_a_page_that_goes_on_after_its_time_limit_has_failed(page, icllib, monkeypatch):
    monkeypatch.setattr("icllib.execution.SAVING", 1.0)
    written(page, with_cells("while True:\n    pass"))
    code, _, err = icllib("run", "causal_lm/sample", "--profile", "smoke", "--time-limit", "1")
    assert code == 3 and "cell 2 was still running after the time limit" in err


@pytest.mark.parametrize("body, needed", [("%time 1", "%time 1"), ("!ls", "!ls"), ("await x", "await x")])
def test_without_jupyter_what_needs_it_is_named(page, body, needed):
    written(page, with_cells("1", body))
    with pytest.raises(RuntimeError, match=f"cell 3: {needed} needs Jupyter"):
        execute_as_script("causal_lm/sample", {"profile": "smoke"})


def test_without_jupyter_parameters_and_files_are_found_alike(page):
    plain = [WORKING[kind] for kind in ("quotes", "data beside the page", "a module beside the page", "main")]
    written(page, with_cells(*plain, "assert (size, profile) == (4, 'cpu')\ndisplay(size)"))
    before = os.getcwd()
    execute_as_script("causal_lm/sample", {"profile": "cpu", "size": 4})
    assert os.getcwd() == before
