"""The workflow with a command in place of icllib, which notes what it is asked for."""

import json
import subprocess
import sys

import pytest

from claimbook.records.files import PROJECT

COMMAND = """
import json, pathlib, sys
words = sys.argv[1:]
with open("calls", "a") as file:
    print(*words, file=file)
if words[0] == "plan":
    jobs = json.loads(pathlib.Path("jobs.json").read_text("utf-8"))
    print(json.dumps([job for job in jobs if not all(map(pathlib.Path.exists, map(
        pathlib.Path, (record.replace("/", "-") for record in job["records"]))))]))
elif words[0] == "train":
    if pathlib.Path("broken").exists() and words[1] in pathlib.Path("broken").read_text("utf-8"):
        sys.exit(2)
    for record in words[1:]:
        pathlib.Path(record.replace("/", "-")).write_text("")
"""
JOBS = [{"records": ["p/one/cpu/a.json", "p/one/cpu/b.json"], "pages": ["p/one", "p/two"]},
        {"records": ["p/two/cpu/c.json"], "pages": ["p/two"]},
        {"records": ["p/three/cpu/d.json"], "pages": ["p/three"]}]


@pytest.fixture
def workflow(tmp_path):
    """Runs the workflow on these jobs; returns its exit code and the calls in their order."""
    pytest.importorskip("snakemake", reason="no Snakemake here: pip install -r workflow/requirements.txt")
    (tmp_path / "command.py").write_text(COMMAND, "utf-8")
    jobs = [job | {"minutes": 1.0, "memory_gib": 0.5, "members": 1} for job in JOBS]
    (tmp_path / "jobs.json").write_text(json.dumps(jobs), "utf-8")

    def run(*words):
        (tmp_path / "calls").unlink(missing_ok=True)
        done = subprocess.run(
            [sys.executable, "-m", "snakemake", "-s", PROJECT / "workflow/Snakefile",
             "--directory", tmp_path, "--cores", "1", "--keep-going",
             "--rerun-triggers", "mtime", "--config", "profile=cpu",  # as in every profile
             f"icllib={sys.executable} {tmp_path}/command.py", *words], capture_output=True)
        return done.returncode, (tmp_path / "calls").read_text("utf-8").splitlines()

    return run


def test_fleets_in_the_order_of_the_plan_pages_after_their_fleets_and_the_book_last(workflow):
    code, calls = workflow("pages=p q/r", "members=2")
    assert code == 0
    assert calls[0] == "plan --profile cpu --json --page p --page q/r --members 2"
    assert calls[-1] == "book"
    trained = [f"train {' '.join(job['records'])}" for job in JOBS]
    assert [call for call in calls if call.startswith("train")] == trained
    for page in ("p/one", "p/two", "p/three"):
        needed = [calls.index(call) for call, job in zip(trained, JOBS) if page in job["pages"]]
        assert calls.index(f"run {page} --profile cpu") > max(needed)
    assert workflow() == (0, ["plan --profile cpu --json", "book"])  # nothing else is left


def test_a_fleet_that_fails_stops_no_others_and_the_next_call_goes_on(workflow, tmp_path):
    (tmp_path / "broken").write_text("p/two/cpu/c.json", "utf-8")
    code, calls = workflow()
    assert code == 1 and {"run p/one --profile cpu", "run p/three --profile cpu"} < set(calls)
    assert not {"run p/two --profile cpu", "book"} & set(calls)
    (tmp_path / "broken").unlink()
    assert workflow() == (0, ["plan --profile cpu --json", "train p/two/cpu/c.json",
                              "run p/two --profile cpu", "book"])


def test_pages_of_a_call_that_ended_before_them_are_executed_by_the_next(workflow):
    assert workflow("--", "records")[0] == 0
    assert sorted(workflow()[1][1:-1]) == [f"run p/{page} --profile cpu" for page in ("one", "three", "two")]
