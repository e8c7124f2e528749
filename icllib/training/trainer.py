"""What a book's engine asks of runs that train: to compute, to estimate and to plan them.

claimbook/records/compute.py calls it by its name, which `Run.trainer` says.
"""

from pathlib import Path

from claimbook.records import digest, find_records, is_fresh, settings
from claimbook.records.checks import has_method
from claimbook.records.compute import Job
from claimbook.records.errors import InputError
from claimbook.records.limits import Limits
from icllib.progress import tell
from icllib.training.costs import fleet_seconds, memory_of
from icllib.training.engine import tell_diverged
from icllib.training.jobs import check_ready, fleets, is_recorded, processors, to_train, train_fleet
from icllib.training.run import Run, only_training
from icllib.training.weights import can_be_measured, trained_folders, weights_name
from icllib.training.workers import compute_fleets

__all__ = ["check_ready", "compute", "is_recorded", "memory_of", "missing_jobs", "seconds", "train", "train_fleet"]


def compute(runs: list[Run], missing: list[Run], profile: str, folder: Path, limits=Limits()) -> None:
    """Train the missing ones of a page's runs, measure them and save their records in a folder."""
    for run in missing:
        has_method("measure", evaluation=run.evaluation)
        if run.along:
            has_method("measure", evaluation=run.along.evaluation)
    check_ready(profile, folder, limits)
    compute_fleets(runs, missing, profile, folder, limits)
    for run, record in zip(missing, find_records(missing, folder.parent.name, folder.parents[1])):
        if record and record.provenance.get("diverged"):
            tell_diverged(run.model, run.seed, run.recipe)


def model_of(run: Run) -> Run:
    """What is trained for a run: one model for all that is measured at its end."""
    return run if run.along else only_training(run)


def seconds(runs: list[Run], profile: str) -> float:
    """Estimated seconds of one core, or of an H200, to train these runs, each model once."""
    models = {model_of(run): run for run in runs}
    return sum(fleet_seconds(fleet, profile) for fleet in fleets(models.values()))


def train(together: list[Run], profile: str, folder: Path, limits=Limits()) -> int:
    """Train runs of one fleet that lack a record or a model; returns how many. Raises InputError for models
    that cannot train together."""
    if len(apart := fleets(together)) > 1:
        raise InputError("records: expected those of one fleet, which have the same recipe, sizes "
                         f"and evaluation, got some of {len(apart)}; train them one by one")
    there = are_there(together, folder.parent.name)
    missing = [run for run, found in zip(together, there) if not found]
    if fleet := to_train(together, missing):
        check_ready(profile, folder, limits)
        train_fleet(fleet, profile, folder, processors()[0], limits)
    return len(fleet)


def are_there(runs: list[Run], paper: str) -> list[bool]:
    """Whether each run has a record of today, or a model that its page measures when executed."""
    kept = {path.name for folder in trained_folders() for path in folder.glob("*/*/*/*.safetensors")}
    return [is_fresh(record) or (weights_name(run) in kept and can_be_measured(run))
            for run, record in zip(runs, find_records(runs, paper))]


def missing_jobs(runs: dict[str, list[Run]], profile: str, first: dict[str, list[int]],
                 members: int | None) -> dict[Job, tuple]:
    """Jobs for what pages miss: job -> its fleet, and which seeds of which pages wait for it. A page's
    first seeds and its others are fleets of their own. A model that is measured in several ways is trained
    for the first of those that miss it; the others take its weights when their pages are executed."""
    there = {(page, run): known for page, own in runs.items()
             for run, known in zip(own, are_there(own, page.split("/")[0]))}
    measured = {}  # model -> (page, run) of all that is measured on it
    for page, own in runs.items():
        for run in own:
            measured.setdefault(model_of(run), []).append((page, run))
    firsts = [min(own, key=there.__getitem__) for own in measured.values()]
    jobs = {}
    for page in runs:
        own = [run for on, run in firsts if on == page]
        for some in ([run for run in own if run.seed in first[page]],
                     [run for run in own if run.seed not in first[page]]):
            for fleet in fleets(sorted(some, key=lambda run: run.seed), members):
                if rest := to_train(fleet, [run for run in fleet if not there[page, run]]):
                    waits = [(on, other.seed) for run in rest for on, other in measured[model_of(run)]]
                    made = job(rest, page, profile, tuple(dict.fromkeys(on for on, _ in waits)))
                    jobs |= {one: (rest, set(waits)) for one in made}
    return jobs


def job(fleet: list[Run], page: str, profile: str, pages: tuple[str, ...]) -> list[Job]:
    """A fleet as a job, whose records go to this page's folder; none where its cost is unknown."""
    try:
        seconds = fleet_seconds(fleet, profile)
    except InputError as error:
        tell(f"{page} left out: {error}")
        return []
    records = tuple(f"{page}/{profile}/{digest(settings(run))}.json" for run in fleet)
    return [Job(records, pages, len(fleet), float(f"{seconds / 60:.3g}"))]
