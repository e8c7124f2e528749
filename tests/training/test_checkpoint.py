"""Killed, stopped or damaged: training goes on as if nothing had been."""

import errno
import json
import math
import os
import random
import signal
import time
from dataclasses import replace

import pytest
import torch

from claimbook.records import find_record
from claimbook.records.errors import InputError
from claimbook.records.files import locked
from claimbook.records.limits import Limits
from icllib.evaluate import ErrorByLength
from icllib.models import MLP
from icllib.tasks import LinearRegression
from icllib.training import Along, Fleet, OutOfTime, engine, jobs
from icllib.training.capture import restore
from icllib.training.checkpoint import (
    checkpoints, load_checkpoint, locked_folder, read_checkpoint, save_checkpoint, split_checkpoint)
from small_fleet import RECIPE, Returns, finish_training, metrics_of, runs, start_training, uninterrupted


@pytest.mark.parametrize("number", [3, pytest.param(10, marks=pytest.mark.large)])
def test_kills_at_random_moments_change_nothing(folders, tmp_path, number):
    expected = uninterrupted()
    moments, kills = random.Random(0), 0
    while kills < number:
        process = start_training(folders, pause=0.03)
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
def test_a_signal_leaves_a_checkpoint_and_resuming_changes_nothing(folders, number):
    expected = uninterrupted()
    process = start_training(folders, pause=2)  # all steps last longer than a machine stalls
    os.kill(process.pid, number)
    process.join()
    assert process.exitcode == 3  # out of time
    assert load_checkpoint(jobs.checkpoint_folder(runs()))[1]["step"] < RECIPE.steps
    finish_training(folders)
    assert metrics_of(runs()) == expected


def test_a_second_control_c_waits_for_nothing():
    with jobs.stop_request() as should_stop:
        assert not should_stop()
        signal.raise_signal(signal.SIGINT)
        assert should_stop()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_a_signal_during_the_last_step_is_not_lost(folders, monkeypatch):
    expected = uninterrupted()

    def run_steps(*arguments):
        engine.run_steps(*arguments)
        os.kill(os.getpid(), signal.SIGTERM)

    with monkeypatch.context() as patch:
        patch.setattr(jobs, "run_steps", run_steps)
        with pytest.raises(OutOfTime, match="stopped before it was measured"):
            jobs.train_and_save(runs(), "smoke", folders)
    jobs.train_and_save(runs(), "smoke", folders)
    assert metrics_of(runs()) == expected


def slowly(method):
    return lambda fleet: (time.sleep(0.001), method(fleet))


def test_the_time_limit_keeps_everything(folders, monkeypatch):
    expected = uninterrupted()
    cost = {"wall_seconds": 5000.0, "processor_seconds": 3000.0}
    with monkeypatch.context() as patch, pytest.raises(OutOfTime, match=f"at step .* of {RECIPE.steps}"):
        patch.setattr(jobs, "cost_since", lambda *_: cost)
        patch.setattr(Fleet, "take_step", slowly(Fleet.take_step))  # so that no machine gets through in time
        jobs.train_and_save(runs(), "smoke", folders, limits=Limits(time.monotonic() + 0.1))
    jobs.train_and_save(runs(), "smoke", folders)
    assert metrics_of(runs()) == expected
    made = find_record(runs()[0], "test").provenance
    assert all(before < made[name] < before + 1000 for name, before in cost.items())


REFUSED = {None: "Returns.measure: expected a dictionary .* got None",
           "empty": "Returns.measure: expected a dictionary .* got {}",
           "scalar": r"error: expected a metric of each of 3 members, got one of shape \(\)"}
ALONG = Along((30, RECIPE.steps), ErrorByLength((1,), 64))
SAMPLE = [(None, None), ("scalar", ALONG)]


@pytest.mark.parametrize("metrics, along", [
    pytest.param(metrics, along, marks=() if (metrics, along) in SAMPLE else pytest.mark.large)
    for metrics in REFUSED for along in (None, ALONG)])
def test_what_was_trained_outlives_a_mended_evaluation(folders, monkeypatch, tmp_path, metrics, along):
    monkeypatch.setattr(engine, "SAVE_EVERY", math.inf)  # it is kept at the end of training
    sound = [replace(run, along=along) for run in runs()]
    jobs.train_and_save(sound, "smoke", folders)
    expected = metrics_of(sound)
    with pytest.raises(InputError, match=REFUSED[metrics]):
        jobs.train_and_save([replace(run, evaluation=Returns(metrics)) for run in sound], "smoke", folders)
    for path in folders.rglob("*.json"):
        path.unlink()
    monkeypatch.setattr(Fleet, "take_step", lambda fleet: 1 / 0)
    with pytest.raises(ZeroDivisionError):  # other stops need another training
        jobs.train_and_save([replace(run, along=Along((31,), run.evaluation)) for run in sound],
                            "smoke", folders)
    jobs.train_and_save(sound, "smoke", folders)
    assert metrics_of(sound) == expected
    assert not list((tmp_path / "checkpoints").iterdir())


def test_a_lock_is_not_opened_through_a_link(tmp_path):
    """It could lead to a file of somebody else's, which would be emptied."""
    (tmp_path / "theirs").write_text("theirs", "utf-8")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/lock").symlink_to(tmp_path / "theirs")
    with pytest.raises(InputError, match="lock"), locked_folder(tmp_path / "folder"):
        pass
    assert (tmp_path / "theirs").read_text("utf-8") == "theirs"


def test_a_file_system_without_locks_is_told_with_the_remedy(tmp_path, monkeypatch):
    def flock(*_):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("fcntl.flock", flock)
    for kind in (locked_folder, locked):
        with pytest.raises(InputError, match=f"{tmp_path}: expected a file system with locks, .*CLAIMBOOK_CHECKPOINTS"):
            with kind(tmp_path):
                pass


def test_a_fleet_is_trained_by_one_process_alone(folders, tmp_path):
    process = start_training(folders, pause=1)
    with pytest.raises(InputError, match="expected to train here alone, another process"):
        jobs.train_fleets(runs(), "smoke", folders)
    process.kill()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    jobs.train_fleets(runs(), "smoke", folders)
    assert not list((tmp_path / "checkpoints").iterdir())


def of_data(path):
    data = path.with_suffix(".safetensors")
    data.write_bytes(data.read_bytes()[:-1] + b"?")


def of_information(change):
    return lambda path: path.write_text(change(path.read_text("utf-8")), "utf-8")


@pytest.mark.parametrize("damage", [of_data, *map(of_information, (
    lambda text: "{", lambda text: "{}", lambda text: json.dumps(json.loads(text) | {"sha256": 5}),
    lambda text: json.dumps(json.loads(text) | {"seconds": 2.0})))])
def test_what_is_damaged_falls_back_and_at_last_training_starts_anew(tmp_path, capsys, damage):
    for step in (50, 100, 200):
        save_checkpoint(tmp_path, step, {"x": torch.full((3,), float(step))}, {"seconds": 1.0})
    newest, oldest = checkpoints(tmp_path)
    damage(newest)
    tensors, info = load_checkpoint(tmp_path)
    assert info["step"] == 100 and tensors["x"].tolist() == [100.0] * 3
    capsys.readouterr()
    damage(oldest)
    assert load_checkpoint(tmp_path) is None
    first, second = capsys.readouterr().err.splitlines()
    assert str(newest) in first and first.endswith("falling back to the one before")
    assert str(oldest) in second and second.endswith("starting anew")
    save_checkpoint(tmp_path, 20, {"x": torch.ones(1)}, {"seconds": 1.0})
    assert load_checkpoint(tmp_path)[1]["step"] == 20  # which goes before what was damaged


def test_a_checkpoint_holds_the_state_to_the_bit(tmp_path):
    fleet = Fleet([LinearRegression(2)] * 2, MLP(4), RECIPE, [0, 1], [5, None])
    for _ in range(7):
        fleet.take_step()
    fleet.alive[1] = False  # as of a member that has diverged
    save_checkpoint(tmp_path, 7, fleet.tensors(), {})
    other = Fleet([LinearRegression(2)] * 2, MLP(4), RECIPE, [0, 1], [5, None])
    other.load(read_checkpoint(checkpoints(tmp_path)[0])[0])
    for a_fleet in (fleet, other):
        a_fleet.take_step()
    for name, tensor in fleet.tensors().items():
        assert torch.equal(tensor, other.tensors()[name]), name


def test_a_stop_between_compilation_and_the_first_step_is_gone_on_from():
    fresh, compiled, other = (Fleet([LinearRegression(2)], MLP(4), RECIPE, [0], [None]) for _ in range(3))
    start = {name: value.clone() for name, value in compiled.tensors().items()}
    compiled.take_step()
    restore(compiled, start)  # as warming up does, which leaves a state of the optimizer
    made = compiled.tensors()
    assert "optimizer.0.exp_avg" in made and made["step"] == 0
    other.load(made)
    for a_fleet in (fresh, other):
        a_fleet.take_step()
    assert all(torch.equal(value, other.tensors()[name]) for name, value in fresh.tensors().items())


def test_parts_of_a_fleet_carry_their_cost_and_the_code_it_began_with(tmp_path):
    state = {"step": torch.tensor(7), "losses": torch.arange(6.0).reshape(2, 3)}
    cost = {"wall_seconds": 30.0, "processor_seconds": 60.0}
    save_checkpoint(tmp_path / "whole", 7, state, cost | {"sources": {"mine": "abc"}})
    parts = {tmp_path / "one": 1, tmp_path / "two": 2}
    assert split_checkpoint(tmp_path / "whole", parts) == 7
    for part, share, losses in zip(parts, (1, 2), ([[0], [3]], [[1, 2], [4, 5]])):
        tensors, info = load_checkpoint(part)
        assert tensors["losses"].tolist() == losses
        assert info["sources"] == {"mine": "abc"}
        assert (info["wall_seconds"], info["processor_seconds"]) == (10 * share, 20 * share)
