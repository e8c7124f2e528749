"""What is stored: whole seeds of the best profile."""

from dataclasses import replace

import pytest

from claimbook.records.compute import stored_records
from claimbook.records.errors import InputError
from icllib.training import jobs, records
from small_fleet import RECIPE, runs

SMALL = replace(RECIPE, steps=5)


def page_of(**by_profile):
    return lambda profile: by_profile[profile]


@pytest.mark.parametrize("runs_of_profile, message", [
    (lambda profile: None, "runs_of_profile: "), (lambda: [], "runs_of_profile: "),
    (lambda one, two: [], "runs_of_profile: "), (lambda profile: ["a run"], "run: ")])
def test_what_gives_no_runs_is_told_before_any_work(runs_of_profile, message):
    with pytest.raises(InputError, match=message):
        records(runs_of_profile, "cpu", "test/page")


def seeds_shown(runs_of_profile):
    return [record.run["seed"] for record in stored_records(runs_of_profile, "test/page")]


def test_whole_seeds_are_shown_from_three_on(folders):
    two_models = [*runs(SMALL, range(5)), *runs(replace(SMALL, batch=9), range(5))]
    page = page_of(cpu=two_models, gpu=[*runs(replace(SMALL, batch=7), (0,))], paper=runs(replace(SMALL, batch=6), (0,)))
    jobs.train_and_save(runs(SMALL, (0, 2, 3)), "cpu", folders)
    jobs.train_and_save(runs(replace(SMALL, batch=9), (0, 1, 2)), "cpu", folders)
    with pytest.raises(InputError, match="expected all records of a profile, 4 of 10"):
        seeds_shown(page)  # seeds 0 and 2 alone are whole
    jobs.train_and_save(runs(replace(SMALL, batch=9), (3,)), "cpu", folders)
    assert seeds_shown(page) == [0, 2, 3, 0, 2, 3]


def test_a_profile_without_settings_is_told(folders):
    with pytest.raises(InputError, match="expected a profile with runs, gpu has none"):
        records(page_of(gpu=[]), "gpu", "test/page")
    with pytest.raises(InputError, match="profile: "):
        records(page_of(cpu=runs(SMALL)), "pilot", "test/page")
    with pytest.raises(InputError, match="runs_of_profile: "):
        records(page_of(cpu=runs(SMALL)), "gpu", "test/page")
