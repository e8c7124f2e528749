"""How papers are cited and pages are called, which records these have, and what those cost."""

from functools import cache
from math import fsum

from pybtex.database import parse_string
from pybtex.exceptions import PybtexError

from claimbook.claims import Paper
from claimbook.pages.names import notebooks_folder
from claimbook.records import Record, load_record, results_folder
from claimbook.records.checksums import paths_shown
from claimbook.records.errors import DAMAGE, InputError
from claimbook.records.files import read_text
from claimbook.records.provenance import clock_of


def records_of(page: str) -> tuple[Record, ...]:
    """The committed records that a page made, at every profile."""
    return tuple(map(load_record, sorted(results_folder().glob(f"{page}/*/*.json"))))


@cache
def records_shown(page: str) -> tuple[Record, ...]:
    """The records that a page shows, its own and those that it shares with others."""
    return tuple(map(load_record, paths_shown(page)))


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


def cited(paper: Paper) -> str:
    """A paper's authors and year in short: "Ding et al., 2024"."""
    try:
        entry, = parse_string(paper.citation, "bibtex").entries.values()
        names = [" ".join([*author.prelast_names, *author.last_names]) for author in entry.persons["author"]]
        year = entry.fields["year"]
        if not entry.fields.get("url", "https://").startswith("https://"):
            raise ValueError(f"url: expected https://..., got {entry.fields['url']!r}")
    except (PybtexError, *DAMAGE) as error:
        raise InputError(f"{paper.name}: citation: expected one entry of BibTeX with author and year, got another "
                         f"({' '.join(str(error).split())})") from None
    authors = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
    return f"{authors}, {year}"


def title_of(page: str) -> str:
    """The title of a page of notebooks/, from its first lines."""
    source = read_text(notebooks_folder() / f"{page}.py")
    return source.partition("# # ")[2].splitlines()[0]
