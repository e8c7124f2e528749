"""What the book says of each paper as a whole: book/papers.yml beside what its records cost."""

from dataclasses import dataclass
from functools import cache
from math import fsum

import yaml

from icllib.claims import PAPERS
from icllib.files import PROJECT
from icllib.pages import notebooks_folder
from icllib.results import Record, load_record, results_folder
from icllib.shown import paths_shown
from icllib.training.provenance import clock_of


@dataclass(frozen=True)
class Paper:
    """A paper as the front page and its chapter introduce it, from book/papers.yml."""

    name: str  # of PAPERS
    short: str  # for tables and titles
    question: str
    claim: str
    answer: str
    figure: str  # the page whose first figure decides
    links: dict  # what -> address


@cache
def papers() -> dict[str, Paper]:
    """The four papers by name; raises TypeError for one that lacks a field."""
    entries = yaml.safe_load((PROJECT / "book/papers.yml").read_text("utf-8"))
    return {name: Paper(name, **entries[name]) for name in PAPERS}


load = cache(load_record)  # pages share records


def records_of(page: str) -> tuple[Record, ...]:
    """The committed records that a page made, at every profile."""
    return tuple(map(load, sorted(results_folder().glob(f"{page}/*/*.json"))))


@cache
def records_shown(page: str) -> tuple[Record, ...]:
    """The records that a page shows, its own and those that it shares with others."""
    return tuple(map(load, paths_shown(page)))


def hours(records) -> float:
    """What records cost, each in the time of `clock_of`."""
    made = [item.provenance for item in records]
    return fsum(item[f"{clock_of(item)}_seconds"] / item.get("fleet", 1) for item in made) / 3600


def duration(hours: float) -> str:
    """Hours in words: "41 seconds", "12 minutes", "3.4 hours"."""
    if hours < 1 / 30:
        seconds = max(1, round(3600 * hours))
        return f"{seconds} second{'s' * (seconds > 1)}"
    return f"{round(60 * hours)} minutes" if hours < 1 else f"{hours:.1f} hours"


def title_of(page: str) -> str:
    """The title of a page of notebooks/, from its first lines."""
    source = (notebooks_folder() / f"{page}.py").read_text("utf-8")
    return source.partition("# # ")[2].splitlines()[0]
