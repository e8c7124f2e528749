"""Pages as people write them behave alike at every profile."""

import json
import os
import time

import pytest
from conftest import FORKED
from nbclient import NotebookClient

from claimbook.pages.execution import PageFailed, execute_as_script, read_page

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
    "main": "assert __name__ == '__main__'",
    "a timed cell": "%%time\ny = 4",
    "a shell's cell": "%%bash\necho from bash",
    "a file written by a cell": "%%writefile made.py\nnine = 9",
    "settings": "%config InlineBackend.figure_format = 'retina'\n%load_ext autoreload\n%autoreload 2\n"
                "%env OWN_VARIABLE=3\nimport os\nassert os.environ['OWN_VARIABLE'] == '3' and y == 4",
    "a package beside the page": "from package_of_page.inner import eight\nassert eight == 8",
    "Jupyter's own shell": "assert get_ipython().user_ns['y'] == 4",
    "annotations of later": "from __future__ import annotations\ndef later(x: NotThere) -> None:\n    pass",
    "a widget's bar": "from tqdm.auto import tqdm\nassert sum(tqdm(range(3))) == 3",
}
# body -> what is told; the first cell with code has the parameters.
FAILING = {
    "an exit": ("import sys\nsys.exit(0)\n# %%\nprint('not reached')", "cell 2: SystemExit: 0"),
    "an exit in Jupyter's way": ("exit()\n# %%\nimport time; time.sleep(60)", "cell 3: its kernel ended"),
    "a magic that is not there": ("%nothing", "cell 2: UsageError: Line magic function `%nothing` not found"),
    "a cell without end": ("x = (1,", "cell 2: SyntaxError"),
    "an error of its own": ("1\n# %%\n1 / 0", "cell 3: ZeroDivisionError: division by zero"),
    "a kernel that is killed": ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n# %%\n1",
                                "cell 2: its kernel ended"),
    "a cell that is skipped": ('1\n# %% tags=["skip-execution"]\n2\n# %%\n3', "cell 3: it did not run"),
    "a group of errors": ("raise ExceptionGroup('two', [ValueError(1), KeyError('k')])", "cell 2: KeyError: 'k'"),
    "a shell's cell that fails": ("%%bash\nexit 3", "cell 2: CalledProcessError"),
    "a cell magic that is not there": ("%%nothing\nx = 1", "cell 2: UsageError: Cell magic `%%nothing` not found"),
}
large = pytest.mark.large
NAMED = [  # how a cell is tagged, and a parameter written in it
    ('tags=["parameters"]',
     "rate = {  # of two parts\n    'a': 0.1,  # (a)\n    # 'b': 2,\n    'c': [1,\n          2],\n}"),
    ("tags=['parameters']", "rate = [\n    0.1,\n    0.2,\n]"),
    pytest.param('tags=["parameters"]', "rate = 0.1", marks=large),
    pytest.param('{"tags": ["parameters"]}', "rate: float = 0.1", marks=large)]


def written(page, text: str, encoding: str = "utf-8"):
    """The page with this text, with the files that it reads beside it; returns its folder."""
    folder = page("")
    (folder / "sample.py").write_text(text, encoding)
    (folder / "beside.csv").write_text("x,y\n1,2\n", "utf-8")
    (folder / "helpers_of_page.py").write_text("seven = 7\n", "utf-8")
    (folder / "package_of_page").mkdir()
    (folder / "package_of_page/__init__.py").write_text("from .inner import eight\n", "utf-8")
    (folder / "package_of_page/inner.py").write_text("eight = 8\n", "utf-8")
    return folder


def with_cells(*bodies, head='# %% tags=["parameters"]\nprofile = "stored"\nsize = 1\n') -> str:
    return "\n".join([head, *(f"# %%\n{body}\n" for body in bodies)])


@pytest.mark.parametrize("profile", ["smoke", "cpu"])  # and then as it is stored
def test_what_people_write_works_at_every_profile(page, icllib, profile):
    written(page, with_cells(*WORKING.values()))
    code, _, err = icllib("run", "causal_lm/sample", "--profile", profile)
    assert code == 0, err


SAMPLE = ("an exit", "a kernel that is killed", "an error of its own", "a cell that is skipped")


@FORKED
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


@FORKED
@pytest.mark.parametrize("head, default", NAMED)
def test_parameters_count_however_they_are_written(page, icllib, head, default):
    """Also where an earlier cell assigns the same name."""
    cell = f'# %% {head}\nprofile = "stored"\n{default}\n'
    written(page, f"# %%\nrate = 5\n{cell}# %%\nassert (rate, profile) == (0.7, 'smoke')")
    code, _, err = icllib("run", "causal_lm/sample", "--profile", "smoke", "-p", "rate=0.7")
    assert code == 0, err


def test_tags_are_of_the_cells_that_have_them(page):
    cells = "# %% [md]", "# %% [raw]", '# %% tags=["parameters"]', "# %% A title [markdown]", "# %% tags=['figure']", "# %%"
    written(page, "\n".join(f"{head}\n{number}" for number, head in enumerate(cells)))
    code = [cell for cell in read_page("causal_lm/sample").cells if cell.cell_type == "code"]
    expected = [("2", ["parameters"]), ("4", ["figure"]), ("5", [])]
    assert [(cell.source, cell.metadata.get("tags", [])) for cell in code] == expected


@FORKED
@pytest.mark.parametrize("encoding, end", [
    ("utf-8-sig", "\r\n"), *(pytest.param(*own, marks=large) for own in
                             (("utf-8", "\n"), ("utf-8-sig", "\n"), ("utf-8", "\r\n"), ("utf-8", "\r")))])
def test_a_page_may_come_from_another_system(page, icllib, encoding, end):
    """With a byte order mark, and with the line ends of Windows or of an old Mac."""
    folder = written(page, with_cells("text = '''🙂\né'''\nprint(text)\n%time x = 1\nprint(text)"))
    (folder / "sample.py").write_text((folder / "sample.py").read_text("utf-8"), encoding, newline=end)
    assert (end in (folder / "sample.py").read_bytes().decode()) and icllib("run", "causal_lm/sample")[0] == 0
    shown = json.loads((folder / "sample.ipynb").read_text("utf-8"))["cells"][-1]["outputs"]
    assert "".join(shown[0]["text"]).count("🙂\né\n") == 2


@FORKED
def test_a_page_that_goes_on_after_its_time_limit_has_failed(page, icllib, monkeypatch):
    """And where it is over before the first cell, which goes on too."""
    monkeypatch.setattr("claimbook.pages.execution.SAVING", 0.0)
    written(page, with_cells(head='# %% tags=["parameters"]\nprofile = "stored"\nwhile True:\n    pass\n'))
    code, _, err = icllib("run", "causal_lm/sample", "--profile", "smoke", "--time-limit", "0")
    assert code == 3 and err.startswith("claimbook: causal_lm/sample: cell 1 was still running after the time limit")


@FORKED
def test_a_cell_that_writes_more_than_can_be_read_is_not_told_as_a_time_limit(page, icllib, monkeypatch):
    """A reader of 20 ms for each message has 6 s to do where the cell took a moment, on any machine."""
    read = NotebookClient.process_message
    monkeypatch.setattr(NotebookClient, "process_message", lambda *given: time.sleep(0.02) or read(*given))
    monkeypatch.setattr("claimbook.pages.execution.OUTPUT", 1)
    written(page, with_cells("for number in range(300):\n    print(number, flush=True)"))
    code, _, err = icllib("run", "causal_lm/sample", "--profile", "smoke", "--time-limit", "600")
    assert code == 1 and "cell 2 wrote more than could be read within 1 s after its end: print less" in err
    assert err.count("causal_lm/sample:") == 1


@pytest.mark.parametrize("body, told", [("\n1 / 0", 'causal_lm/sample.py", line {line}, in'),
                                        ("\n%time 1", "line {line}: expected Python, got '%time 1")])
def test_without_jupyter_an_error_names_its_line(page, body, told):
    folder = written(page, with_cells("1", body))
    line = (folder / "sample.py").read_text("utf-8").splitlines().index(body.strip()) + 1
    with pytest.raises(PageFailed, match=told.format(line=line)):
        execute_as_script("causal_lm/sample", {"profile": "cpu"})


def test_without_jupyter_parameters_and_files_are_found_alike(page):
    plain = [WORKING[kind] for kind in ("quotes", "data beside the page", "a module beside the page", "main")]
    written(page, with_cells(*plain, "assert (size, profile) == (4, 'cpu')\ndisplay(size)"))
    before = os.getcwd()
    execute_as_script("causal_lm/sample", {"profile": "cpu", "size": 4})
    assert os.getcwd() == before
