"""Kept weights: a model that is loaded answers as its record says."""

import math
import random
import re
import resource
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
import torch

import icllib
from claimbook.records import PROJECT, digest, find_record, settings
from claimbook.records.compute import environment
from claimbook.records.errors import InputError
from icllib.estimators import InContextRegressor
from icllib.evaluate import ErrorByLength
from icllib.streams import Stream
from icllib.training import Along, jobs, untrained, weights, trainer
from icllib.training.build import build
from icllib.training.checkpoint import save_tensors
from icllib.training.run import Trained
from icllib.training.weights import find_weights, read_weights, run_of, save_weights
from small_fleet import RECIPE, runs

FEW = replace(RECIPE, steps=20)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The records and weights of a fleet, which is trained once."""
    folder = tmp_path_factory.mktemp("made")
    with environment(CLAIMBOOK_RESULTS=folder, CLAIMBOOK_CHECKPOINTS=folder / "checkpoints"):
        jobs.train_and_save(runs(), "cpu", folder / "test" / "page")
    return folder / "test" / "page" / "cpu"


@pytest.fixture
def trained(folders, made):
    return Path(shutil.copytree(made, folders / "cpu"))


def measured(run, predictor):
    return run.evaluation.measure([run.task], predictor)["error"][0]


def test_a_loaded_model_answers_as_its_record_says(trained):
    for run in runs():
        recorded = find_record(run, "test")["error"]
        np.testing.assert_allclose(measured(run, icllib.load(run)), recorded, rtol=1e-5)
        for source in (trained / f"{digest(settings(run))}.json", find_record(run, "test")):
            np.testing.assert_allclose(measured(run, icllib.load(source)), recorded, rtol=1e-5)
    dimension = run.task.dimension + 1
    with pytest.raises(InputError, match=f"expected inputs of dimension {dimension - 1} .* got {dimension}"):
        icllib.load(run).predict(torch.zeros(1, 4, 8, dimension), torch.zeros(1, 4, 8), (2,))


def test_a_path_without_a_record_of_a_trained_model_is_told(tmp_path):
    other = next((PROJECT / "results/causal_lm/propositions/paper").glob("*.json"))
    for source, told in (("signed_averaging/every", "expected the path of a record, found no file"),
                         (tmp_path / "none.json", "found no file"),
                         (other, "one of a trained model, got one of Propositions")):
        with pytest.raises(InputError, match=told):
            icllib.load(source)


def test_models_before_training_are_measured_as_their_records_would_be(trained):
    """A control: the same start as training has, on fewer prompts, and none of the later seeds."""
    records = [find_record(run, "test") for run in runs()]
    before = untrained(records)
    assert [record.run for record in before] == [r.run for r in records if r.run["seed"] < 3]
    assert [record.run["seed"] for record in untrained(records, seeds=2)] == [0, 1]
    for record in before:
        run = run_of(record)
        start = Trained(build([run.model], [run.seed], run.task, run.recipe, "cpu"),
                        Stream.of([run.seed], "training"))
        small = replace(run.evaluation, prompts=min(run.evaluation.prompts, weights.SMALL["prompts"]))
        expected = small.measure([run.task], start)["error"][0]
        np.testing.assert_allclose(record["error"], expected, rtol=1e-6)
        assert not np.allclose(record["error"], find_record(run, "test")["error"], rtol=1e-3)
    other, = untrained(records[:1], ErrorByLength((1,), prompts=16))
    assert np.shape(other["error"]) == (1,)


def test_a_new_measure_needs_no_training(trained, folders, monkeypatch):
    monkeypatch.setattr(jobs, "train_fleet", None)
    louder = [replace(run, evaluation=replace(run.evaluation, prompts=100)) for run in runs()]
    trainer.compute(louder, louder, "cpu", folders)
    for run in louder:
        found = find_record(run, "test")
        assert found.provenance["kept_weights"] and found.provenance["profile"] == "cpu"
        np.testing.assert_allclose(found["error"], measured(run, icllib.load(run)), rtol=1e-5)


def test_a_kept_model_is_measured_on_the_prompts_of_its_own_seed(folders, monkeypatch):
    own = [replace(run, evaluation=replace(run.evaluation, own_prompts=True)) for run in runs(FEW)]
    jobs.train_and_save(own, "cpu", folders)
    expected = [find_record(run, "test")["error"] for run in own]
    monkeypatch.setattr(ErrorByLength, "version", 99)  # so that the records are stale
    monkeypatch.setattr(jobs, "train_fleet", None)
    trainer.compute(own, own, "cpu", folders)
    for run, error in zip(own, expected):
        np.testing.assert_allclose(find_record(run, "test")["error"], error, rtol=1e-5)


def test_what_one_call_measures_in_two_ways_is_trained_once(folders, monkeypatch):
    taken, take_step = [], jobs.Fleet.take_step
    monkeypatch.setattr(jobs.Fleet, "take_step", lambda fleet: (taken.append(1), take_step(fleet)))
    both = [replace(run, evaluation=replace(run.evaluation, prompts=prompts))
            for prompts in (64, 100) for run in runs()]
    trainer.compute(both, both, "cpu", folders)
    assert len(taken) == RECIPE.steps
    for run in both:
        np.testing.assert_allclose(find_record(run, "test")["error"],
                                   measured(run, icllib.load(run)), rtol=1e-5)


def test_weights_are_those_of_the_end_where_some_were_measured_on_the_way(folders):
    run = replace(runs(FEW)[0], along=Along((1,), runs()[0].evaluation))
    jobs.train_and_save([run], "cpu", folders)
    np.testing.assert_allclose(measured(run, icllib.load(run)), find_record(run, "test")["error"], rtol=1e-5)


def test_a_disk_without_room_for_weights_is_told_and_keeps_the_training(folders):
    run = runs()[0]
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    module = build([run.model], [0], run.task, run.recipe, "cpu")
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))  # no file may be larger
    try:
        with pytest.raises(InputError, match="expected room for weights, got .*; what was trained"):
            save_weights(run, folders / "cpu", module, 0)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not list((folders / "cpu").iterdir())


def flip(path, place):
    content = bytearray(path.read_bytes())
    content[place % len(content)] ^= 1
    path.write_bytes(content)


def noted(change):
    """Damages weights of which the record notes this, in place of their name and checksum."""
    def damage(path, made):
        flip(path, 1000)
        kept = {name: own for name, own in made.provenance.items() if name != "weights"}
        replace(made, provenance=kept | change(made.provenance["weights"])).save(path.parents[1])
    return damage


def written(change):
    """Writes what no training writes, and its checksum into the record."""
    def damage(path, made):
        information, own = change(*read_weights(path))
        save_tensors(path, own, information)
        replace(made, provenance=made.provenance | weights.noted_of(path)).save(path.parents[1])
    return damage


def each(change):
    return written(lambda information, own: (information, {name: change(values) for name, values in own.items()}))


OTHERS, TRAINED = "expected SHA-256 .*: these weights are not those of", "expected the weights of a trained model"
REFUSED = {
    "a flipped bit": (lambda path, made: flip(path, 1000), OTHERS),
    "rubbish": (lambda path, made: path.write_bytes(b"rubbish"), OTHERS),
    "another seed's": (lambda path, made: path.write_bytes(find_weights(runs()[1]).read_bytes()), OTHERS),
    "a record that is gone": (lambda path, made: (path.parent / f"{digest(made.run)}.json").unlink(), "beside a record of them"),
    "a record of none": (noted(lambda own: {}), "expected its weights, .* beside a record of them"),
    **{f"checksum {one}": (noted(lambda own, one=one: {"weights": own | {"sha256": one}}),
                           r"\.json: weights: expected a file and its SHA-256, got {'file'") for one in (None, 5, "0" * 63)},
    "broken sources": (written(lambda information, own: (information | {"sources": "{"}, own)), TRAINED),
    "whole numbers": (each(torch.Tensor.long), TRAINED), "complex numbers": (each(lambda values: values * 1j), TRAINED),
    "no numbers": (each(lambda values: values * torch.nan), "expected finite weights"),
    "another shape": (each(lambda values: values[..., :1]), "expected the weights of this model")}


@pytest.mark.parametrize("name", REFUSED)
def test_weights_that_are_not_those_of_a_sound_record_are_not_taken(trained, folders, name):
    """Neither loaded, nor measured anew by a page, nor by an estimator."""
    (damage, told), run = REFUSED[name], runs()[0]
    damage(find_weights(run), find_record(run, "test"))
    uses = [lambda: icllib.load(run)]
    if told == OTHERS:
        louder = replace(run, evaluation=replace(run.evaluation, prompts=100))
        record = trained / f"{digest(settings(run))}.json"
        uses += [lambda: trainer.compute([louder], [louder], "cpu", folders),
                 lambda: InContextRegressor(record).fit(np.ones((2, 2)), np.ones(2))]
    for use in uses:
        with pytest.raises(InputError, match=told):
            use()


def test_weights_of_other_versions_are_not_taken(trained, monkeypatch):
    monkeypatch.setattr(type(RECIPE), "version", 99)
    assert find_weights(runs()[1]) is None
    with pytest.raises(InputError, match="seed 1: "):
        icllib.load(runs()[1])


def test_one_flipped_bit_of_any_committed_weights_is_told(results):
    """And the weights as they are, are taken."""
    paths, draw = sorted((PROJECT / "results").rglob("*.safetensors")), random.Random(0)
    records = {record.parent / name: record for folder in {path.parent for path in paths}
               for record in folder.glob("*.json")
               for name in re.findall(r'"file": "(.*?)"', record.read_text("utf-8"))}
    assert paths
    for path in paths:
        record, copy = records[path], results / path.relative_to(PROJECT / "results")
        run = run_of(record)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(record, copy.parent)
        shutil.copy(path, copy)
        assert find_weights(run) == copy
        flip(copy, draw.randrange(copy.stat().st_size))
        with pytest.raises(InputError, match=f"{copy}: expected SHA-256 [0-9a-f]*, got"):
            find_weights(run)


@dataclass(frozen=True)
class Told:
    """An evaluation of an error as it is told and an undefined ratio, which notes the precision of products."""

    error: float = 0.5
    version: ClassVar[int] = 1
    precisions: ClassVar[list] = []

    def measure(self, tasks, predictor, device="cpu"):
        self.precisions.append(torch.get_float32_matmul_precision())
        return {"error": [self.error], "ratio": [math.nan]}


@pytest.mark.parametrize("error, kept", [(0.5, True), (math.inf, False)])
def test_models_are_measured_in_full_precision_and_an_undefined_metric_is_no_divergence(error, kept, folders):
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")  # as a captured step in TF32 does
    try:
        run = replace(runs(FEW)[0], evaluation=Told(error))
        jobs.train_and_save([run], "cpu", folders)
    finally:
        torch.set_float32_matmul_precision(before)
    assert Told.precisions.pop() == "highest"
    assert ("diverged" not in find_record(run, "test").provenance) == kept
    assert (find_weights(run) is not None) == kept
