"""From runs to records: what is missing is computed, what is there is read.

A run is a component with `measure()`, or one that trains: its class names a module, `trainer`, that
computes many of them together and estimates what they take; icllib/training/trainer.py is one.
"""

import contextlib
import importlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from claimbook.records import (
    PROFILES, Record, check_page, check_profile, digest, find_records, is_fresh, results_folder)
from claimbook.records.checks import MEASURED, has_method, instance, lists_runs, numbers
from claimbook.records.checksums import RECORDS
from claimbook.records.errors import InputError
from claimbook.records.files import (
    check_writable, damage_told, folder_named, read_object, temporary_folder, write_text)
from claimbook.records.limits import Limits, limits_of_page
from claimbook.records.provenance import (
    check_imported, cost_since, provenance, start_clocks, tell_of_changed_sources)

KEPT = PROFILES[1:]  # all but "smoke"
ON_CPU = ("smoke", "cpu")  # profiles whose models train on the cores of a CPU
FEWEST_SEEDS = 3  # that a page shows of a profile still in training


def records(runs_of_profile, profile: str, page: str, limits: Limits | None = None) -> list[Record]:
    """The records of a page's runs, in the order of the runs.

    runs_of_profile: from a profile to its list of runs. profile: "stored" reads the best one whose records
    are committed, of its first whole seeds at least, and computes nothing; "smoke" keeps nothing; any other
    computes what is missing. page: "<paper>/<page>", where new records go. limits: of training, by default
    those of the command that executes the page. Raises InputError where there is nothing to read, OutOfTime
    at the time limit with every finished record kept.
    """
    check_page(page)
    check_profile(profile)
    instance(Limits | None, "Limits(...)", limits=limits)
    if profile == "stored":
        return stored_records(runs_of_profile, page)
    runs = runs_at(runs_of_profile, profile)
    if not runs:
        raise InputError(f"{page}: expected a profile with runs, {profile} has none")
    limits = limits_of_page() if limits is None else limits
    if profile == "smoke":
        with temporary_folder() as folder, environment(CLAIMBOOK_CHECKPOINTS=folder):
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
    check_writable(results / page)
    for name in dict.fromkeys(run.trainer for run in missing if trains(run)):  # first: GPUs are lent
        own = lambda some: [run for run in some if trains(run) and run.trainer == name]
        trainer_of(name).compute(own(runs), own(missing), profile, results / page, limits)
    for run in missing:
        if not trains(run):
            measure(run, results / page)
    return find_records(runs, paper, results)


def measure(run, folder: Path) -> None:
    """Measure a run that does not train, and save its record."""
    device = getattr(run, "device", "cpu")
    made, started = provenance("paper", device), start_clocks(device)
    metrics = checked(run, run.measure())
    Record.of(run, metrics, made | cost_since(started, device)).save(folder)


def checked(component, metrics) -> dict:
    """What a component measured; raises InputError where that is no dictionary of numbers or an empty one."""
    if not isinstance(metrics, dict) or not metrics:
        raise InputError(f"{type(component).__name__}.measure: expected a dictionary of metrics, "
                         f"got {metrics!r}")
    numbers(MEASURED, **{f"{type(component).__name__}.measure: {name}": own for name, own in metrics.items()})
    return metrics


@dataclass(frozen=True)
class Job:
    """Runs that train together, with what that is estimated to take."""

    records: tuple[str, ...]  # to be made, <paper>/<page>/<profile>/<name>.json
    pages: tuple[str, ...]  # that wait for them
    members: int
    minutes: float  # on one core, or on an H200
    memory_gib: float = 0.0  # of its device, where it was counted


def trains(run) -> bool:
    """Whether a run trains, with others, by the module that its class names."""
    return isinstance(getattr(type(run), "trainer", None), str)


def seconds_of(runs, profile: str) -> float:
    """Estimated seconds of one core, or of a GPU, that these runs take to train; 0 where none trains."""
    groups = {}
    for run in filter(trains, runs):
        groups.setdefault(run.trainer, []).append(run)
    return sum(trainer_of(name).seconds(own, profile) for name, own in groups.items())


def trainer_of(run):
    """The module that trains a run, or the one of this name."""
    return importlib.import_module(run if isinstance(run, str) else run.trainer)


def stored_records(runs_of_profile, page: str) -> list[Record]:
    """The committed records of the best profile that is complete; raises InputError for none."""
    best = next(complete_profiles(runs_of_profile, page, reversed(KEPT)), None)
    if best is None:
        found = find_records(runs_of_profile("cpu"), page.split("/")[0])
        raise InputError(f"{page}: expected all records of a profile, {found.count(None)} of "
                         f"{len(found)} records missing at cpu; make them by asking for the profile "
                         f"cpu, for a page of the book with: python -m claimbook run {page} "
                         "--profile cpu")
    tell_shown(best[1])
    return best[1]


def every_profile(runs_of_profile, page: str) -> dict[str, list[Record]]:
    """The committed records of each profile that is complete, from the smallest size on."""
    check_page(page)
    found = dict(complete_profiles(runs_of_profile, page, KEPT))
    tell_shown(record for records in found.values() for record in records)
    return found


def tell_shown(found) -> None:
    """Note in $CLAIMBOOK_OUTPUT, for the page runner, that the page shows these records."""
    if not os.environ.get("CLAIMBOOK_OUTPUT"):
        return
    path = folder_named("CLAIMBOOK_OUTPUT", "") / RECORDS
    with damage_told(path, "the records that the page has shown"):
        before = read_object(path) if path.exists() else {}
    write_text(path, json.dumps(before | {digest(record.run): record.checksum for record in found}))


def complete_profiles(runs_of_profile, page: str, profiles):
    """Each of these profiles that has records to show, in their order, with these records."""
    for profile in profiles:
        runs = runs_at(runs_of_profile, profile)
        if found := of_complete_seeds(runs, find_records(runs, page.split("/")[0])):
            yield profile, found


def runs_at(runs_of_profile, profile: str) -> list:
    """The runs of a profile; raises InputError for what is no function from a profile to a list of runs."""
    lists_runs(runs_of_profile=runs_of_profile)
    try:
        runs = runs_of_profile(profile)
    except KeyError as error:
        if error.args != (profile,):
            raise
        raise InputError(f"runs_of_profile: expected settings for {profile}, found none") from error
    instance(list | tuple, "a list of runs", runs_of_profile=runs)
    for run in runs:
        if not trains(run):
            has_method("measure", run=run)
    return list(runs)


def of_complete_seeds(runs, records) -> list[Record]:
    """The records of all complete seeds, of which a page shows FEWEST_SEEDS at least; else none. records: one
    per run, None where it is missing."""
    if not runs:
        return []
    found = [(getattr(run, "seed", None), record) for run, record in zip(runs, records)]
    seeds = {run.seed for run in runs if trains(run)}
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
