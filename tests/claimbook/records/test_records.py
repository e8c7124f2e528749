"""Records: identity, staleness, damage."""

import json
import os
import re
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from a_record import PROVENANCE, RUN, saved

from claimbook.pages.page import Page
from claimbook.records import PROJECT, Component, Record, find_record, results_folder, settings, versions
from claimbook.records.errors import InputError
from claimbook.records.values import values
from icllib.data import data_folders
from icllib.models import MLP
from icllib.tasks import LinearRegression
from icllib.training import every_profile, records
from icllib.training.jobs import checkpoints_folder


@dataclass(frozen=True)
class Sample(Component):
    sizes: tuple[int, ...] = (1,)


@dataclass(frozen=True)
class Later(Sample):
    version = 2


def test_a_list_becomes_a_tuple_and_the_version_is_one_unless_said():
    assert Sample(sizes=[1, 2]) == Sample(sizes=(1, 2)) == Sample(sizes=range(1, 3))
    assert list(versions([Sample(), Later()]).values()) == [2, 1]  # sorted by name


class Model:
    """Can be built, as far as a run can tell."""

    build = None


@dataclass
class Mutable(Model):
    version: ClassVar[int] = 1


@dataclass(frozen=True)
class WithoutVersion(Model):
    pass


def local_class():
    @dataclass(frozen=True)
    class Local(Model):
        version: ClassVar[int] = 1

    return Local


@pytest.mark.parametrize("part, message", [
    (Mutable(), "Mutable: "), (WithoutVersion(), "WithoutVersion: "), (Model(), "Model: "),
    (local_class()(), "Local: ")])
def test_parts_that_a_record_cannot_describe_are_refused_before_any_work(part, message, results):
    with pytest.raises(InputError, match=message):
        records(lambda profile: [replace(RUN, model=part)], "cpu", page="context_scaling/page")
    assert not results.exists()


def test_numbers_of_numpy_and_whole_ones_for_floats_make_no_other_record():
    plain = json.dumps(settings(LinearRegression(2, 1.0)))
    for numbers in ((np.int64(2), np.float32(1)), (2, 1)):
        assert json.dumps(settings(LinearRegression(*numbers))) == plain


@dataclass(frozen=True)
class Nothing:
    """A computation without metrics, or with one that is no number."""

    said: str = ""
    version: ClassVar[int] = 1

    def measure(self):
        return {"error": self.said} if self.said else {}


@pytest.mark.parametrize("said, told", [("", "expected a dictionary"), ("low", "error: expected numbers or NaN, got 'low'")])
def test_a_computation_without_metrics_leaves_no_record(results, said, told):
    with pytest.raises(InputError, match=f"Nothing.measure: {told}"):
        records(lambda profile: [Nothing(said)], "cpu", page="context_scaling/page")
    assert not list(results.rglob("*.json"))


def test_smoke_keeps_nothing_without_a_runner_too(results, monkeypatch, tmp_path):
    monkeypatch.setenv("CLAIMBOOK_CHECKPOINTS", str(tmp_path / "checkpoints"))
    assert records(lambda profile: [RUN], "smoke", page="context_scaling/page")[0]["error"].size
    assert not results.exists() and not (tmp_path / "checkpoints").exists()
    assert os.environ["CLAIMBOOK_CHECKPOINTS"] == str(tmp_path / "checkpoints")


def test_a_record_survives_the_round_trip_with_six_digits(saved):
    record = find_record(RUN, "context_scaling")
    assert record["error"].tolist() == [0.333333, 2e-9]
    assert record.profile == "cpu"
    assert record.stale_because is None


def test_a_new_version_makes_a_record_stale_and_a_fresh_one_is_preferred(saved, results, monkeypatch):
    monkeypatch.setattr(MLP, "version", 2)
    assert find_record(RUN, "context_scaling").stale_because == "models.MLP 1 -> 2"
    Record.of(RUN, {"error": np.array([5.0])}, PROVENANCE).save(
        results / "context_scaling" / "yet_another_page")
    assert saved.parts[-3] < "yet_another_page"  # the stale one is the first by name
    assert find_record(RUN, "context_scaling")["error"].tolist() == [5.0]


def test_profiles_are_told_apart_and_the_largest_complete_one_is_shown(results):
    folder = results / "context_scaling" / "some_page"
    runs = lambda profile: [replace(RUN, seed=seed, pretraining_tasks=sum(map(ord, profile)))
                            for seed in range(2)]

    def save(profile, seed):
        Record.of(runs(profile)[seed], {"error": [seed]}, {"profile": profile}).save(folder)

    for profile, seed in (("cpu", 0), ("cpu", 1), ("gpu", 0)):
        save(profile, seed)
    assert list(every_profile(runs, "context_scaling/other")) == ["cpu"]
    assert records(runs, "stored", "context_scaling/other")[1]["error"].tolist() == [1.0]
    save("gpu", 1)
    assert list(every_profile(runs, "context_scaling/other")) == ["cpu", "gpu"]
    shown = records(runs, "stored", "context_scaling/other")
    assert [record.profile for record in shown] == ["gpu", "gpu"]


def test_a_metric_that_is_not_there_is_told_with_those_that_are(saved):
    record = find_record(RUN, "context_scaling")
    with pytest.raises(InputError, match="metric: "):
        record["eror"]
    with pytest.raises(InputError, match="metric: "):
        values([record], "eror")


def test_a_folder_named_relatively_is_the_project_s_in_every_process(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLAIMBOOK_RESULTS", "elsewhere")
    assert results_folder() == PROJECT / "elsewhere"
    monkeypatch.setenv("CLAIMBOOK_RESULTS", str(tmp_path))
    assert results_folder() == tmp_path


@pytest.mark.parametrize("variable, folder", [
    ("CLAIMBOOK_RESULTS", results_folder), ("CLAIMBOOK_CHECKPOINTS", checkpoints_folder),
    ("CLAIMBOOK_DATA", lambda: data_folders()[0]), ("CLAIMBOOK_OUTPUT", lambda: Page("causal_lm/sample").output)])
def test_a_tilde_is_the_users_home(monkeypatch, tmp_path, variable, folder):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(variable, "~/mine")
    assert folder() == tmp_path / "mine"
    monkeypatch.setenv(variable, "~nobody-has-this-name/mine")
    with pytest.raises(InputError, match=f"{variable}: expected a folder, got '~nobody-has"):
        folder()


def test_labels_are_settings_or_functions_of_the_recorded_run_in_the_order_asked_for():
    lengths = RUN.evaluation.lengths
    made = [Record(settings(replace(RUN, seed=seed)), {}, {"error": [float(seed)] * len(lengths)}, {})
            for seed in (3, 2)]
    assert values(made, "error").index.names == ["seed", "length"]
    found = values(made, "error", kind=lambda run: type(run.task).__name__, seed="seed")
    assert found.index.names == ["kind", "seed", "length"]
    by_length = found[type(RUN.task).__name__].unstack()
    assert list(by_length) == list(lengths) and by_length[lengths[0]].to_dict() == {2: 2.0, 3: 3.0}
    with pytest.raises(InputError, match="twice"):
        values(made, "error", seed=lambda run: 0)


def test_a_record_prints_in_two_lines_and_in_notebooks_as_a_table():
    made = Record.of(RUN, {"error": np.array([[1, 2], [3, 4], [5, 3]]), "count": 7}, PROVENANCE)
    assert re.findall("<t[hd]>(.+?)</t[hd]>", made._repr_html_()) == [
        "shape", "mean", "error", "(3, 2)", "3", "count", "()", "7"]
    first, second = repr(made).splitlines()
    assert type(RUN).__name__ in first and f"seed {RUN.seed}" in first
    assert second == "metrics: error (3, 2), count ()"
