"""The script for GPU machines, with commands in place of Python and time: what comes back of it."""

import json
import os
import shutil
import signal
import subprocess
import tarfile
import time

import pytest

from icllib.results import PROJECT

RECORD = """#!/bin/sh
echo "$*" >> calls
echo {} > results/old.part
echo {} > "results/paper/new.json"
"""


@pytest.fixture
def call(tmp_path):
    """Starts the script in a project of its own, where `python3` is this shell script."""
    for folder in ("benchmarks/results", "results/paper", "bin"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "results/paper/old.json").write_text("{}")
    os.utime(tmp_path / "results/paper/old.json", (0, 0))
    shutil.copy(PROJECT / "benchmarks/on_gpu.sh", tmp_path / "benchmarks")

    def start(python, *words, archive="made.tgz"):
        for name, text in (("python3", python), ("sleep", "#!/bin/sh\nexec /bin/sleep 0.1")):
            (tmp_path / "bin" / name).write_text(text)
            (tmp_path / "bin" / name).chmod(0o755)
        return subprocess.Popen(
            ["bash", "benchmarks/on_gpu.sh", *words], cwd=tmp_path, start_new_session=True,
            stderr=subprocess.DEVNULL, env=os.environ | {
                "PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "ARCHIVE": archive})

    return start


def packed(folder):
    with tarfile.open(folder / "made.tgz") as archive:
        return archive.getnames()


@pytest.mark.parametrize("end, code", [("exit 0", 0), ("exit 3", 1)])
def test_what_was_made_is_packed_whether_all_went_well_or_not(call, tmp_path, end, code):
    assert call(RECORD + end, "pages", "60", "a/b", "c/d").wait() == code
    assert packed(tmp_path) == ["results/paper/new.json"]
    calls = (tmp_path / "calls").read_text().splitlines()
    assert [words.split()[3] for words in calls] == ["a/b", "c/d"]
    assert all("--profile gpu --time-limit" in words for words in calls)


def test_a_later_call_adds_to_the_archive(call, tmp_path):
    assert call(RECORD, "pages", "60", "a/b").wait() == 0
    assert call(RECORD.replace("new", "newer"), "pages", "60", "a/b").wait() == 0
    assert sorted(packed(tmp_path)) == ["results/paper/new.json", "results/paper/newer.json"]


@pytest.mark.parametrize("words", [("pages",), ("pages", "abc"), ("fleets", "5", "absent.json"),
                                   ("other",)])
def test_what_it_is_not_made_for_is_refused_before_any_work(call, tmp_path, words):
    assert call(RECORD, *words).wait() == 2
    assert not (tmp_path / "calls").exists()


def test_the_environment_of_the_project_is_used(call, tmp_path):
    script = tmp_path / ".venv/bin/python3"
    script.parent.mkdir(parents=True)
    script.write_text(RECORD)
    script.chmod(0o755)
    assert call("#!/bin/sh\nexit 1", "pages", "60", "a/b").wait() == 0
    assert (tmp_path / "calls").exists()


def test_once_the_time_is_over_no_page_is_begun(call, tmp_path):
    assert call(RECORD + "/bin/sleep 2; exit 3", "pages", "1", "a/b", "c/d").wait() == 1
    assert len((tmp_path / "calls").read_text().splitlines()) == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=str)
def test_what_was_made_outlives_a_kill(call, tmp_path, number):
    script = call(RECORD + "exec /bin/sleep 60", "pages", "60")
    until = time.monotonic() + 30
    while not (tmp_path / "made.tgz").exists() or not packed(tmp_path):
        assert time.monotonic() < until
        time.sleep(0.05)
    os.killpg(script.pid, number)
    assert script.wait() in (-number, 128 + number)
    assert packed(tmp_path) == ["results/paper/new.json"]


def test_an_archive_that_cannot_be_written_is_told_before_any_work(call, tmp_path):
    assert call(RECORD, "pages", "60", archive="absent/made.tgz").wait() == 2
    assert not (tmp_path / "calls").exists()


def test_fleets_are_trained_in_the_order_of_the_plan_until_the_time_is_over(call, tmp_path):
    plan = [{"records": ["a/b/gpu/1.json", "a/b/gpu/2.json"]}, {"records": ["c/d/gpu/3.json"]}]
    (tmp_path / "plan.json").write_text(json.dumps(plan, indent=1))
    assert call(RECORD, "fleets", "60", "plan.json").wait() == 0
    calls = [line.split()[2:-2] for line in (tmp_path / "calls").read_text().splitlines()]
    assert calls == [["train", *job["records"]] for job in plan]
    (tmp_path / "calls").unlink()
    assert call(RECORD, "fleets", "0", "plan.json").wait() == 0
    assert not (tmp_path / "calls").exists()
