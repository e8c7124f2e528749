"""The script for GPU machines, with commands in place of Python and time: what comes back of it."""

import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from types import SimpleNamespace

import pytest

from claimbook.records import PROJECT

sys.path.append(str(PROJECT / "benchmarks"))
import train_plan

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
    (tmp_path / "results/paper/old.json").write_text("{}", "utf-8")
    os.utime(tmp_path / "results/paper/old.json", (0, 0))
    shutil.copy(PROJECT / "benchmarks/on_gpu.sh", tmp_path / "benchmarks")

    def start(python, *words, archive="made.tgz"):
        for name, text in (("python3", python), ("sleep", "#!/bin/sh\nexec /bin/sleep 0.1")):
            (tmp_path / "bin" / name).write_text(text, "utf-8")
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
    assert call(RECORD + end, "pages", "3600", "a/b", "c/d").wait() == code
    assert packed(tmp_path) == ["results/paper/new.json"]
    calls = (tmp_path / "calls").read_text("utf-8").splitlines()
    assert [words.split()[3] for words in calls] == ["a/b", "c/d"]
    assert all("--profile gpu --time-limit" in words for words in calls)


def test_a_later_call_adds_to_the_archive(call, tmp_path):
    assert call(RECORD, "pages", "3600", "a/b").wait() == 0
    assert call(RECORD.replace("new", "newer"), "pages", "3600", "a/b").wait() == 0
    assert sorted(packed(tmp_path)) == ["results/paper/new.json", "results/paper/newer.json"]


@pytest.mark.parametrize("words", [("pages",), ("pages", "abc"), ("train", "5", "absent.json"),
                                   ("other",)])
def test_what_it_is_not_made_for_is_refused_before_any_work(call, tmp_path, words):
    assert call(RECORD, *words).wait() == 2
    assert not (tmp_path / "calls").exists()


def test_the_environment_of_the_project_is_used(call, tmp_path):
    script = tmp_path / ".venv/bin/python3"
    script.parent.mkdir(parents=True)
    script.write_text(RECORD, "utf-8")
    script.chmod(0o755)
    assert call("#!/bin/sh\nexit 1", "pages", "3600", "a/b").wait() == 0
    assert (tmp_path / "calls").exists()


def test_once_the_time_is_over_no_page_is_begun(call, tmp_path, monkeypatch):
    """By a clock that stands still until the first page puts it forward."""
    (tmp_path / "clock").write_text("0\n", "utf-8")
    (tmp_path / "clock.sh").write_text("unset SECONDS\ntrap 'read -r SECONDS < clock' DEBUG\n", "utf-8")
    monkeypatch.setenv("BASH_ENV", str(tmp_path / "clock.sh"))
    assert call(RECORD + "echo 1 > clock; exit 3", "pages", "1", "a/b", "c/d").wait() == 1
    assert len((tmp_path / "calls").read_text("utf-8").splitlines()) == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=str)
def test_what_was_made_outlives_a_kill(call, tmp_path, number):
    script = call(RECORD + "exec /bin/sleep 3600", "pages", "3600")
    while not (tmp_path / "made.tgz").exists() or not packed(tmp_path):
        assert script.poll() is None
        time.sleep(0.05)
    os.killpg(script.pid, number)
    assert script.wait() in (-number, 128 + number)
    assert packed(tmp_path) == ["results/paper/new.json"]


def test_an_archive_that_cannot_be_written_is_told_before_any_work(call, tmp_path):
    assert call(RECORD, "pages", "3600", archive="absent/made.tgz").wait() == 2
    assert not (tmp_path / "calls").exists()


def test_a_plan_is_trained_for_so_many_seconds(call, tmp_path):
    (tmp_path / "plan.json").write_text("[]", "utf-8")
    began = time.monotonic()
    assert call(RECORD, "train", "3600", "plan.json", "--file-limit", "16").wait() == 0
    words, went = (tmp_path / "calls").read_text("utf-8").split(), time.monotonic() - began
    assert words[0] == "benchmarks/train_plan.py" and 3600 - went - 1 <= int(words[1]) <= 3600
    assert words[2:] == ["plan.json", "--file-limit", "16"]


def test_the_check_times_a_step_of_a_gpu():
    import check_gpu

    timed, = check_gpu.step_times("gpu")
    assert timed.device == "cuda" and timed.layers == 12 and {"softmax", "SSA"} <= set(check_gpu.TIMED)


# ---- the fleets of a plan -------------------------------------------------------------------

FAKE = """
import fcntl, sys, time
name = sys.argv[2]
with open("log", "a") as log:
    print("start", name, file=log, flush=True)
    turn = open(sys.argv[sys.argv.index("--turn") + 1], "a")
    fcntl.flock(turn, fcntl.LOCK_EX)
    print("train", name, file=log, flush=True)
    PAUSE
    print("end", name, file=log, flush=True)
sys.exit(name == "bad")
"""


# Until one more has started than has trained, of three in all.
UNTIL_NEXT = """for _ in range(3000):
        told = open("log").read()
        if told.count("start") >= min(3, told.count("train") + 1):
            break
        time.sleep(0.1)"""


def plan_of(*names, gib=1.0):
    return [{"records": [name], "memory_gib": gib} for name in names]


def trained(tmp_path, monkeypatch, plan, pause="time.sleep(1)"):
    (tmp_path / "fake.py").write_text(FAKE.replace("PAUSE", pause), "utf-8")
    monkeypatch.setattr(train_plan, "PROJECT", tmp_path)
    code = train_plan.train(plan, time.monotonic() + 3600, lambda: None, 10.0,
                            [sys.executable, "fake.py"])
    return code, (tmp_path / "log").read_text("utf-8").splitlines()


def test_the_next_fleet_is_made_ready_while_one_trains(tmp_path, monkeypatch):
    code, log = trained(tmp_path, monkeypatch, plan_of("a", "bad", "c"), UNTIL_NEXT)
    assert code == 1 and sorted(log) == sorted(
        f"{what} {name}" for name in ("a", "bad", "c") for what in ("start", "train", "end"))
    second = [line.split()[1] for line in log if line.startswith("train")][1]
    assert log.index(f"start {second}") < min(map(log.index, ("end a", "end bad")))


def test_fleets_without_room_beside_each_other_come_one_after_the_other(tmp_path, monkeypatch):
    code, log = trained(tmp_path, monkeypatch, plan_of("a", "b", gib=6.0))
    assert code == 0
    assert log == [f"{what} {name}" for name in "ab" for what in ("start", "train", "end")]


def test_stopping_it_stops_its_fleets_and_waits_until_they_have_saved(tmp_path, monkeypatch):
    (tmp_path / "saves.py").write_text("""
import pathlib, signal, time
def save(*_):
    time.sleep(0.3)
    pathlib.Path("saved").touch()
    raise SystemExit
signal.signal(signal.SIGTERM, save)
pathlib.Path("begun").touch()
time.sleep(3600)
""", "utf-8")
    monkeypatch.setattr(train_plan, "PROJECT", tmp_path)
    seen = []

    def update():
        seen.append((tmp_path / "saved").exists())
        if (tmp_path / "begun").exists() and not seen[-1]:
            raise SystemExit  # as SIGTERM does
    with pytest.raises(SystemExit):
        train_plan.train(plan_of("a"), time.monotonic() + 3600, update, 10.0, [sys.executable, "saves.py"])
    assert seen[-1], "the last update comes after what was saved"


def test_no_fleet_is_begun_after_the_end(tmp_path, monkeypatch):
    """By a clock that is put forward when the first has begun."""
    begun = (tmp_path / "log").exists
    monkeypatch.setattr(train_plan, "time", SimpleNamespace(
        monotonic=lambda: time.monotonic() + 7200 * begun(), sleep=time.sleep))
    assert trained(tmp_path, monkeypatch, plan_of("a", "b", gib=6.0))[1] == ["start a", "train a", "end a"]


# ---- what comes back ------------------------------------------------------------------------


def test_records_and_weights_come_back_apart_in_files_of_bounded_size(tmp_path, capsys):
    project, out = tmp_path / "project", tmp_path / "out"
    page = project / "results/paper/page/gpu"
    page.mkdir(parents=True)
    (page / "old.json").write_text("old", "utf-8")
    box = train_plan.Outbox(out, 10_000, project)
    made = {}
    for name, size in (("a", 12_000), ("b", 30_000), ("c", 100_000), ("d", 2_000)):
        made[name] = os.urandom(size)
        (page / f"{name}.safetensors").write_bytes(made[name])
        (page / f"{name}.json").write_text(name, "utf-8")
        box.update()
        assert max(path.stat().st_size for path in out.iterdir()) <= 10_000  # at any time
    assert len(list(out.iterdir())) <= train_plan.FILES
    assert capsys.readouterr().err == "train_plan: no room for the weights c.safetensors\n"
    back = tmp_path / "back"
    back.mkdir()
    subprocess.run(f"tar xzf {out}/records.tgz && cat {out}/weights.tar.* | tar x", shell=True,
                   cwd=back, check=True)
    found = {path.name: path.read_bytes() for path in back.rglob("*.*")}
    assert found == {f"{name}.json": name.encode() for name in "abcd"} | {
        f"{name}.safetensors": made[name] for name in "abd"}


def test_a_folder_that_has_files_is_not_written_to(tmp_path):
    (tmp_path / "other").write_text("", "utf-8")
    with pytest.raises(SystemExit, match="expected an empty folder"):
        train_plan.Outbox(tmp_path, 10_000, tmp_path)
