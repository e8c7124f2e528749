"""Killed, stopped, damaged, diverged: training goes on as if nothing had been."""

import glob
import io
import json
import math
import multiprocessing
import os
import random
import signal
import sys
import time
from dataclasses import dataclass, replace
from typing import ClassVar

import pytest
import torch

from icllib.errors import InputError
from icllib.evaluate import ErrorByLength
from icllib.models import MLP, MixedHeads, Softmax, Transformer
from icllib.results import find_record, settings
from icllib.tasks import LinearRegression
from icllib.training import (Along, Curriculum, Fleet, OutOfTime, Recipe, Run, engine, jobs,
                             worker)
from icllib.training.checkpoint import (checkpoints, load_checkpoint, read_checkpoint,
                                        save_checkpoint)
from icllib.training.engine import run_steps
from icllib.training.worker import Worker, main, visible

RECIPE = Recipe((1, 3), steps=400, batch=8, learning_rate=0.01, schedule="cosine", warmup=0.1)


def runs(recipe=RECIPE, seeds=(0, 1, 2)):
    return [Run(LinearRegression(2, 0.1), MLP(8), recipe, ErrorByLength((1, 3), 64), seed, 20)
            for seed in seeds]


@pytest.fixture
def folders(tmp_path, monkeypatch, results):
    monkeypatch.setenv("ICLLIB_CHECKPOINTS", str(tmp_path / "checkpoints"))
    monkeypatch.setattr(engine, "SAVE_EVERY", 0.0)
    return results / "test" / "page"


def metrics_of(a_fleet):
    return [find_record(run, "test").metrics for run in a_fleet]


def train(folder, pause, environment):
    """The worker on its own, a checkpoint after every step, `pause` seconds after each."""
    os.environ |= environment
    sys.stdin = io.StringIO(json.dumps([settings(run) for run in runs()]))
    engine.SAVE_EVERY, save = 0.0, jobs.save_checkpoint
    jobs.save_checkpoint = lambda *a: (save(*a), time.sleep(pause))
    main("smoke", str(folder))


PROCESSES = multiprocessing.get_context("forkserver")  # whose server alone imports torch
PROCESSES.set_forkserver_preload(["icllib.training", "pytest"])


def start_training(folder, pause):
    """A process that trains, once it has saved a step of its own."""
    steps = f"{folder.parents[2]}/checkpoints/**/step-*.json"
    newest = lambda: max(glob.glob(steps, recursive=True), default=None)
    before = newest()
    process = PROCESSES.Process(target=train, args=(folder, pause, dict(os.environ)))
    process.start()
    while newest() == before and process.is_alive():
        time.sleep(0.01)
    return process


def finish_training(folder):
    """Goes on to the end in another process."""
    process = start_training(folder, pause=0)
    process.join()
    assert process.exitcode == 0


def uninterrupted(folders, monkeypatch, tmp_path):
    monkeypatch.setenv("ICLLIB_RESULTS", str(tmp_path / "uninterrupted"))
    jobs.train_and_save(runs(), "smoke", tmp_path / "uninterrupted" / "test" / "page")
    expected = metrics_of(runs())
    monkeypatch.setenv("ICLLIB_RESULTS", str(folders.parents[1]))
    return expected


def test_ten_kills_at_random_moments_change_nothing(folders, monkeypatch, tmp_path):
    expected = uninterrupted(folders, monkeypatch, tmp_path)
    moments, kills = random.Random(0), 0
    while kills < 10:
        process = start_training(folders, pause=0.015)
        process.join(moments.uniform(0, 0.5))
        if process.is_alive():
            process.kill()
            kills += 1
        process.join()
        assert process.exitcode in (0, -signal.SIGKILL)
        if process.exitcode == 0:
            assert metrics_of(runs()) == expected
            for path in folders.rglob("*.json"):
                path.unlink()
    finish_training(folders)
    assert metrics_of(runs()) == expected
    assert not list((tmp_path / "checkpoints").rglob("step-*"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_leaves_a_checkpoint_and_resuming_changes_nothing(
        folders, monkeypatch, tmp_path, number):
    expected = uninterrupted(folders, monkeypatch, tmp_path)
    process = start_training(folders, pause=0.02)
    os.kill(process.pid, number)
    process.join()
    assert process.exitcode == 3  # out of time
    assert load_checkpoint(jobs.checkpoint_folder(runs()))[1]["step"] < RECIPE.steps
    finish_training(folders)
    assert metrics_of(runs()) == expected


def test_a_signal_during_the_last_step_is_not_lost(folders, monkeypatch, tmp_path):
    expected = uninterrupted(folders, monkeypatch, tmp_path)

    def run_steps(*arguments):
        engine.run_steps(*arguments)
        os.kill(os.getpid(), signal.SIGTERM)

    with monkeypatch.context() as patch:
        patch.setattr(jobs, "run_steps", run_steps)
        with pytest.raises(OutOfTime, match="stopped before it was measured"):
            jobs.train_and_save(runs(), "smoke", folders)
    jobs.train_and_save(runs(), "smoke", folders)
    assert metrics_of(runs()) == expected


def test_the_time_limit_keeps_everything(folders, monkeypatch, tmp_path):
    expected = uninterrupted(folders, monkeypatch, tmp_path)
    monkeypatch.setenv("ICLLIB_DEADLINE", str(time.monotonic() + 0.1))
    with pytest.raises(OutOfTime, match="stopped at step .* of 400"):
        jobs.train_and_save(runs(), "smoke", folders)
    _, cost = load_checkpoint(jobs.checkpoint_folder(runs()))
    monkeypatch.delenv("ICLLIB_DEADLINE")
    jobs.train_and_save(runs(), "smoke", folders)
    assert metrics_of(runs()) == expected
    assert find_record(runs()[0], "test").provenance["wall_seconds"] > cost["wall_seconds"]


def test_an_orphaned_worker_stops(folders, monkeypatch):
    monkeypatch.setenv("ICLLIB_PARENT", str(os.getppid()))
    jobs.train_and_save(runs(seeds=(3,)), "smoke", folders)
    monkeypatch.setenv("ICLLIB_PARENT", str(os.getppid() + 1))
    with pytest.raises(OutOfTime, match="stopped at step 0 of 400"):
        jobs.train_and_save(runs(), "smoke", folders)


def test_a_run_that_died_while_it_was_measured_is_not_trained_again(folders, monkeypatch):
    monkeypatch.setattr(engine, "SAVE_EVERY", math.inf)
    with monkeypatch.context() as patch, pytest.raises(ZeroDivisionError):
        patch.setattr(jobs, "measure", lambda *_: 1 / 0)
        jobs.train_and_save(runs(), "smoke", folders)
    monkeypatch.setattr(Fleet, "take_step", lambda fleet: 1 / 0)
    jobs.train_and_save(runs(), "smoke", folders)
    assert find_record(runs()[0], "test").provenance["steps"] == RECIPE.steps


@dataclass(frozen=True)
class Returns:
    """An evaluation that gives what it is told to."""

    metrics: object
    version: ClassVar[int] = 1

    def measure(self, tasks, predictor, device="cpu"):
        if self.metrics == "empty":
            return {}
        return {"error": 1.0 if self.metrics == "scalar" else 1 / 0} if self.metrics else None


@pytest.mark.parametrize("along", [None, Along((30, 400), ErrorByLength((1,), 64))])
@pytest.mark.parametrize("metrics, refused", [
    (None, "Returns.measure: expected a dictionary .* got None"),
    ("empty", "Returns.measure: expected a dictionary .* got {}"),
    ("scalar", r"error: expected a metric of each of 3 members, got one of shape \(\)")])
def test_what_was_trained_outlives_a_mended_evaluation(folders, monkeypatch, tmp_path, metrics,
                                                       refused, along):
    sound = [replace(run, along=along) for run in runs()]
    jobs.train_and_save(sound, "smoke", folders)
    expected = metrics_of(sound)
    with pytest.raises(InputError, match=refused):
        jobs.train_and_save([replace(run, evaluation=Returns(metrics)) for run in sound], "smoke",
                            folders)
    for path in folders.rglob("*.json"):
        path.unlink()
    monkeypatch.setattr(Fleet, "take_step", lambda fleet: 1 / 0)
    with pytest.raises(ZeroDivisionError):  # other stops need another training
        jobs.train_and_save([replace(run, along=Along((31,), run.evaluation)) for run in sound],
                            "smoke", folders)
    jobs.train_and_save(sound, "smoke", folders)
    assert metrics_of(sound) == expected
    assert not list((tmp_path / "checkpoints").iterdir())


def test_a_fleet_is_trained_by_one_process_alone(folders, tmp_path):
    process = start_training(folders, pause=0.05)
    with pytest.raises(InputError, match="expected to train this fleet alone, another process"):
        jobs.train_fleets(runs(), "smoke", folders)
    process.kill()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    jobs.train_fleets(runs(), "smoke", folders)
    assert not list((tmp_path / "checkpoints").iterdir())


def test_what_is_missing_is_dealt_out_as_before(folders, monkeypatch):
    """So that the fleets, and with them the checkpoints, are those of the call that stopped."""
    monkeypatch.setattr(jobs, "processors", lambda: ["cpu", "cpu"])
    started = []
    monkeypatch.setattr(jobs, "Worker", lambda part, *_: started.append(part))
    monkeypatch.setattr(jobs, "train_fleets", lambda part, *_: started.append(part))
    zero, one, two = runs()
    jobs.compute_fleets([zero, one, two], [zero, two], "smoke", folders)
    assert started == [[zero, two]]


def test_a_worker_finds_modules_where_its_parent_does(folders, monkeypatch, tmp_path):
    (tmp_path / "elsewhere.py").write_text(
        "from icllib.models import MLP\n\n\nclass Mine(MLP):\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    from elsewhere import Mine

    run = replace(runs(seeds=(0,))[0], model=Mine(8))
    Worker([run], "smoke", folders).join()
    assert find_record(run, "test").run["model"]["type"] == "elsewhere:Mine"


@pytest.mark.parametrize("change, kind, message", [
    ({"model": Transformer(1, 1, 4, scoring=MixedHeads(((Softmax(), 2),)))}, InputError,
     r"^parts: expected 1 heads in all, got \[2\]$"),
    ({"evaluation": Returns("bug")}, RuntimeError, "^a worker process failed:\nTraceback")])
def test_a_worker_that_fails_stops_the_others_which_save(folders, monkeypatch, change, kind,
                                                         message):
    monkeypatch.setattr(jobs, "processors", lambda: ["cpu", "cpu"])
    monkeypatch.setattr(Fleet, "take_step", slowly(Fleet.take_step))
    long = runs(replace(RECIPE, steps=100_000), seeds=(0,))
    wrong = [replace(run, **change) for run in runs(replace(RECIPE, steps=100), seeds=(1,))]
    with pytest.raises(kind, match=message) as raised:
        jobs.compute_fleets([*long, *wrong], [*long, *wrong], "smoke", folders)
    assert not raised.value.__context__ or raised.value.__suppress_context__
    assert load_checkpoint(jobs.checkpoint_folder(long)) is not None


def test_a_worker_that_fails_is_not_found_behind_one_that_trains(folders, monkeypatch):
    monkeypatch.setattr(jobs, "processors", lambda: ["cpu"] * 3)
    short, long = (runs(replace(RECIPE, steps=steps), seeds=(0,)) for steps in (50, 100_000))
    wrong = [replace(run, evaluation=Returns("bug")) for run in runs(replace(RECIPE, steps=60))[:1]]
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        jobs.compute_fleets([*short, *long, *wrong], [*short, *long, *wrong], "smoke", folders)
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

    monkeypatch.setattr(jobs, "Worker", Stand)
    monkeypatch.setattr(jobs, "processors", lambda: ["cpu"] * 4)
    with pytest.raises(ZeroDivisionError):
        jobs.compute_fleets(runs(seeds=range(4)), runs(seeds=range(4)), "smoke", folders)
    assert told == ["terminate", "terminate", "wait", "wait"]


def test_a_worker_that_dies_at_its_start_says_why(folders, monkeypatch):
    monkeypatch.setattr(worker, "START", "raise SystemExit('no such module')")
    with pytest.raises(RuntimeError, match="a worker process failed:\nno such module"):
        Worker(runs(seeds=range(300)), "smoke", folders).join()


def slowly(method):
    return lambda fleet: (time.sleep(0.005), method(fleet))


def test_a_worker_says_nothing_of_its_own(folders):
    worker = Worker(runs(replace(RECIPE, steps=2)), "smoke", folders)
    worker.join()
    worker.errors.seek(0)
    assert worker.errors.read() == ""


def test_a_worker_sees_the_gpu_of_those_it_was_allotted(monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert visible("cpu") == {} and visible("cuda:1") == {"CUDA_VISIBLE_DEVICES": "1"}
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,3")
    assert visible("cuda:1") == {"CUDA_VISIBLE_DEVICES": "3"}


def test_a_damaged_checkpoint_falls_back_to_the_one_before(tmp_path, capsys):
    for step in (100, 200, 300):
        save_checkpoint(tmp_path, step, {"x": torch.full((3,), float(step))}, {"seconds": 1.0})
    assert len(checkpoints(tmp_path)) == 2
    data = tmp_path / "step-000000300.safetensors"
    data.write_bytes(data.read_bytes()[:-1] + b"?")
    tensors, info = load_checkpoint(tmp_path)
    assert info["step"] == 200 and tensors["x"].tolist() == [200.0] * 3
    assert "falling back to the one before" in capsys.readouterr().err


def changed(info, **changes):
    return json.dumps(json.loads(info) | changes)


@pytest.mark.parametrize("damage", [
    lambda info: "{", lambda info: "[]", lambda info: "{}", lambda info: changed(info, sha256=5),
    lambda info: changed(info, seconds=2.0),
    lambda info: info.replace('"seconds"', '"second"'),
])
def test_damaged_information_falls_back_and_at_last_training_starts_anew(tmp_path, capsys, damage):
    for step in (100, 200):
        save_checkpoint(tmp_path, step, {"x": torch.zeros(1)}, {"seconds": 1.0})
    newest, oldest = checkpoints(tmp_path)
    newest.write_text(damage(newest.read_text()))
    assert load_checkpoint(tmp_path)[1]["step"] == 100
    capsys.readouterr()
    oldest.write_text(damage(oldest.read_text()))
    assert load_checkpoint(tmp_path) is None
    first, second = capsys.readouterr().err.splitlines()
    assert str(newest) in first and first.endswith("falling back to the one before")
    assert str(oldest) in second and second.endswith("starting anew")


def test_a_checkpoint_holds_the_state_to_the_bit(tmp_path):
    fleet = Fleet([LinearRegression(2)] * 2, MLP(4), RECIPE, [0, 1], [5, None])
    for _ in range(7):
        fleet.take_step()
    save_checkpoint(tmp_path, 7, fleet.tensors(), {})
    other = Fleet([LinearRegression(2)] * 2, MLP(4), RECIPE, [0, 1], [5, None])
    other.load(read_checkpoint(checkpoints(tmp_path)[0])[0])
    for a_fleet in (fleet, other):
        a_fleet.take_step()
    for name, tensor in fleet.tensors().items():
        assert torch.equal(tensor, other.tensors()[name]), name


def test_a_fleet_over_two_processes_equals_one_in_one(folders, monkeypatch, tmp_path):
    expected = uninterrupted(folders, monkeypatch, tmp_path)
    monkeypatch.setattr(jobs, "processors", lambda: ["cpu", "cpu"])
    jobs.compute_fleets(runs(), runs(), "smoke", folders)
    for ours, theirs in zip(metrics_of(runs()), expected):
        assert ours["error"] == pytest.approx(theirs["error"], rel=1e-4)


def test_a_member_that_diverges_is_recorded_and_the_others_do_not_notice(folders):
    import dataclasses

    wild = dataclasses.replace(RECIPE, learning_rate=1e30, steps=60)
    tame = dataclasses.replace(RECIPE, steps=60)
    together = [*runs(tame, seeds=(0,)), *runs(wild, seeds=(1,)), *runs(tame, seeds=(2,))]
    jobs.train_and_save(together, "smoke", folders)
    records = [find_record(run, "test") for run in together]
    assert [record.provenance.get("diverged", False) for record in records] == [False, True, False]
    alone = Fleet([LinearRegression(2, 0.1)] * 2, MLP(8), tame, [0, 2], [20, 20])
    run_steps(alone)
    errors = ErrorByLength((1, 3), 64).measure([LinearRegression(2, 0.1)] * 2,
                                               jobs.Trained(alone.module))["error"]
    for record, expected in zip((records[0], records[2]), errors):
        assert record.metrics["error"] == pytest.approx(expected.tolist(), rel=1e-4)


def test_tensorboard_where_it_is_not_installed_is_told(monkeypatch):
    monkeypatch.setenv("ICLLIB_TENSORBOARD", "board")
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(InputError, match="ICLLIB_TENSORBOARD: expected the package tensorboard"):
        jobs.board("fleet")


@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
def test_members_with_their_own_rates_equal_single_runs(weight_decay):
    rates = [1e-3, 1e-2, 3e-2]
    recipe = Recipe((1, 3), 20, 8, rates[0], weight_decay=weight_decay)
    together = Fleet([LinearRegression(2)] * 3, MLP(8), recipe, [0, 1, 2], [20] * 3, "cpu", rates)
    run_steps(together)
    for member, rate in enumerate(rates):
        alone = Fleet([LinearRegression(2)], MLP(8),
                      Recipe((1, 3), 20, 8, rate, weight_decay=weight_decay), [member], [20])
        run_steps(alone)
        for ours, theirs in zip(together.parameters, alone.parameters):
            assert torch.allclose(ours[member], theirs[0], atol=1e-5)


def test_members_with_their_own_tasks_see_their_own_prompts():
    tasks = [LinearRegression(2, noise) for noise in (0.0, 0.5, 0.0)]
    fleet = Fleet(tasks, MLP(4), RECIPE, [3, 4, 5], [None] * 3)
    prompt = fleet.sample()
    for member, task in enumerate(tasks):
        single = Fleet([task], MLP(4), RECIPE, [3 + member], [None]).sample()
        assert all(torch.equal(ours[member], theirs[0]) for ours, theirs in zip(prompt, single))


def test_the_curriculum_counts_the_lengths_that_a_shorter_prompt_has():
    recipe = Recipe((1, 2, 4, 6), 100, curriculum=Curriculum(start=3, increment=2, every=10))
    weights = lambda step: recipe.length_weights(torch.tensor(step)).tolist()
    assert weights(0) == weights(9) == [2.0, 2.0, 0.0, 0.0]  # 3 pairs: lengths below 3
    assert weights(10) == pytest.approx([4 / 3, 4 / 3, 4 / 3, 0.0])
    assert weights(30) == [1.0] * 4


def test_compute_uses_every_processor(folders):
    jobs.compute(runs(), runs(), "smoke", folders)
    fleets = [find_record(run, "test").provenance["fleet"] for run in runs()]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    cores = min(cores, 3)
    assert max(fleets) == -(-3 // cores)


@dataclass(frozen=True)
class Fails:
    version: ClassVar[int] = 1

    def measure(self):
        raise ModuleNotFoundError


def test_a_computation_that_fails_stops_no_training(folders):
    with pytest.raises(ModuleNotFoundError):
        jobs.compute([Fails(), *runs()], [Fails(), *runs()], "smoke", folders)
    assert all(find_record(run, "test") for run in runs())


def test_losses_go_to_tensorboard_where_it_is_asked_for(folders, monkeypatch):
    import types

    written = []
    writer = types.SimpleNamespace(add_scalars=lambda *entry: written.append(entry))
    module = types.SimpleNamespace(SummaryWriter=lambda folder: writer)
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", module)
    monkeypatch.setenv("ICLLIB_TENSORBOARD", "board")
    jobs.train_and_save(runs(), "smoke", folders)
    assert [step for _, _, step in written] == [100, 200, 300, 400]
    assert set(written[0][1]) == {"0", "1", "2"} and written[-1][1]["0"] < written[0][1]["0"]


def test_progress_tells_rate_and_time_left_on_a_terminal_or_in_jupyter_and_is_silent_elsewhere(
        monkeypatch, capsys):
    from icllib.progress import Progress

    Progress(10, "fleet").update(5)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    Progress(10, "fleet", unit_per_step=4).update(5, torch.ones(4))
    shown = capsys.readouterr().err
    monkeypatch.undo()
    stream = type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream"})()
    monkeypatch.setattr(sys, "stderr", stream)
    Progress(10, "fleet").update(5)
    assert "fleet 5/10" in stream.getvalue()
    assert all(word in shown for word in ("fleet 5/10", "model-steps/s", "s left", "GiB", "loss 1"))
