"""Fleets over several processes: dealt out, watched and stopped together."""

import os
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from claimbook.records.compute import computed
from claimbook.records import find_record
from claimbook.records.errors import InputError
from claimbook.records.limits import Limits, limits_of_page
from icllib.baselines import XGBoost
from icllib.models import MixedHeads, Softmax, Transformer
from icllib.training import Fleet, OutOfTime, jobs, workers
from icllib.training.checkpoint import load_checkpoint
from icllib.training.workers import Worker, only_device
from papers.context_scaling.fig04_three_tasks import Baseline
from small_fleet import RECIPE, Returns, metrics_of, runs, uninterrupted


def test_an_orphaned_worker_stops(folders):
    jobs.train_and_save(runs(seeds=(3,)), "smoke", folders, limits=Limits(parent=os.getppid()))
    with pytest.raises(OutOfTime, match=f"stopped at step 0 of {RECIPE.steps}"):
        jobs.train_and_save(runs(), "smoke", folders, limits=Limits(parent=os.getppid() + 1))


def test_what_is_missing_is_dealt_out_as_before(folders, monkeypatch):
    """So that the fleets, and with them the checkpoints, are those of the call that stopped."""
    monkeypatch.setattr(workers, "processors", lambda: ["cpu", "cpu"])
    started = []
    monkeypatch.setattr(workers, "Worker", lambda part, *_: started.append(part))
    monkeypatch.setattr(workers, "train_fleets", lambda part, *_: started.append(part))
    zero, one, two = runs()
    workers.compute_fleets([zero, one, two], [zero, two], "smoke", folders)
    assert started == [[zero, two]]


def test_a_checkpoint_of_all_is_used_where_some_records_were_saved(folders, monkeypatch):
    """As after a full disk: the others are measured, not trained anew."""
    monkeypatch.setattr(jobs, "remove_checkpoints", lambda folder: None)
    workers.compute_fleets(runs(), runs(), "smoke", folders)
    find_record(runs()[2], "test").path(folders).unlink()
    monkeypatch.setattr(Fleet, "take_step", lambda fleet: 1 / 0)
    workers.compute_fleets(runs(), runs()[2:], "smoke", folders)
    assert find_record(runs()[2], "test").provenance["fleet"] == 3


def test_two_measurements_of_one_training_go_to_one_processor(folders, monkeypatch):
    """Their checkpoints are the same, and no two processes may write them."""
    monkeypatch.setattr(workers, "processors", lambda: ["cpu", "cpu"])
    zero, one = runs(seeds=(0, 1))
    again = replace(zero, evaluation=replace(zero.evaluation, prompts=7))
    assert workers.dealt_out([zero, again], 2) == [[zero, again], []]
    assert workers.dealt_out([zero, one, again], 2) == [[zero, again], [one]]
    workers.compute_fleets([zero, again], [zero, again], "smoke", folders)
    assert find_record(zero, "test") and find_record(again, "test")


def test_fewer_train_together_where_there_is_little_room(folders, monkeypatch, tmp_path):
    few = runs(replace(RECIPE, steps=40))
    jobs.train_fleets(few, "smoke", folders)
    together = metrics_of(few)
    monkeypatch.setenv("CLAIMBOOK_RESULTS", str(tmp_path / "apart"))
    jobs.train_fleets(few, "smoke", tmp_path / "apart" / "test" / "page", limits=Limits(members=2))
    assert [find_record(run, "test").provenance["fleet"] for run in few] == [2, 2, 1]
    for one, other in zip(together, metrics_of(few)):
        np.testing.assert_allclose(one["error"], other["error"], rtol=1e-4)


@pytest.mark.parametrize("content", [b"{", b'{"members": "all"}', b"\xff"])
def test_damaged_limits_of_a_page_are_told(output, content):
    output.mkdir()
    (output / "limits.json").write_bytes(content)
    with pytest.raises(InputError, match="limits.json: "):
        limits_of_page()


def test_a_worker_finds_modules_where_its_parent_does(folders, monkeypatch, tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own/elsewhere.py").write_text(
        "from icllib.models import MLP\n\n\nclass Mine(MLP):\n    pass\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend("own")
    from elsewhere import Mine

    run = replace(runs(replace(RECIPE, steps=20))[0], model=Mine(8))
    Worker([run], "smoke", folders).join()
    assert find_record(run, "test").run["model"]["type"] == "elsewhere:Mine"


@pytest.mark.parametrize("change, kind, message", [
    pytest.param({"model": Transformer(1, 1, 4, scoring=MixedHeads(((Softmax(), 2),)))}, InputError,
                 r"^parts: expected 1 heads in all, got \[2\]$", marks=pytest.mark.large),
    ({"evaluation": Returns("bug")}, RuntimeError, "(?s)^a worker process failed:\n.*Traceback")])
def test_a_worker_that_fails_stops_the_others_which_save(folders, monkeypatch, change, kind, message):
    monkeypatch.setattr(workers, "processors", lambda: ["cpu", "cpu"])
    monkeypatch.setattr(Fleet, "take_step", slowly(Fleet.take_step))
    long = runs(replace(RECIPE, steps=100_000), seeds=(0,))
    wrong = [replace(run, **change) for run in runs(replace(RECIPE, steps=100), seeds=(1,))]
    with pytest.raises(kind, match=message) as raised:
        workers.compute_fleets([*long, *wrong], [*long, *wrong], "smoke", folders)
    assert not raised.value.__context__ or raised.value.__suppress_context__
    assert load_checkpoint(jobs.checkpoint_folder(long)) is not None


def test_a_worker_that_fails_is_not_found_behind_one_that_trains(folders, monkeypatch):
    monkeypatch.setattr(workers, "processors", lambda: ["cpu"] * 3)
    short, long = (runs(replace(RECIPE, steps=steps), seeds=(0,)) for steps in (50, 10**6))
    wrong = [replace(run, evaluation=Returns("bug")) for run in runs(replace(RECIPE, steps=60))[:1]]
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        workers.compute_fleets([*short, *long, *wrong], [*short, *long, *wrong], "smoke", folders)
    assert find_record(long[0], "test") is None


def test_workers_are_all_asked_to_stop_before_one_is_waited_for(folders, monkeypatch):
    """And those that started stop where the next one does not start."""
    told = []

    class Stand:
        def __init__(self, part, *_):
            self.process = self if part[0].seed < 3 else 1 / 0

        def terminate(self):
            told.append("terminate")

        def wait(self, timeout):
            told.append("wait")

    monkeypatch.setattr(workers, "Worker", Stand)
    monkeypatch.setattr(workers, "processors", lambda: ["cpu"] * 4)
    with pytest.raises(ZeroDivisionError):
        workers.compute_fleets(runs(seeds=range(4)), runs(seeds=range(4)), "smoke", folders)
    assert told == ["terminate", "terminate", "wait", "wait"]


def test_a_worker_that_dies_at_its_start_says_why(folders, monkeypatch):
    monkeypatch.setattr(workers, "START", "raise SystemExit('no such module')")
    with pytest.raises(RuntimeError, match="a worker process failed:\nno such module"):
        Worker(runs(seeds=range(300)), "smoke", folders).join()


@pytest.mark.parametrize("number, kind, message", [
    (9, InputError, r"by signal 9 \(SIGKILL\), as the kernel .* memory runs out; --members limits"),
    (11, InputError, r"by signal 11 \(SIGSEGV\)$"), (15, OutOfTime, r"by signal 15 \(SIGTERM\)$")])
def test_a_worker_that_is_killed_says_by_what(folders, monkeypatch, number, kind, message):
    monkeypatch.setattr(workers, "START", f"import os; os.kill(os.getpid(), {number})")
    with pytest.raises(kind, match=f"^a worker process was ended {message}"):
        Worker(runs(), "smoke", folders).join()


def slowly(method):
    return lambda fleet: (time.sleep(0.005), method(fleet))


def test_a_worker_sees_the_gpu_of_those_it_was_allotted(monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert only_device("cpu") == {} and only_device("cuda:1") == {"CUDA_VISIBLE_DEVICES": "1"}
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,3")
    assert only_device("cuda:1") == {"CUDA_VISIBLE_DEVICES": "3"}


def test_a_fleet_over_two_processes_equals_one_in_one(folders, monkeypatch):
    expected = uninterrupted()
    monkeypatch.setattr(workers, "processors", lambda: ["cpu", "cpu"])
    workers.compute_fleets(runs(), runs(), "smoke", folders)
    assert [find_record(run, "test").provenance["fleet"] for run in runs()] == [2, 1, 2]
    for ours, theirs in zip(metrics_of(runs()), expected):
        assert ours["error"] == pytest.approx(theirs["error"], rel=1e-4)


def test_without_xgboost_a_page_trains_and_says_what_is_missing(folders, monkeypatch):
    monkeypatch.setitem(sys.modules, "xgboost", None)
    trees = Baseline(runs()[0].task, XGBoost(), runs()[0].evaluation)  # as Figure 4's page has it
    with pytest.raises(InputError, match="XGBoost: "):
        computed([trees, *runs()], "smoke", "test/page", folders.parents[1])
    assert all(find_record(run, "test") for run in runs())
