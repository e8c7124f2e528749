"""The page runner and the command line: bad input, failures and kills leave everything as it was."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from icllib import cli, runner, status
from icllib.claims import evidence_path, find_claim, interval
from icllib.errors import InputError
from icllib.pages import find_page, find_pages
from icllib.results import PROJECT, write_together

PAGE = '''# %% [markdown]
# # A page

# %% tags=["parameters"]
profile = "stored"
size = 1

# %%
{body}
'''


@pytest.fixture
def page(tmp_path, monkeypatch, results):
    """Writes a page causal_lm/sample with this code; returns its folder."""
    folder = tmp_path / "notebooks" / "causal_lm"
    folder.mkdir(parents=True)
    monkeypatch.setenv("ICLLIB_NOTEBOOKS", str(tmp_path / "notebooks"))
    (results / "causal_lm/sample").mkdir(parents=True)
    (results / "causal_lm/sample/figure.csv").write_text("old")

    def write(body):
        (folder / "sample.py").write_text(PAGE.format(body=body))
        (folder / "sample.ipynb").write_text("old")
        return folder

    return write


@pytest.fixture
def icllib(monkeypatch, capsys):
    """Runs a command; returns its exit code and what it printed on both streams."""
    def run(*words):
        monkeypatch.setattr(sys, "argv", ["icllib", *words])
        try:
            cli.main()
            code = 0
        except SystemExit as stop:
            code = stop.code or 0
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def files(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


WRITE = '''import os, pathlib
pathlib.Path(os.environ["ICLLIB_OUTPUT"]).mkdir(exist_ok=True)
pathlib.Path(os.environ["ICLLIB_OUTPUT"], "figure.csv").write_text("new")
'''


def test_a_page_that_succeeds_replaces_notebook_and_results(page, results, icllib):
    folder = page(WRITE + "print(6 * 7)")
    assert icllib("run", "causal_lm/sample")[0] == 0
    notebook = json.loads((folder / "sample.ipynb").read_text())
    assert notebook["cells"][-1]["outputs"][0]["text"] == ["42\n"]
    assert (results / "causal_lm/sample/figure.csv").read_text() == "new"


def test_running_twice_gives_the_same_bytes(page, icllib):
    folder = page("print('same')")
    icllib("run", "causal_lm/sample")
    first = files(folder)
    icllib("run", "causal_lm/sample")
    assert files(folder) == first


def test_a_page_that_fails_leaves_everything_as_it_was(page, results, icllib, tmp_path):
    page(WRITE + "raise RuntimeError('broken')")
    before = files(tmp_path)
    code, _, err = icllib("run", "causal_lm/sample")
    assert code == 1 and "RuntimeError: broken" in err
    assert files(tmp_path) == before


def test_a_page_that_fails_stops_no_other(page, icllib):
    folder = page("1 + 1")
    (folder / "broken.py").write_text(PAGE.format(body="raise RuntimeError('broken')"))
    code, out, err = icllib("run", "all", "--profile", "quick")
    assert code == 1 and "causal_lm/sample: notebook and results written" in out
    assert "causal_lm/broken: Traceback" in err and "RuntimeError: broken" in err
    assert err.strip().endswith("1 of 2 pages failed: causal_lm/broken")


@pytest.mark.parametrize("variable", ["ICLLIB_RESULTS", "ICLLIB_CHECKPOINTS"])
def test_a_folder_that_cannot_be_written_to_is_told_before_any_work(
        page, icllib, tmp_path, monkeypatch, variable):
    page(RUN.format(d=2, n=1, heads=2, T=1) + """
import icllib
icllib.records(lambda profile: [run], profile, page="causal_lm/sample")""")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(variable, str(tmp_path / "file"))
    before = files(tmp_path)
    code, _, err = icllib("run", "causal_lm/sample", "--profile", "quick")
    assert code == 2 and len(err.strip().splitlines()) == 1
    assert "expected a folder to write to, got " in err
    assert files(tmp_path) == before


def test_no_file_is_replaced_before_all_are_written(tmp_path):
    old, blocked = tmp_path / "old", tmp_path / "old" / "below_a_file"
    old.write_text("old")
    with pytest.raises(OSError):
        write_together({old: "new", blocked: "new"})
    assert old.read_text() == "old" and list(tmp_path.iterdir()) == [old]


def test_a_page_that_is_killed_leaves_everything_as_it_was(page, tmp_path):
    marker = tmp_path.parent / f"{tmp_path.name}-started"
    page(WRITE + f"import time; pathlib.Path({str(marker)!r}).touch(); time.sleep(100)")
    before = files(tmp_path)
    process = subprocess.Popen([sys.executable, "-m", "icllib", "run", "causal_lm/sample"],
                               cwd=PROJECT, start_new_session=True, stderr=subprocess.DEVNULL)
    while not marker.exists():
        assert process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert files(tmp_path) == before


def test_smoke_keeps_nothing(page, icllib, tmp_path):
    page(WRITE)
    before = files(tmp_path)
    assert icllib("run", "causal_lm/sample", "--profile", "smoke")[0] == 0
    assert files(tmp_path) == before


def test_a_page_runs_as_a_script_without_jupyter(page, icllib, monkeypatch, results):
    folder = page(WRITE + "assert (profile, size) == ('stored', 1)")
    monkeypatch.setitem(sys.modules, "papermill", None)
    code, out, _ = icllib("run", "causal_lm/sample")
    assert code == 0 and "papermill is not installed" in out
    assert (folder / "sample.ipynb").read_text() == "old"
    assert (results / "causal_lm/sample/figure.csv").read_text() == "new"


def test_a_page_that_was_saved_with_another_profile_is_refused(page, icllib, tmp_path):
    folder = page("raise SystemExit('the page ran')")
    source = (folder / "sample.py").read_text()
    (folder / "sample.py").write_text(source.replace('"stored"', '"gpu"'))
    before = files(tmp_path)
    code, _, err = icllib("run", "causal_lm/sample")
    assert code == 2 and 'expected profile = "stored" in its parameters cell' in err
    assert files(tmp_path) == before


def test_parameters_reach_the_page(page, icllib):
    page("assert (profile, size) == ('quick', 5)")
    assert icllib("run", "causal_lm/sample", "--profile", "quick", "-p", "size=5")[0] == 0


@pytest.mark.parametrize("words, message", [
    (["run", "causal_lm/nothing"], "such as causal_lm/sample, got"),
    (["run", "causal_lm/sample", "--profile", "huge"], "profile: expected one of stored, "),
    (["run", "causal_lm/sample", "-p", "sise=2"], "parameter: expected one of size, got 'sise'"),
    (["run", "causal_lm/sample", "-p", "profile=quick"], "expected --profile for the profile"),
    (["run", "causal_lm/sample", "-p", "size"], "parameter: expected NAME=VALUE, got 'size'"),
    (["claims", "causal_lm.99"], "claim id: expected causal_lm.1 to"),
    (["claims", "other.1"], "claim id: expected <paper>.<number>"),
])
def test_bad_input_is_one_clear_line_before_any_work(page, icllib, words, message, tmp_path):
    page("raise SystemExit('the page ran')")
    before = files(tmp_path)
    code, _, err = icllib(*words)
    assert code == 2
    assert message in err and len(err.strip().splitlines()) == 1
    assert files(tmp_path) == before


RUN = '''
from icllib.evaluate import ErrorByLength
from icllib.models import MLP, Transformer
from icllib.tasks import LinearRegression
from icllib.training import Recipe, Run
run = Run(LinearRegression({d}), Transformer(1, {heads}, 16), Recipe(({n},), 1), ErrorByLength((1,), 8),
          0, {T})
'''


@pytest.mark.parametrize("sizes, message", [
    ({"d": 0}, "^dimension: expected an integer of at least 1, got 0$"),
    ({"n": -1}, "^lengths: expected an integer of at least 0, got -1$"),
    ({"T": 0}, "^pretraining_tasks: expected an integer of at least 1, got 0$"),
])
def test_sizes_that_cannot_be_are_told_in_one_line(sizes, message):
    with pytest.raises(InputError, match=message):
        exec(RUN.format(**{"d": 2, "n": 1, "heads": 2, "T": 1} | sizes), {})


def test_sizes_that_cannot_be_stop_a_page_with_one_line(page, icllib):
    page(RUN.format(d=2, n=1, heads=3, T=1))
    code, _, err = icllib("run", "causal_lm/sample")
    assert code == 2 and len(err.strip().splitlines()) == 1
    assert "heads: expected a divisor of the width 16, got 3" in err


def test_a_damaged_record_stops_a_page_with_one_line(page, icllib, results):
    page('''import icllib
from icllib.papers import causal_lm
small = causal_lm.Propositions(2, 4, layers=2, steps_to_limit=2)
icllib.records(lambda _: [small], profile, page="causal_lm/sample")''')
    runner.execute_as_script("causal_lm/sample", {"profile": "paper"})
    path = sorted(results.glob("causal_lm/sample/paper/*.json"))[0]
    path.write_text(path.read_text()[:100])
    code, _, err = icllib("run", "causal_lm/sample")
    assert code == 2
    assert "damaged file" in err and len(err.strip().splitlines()) == 1


def test_nothing_stored_says_how_to_make_it(page, icllib):
    page('''import icllib
from icllib.papers import causal_lm
icllib.records(causal_lm.propositions, profile, page="causal_lm/sample")''')
    code, _, err = icllib("run", "causal_lm/sample")
    assert code == 2 and "python -m icllib run causal_lm/sample --profile quick" in err
    assert err.startswith("icllib: causal_lm/sample: expected ")
    assert "15 of 15 records missing at quick" in err


def test_a_page_without_parameters_says_so(page, icllib):
    path = page("") / "sample.py"
    path.write_text(path.read_text().replace("size = 1\n", ""))
    code, _, err = icllib("run", "causal_lm/sample", "-p", "x=1")
    assert code == 2 and err == (
        "icllib: parameter: expected none (--profile is the only one), got 'x'\n")


def test_a_paper_names_its_pages_and_all_names_every_page(page, icllib):
    shutil.copytree(page("1 + 1"), page("1 + 1").parent / "mine")
    assert find_pages("causal_lm") == ["causal_lm/sample"]
    assert find_pages("all") == ["causal_lm/sample", "mine/sample"]
    code, out, _ = icllib("run", "mine/sample", "causal_lm", "--profile", "smoke")
    assert code == 0 and [line.split(":")[0] for line in out.splitlines()] == [
        "mine/sample", "causal_lm/sample"]
    for words in (["all"], ["causal_lm", "mine"], ["causal_lm/sample", "mine"]):
        rows = json.loads(icllib("status", *words, "--json")[1])
        assert [row["paper"] for row in rows] == ["causal_lm", "mine"]


def test_help_shows_examples(icllib):
    for command in ("run", "status", "claims", "book"):
        code, out, _ = icllib(command, "--help")
        assert code == 0 and "Example" in out and "python -m icllib" in out


def test_claims_as_json_have_the_agreed_fields(icllib):
    rows = json.loads(icllib("claims", "--json")[1])
    assert len(rows) > 72
    assert set(rows[0]) == {"paper", "id", "statement", "source", "verdict", "profile", "page",
                            "printed", "scale", "tolerance", "evidence", "intervals"}


def test_a_claim_as_json_has_its_numbers(icllib):
    row, = json.loads(icllib("claims", "causal_lm.6", "--json")[1])
    claim = find_claim("causal_lm.6")
    assert (row["printed"], row["tolerance"]) == (claim.printed, claim.tolerance)
    for part, samples in row["evidence"].items():
        assert row["intervals"][part] == list(interval(samples, row["scale"]))
    assert set(row["intervals"]) == set(claim.parts)
    assert "evidence" not in icllib("claims", "causal_lm.6")[1]


def test_status_as_json_has_the_agreed_fields(icllib):
    rows = json.loads(icllib("status", "--json")[1])
    assert {"paper", "page", "profile", "state", "reason", "cost"} == set(rows[0])


def test_status_of_one_page(icllib):
    code, out, _ = icllib("status", "context_scaling/fig01_scaling", "--json")
    assert code == 0 and {row["page"] for row in json.loads(out)} == {"fig01_scaling"}


def test_an_estimate_of_cost_says_on_what_machine():
    runs = status.runs_of("context_scaling/fig01_scaling")
    assert status.cost(runs("paper"), "paper").endswith("hours on an H200")
    assert status.cost(runs("quick"), "quick").endswith("minutes on 2 CPU cores")


def test_a_page_whose_runs_nothing_lists_is_told_in_its_row(page, icllib):
    folder = page("")
    shutil.copy(PROJECT / "notebooks/causal_lm/propositions.py", folder)
    other = folder.parent / "mine" / "sample.py"
    other.parent.mkdir()
    shutil.copy(folder / "sample.py", other)
    code, out, _ = icllib("status", "--json")
    rows = json.loads(out)
    assert code == 0 and [(row["paper"], row["page"], row["state"]) for row in rows] == [
        ("causal_lm", "propositions", "stale"), ("causal_lm", "propositions", "missing"),
        ("causal_lm", "sample", "unknown"), ("mine", "sample", "unknown")]
    for row in rows[2:]:
        assert f"expected icllib.papers.{row['paper']} to export a function sample" in row["reason"]


def test_a_page_with_damaged_evidence_is_told_in_its_row(icllib, results):
    path = evidence_path("context_scaling/estimators")
    path.parent.mkdir(parents=True)
    path.write_text("[]")
    row, = json.loads(icllib("status", "context_scaling/estimators", "--json")[1])
    assert row["state"] == "unknown" and str(path) in row["reason"]


def test_status_works_without_jupyter(icllib, monkeypatch):
    monkeypatch.setitem(sys.modules, "nbformat", None)
    rows = json.loads(icllib("status", "--json")[1])
    assert {row["state"] for row in rows if row["profile"] == "stored"} == {"unknown"}


def test_parameters_of_a_page_are_read_without_running_it(page):
    page("raise SystemExit")
    assert runner.parameters_of("causal_lm/sample") == ["profile", "size"]


@pytest.mark.parametrize("suffix", [".py", ".ipynb"])
def test_a_path_names_the_page_whose_file_it_is(page, icllib, tmp_path, monkeypatch, suffix):
    folder = page("1 + 1")
    for place, name in ((tmp_path, folder / f"sample{suffix}"), (folder, f"sample{suffix}")):
        monkeypatch.chdir(place)
        assert find_page(str(name)) == "causal_lm/sample"
    shutil.copytree(folder, tmp_path / "elsewhere/causal_lm")
    code, _, err = icllib("run", str(tmp_path / f"elsewhere/causal_lm/sample{suffix}"))
    assert code == 2 and "page: expected one that python -m icllib status lists" in err


@pytest.mark.parametrize("words", [("run", "all"), ("run", "causal_lm/sample"), ("status",)])
def test_a_folder_without_pages_is_told(icllib, tmp_path, monkeypatch, words):
    monkeypatch.setenv("ICLLIB_NOTEBOOKS", str(tmp_path))
    code, _, err = icllib(*words)
    assert code == 2 and err == f"icllib: {tmp_path}: expected pages, <paper>/<page>.py, found none\n"


def test_only_the_notebook_shows_what_a_page_prints(page, icllib):
    page("print('from the page')")
    code, out, _ = icllib("run", "causal_lm/sample", "--profile", "quick")
    assert code == 0 and out == "causal_lm/sample: notebook and results written\n"


def test_the_time_limit_is_that_of_the_whole_command(page, icllib, monkeypatch):
    deadlines = []
    monkeypatch.setattr(runner, "run_page", lambda *given: deadlines.append(given[-1]))
    page("")
    icllib("run", "causal_lm/sample", "causal_lm/sample", "--time-limit", "50")
    assert deadlines[0] == deadlines[1] == pytest.approx(time.monotonic() + 50, abs=20)


def test_the_time_limit_holds_at_smoke_too(page, icllib):
    page("""from icllib.errors import OutOfTime
from icllib.training.jobs import stop_request
with stop_request() as should_stop:
    if should_stop():
        raise OutOfTime("stopped at step 0")""")
    code, _, err = icllib("run", "causal_lm/sample", "--profile", "smoke", "--time-limit", "0")
    assert code == 3 and "stopped at step 0" in err


def test_a_book_without_jupyter_is_one_clear_line(icllib, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "docutils", None)
    monkeypatch.delitem(sys.modules, "icllib.book", raising=False)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    code, _, err = icllib("book")
    assert code == 2 and "requirements.txt" in err and len(err.strip().splitlines()) == 1
