"""One fleet, named by the records that it is to make: a job of a plan."""

from pathlib import Path

from claimbook.pages.names import find_page
from claimbook.pages.page import runs_of
from claimbook.records import PROJECT, PROFILES, check_profile, digest, results_folder, settings
from claimbook.records.compute import runs_at, trainer_of, trains
from claimbook.records.errors import InputError
from claimbook.records.limits import Limits


def train(paths: list[str], limits=Limits()) -> str:
    """Train the runs of these records, <paper>/<page>/<profile>/<name>.json of one page and profile, together
    and save them; returns what was done. Raises OutOfTime where it was stopped, with a checkpoint kept."""
    page, profile, names = parts_of(paths)
    listed = {digest(settings(run)): run for run in trained_runs(page, profile)}
    if unknown := [name for name in names if name not in listed]:
        raise InputError(f"{unknown[0]}: expected the name of a record of {page} at {profile}, as "
                         f"python -m claimbook plan --profile {profile} lists them")
    together = [listed[name] for name in names]
    if profile == "smoke" and results_folder().resolve() == (PROJECT / "results").resolve():
        raise InputError("smoke: expected a results folder of its own, $CLAIMBOOK_RESULTS, as nothing "
                         "of smoke size is kept among the others")
    made = trainer_of(together[0]).train(together, profile, results_folder() / page, limits)
    told = f"{made} records made" if made else f"nothing to train, all {len(together)} models are there"
    return f"{page}: {told}"


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


def trained_runs(page: str, profile: str) -> list:
    """The runs of a page that train."""
    return [run for run in runs_at(runs_of(page), profile) if trains(run)]
