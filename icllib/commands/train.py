"""One fleet, named by the records that it is to make: a job of a plan."""

from pathlib import Path

from icllib.errors import InputError
from icllib.page_names import find_page
from icllib.pages import runs_of
from icllib.results import (
    PROJECT, PROFILES, check_profile, digest, find_records, is_fresh, results_folder, settings)
from icllib.training.fleets import fleets, processors
from icllib.training.jobs import check_ready, to_train, train_fleet
from icllib.training.limits import Limits
from icllib.training.records import runs_at
from icllib.training.run import Run
from icllib.training.weights import can_be_measured, trained_folders, weights_name


def train(paths: list[str], limits=Limits()) -> str:
    """Train the runs of these records together and save them; returns what was done.

    paths: <paper>/<page>/<profile>/<name>.json, of one page and profile. limits:
    of training. Raises InputError, before any work, for records that
    the page does not have, models that cannot train together, folders that cannot be written to,
    smoke records among the committed ones, and `gpu` without a GPU; OutOfTime where training was
    stopped, with a checkpoint that the next call goes on from.
    """
    page, profile, together = runs_together(paths)
    there = are_there(together, page.split("/")[0])
    missing = [run for run, found in zip(together, there) if not found]
    if not (fleet := to_train(together, missing)):
        return f"{page}: nothing to train, all {len(together)} models are there"
    if profile == "smoke" and results_folder().resolve() == (PROJECT / "results").resolve():
        raise InputError("smoke: expected a results folder of its own, $ICLLIB_RESULTS, as nothing "
                         "of smoke size is kept among the others")
    check_ready(profile, results_folder() / page, limits)
    train_fleet(fleet, profile, results_folder() / page, processors()[0], limits)
    return f"{page}: {len(fleet)} records made"


def runs_together(paths: list[str]) -> tuple[str, str, list[Run]]:
    """Page, profile and runs of these records; raises InputError for those that the page does not
    have, and for models that cannot train together."""
    page, profile, names = parts_of(paths)
    listed = {digest(settings(run)): run for run in trained_runs(page, profile)}
    if unknown := [name for name in names if name not in listed]:
        raise InputError(f"{unknown[0]}: expected the name of a record of {page} at {profile}, as "
                         f"python -m icllib plan --profile {profile} lists them")
    together = [listed[name] for name in names]
    if len(apart := fleets(together)) > 1:
        raise InputError("records: expected those of one fleet, which have the same recipe, sizes "
                         f"and evaluation, got some of {len(apart)}; train them one by one")
    return page, profile, together


def parts_of(paths: list[str]) -> tuple[str, str, list[str]]:
    """Page, profile and names of records; raises InputError where they are not of one folder."""
    folders = {tuple(Path(path).parts[-4:-1]) for path in paths}
    folder = folders.pop()
    if folders or len(folder) != 3:
        raise InputError("records: expected <paper>/<page>/<profile>/<name>.json, all of one page "
                         f"and profile, got {' '.join(paths)}")
    page, profile = "/".join(folder[:2]), folder[2]
    find_page(page)
    check_profile(profile, PROFILES)
    return page, profile, list(dict.fromkeys(Path(path).stem for path in paths))


def trained_runs(page: str, profile: str) -> list[Run]:
    """The runs of a page that train."""
    return [run for run in runs_at(runs_of(page), profile) if isinstance(run, Run)]


def are_there(runs: list[Run], paper: str) -> list[bool]:
    """Whether each run has a record of today, or a model that its page measures when executed."""
    kept = {path.name for folder in trained_folders() for path in folder.glob("*/*/*/*.safetensors")}
    return [is_fresh(record) or (weights_name(run) in kept and can_be_measured(run))
            for run, record in zip(runs, find_records(runs, paper))]
