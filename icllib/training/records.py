"""From runs to records: what is missing is computed, what is there is read."""

import contextlib
import json
import os
from pathlib import Path

from icllib.checks import component, lists_runs
from icllib.errors import InputError
from icllib.files import damage_told, folder_named, temporary_folder, write_text
from icllib.results import (
    PROFILES, Record, check_page, check_profile, digest, find_records, is_fresh, results_folder)
from icllib.training.engine import tell_diverged
from icllib.training.limits import Limits, limits_of_page
from icllib.training.provenance import check_imported, tell_of_changed_sources
from icllib.training.run import Run
from icllib.training.workers import compute

KEPT = PROFILES[1:]  # all but "smoke"
FEWEST_SEEDS = 3  # that a page shows of a profile still in training


def records(runs_of_profile, profile: str, page: str, limits: Limits | None = None) -> list[Record]:
    """The records of a page's runs, in the order of the runs.

    runs_of_profile: from a profile's name to its list of runs. profile: "stored" reads the best
    profile whose records are committed, of all its seeds or of the first ones, and computes
    nothing; "smoke" computes everything and keeps nothing; any other computes what is missing.
    page: "<paper>/<page>", where new records go. limits: of training, or else those of the command
    that executes the page. Raises InputError for another kind of page and
    where there is nothing to read, OutOfTime at the time limit with every finished record kept.
    """
    check_page(page)
    check_profile(profile)
    if not isinstance(limits, Limits | None):
        raise InputError(f"limits: expected icllib.Limits(...), got {limits!r:.200}")
    if profile == "stored":
        return stored_records(runs_of_profile, page)
    runs = runs_at(runs_of_profile, profile)
    if not runs:
        raise InputError(f"{page}: expected a profile with runs, {profile} has none")
    limits = limits_of_page() if limits is None else limits
    if profile == "smoke":
        with temporary_folder() as folder, environment(ICLLIB_CHECKPOINTS=folder):
            return computed(runs, profile, page, Path(folder), limits)
    return computed(runs, profile, page, results_folder(), limits)


def computed(runs, profile: str, page: str, results: Path, limits=Limits()) -> list[Record]:
    """The records of these runs in a results folder, the missing ones computed first."""
    paper = page.split("/")[0]
    found = find_records(runs, paper, results)
    missing = [run for run, record in zip(runs, found) if not is_fresh(record)]
    tell_of_changed_sources("these records were made", (
        (record.provenance.get("sources", {}), record.versions) for record in found
        if is_fresh(record)))
    if not missing:
        return found
    check_imported(missing)
    compute(runs, missing, profile, results / page, limits)
    found = find_records(runs, paper, results)
    for run, record in zip(runs, found):
        if run in missing and record.provenance.get("diverged"):
            tell_diverged(run.model, run.seed, run.recipe)
    return found


def stored_records(runs_of_profile, page: str) -> list[Record]:
    """The committed records of the best profile that is complete; raises InputError for none."""
    best = next(complete_profiles(runs_of_profile, page, reversed(KEPT)), None)
    if best is None:
        found = find_records(runs_of_profile("cpu"), page.split("/")[0])
        raise InputError(f"{page}: expected all records of a profile, {found.count(None)} of "
                         f"{len(found)} records missing at cpu; make them by asking for the profile "
                         f"cpu, for a page of the book with: python -m icllib run {page} "
                         "--profile cpu")
    tell_shown(best[1])
    return best[1]


def every_profile(runs_of_profile, page: str) -> dict[str, list[Record]]:
    """The committed records of each profile that is complete, from the smallest size on; raises
    InputError for an invalid page or function."""
    check_page(page)
    found = dict(complete_profiles(runs_of_profile, page, KEPT))
    tell_shown(record for records in found.values() for record in records)
    return found


def tell_shown(found) -> None:
    """Note in $ICLLIB_OUTPUT that the page shows these records; the page runner keeps the list with
    the page's results."""
    if not os.environ.get("ICLLIB_OUTPUT"):
        return
    path = folder_named("ICLLIB_OUTPUT", "") / "records.json"
    before = {}
    if path.exists():
        with damage_told(path, "the records that the page has shown"):
            before = {**json.loads(path.read_text("utf-8"))}
    write_text(path, json.dumps(before | {digest(record.run): record.checksum for record in found}))


def complete_profiles(runs_of_profile, page: str, profiles):
    """Each of these profiles that has records to show, in their order, with these records."""
    for profile in profiles:
        runs = runs_at(runs_of_profile, profile)
        if found := of_complete_seeds(runs, find_records(runs, page.split("/")[0])):
            yield profile, found


def runs_at(runs_of_profile, profile: str) -> list:
    """The runs of a profile.

    Raises InputError for what is no function from a profile to a list of runs.
    """
    lists_runs(runs_of_profile=runs_of_profile)
    try:
        runs = runs_of_profile(profile)
    except KeyError as error:
        if error.args != (profile,):
            raise
        raise InputError(f"runs_of_profile: expected settings for {profile}, found none") from error
    if not isinstance(runs, list | tuple):
        raise InputError(f"runs_of_profile: expected a list of runs, got {runs!r}")
    for run in runs:
        if not isinstance(run, Run):
            component("measure", run=run)
    return list(runs)


def of_complete_seeds(runs, records) -> list[Record]:
    """The records of all complete seeds; an empty list where these are too few.

    records: one per run, None where it is missing. Training takes one seed after the other, so a
    page can show complete seeds while others train: FEWEST_SEEDS at least, to show a spread.
    """
    if not runs:
        return []
    found = [(getattr(run, "seed", None), record) for run, record in zip(runs, records)]
    seeds = {run.seed for run in runs if isinstance(run, Run)}
    lacking = {seed for seed, record in found if record is None}
    enough = len(seeds - lacking) >= min(FEWEST_SEEDS, len(seeds))
    if not (lacking <= seeds and enough):
        return []
    return [record for seed, record in found if seed not in lacking]


@contextlib.contextmanager
def environment(**values):
    """Environment variables for a while; None leaves a variable as it is."""
    before = dict(os.environ)
    os.environ.update({name: str(value) for name, value in values.items() if value is not None})
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
