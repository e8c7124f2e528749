"""Whether a claim was fixed before its records, as the history of the repository shows it.

What is fixed is what a verdict follows from beside evidence: parts, tolerance, margins and the bound of
the gate. It was fixed before a record if the commit that last changed these lines is an ancestor of the
one with which the record was made, without other changes.
"""

import shutil
import subprocess
from functools import lru_cache
from pathlib import Path

import yaml

from claimbook.records import PROJECT

FIXED = ("predicate", "scale", "parts", "added", "tolerance", "kind", "null", "pairs", "looks")
BOUNDS = ("at_most", "at_least")  # of a gate


def fixed_before(claim, records) -> bool | None:
    """Whether a claim was fixed before these records were made; None where that is not known: without
    records, without git, and in a clone without its whole history."""
    parents = known_parents(PROJECT)
    path = PROJECT / "papers" / claim.paper / "claims.yml"
    if not records or parents is None or not path.exists():
        return None
    state = path.stat()
    changed = last_changes(path, (state.st_mtime_ns, state.st_size)).get(claim.id, {None})
    made = {(record.provenance.get("commit"), record.provenance.get("dirty", True)) for record in records}
    return all(not dirty and changed <= ancestors_of_commit(PROJECT, str(commit)) for commit, dirty in made)


def git(folder: Path, *words: str) -> str | None:
    """What git says in a folder; None where there is none, or it says no."""
    if shutil.which("git") is None:
        return None
    told = subprocess.run(["git", *words], cwd=folder, encoding="utf-8", capture_output=True)
    return None if told.returncode else told.stdout


@lru_cache(maxsize=2)
def known_parents(folder: Path) -> dict[str, list[str]] | None:
    """The parents of each commit of the whole history; None where it is not all there."""
    if git(folder, "rev-parse", "--is-shallow-repository") != "false\n":
        return None
    listed = git(folder, "log", "--format=%H %P")
    return listed and {line.split()[0]: line.split()[1:] for line in listed.splitlines()}


@lru_cache(maxsize=512)
def ancestors_of_commit(folder: Path, commit: str) -> frozenset[str]:
    """The commits that a commit, named by its first letters, contains; none of an unknown one."""
    parents = known_parents(folder)
    found, left = set(), [name for name in parents if name.startswith(commit)]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += parents.get(name, [])
    return frozenset(found)


@lru_cache(maxsize=1000)
def last_changes(path: Path, state) -> dict[str, set]:
    """The commits that last changed what is fixed of each claim in a file, {id: commits}; none that is in
    the history for lines that are not committed. state: of the file, for which this is kept."""
    told = git(path.parent, "blame", "-w", "-s", "-l", "--root", "--", path.name)
    if told is None:
        return {}
    commits = [line.split()[0] for line in told.splitlines()]
    by_name = lambda node: {key.value: (key, value) for key, value in node.value}
    _, entries = by_name(yaml.compose(path.read_text("utf-8"), Loader=yaml.CSafeLoader))["claims"]
    found = {}
    for own in map(by_name, entries.value):
        bounds = by_name(own["gate"][1]) if "gate" in own else {}
        pairs = [own[name] for name in FIXED if name in own] + [bounds[name] for name in BOUNDS if name in bounds]
        marks = [(key.start_mark, value.end_mark) for key, value in pairs]  # a block ends where the next starts
        found[own["id"][1].value] = {
            commits[line] for start, end in marks
            for line in range(start.line, max(end.line + (end.column > start.column), start.line + 1))}
    return found
