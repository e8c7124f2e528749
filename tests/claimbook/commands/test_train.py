"""Fleets named by their records: the jobs of a plan."""

import json
from dataclasses import replace

import pytest

from claimbook.commands.plan import plan_trainings, trained_runs
from claimbook.records import digest, settings
from icllib.training import Along, jobs

PAGE = "context_scaling/fig05_one_layer"


@pytest.fixture
def planned(icllib, folders):
    """The plan of a page at smoke size, with results of its own."""
    def rows():
        return json.loads(icllib("plan", "--profile", "smoke", "--page", PAGE, "--json")[1])
    return rows


def test_a_plan_that_is_trained_job_by_job_leaves_nothing_to_plan(planned, icllib, results):
    rows = planned()
    runs = trained_runs(PAGE, "smoke")
    assert sorted(path for row in rows for path in row["records"]) == sorted(
        f"{PAGE}/smoke/{digest(settings(run))}.json" for run in runs)
    for row in rows:
        assert row["pages"] == [PAGE] and row["members"] == len(row["records"])
        assert row["minutes"] > 0 and row["memory_gib"] >= 0
        twice = [*row["records"], row["records"][0]]
        assert icllib("train", *twice)[1] == f"{PAGE}: {row['members']} records made\n"
        assert planned() == rows[rows.index(row) + 1:]
    assert all((results / path).exists() for row in rows for path in row["records"])
    assert "nothing to train" in icllib("train", *rows[0]["records"])[1]


def test_members_bound_the_fleets_of_a_plan_and_minutes_add_up(icllib, folders, monkeypatch):
    monkeypatch.setattr("icllib.training.costs.step_seconds", lambda *parts: 30.0)
    rows = {members: json.loads(icllib("plan", "--profile", "smoke", "--page", PAGE, "--json",
                                       "--members", str(members))[1]) for members in (1, 2)}
    runs = trained_runs(PAGE, "smoke")
    for members, found in rows.items():
        assert max(row["members"] for row in found) == members
        assert sum(row["members"] for row in found) == len(runs)
        assert sum(row["minutes"] for row in found) == pytest.approx(
            sum(run.recipe.steps for run in runs) / 2)


def test_a_full_disk_between_two_records_costs_no_second_training(planned, icllib, folders, results):
    first = planned()[0]["records"]
    assert len(first) > 1
    save = jobs.Record.save

    def full(record, folder):
        if digest(record.run) not in first[0]:
            raise jobs.InputError("no room")
        return save(record, folder)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs.Record, "save", full)
        assert icllib("train", *first) == (2, "", "claimbook: no room\n")
    assert first in [row["records"] for row in planned()]  # whole, as its checkpoint is
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("icllib.training.engine.Fleet.take_step", lambda _: pytest.fail("trains"))
        assert icllib("train", *first)[0] == 0
    assert all((results / path).exists() for path in first)


@pytest.mark.parametrize("paths, told", [
    (["a.json"], "expected <paper>/<page>/<profile>/<name>.json"),
    ([f"{PAGE}/smoke/1.json", f"{PAGE}/cpu/2.json"], "all of one page and profile"),
    ([f"{PAGE}/smoke/0123456789ab.json"], "0123456789ab: expected the name of a record"),
    ([f"{PAGE}/stored/1.json"], "profile: expected one of smoke"),
    ([f"{PAGE}s/smoke/1.json"], f"page: expected one that python -m claimbook status lists, such as {PAGE},"),
])
def test_other_records_are_told(icllib, results, paths, told):
    code, _, err = icllib("train", *paths)
    assert code == 2 and told in err


def test_records_that_cannot_train_together_are_told(icllib, results):
    page = "causal_lm/table07_permuted_pairs"
    runs = trained_runs(page, "smoke")
    paths = [f"{page}/smoke/{digest(settings(run))}.json" for run in runs]
    assert len({run.recipe.permute_pairs for run in runs}) == 2
    code, _, err = icllib("train", *paths)
    assert code == 2 and "records: expected those of one fleet" in err
    assert not list(results.rglob("*.json"))


def test_what_is_measured_in_two_ways_is_planned_once_for_what_is_missing(
        icllib, folders, results, monkeypatch):
    first = trained_runs(PAGE, "smoke")[0]
    second = replace(first, evaluation=replace(first.evaluation, prompts=3))
    names = [f"{PAGE}/smoke/{digest(settings(run))}.json" for run in (first, second)]
    monkeypatch.setattr("claimbook.commands.plan.trained_runs", lambda *_: [first, second])
    planned = lambda: [job.records for job in plan_trainings([PAGE], "smoke")]
    assert planned() == [(names[0],)]
    assert icllib("train", names[0])[0] == 0
    assert planned() == []  # the second is measured on the weights of the first
    for weights in results.rglob("*.safetensors"):
        weights.unlink()
    assert planned() == [(names[1],)]


def test_what_other_components_made_or_what_is_measured_on_the_way_is_planned(icllib, folders, monkeypatch):
    first = trained_runs(PAGE, "smoke")[0]
    on_the_way = replace(first, along=Along((2,), first.evaluation))
    names = [f"{PAGE}/smoke/{digest(settings(run))}.json" for run in (first, on_the_way)]
    monkeypatch.setattr("claimbook.commands.plan.trained_runs", lambda *_: [first, on_the_way])
    planned = lambda: sorted(name for job in plan_trainings([PAGE], "smoke") for name in job.records)
    assert planned() == sorted(names)
    assert icllib("train", names[0])[0] == 0
    assert planned() == [names[1]]  # the final weights do not tell what was on the way
    monkeypatch.setattr(type(first.model), "version", 99)
    assert planned() == sorted(names)


def test_smoke_records_are_not_put_among_the_committed_ones(icllib, monkeypatch):
    monkeypatch.delenv("CLAIMBOOK_RESULTS", raising=False)
    name = digest(settings(trained_runs(PAGE, "smoke")[0]))
    code, _, err = icllib("train", f"{PAGE}/smoke/{name}.json")
    assert code == 2 and "a results folder of its own, $CLAIMBOOK_RESULTS" in err
