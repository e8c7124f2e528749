"""Kept weights: a model that is loaded answers as its record says."""

from dataclasses import replace

import numpy as np
import pytest

import icllib
from icllib.errors import InputError
from icllib.results import digest, find_record, settings
from icllib.training import jobs
from small_fleet import runs


@pytest.fixture
def trained(folders):
    jobs.train_and_save(runs(), "cpu", folders)
    return folders / "cpu"


def measured(run, predictor):
    return run.evaluation.measure([run.task], predictor)["error"][0]


def test_a_loaded_model_answers_as_its_record_says(trained):
    for run in runs():
        recorded = find_record(run, "test")["error"]
        np.testing.assert_allclose(measured(run, icllib.load(run)), recorded, rtol=1e-5)
        path = trained / f"{digest(settings(run))}.json"
        np.testing.assert_allclose(measured(run, icllib.load(path)), recorded, rtol=1e-5)


def test_models_of_other_seeds_answer_otherwise(trained):
    zero, one, _ = runs()
    other = measured(zero, icllib.load(one))
    assert np.abs(other / find_record(zero, "test")["error"] - 1).max() > 1e-3


def test_a_new_measure_needs_no_training(trained):
    run = runs()[0]
    louder = replace(run.task, noise_std=1.0)
    assert (run.evaluation.measure([louder], icllib.load(run))["error"] > measured(
        run, icllib.load(run))).all()


def test_weights_of_another_record_and_none_are_refused(trained):
    zero, one, _ = (trained / f"{digest(settings(run))}.safetensors" for run in runs())
    zero.write_bytes(one.read_bytes())
    with pytest.raises(InputError, match="weights of its record, got those of another"):
        icllib.load(zero.with_suffix(".json"))
    zero.write_bytes(b"rubbish")
    with pytest.raises(InputError, match="expected the weights of a trained model"):
        icllib.load(zero.with_suffix(".json"))
    zero.unlink()
    with pytest.raises(InputError, match="found none; run its page"):
        icllib.load(runs()[0])
