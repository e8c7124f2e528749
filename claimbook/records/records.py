"""A record as a file, and records found by the runs that they are of."""

import contextlib
import dataclasses
import os
import re
from copy import copy
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from claimbook.records.checks import MEASURED, finite, instance, integer, numbers, text, tuple_of
from claimbook.records.components import digest, from_settings, key, settings, sources, versions
from claimbook.records.errors import InputError
from claimbook.records.files import damage_told, folder_named, read_object, to_json, write_text

PROFILES = ("smoke", "cpu", "gpu", "paper")  # from the smallest to the paper's own settings
DIGITS = 6


def results_folder() -> Path:
    """Where records live: results/ of the project, or $CLAIMBOOK_RESULTS."""
    return folder_named("CLAIMBOOK_RESULTS", "results")


def check_profile(profile: str, known=("stored", *PROFILES)) -> None:
    """Raises InputError for a profile that is not known; "stored" is one that computes nothing."""
    if profile not in known:
        raise InputError(f"profile: expected one of {', '.join(known)}, got {profile!r}")


def check_page(page) -> None:
    """Raises InputError if it is not "<paper>/<page>", two names of folders."""
    name = r"\w[\w.-]*"
    if not (isinstance(page, str) and re.fullmatch(f"{name}/{name}", page)):
        raise InputError(f"page: expected two names with a slash between, got {page!r}")


@dataclass(frozen=True)
class Record:
    """What one run measured: `metrics` maps names to numbers or nested lists, 6 digits each."""

    run: dict  #: settings
    versions: dict
    metrics: dict
    provenance: dict  #: profile, commit, dirty, device, torch, wall_seconds, date, ...

    @classmethod
    def of(cls, run, metrics: dict, provenance: dict) -> "Record":
        """The record of a run that has just been measured."""
        own = versions(run)
        made_by = {"sources": found} if (found := sources(own)) else {}
        return cls(settings(run), own, rounded(metrics), provenance | made_by)

    def __repr__(self):
        """Which run it is of, and what was measured; the run's settings are in `run`."""
        made = self.provenance
        seed = f", seed {self.run['seed']}" if "seed" in self.run else ""
        return (f"Record of {self.run.get('type')}{seed}, {made.get('profile')}, {made.get('date', 'undated')}\n"
                f"metrics: {', '.join(f'{name} {np.shape(own)}' for name, own in self.metrics.items()):.200}")

    def _repr_html_(self):
        """A table of the metrics, in notebooks: shape and mean of each."""
        import pandas as pd

        rows = {name: {"shape": np.shape(self[name]), "mean": np.mean(self[name])} for name in self.metrics}
        return pd.DataFrame.from_dict(rows, orient="index").to_html(float_format="{:.3g}".format)

    def __getitem__(self, name: str):
        """A metric as a float or an array; raises InputError where there is none of this name."""
        if name not in self.metrics:
            raise InputError(f"metric: expected one of {', '.join(self.metrics)}, got {name!r}")
        value = self.metrics[name]
        return np.array(value, dtype=float) if isinstance(value, list) else value

    @property
    def profile(self) -> str:
        return self.provenance["profile"]

    @cached_property
    def stale_because(self) -> str | None:
        """Which component's version changed since the record was made, or None if it is fresh."""
        return self.changes(self.component)

    @cached_property
    def component(self):
        """The run or computation that it is of; raises InputError, with what made it, if there is none."""
        try:
            return from_settings(self.run)
        except InputError as error:
            raise InputError(f"{error}; its record was made by {maker(self.provenance)}") from None

    def changes(self, run) -> str | None:
        """Which versions changed since the record of this run was made, or None if none did."""
        now = versions(run)
        changed = [f"{name} {self.versions.get(name)} -> {now.get(name)}"
                   for name in sorted(now.keys() | self.versions.keys())
                   if now.get(name) != self.versions.get(name)]
        return ", ".join(changed) or None

    @cached_property
    def checksum(self) -> str:
        """A digest of what was measured and of where it comes from."""
        return digest([self.metrics, self.provenance])

    def check(self) -> None:
        """Raises InputError, by name, for a part of another kind than in a record of a run."""
        instance(dict, run=self.run, versions=self.versions, metrics=self.metrics, provenance=self.provenance)
        integer(0, **self.versions)
        numbers(MEASURED, **self.metrics)
        there = lambda *names: {name: self.provenance[name] for name in names if name in self.provenance}
        text(**there("commit", "date", "device", "torch"))
        finite(**there("wall_seconds", "processor_seconds"))
        integer(**there("fleet"))
        tuple_of(text, "members", self.provenance.get("members", ()), 0)
        instance(dict, **there("sources"))
        text(**self.provenance.get("sources", {}))

    def path(self, folder: Path) -> Path:
        """Where the record is in a page's folder."""
        return folder / self.profile / f"{digest(self.run)}.json"

    def save(self, folder: Path) -> Path:
        """Write the record into its profile's folder, in one move."""
        path = self.path(folder)
        identity = {"key": key(self.run, self.versions), "checksum": self.checksum}
        try:
            write_text(path, to_json(identity | dataclasses.asdict(self)))
        except OSError as error:
            raise InputError(f"{path}: expected room for a record, got {error.strerror!r}; what was "
                             "trained is kept as a checkpoint, the next call goes on from it"
                             ) from None
        return path


def load_record(path: str | Path) -> Record:
    """Read a record, from memory while its file is unchanged; raises InputError for damage."""
    instance(str | Path, path=path)
    try:
        state = os.stat(path, follow_symlinks=False)
    except (OSError, ValueError) as error:  # of a path that cannot be
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{path}: expected a record, got {reason!r}") from None
    record = read_record(os.fspath(path), state.st_mtime_ns, state.st_size, state.st_ino)
    return copy(record)  # whether it is stale is asked of today's components


@lru_cache(maxsize=10_000)
def read_record(name: str, *state) -> Record:
    """What a file in this state holds."""
    path = Path(name)
    with damage_told(path, "a complete record", "delete it or restore it from git"):
        content = read_object(path)
        stored, checksum = content.pop("key"), content.pop("checksum")
        parts = [field.name for field in dataclasses.fields(Record)]
        record = Record(**{part: content.pop(part) for part in parts})
        record.check()
        if content or record.profile not in PROFILES or not record.metrics:
            raise ValueError(f"expected {', '.join(parts)}, metrics and a profile among them")
        if checksum != record.checksum:
            raise ValueError("its metrics or provenance are not those that were recorded")
        for what, own, expected in (("key", stored, key(record.run, record.versions)),
                                    ("file name", path.stem, digest(record.run))):
            if own != expected:
                raise ValueError(f"expected the {what} {expected} of its settings, got {own}")
    return record


def maker(made: dict) -> str:
    """What made a record, of its provenance: the version, the commit and the date."""
    version = next((f"{name} {made[name]}, " for name in ("claimbook", "icllib") if name in made), "")
    return f"{version}commit {made.get('commit', 'unknown')}, {made.get('date', 'on an unknown day')}"


# ---- records of given runs ------------------------------------------------------------------


def find_record(run, paper: str) -> Record | None:
    """The record of a run, whichever page of the paper made it; a stale one only for lack of a fresh one."""
    text(paper=paper)
    found, = find_records([run], paper)
    return found


def find_records(runs, paper: str, results: Path | None = None) -> list[Record | None]:
    """`find_record` for each run, in this folder of results or that of the project, which is listed once."""
    paths, found = paths_by_name(paper, results), []
    for run in runs:
        own = list(map(load_record, paths.get(digest(settings(run)), [])))
        for record in own:
            vars(record)["stale_because"] = record.changes(run)  # it need not be built from the file
        found.append(next(filter(is_fresh, own), own[0] if own else None))
    return found


def paths_by_name(paper: str, results: Path | None = None) -> dict[str, list[str]]:
    """The files of a paper's records, by their names without the suffix."""
    folder, paths = (results or results_folder()) / paper, {}
    for page in sorted(os.listdir(folder)) if folder.is_dir() else []:
        for profile in sorted(PROFILES):
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                for name in os.listdir(f"{folder}/{page}/{profile}"):
                    if name.endswith(".json"):
                        paths.setdefault(name[:-5], []).append(f"{folder}/{page}/{profile}/{name}")
    return paths


def is_fresh(record: Record | None) -> bool:
    """Whether the record exists and was made by today's components."""
    return record is not None and record.stale_because is None


def check_records(records) -> None:
    """Raises InputError if it is not a list of records."""
    if not isinstance(records, list | tuple) or not all(isinstance(one, Record) for one in records):
        raise InputError(f"records: expected a list of records, got {records!r:.200}")


def rounded(value):
    """Numbers with 6 significant digits, as JSON-ready values."""
    if isinstance(value, dict):
        return {name: rounded(item) for name, item in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [rounded(item) for item in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value
