"""Records made again, each model in the fleet in which it was trained, and compared.

How many train together changes the order in which a processor adds, and with it the last bits of
every number; thousands of steps make that visible. In the same fleet, on the same kind of
processor and with the same PyTorch, a record comes out the same to the last digit.
"""

import re
import shutil
from dataclasses import replace

import numpy as np

from claimbook.pages.execution import PageFailed
from claimbook.pages.page import runs_of
from claimbook.records import Record, digest, find_records, load_record, results_folder
from claimbook.records.compute import KEPT, runs_at, trainer_of
from claimbook.records.errors import InputError
from claimbook.records.files import PROJECT
from claimbook.records.limits import Limits


def train_again(page: str, profile: str, limits=Limits()) -> str:
    """Train a page's records of a profile again, in runs/again/ until all are there; returns how many came
    out the same. Raises PageFailed where numbers differ."""
    if profile not in KEPT:
        raise InputError(f"--as-recorded: expected one of {', '.join(KEPT)} with --profile, got {profile}")
    paper, results = page.split("/")[0], PROJECT / "runs/again"
    found = find_records(runs_at(runs_of(page), profile), paper)
    records = [record for record in found if record and members(record)]
    if not records:
        raise InputError(f"{page}: expected records at {profile} that tell with which others they "
                         "were trained, found none")
    trainer = trainer_of(records[0].component)
    trainer.check_ready(profile, results / page, replace(limits, on_cpu=True))  # on what each record names
    for names in dict.fromkeys(map(members, records)):
        fleet = [recorded(name, paper) for name in names]
        runs = [record.component for record in fleet]
        if not trainer.is_recorded(runs, results / page):
            device = "cpu" if "CPU" in fleet[0].provenance["device"] else "cuda:0"
            trainer.train_fleet(runs, profile, results / page, device, limits)
    made = find_records([record.component for record in records], paper, results)
    shutil.rmtree(results / page)
    told = compared(list(zip(records, made)))
    untold = len(found) - len(records)
    return f"{told}; {untold} more do not tell with which others they were trained" if untold else told


def members(record: Record) -> tuple[str, ...]:
    """The names of the records that were trained together, in their order; () where not told."""
    alone = [digest(record.run)] if record.provenance.get("fleet") == 1 else []
    return tuple(record.provenance.get("members", alone))


def recorded(name: str, paper: str) -> Record:
    """The record of this name; raises InputError where there is none, or a stale one."""
    if not (isinstance(name, str) and re.fullmatch("[0-9a-f]{12}", name)):
        raise InputError(f"members: expected the names of records, got {name!r}")
    paths = sorted(results_folder().glob(f"{paper}/*/*/{name}.json"))
    if not paths:
        raise InputError(f"{name}.json: expected this record of {paper}, which was trained with "
                         "others, found none")
    record = load_record(paths[0])
    if stale := record.stale_because:
        raise InputError(f"{name}.json: expected a fresh record, got a stale one ({stale})")
    return record


def compared(pairs: list[tuple[Record, Record]]) -> str:
    """How many of (record, made again) are equal; raises PageFailed where not all are."""
    others = [(old, new) for old, new in pairs if digest(old.metrics) != digest(new.metrics)]
    if not others:
        return f"{len(pairs)} of {len(pairs)} records came out the same to the last digit"
    old, new = max(others, key=lambda pair: largest_difference(*pair))
    machines = [f"{made['device']}, torch {made['torch']}" for made in (old.provenance, new.provenance)]
    raise PageFailed(f"{len(others)} of {len(pairs)} records came out different, by up to "
                     f"{largest_difference(old, new):.1e} of a number, in {digest(old.run)}.json: made on "
                     f"{machines[0]}; again on {machines[1]}")


def largest_difference(old: Record, new: Record) -> float:
    """The largest difference of two records' numbers, as a share of the larger; inf if one is not finite."""
    shares = []
    for name in old.metrics:
        before, after = (np.asarray(record.metrics[name], float) for record in (old, new))
        larger = np.maximum(np.maximum(abs(before), abs(after)), np.finfo(float).tiny)
        with np.errstate(invalid="ignore"):
            share = abs(after - before) / larger
        same = np.isclose(before, after, 0, 0, equal_nan=True)
        shares.append(np.where(same, 0, np.nan_to_num(share, nan=np.inf)).max())
    return float(max(shares))
