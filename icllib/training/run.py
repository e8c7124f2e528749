"""From runs to records: what is missing is computed, what is there is read.

A run that trains is a `Run`; any other run is a `Computation`, a frozen dataclass with a
`measure()` of its own. Both leave the same kind of record.
"""

import dataclasses
import os
import subprocess
import time
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import ClassVar, Protocol

import torch

from icllib.errors import InputError
from icllib.results import (PROFILES, PROJECT, Record, check_profile, find_record,
                            results_folder)
from icllib.training.engine import Recipe, train
from icllib.training.worker import Worker


@dataclass(frozen=True)
class Run:
    """One model, trained on one task from one seed, and measured.

    pretraining_tasks: T stored prompts that training goes through again and again, or None for
    fresh prompts at every step.
    """

    task: object
    model: object
    recipe: Recipe
    evaluation: object
    seed: int = 0
    pretraining_tasks: int | None = None
    version: ClassVar[int] = 1

    def __post_init__(self):
        if self.pretraining_tasks is not None and self.pretraining_tasks < 1:
            raise InputError("pretraining_tasks: expected T >= 1 or None, "
                             f"got {self.pretraining_tasks}")

    @property
    def shape(self):
        """Runs of equal shape can train in one fleet."""
        return dataclasses.replace(self, seed=0, pretraining_tasks=None)


class Computation(Protocol):
    """A run that trains nothing: it costs seconds and is the same in every profile."""

    version: ClassVar[int]

    def measure(self) -> dict:
        """The metrics: names to numbers or arrays."""


class Trained:
    """A trained fleet as a predictor."""

    def __init__(self, module):
        self.module = module

    def predict(self, xs, ys, lengths):
        return self.module(xs, ys, lengths)


def records(runs_of_profile, profile: str, page: str) -> list[Record]:
    """The records of a page's runs, in the order of the runs.

    runs_of_profile: from a profile's name to its list of runs. profile: "stored" reads the best
    profile whose records are all committed and computes nothing; any other computes what is
    missing. page: "<paper>/<page>", where new records go. Raises InputError where there is
    nothing to read, OutOfTime at the time limit with every finished record kept.
    """
    check_profile(profile)
    if profile == "stored":
        return stored_records(runs_of_profile, page)
    runs = runs_of_profile(profile)
    paper = page.split("/")[0]
    missing = [run for run in runs if not is_fresh(find_record(run, paper))]
    if missing:
        compute(missing, profile, results_folder() / page)
    return [find_record(run, paper) for run in runs]


def stored_records(runs_of_profile, page: str) -> list[Record]:
    """The committed records of the best profile that is complete."""
    paper = page.split("/")[0]
    for profile in reversed(PROFILES):
        found = [find_record(run, paper) for run in runs_of_profile(profile)]
        if all(record is not None for record in found):
            return found
    raise InputError(f"{page}: expected stored records of at least one profile, found none; "
                     f"make them with: python -m icllib run {page} --profile quick")


def is_fresh(record: Record | None) -> bool:
    """Whether the record exists and was made by today's components."""
    return record is not None and record.stale_because is None


def compute(runs, profile: str, folder: Path) -> None:
    """Measure runs and save their records; equal shapes train together."""
    for run in runs:
        if not isinstance(run, Run):
            made, started = provenance("paper"), time.monotonic()
            metrics = run.measure()
            Record.of(run, metrics, made | cost_since(started)).save(folder)
    fleets = {}
    for run in runs:
        if isinstance(run, Run):
            fleets.setdefault(run.shape, []).append(run)
    for fleet in fleets.values():
        compute_fleet(fleet, profile, folder)


def compute_fleet(fleet: list[Run], profile: str, folder: Path) -> None:
    """Train a fleet on the GPU, or split by members over the CPU cores, one thread each."""
    workers = 1 if torch.cuda.is_available() else min(os.cpu_count() or 1, len(fleet))
    parts = [fleet[worker::workers] for worker in range(workers)]
    others = [Worker(part, profile, folder) for part in parts[1:]]
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        train_and_save(parts[0], profile, folder)
        for worker in others:
            worker.join()
    finally:
        torch.set_num_threads(threads)
        for worker in others:
            worker.stop()


def train_and_save(fleet: list[Run], profile: str, folder: Path) -> None:
    """Train and measure a fleet in this process and save one record per run."""
    first, made, started = fleet[0], provenance(profile), time.monotonic()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    label = f"{folder.name}: {len(fleet)} x {type(first.model).__name__}"
    module = train(first.task, first.model, first.recipe, [run.seed for run in fleet],
                   [run.pretraining_tasks for run in fleet], device, deadline(), label)
    metrics = first.evaluation.measure(first.task, Trained(module), len(fleet), device)
    made |= {"steps": first.recipe.steps, "fleet": len(fleet)} | cost_since(started)
    for member, run in enumerate(fleet):
        values = {name: value[member] for name, value in metrics.items()}
        Record.of(run, values, made | {"seed": run.seed}).save(folder)


def deadline() -> float | None:
    """When to stop, on the monotonic clock, if --time-limit was given."""
    value = os.environ.get("ICLLIB_DEADLINE")
    return float(value) if value else None


# ---- provenance -----------------------------------------------------------------------------


def provenance(profile: str) -> dict:
    """Where a record comes from, taken before its work begins."""
    on_gpu = torch.cuda.is_available()
    return {
        "profile": profile,
        **commit(),
        "device": torch.cuda.get_device_name() if on_gpu else f"{os.cpu_count()} CPU cores",
        "torch": torch.__version__.split("+")[0],
        "date": date.today().isoformat(),
    }


def cost_since(started: float) -> dict:
    """Wall time since a time.monotonic(), and peak memory on a GPU."""
    cost = {"wall_seconds": round(time.monotonic() - started, 1)}
    if torch.cuda.is_available():
        cost["peak_memory_mib"] = torch.cuda.max_memory_allocated() >> 20
    return cost


def commit() -> dict:
    """The commit of the code and whether it was changed since; unknown outside a checkout."""
    git = lambda *words: subprocess.run(["git", *words], cwd=PROJECT, text=True,
                                        capture_output=True)
    head = git("rev-parse", "--short=12", "HEAD")
    if head.returncode:
        return {"commit": "unknown", "dirty": True}
    changed = git("status", "--porcelain", "--", "icllib").stdout
    return {"commit": head.stdout.strip(), "dirty": bool(changed.strip())}

