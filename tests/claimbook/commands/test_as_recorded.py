"""Records are made again in the fleets that they were made in."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from claimbook.commands import as_recorded
from claimbook.commands.as_recorded import train_again
from claimbook.pages.execution import PageFailed
from claimbook.records import Record, digest, find_record, settings
from claimbook.records.errors import InputError
from icllib.training import jobs, trainer
from icllib.training.jobs import train_fleet
from small_fleet import RECIPE, runs

PAGE = "test/page"
ZERO, ONE, TWO = runs(replace(RECIPE, steps=20))


@pytest.fixture
def trained(folders, monkeypatch, tmp_path):
    """Three runs, two of which were trained together; returns the fleets that are trained later."""
    monkeypatch.setattr(as_recorded, "PROJECT", tmp_path)
    monkeypatch.setattr(as_recorded, "runs_of", lambda page: lambda profile: [ZERO, ONE, TWO])
    for fleet in ([TWO, ZERO], [ONE]):
        train_fleet(fleet, "cpu", folders)
    fleets, train = [], jobs.train_fleet
    monkeypatch.setattr(trainer, "train_fleet", lambda fleet, *a: (fleets.append(fleet), train(fleet, *a)))
    return fleets


def test_what_is_made_again_is_the_same_to_the_last_digit(trained, results, monkeypatch, tmp_path):
    before = {path: path.read_bytes() for path in results.rglob("*") if path.is_file()}
    assert train_again(PAGE, "cpu") == "3 of 3 records came out the same to the last digit"
    assert trained == [[TWO, ZERO], [ONE]]
    assert {path: path.read_bytes() for path in results.rglob("*") if path.is_file()} == before
    assert not list((tmp_path / "runs").rglob("*.json"))


def test_what_an_older_call_left_is_not_taken(trained, tmp_path):
    """A training that was stopped leaves records; here they are of an older version."""
    old = find_record(ONE, "test")
    Record(old.run, old.versions | {"training.Run": 0}, {"error": [9.0, 9.0]},
           old.provenance).save(tmp_path / "runs/again" / PAGE)
    assert train_again(PAGE, "cpu").startswith("3 of 3 records came out the same")
    assert [ONE] in trained


def test_numbers_that_come_out_otherwise_are_told(trained, folders):
    record = find_record(ONE, "test")
    other = np.array(record.metrics["error"]) * 1.01
    Record.of(ONE, record.metrics | {"error": other}, record.provenance).save(folders)
    for _ in range(2):  # nothing of the first call is left for the second
        with pytest.raises(PageFailed, match=r"1 of 3 records .* different, by up to 9.9e-03 of"):
            train_again(PAGE, "cpu")
    assert trained == 2 * [[TWO, ZERO], [ONE]]


@pytest.mark.parametrize("before, after, largest", [
    ([2.0, 1.0], [2.0, 0.9], 0.1), ([0.9], [1.0], 0.1), ([0.0], [5e-4], 1.0), ([0.0], [0.0], 0.0),
    ([np.nan, 1.0], [np.nan, 1.0], 0.0), ([0.1], [np.nan], np.inf), ([np.inf], [1.0], np.inf),
    ([np.inf], [np.inf], 0.0)])
def test_the_largest_difference_is_a_share_of_the_larger_number(before, after, largest):
    records = [SimpleNamespace(metrics={"error": numbers}) for numbers in (before, after)]
    np.testing.assert_allclose(as_recorded.largest_difference(*records), largest)


@pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU is here")
def test_a_record_of_a_gpu_is_not_made_again_without_one(trained, folders):
    record = find_record(ONE, "test")
    Record.of(ONE, record.metrics, record.provenance | {"device": "NVIDIA H200"}).save(folders)
    with pytest.raises(InputError, match="device: "):
        train_again(PAGE, "cpu")


def test_a_fleet_of_which_a_record_is_gone_is_not_guessed(trained, folders):
    find_record(TWO, "test").path(folders).unlink()
    with pytest.raises(InputError, match=f"{digest(settings(TWO))}.json: expected this record of"):
        train_again(PAGE, "cpu")


def test_records_that_tell_nothing_are_left(trained, folders):
    old = find_record(ZERO, "test")
    made = {name: value for name, value in old.provenance.items() if name != "members"}
    for run in (ZERO, TWO):
        Record.of(run, find_record(run, "test").metrics, made).save(folders)
    assert train_again(PAGE, "cpu") == (
        "1 of 1 records came out the same to the last digit; 2 more do not tell with which others "
        "they were trained")
    assert trained == [[ONE]]
    find_record(ONE, "test").path(folders).unlink()
    with pytest.raises(InputError, match="expected records at cpu that tell with which others"):
        train_again(PAGE, "cpu")
