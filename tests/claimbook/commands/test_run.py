"""The page runner: bad input, failures and kills leave everything as it was."""

import fcntl
import importlib.metadata
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from conftest import FORKED, PAGE
from claimbook.commands import run
from claimbook.pages.execution import execute_as_script, parse_parameter, sockets
from claimbook.pages.names import notebooks_folder
from claimbook.records import PROJECT
from claimbook.records.files import TEMPORARY, locked, temporary_folder


def files(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


WRITE = '''import os, pathlib
pathlib.Path(os.environ["CLAIMBOOK_OUTPUT"]).mkdir(exist_ok=True)
pathlib.Path(os.environ["CLAIMBOOK_OUTPUT"], "figure.csv").write_text("new")
'''


@FORKED
def test_a_page_that_succeeds_replaces_notebook_and_results_by_the_same_bytes(page, results, icllib):
    """The paths of a drawn figure too, which Matplotlib names at random."""
    folder = page(WRITE + """import claimbook
import matplotlib.pyplot as plt
claimbook.Page("causal_lm/sample")
lines = plt.subplots()[1].plot([1, 2])""")
    assert icllib("run", "causal_lm/sample")[0] == 0
    first = files(folder)
    assert icllib("run", "causal_lm/sample")[0] == 0 and files(folder) == first
    *_, output = json.loads(first[folder / "sample.ipynb"])["cells"][-1]["outputs"]
    assert "<path" in "".join(output["data"]["image/svg+xml"])
    assert (results / "causal_lm/sample/figure.csv").read_text("utf-8") == "new"


@FORKED
def test_a_notebook_that_was_edited_is_not_overwritten(page, icllib):
    """As in VS Code or Colab, where nothing writes its .py."""
    folder = page("print(6 * 7)")
    assert icllib("run", "causal_lm/sample")[0] == 0
    sound = (folder / "sample.ipynb").read_text("utf-8")
    for edit in ({"metadata": {"tags": ["hide-input"]}}, {"metadata": {"mystnb": {"figure": {"caption": "Other"}}}},
                 {"source": "print(6 * 9)"}):
        notebook = json.loads(sound)
        notebook["cells"][-1].update(edit)
        (folder / "sample.ipynb").write_text(json.dumps(notebook), "utf-8")
        before = files(folder)
        for profile in ("stored", "cpu"):
            code, _, err = icllib("run", "causal_lm/sample", "--profile", profile)
            assert code == 2 and "got one that was edited and would be lost" in err
        shown = edit.get("source") or json.dumps(edit["metadata"])[1:-1]
        assert f"+# %% [code] {{{shown}}}" in err or f"\n  -print(6 * 7)\n  +{shown}" in err
        assert files(folder) == before
    subprocess.run([sys.executable, "-m", "jupytext", "--to", "py:percent", folder / "sample.ipynb"], check=True,
                   stdout=subprocess.DEVNULL)  # as the message says
    assert shown in (folder / "sample.py").read_text("utf-8")
    assert icllib("run", "causal_lm/sample")[0] == 0


@FORKED
def test_a_page_that_fails_leaves_everything_as_it_was_and_stops_no_other(page, results, icllib, tmp_path):
    folder = page("1 + 1")
    for name, body in {"broken": "raise RuntimeError('broken')", "ended": "import sys; sys.exit(0)",
                       "killed": "import os; os.kill(os.getpid(), 9)"}.items():
        (folder / f"{name}.py").write_text(PAGE.format(body=WRITE + body), "utf-8")
    before = files(tmp_path)
    code, out, err = icllib("run", "all")
    assert code == 1 and "causal_lm/sample: notebook and results written" in out
    assert "causal_lm/broken: cell 2: RuntimeError: broken" in err and "cell 2: SystemExit: 0" in err
    assert "its kernel ended (Kernel died" in err
    assert err.strip().endswith("3 of 4 pages failed: causal_lm/broken, causal_lm/ended, causal_lm/killed")
    assert {path.name for path, _ in files(tmp_path).items() - before.items()} == {"sample.ipynb", "shown.json"}


@FORKED
def test_a_page_hangs_on_no_port_that_another_program_takes(page, icllib, monkeypatch):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        monkeypatch.setattr("jupyter_client.connect.LocalPortCache.find_available_port", lambda *_: taken)
        page("1 + 1")
        assert icllib("run", "causal_lm/sample")[0] == 0


def test_sockets_where_a_folder_can_have_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    too_long = Path("long" * 28)
    too_long.mkdir()
    assert sockets(".") == {"transport": "ipc", "ip": "./kernel"}
    assert sockets(str(too_long)) == sockets("missing") == {}
    assert list(Path().iterdir()) == [too_long] and not list(too_long.iterdir())


def test_a_page_looks_the_same_whatever_its_reader_s_own_settings_are(page, icllib, monkeypatch, tmp_path):
    """And says nothing of a home that cannot be made."""
    for name in ("MPLCONFIGDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/dev/null/none")
    body = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.rcParams['lines.linewidth']"
    folder = page("import claimbook\nclaimbook.Page('causal_lm/sample')\n" + body)
    startup = tmp_path / "ipython/profile_default/startup"
    startup.mkdir(parents=True)
    (startup / "00.py").write_text("import matplotlib; matplotlib.rcParams['lines.linewidth'] = 9", "utf-8")
    (tmp_path / "matplotlibrc").write_text("lines.linewidth: 9", "utf-8")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("MATPLOTLIBRC", str(tmp_path / "matplotlibrc"))
    assert icllib("run", "causal_lm/sample")[0] == 0
    shown = json.loads((folder / "sample.ipynb").read_text("utf-8"))["cells"][-1]["outputs"]
    assert "1.5" in [output["data"].get("text/plain", [""])[0] for output in shown]


@FORKED
@pytest.mark.parametrize("variable", ["CLAIMBOOK_RESULTS", "CLAIMBOOK_CHECKPOINTS"])
def test_a_folder_that_cannot_be_written_to_is_told_before_any_work(
        page, icllib, tmp_path, monkeypatch, variable):
    page("""import icllib
from icllib.evaluate import ErrorByLength
from icllib.models import MLP
from icllib.tasks import LinearRegression
from icllib.training import Recipe, Run
run = Run(LinearRegression(2), MLP(4), Recipe((1,), 1), ErrorByLength((1,), 8))
icllib.records(lambda profile: [run], profile, page="causal_lm/sample")""")
    (tmp_path / "file").write_text("", "utf-8")
    monkeypatch.setenv(variable, str(tmp_path / "file"))
    before = files(tmp_path)
    code, _, err = icllib("run", "causal_lm/sample", "--profile", "cpu")
    assert code == 2 and len(err.strip().splitlines()) == 1
    assert "expected a folder to write to, got " in err
    assert files(tmp_path) == before


@FORKED
def test_a_folder_in_place_of_a_result_is_told_before_any_work(page, icllib, tmp_path):
    page("1 / 0")
    figure = tmp_path / "results/causal_lm/sample/figure.csv"
    figure.unlink()
    figure.mkdir()
    code, _, err = icllib("run", "causal_lm/sample")
    assert code == 2 and "figure.csv, which is no file" in err


def elsewhere() -> str:
    """What a process runs to be the command line with this test's notebooks."""
    return (f"import pathlib; from claimbook.pages import names; from claimbook.commands import command_line; "
            f"names.NOTEBOOKS = pathlib.Path({str(notebooks_folder())!r}); command_line.main()")


def test_a_page_that_is_killed_leaves_everything_as_it_was(page, tmp_path):
    """And beside it only folders that the next call removes."""
    marker, place = (tmp_path.parent / f"{tmp_path.name}-{name}" for name in ("started", "place"))
    place.mkdir()
    page(WRITE + f"import time; pathlib.Path({str(marker)!r}).touch(); time.sleep(100)")
    before = files(tmp_path)
    process = subprocess.Popen([sys.executable, "-c", elsewhere(), "run", "causal_lm/sample"],
                               cwd=PROJECT, start_new_session=True, stderr=subprocess.DEVNULL,
                               env=os.environ | {"TMPDIR": str(place)})
    while not marker.exists():
        assert process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert files(tmp_path) == before
    assert {path.name[:len(TEMPORARY)] for path in place.iterdir()} == {TEMPORARY}


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.large)])
def test_what_a_page_trains_is_kept_when_it_is_asked_to_stop(page, tmp_path, number):
    page(f"""import pathlib, time
from claimbook.records.errors import OutOfTime
from icllib.training.jobs import stop_request
with stop_request() as should_stop:
    pathlib.Path({str(tmp_path / "started")!r}).touch()
    while not should_stop():
        time.sleep(0.05)
    time.sleep(1)
    pathlib.Path({str(tmp_path / "saved")!r}).touch()
    raise OutOfTime("stopped at step 7")""")
    process = subprocess.Popen([sys.executable, "-c", elsewhere(), "run", "causal_lm/sample", "--profile", "cpu"],
                               cwd=PROJECT, stderr=subprocess.PIPE, text=True, encoding="utf-8",
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    while not (tmp_path / "started").exists():
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(number)
    _, told = process.communicate()
    assert process.returncode == 3 and len(told.strip().splitlines()) == 1
    assert (tmp_path / "saved").exists()


@FORKED
def test_smoke_keeps_nothing_and_parameters_reach_the_page(page, icllib, tmp_path):
    page(WRITE + "assert (profile, size) == ('smoke', [1, 2])")
    before = files(tmp_path)
    assert icllib("run", "causal_lm/sample", "--profile", "smoke", "-p", "size=(1, 2)")[0] == 0
    assert files(tmp_path) == before


def test_a_page_runs_as_a_script_without_jupyter(page, icllib, monkeypatch, results):
    folder = page(WRITE + "assert (profile, size) == ('stored', 1)")
    monkeypatch.setitem(sys.modules, "papermill", None)
    code, out, _ = icllib("run", "causal_lm/sample")
    assert code == 0 and "papermill is not installed" in out
    assert (folder / "sample.ipynb").read_text("utf-8") == "old"
    assert (results / "causal_lm/sample/figure.csv").read_text("utf-8") == "new"


def test_parameters_are_json_or_python_or_text():
    texts = {"5": 5, "all": "all", "[1, 2]": [1, 2], "False": False, "None": None, ".5": 0.5, "(1, 2)": [1, 2],
             "{'a': (1,)}": {"a": [1]}}
    assert [parse_parameter(f"size={text}") for text in texts] == [("size", value) for value in texts.values()]


SAMPLE, TAGGED = ["run", "causal_lm/sample"], '# %% tags=["parameters"]\nprofile = "stored"\n'


@pytest.mark.parametrize("words, text, message", [
    *((words, "", message) for words, message in (
        (["run", "causal_lm/nothing"], "such as causal_lm/sample, got"),
        ([*SAMPLE, "--profile", "huge"], "profile: expected one of stored, "),
        ([*SAMPLE, "-p", "sise=2"], "parameter: expected one of size, got 'sise'"),
        ([*SAMPLE, "-p", "profile=cpu"], "expected --profile for the profile"),
        ([*SAMPLE, "-p", "size"], "parameter: expected NAME=VALUE, got 'size'"),
        ([*SAMPLE, "-p", "size=2"], "-p: expected a profile to compute at"),
        ([*SAMPLE, "--as-recorded"], "--as-recorded: expected one of cpu, gpu, paper with --profile"),
        ([*SAMPLE, "--as-recorded", "--members", "2"], "--as-recorded: expected no"),
        (["plan", "--profile", "cpu", "--budget", "soon"], "--budget: expected a time such as"),
        (["claims", "causal_lm.99"], "claim id: expected causal_lm.1 to"),
        (["claims", "other.1"], "claim id: expected <paper>.<number>"))),
    (SAMPLE, TAGGED.replace("stored", "gpu"), 'expected profile = "stored" in its parameters cell'),
    ([*SAMPLE, "--profile", "cpu", "-p", "quick=no"], TAGGED + "quick = False",
     "parameter: expected quick=True or quick=False, got quick=no"),
    *(([*SAMPLE, "--profile", "smoke"], text, message) for text, message in (
        ("# %% tags=[parameters]\nprofile = 1", "tags: expected a list as in"),
        ("# %%\nprofile = 'stored'", "expected a cell that begins with"),
        (TAGGED + '# %% tags=["parameters"]\nrate = 2', "found 2"),
        ('# %% tags=["parameters"]\nprofile = (', "line 2: expected Python in its parameters cell")))])
def test_bad_input_is_one_clear_line_before_any_work(page, icllib, words, text, message, tmp_path):
    folder = page("raise SystemExit('the page ran')")
    if text:
        (folder / "sample.py").write_text(text, "utf-8")
    before = files(tmp_path)
    code, _, err = icllib(*words)
    assert code == 2
    assert message in err and len(err.strip().splitlines()) == 1
    assert files(tmp_path) == before


@FORKED
def test_a_damaged_record_stops_a_page_with_one_line(page, icllib, results):
    page('''import icllib
from papers.causal_lm import propositions
small = propositions.Propositions(2, 4, layers=2, steps_to_limit=2)
icllib.records(lambda _: [small], profile, page="causal_lm/sample")''')
    execute_as_script("causal_lm/sample", {"profile": "paper"})
    path = sorted(results.glob("causal_lm/sample/paper/*.json"))[0]
    path.write_text(path.read_text("utf-8")[:100], "utf-8")
    code, _, err = icllib("run", "causal_lm/sample")
    assert code == 2
    assert "damaged file" in err and len(err.strip().splitlines()) == 1


def test_limits_are_those_of_the_whole_command(page, icllib, monkeypatch):
    limits = []
    monkeypatch.setattr(run, "run_page", lambda *given: limits.append(given[-1]))
    folder = page("")
    shutil.copy(folder / "sample.py", folder / "other.py")
    before = time.monotonic()
    icllib("run", "causal_lm/sample", "causal_lm/other", "--time-limit", "50", "--members", "6")
    assert limits[0] == limits[1] and before <= limits[0].deadline - 50 <= time.monotonic()
    assert limits[0].members == 6 and icllib("run", "causal_lm/sample", "--members", "0")[0] == 2


@FORKED
def test_the_time_limit_reaches_what_trains(page, icllib):
    page("""from claimbook.records.errors import OutOfTime
from icllib.training.jobs import stop_request
from claimbook.records.limits import limits_of_page
with stop_request(limits_of_page()) as should_stop:
    if should_stop():
        raise OutOfTime("stopped at step 0")""")
    code, _, err = icllib("run", "causal_lm/sample", "--profile", "cpu", "--time-limit", "0")
    assert code == 3 and "stopped at step 0" in err


def test_a_book_without_jupyter_is_one_clear_line(icllib, monkeypatch):
    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr("claimbook.website.version", missing)
    code, _, err = icllib("book")
    assert code == 2 and "claimbook[book]" in err and len(err.strip().splitlines()) == 1


def test_temporary_folders_that_a_killed_process_left_go_with_the_next_call(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    hold = ("from claimbook.records.files import temporary_folder\n"
            "with temporary_folder() as folder:\n    print(folder, flush=True)\n    input()")
    killed, living = (subprocess.Popen([sys.executable, "-c", hold], cwd=PROJECT, encoding="utf-8",
                                       env=os.environ | {"TMPDIR": str(tmp_path)},
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                      for _ in range(2))
    left, used = (Path(process.stdout.readline().strip()) for process in (killed, living))
    killed.kill()
    killed.wait()
    (tmp_path / "another-folder").mkdir()
    os.utime(left)  # however long ago it was made
    with temporary_folder():
        assert left.exists()  # too young: it might not have its lock yet
    for folder in tmp_path.iterdir():
        os.utime(folder, (0, 0))
    with temporary_folder() as own:
        assert sorted(tmp_path.iterdir()) == sorted([used, Path(own), tmp_path / "another-folder"])
    living.communicate("\n")
    assert list(tmp_path.iterdir()) == [tmp_path / "another-folder"]


def test_a_temporary_folder_gets_its_lock_though_another_process_looks_at_it_first(monkeypatch, tmp_path):
    made, make = [], tempfile.mkdtemp

    def looked_at(*words):
        folder = make(*words)
        number = os.open(folder, os.O_RDONLY)
        fcntl.flock(number, fcntl.LOCK_EX)
        made.append(threading.Timer(0.2, os.close, [number]))
        made[0].start()
        return folder

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(tempfile, "mkdtemp", looked_at)
    with temporary_folder() as own:
        made[0].join()
        with locked(Path(own)) as free:
            assert not free
