"""Writes what follows from the papers: contents, README's table, and files that Sphinx reads."""

import re
from pathlib import Path

from pybtex.database import parse_string
from pybtex.exceptions import PybtexError

from claimbook.claims import papers
from claimbook.claims.decisions import Decision, ledger
from claimbook.records.errors import InputError
from claimbook.records.files import PROJECT, damage_told, read_text, read_yaml, write_text, write_together
from claimbook.website.ledger import for_readers

CHAPTERS = re.compile(r"(?<=  - caption: Papers\n    chapters:\n).*?(?=  - caption:)", re.DOTALL)
TABLE = re.compile(r"^\| paper \|.*?\n(?=\n)", re.DOTALL | re.MULTILINE)


def write_contents() -> list[str]:
    """Writes _toc.yml and README.md anew, each with the papers that are there; returns their names."""
    texts = table_of_contents(ledger())
    write_together({PROJECT / name: text for name, text in texts.items()})
    return list(texts)


def table_of_contents(decisions: list[Decision]) -> dict[str, str]:
    """The files of the project that list papers, as they should be: name -> text."""
    table = for_readers(decisions, "book/")
    own = {"_toc.yml": lambda text: CHAPTERS.sub(chapters(), text),
           "README.md": lambda text: TABLE.sub(lambda old: table, text)}
    return {name: change(read_text(PROJECT / name)) for name, change in own.items()
            if (PROJECT / name).exists()}


def pages_of_contents() -> list[str]:
    """The pages of the book in the order of its table of contents."""
    contents = read_text(PROJECT / "_toc.yml")
    return re.findall(r"^(?:root| *- file): (\S+)", contents, re.MULTILINE)


def chapters() -> str:
    """The chapters of the papers and their pages, as _toc.yml lists them."""
    lines = []
    for paper in papers().values():
        lines.append(f"      - file: book/{paper.name}")
        lines += ["        sections:"] * bool(paper.pages)
        lines += [f"          - file: notebooks/{paper.name}/{page}" for page in paper.pages]
    return "\n".join(lines) + "\n"


def config() -> dict:
    """The settings of the book, _config.yml."""
    with damage_told(PROJECT / "_config.yml", "the settings of a book"):
        return dict(read_yaml(read_text(PROJECT / "_config.yml")) or {})


def check_keys(citations: dict[str, str]) -> None:
    """Raises InputError for a key that comes twice in these citations, by file, and in the bibliographies of
    _config.yml: Sphinx would tell it after a minute, and not where."""
    own = [name for name in config().get("bibtex_bibfiles", ()) if not name.startswith("book/_generated/")]
    citations, known = citations | {name: read_text(PROJECT / name) for name in own}, {}
    for name, text in citations.items():
        with damage_told(PROJECT / name, "entries of BibTeX", also=[PybtexError]):
            keys = parse_string(text, "bibtex").entries.keys()
        for key in map(str.lower, keys):
            if known.setdefault(key, name) != name:
                raise InputError(f"{name}: expected a key of its own for its citation, got {key!r}, which "
                                 f"{known[key]} has")


def write_for_sphinx(folder: Path) -> None:
    """The papers' entries in the bibliography, and their sheets in the library's reference."""
    found = papers().values()
    check_keys({f"papers/{paper.name}/paper.yml": paper.citation for paper in found})
    write_text(folder / "papers.bib", "\n".join(paper.citation for paper in found))
    write_text(folder / "sheets.rst", "".join(f".. automodule:: papers.{paper.name}\n" for paper in found))
