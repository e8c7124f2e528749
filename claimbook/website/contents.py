"""Writes what follows from the papers that are there: the table of contents and the like.

Also README's table, and files that Sphinx reads.
"""

import re
from pathlib import Path

from claimbook.claims import papers
from claimbook.claims.decisions import Decision, ledger
from claimbook.records.files import PROJECT, read_text, write_text, write_together
from claimbook.website.ledger import summary

CHAPTERS = re.compile(r"(?<=  - caption: Papers\n    chapters:\n).*?(?=  - caption:)", re.DOTALL)
TABLE = re.compile(r"^\| paper \|.*?\n(?=\n)", re.DOTALL | re.MULTILINE)


def write_contents() -> list[str]:
    """Writes _toc.yml and README.md anew, each with the papers that are there; returns their names."""
    texts = contents(ledger())
    write_together({PROJECT / name: text for name, text in texts.items()})
    return list(texts)


def contents(decisions: list[Decision]) -> dict[str, str]:
    """The files of the project that list papers, as they should be: name -> text."""
    of = lambda name: read_text(PROJECT / name)
    table = summary(decisions, "book/")
    return {"_toc.yml": CHAPTERS.sub(chapters(), of("_toc.yml")),
            "README.md": TABLE.sub(lambda old: table, of("README.md"))}


def chapters() -> str:
    """The chapters of the papers and their pages, as _toc.yml lists them."""
    lines = []
    for paper in papers().values():
        lines.append(f"      - file: book/{paper.name}")
        lines += ["        sections:"] * bool(paper.pages)
        lines += [f"          - file: notebooks/{paper.name}/{page}" for page in paper.pages]
    return "\n".join(lines) + "\n"


def write_for_sphinx(folder: Path) -> None:
    """The papers' entries in the bibliography, and their sheets in the library's reference."""
    found = papers().values()
    write_text(folder / "papers.bib", "\n".join(paper.citation for paper in found))
    write_text(folder / "sheets.rst",
               "".join(f".. automodule:: papers.{paper.name}\n" for paper in found))
