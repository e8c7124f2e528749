"""Building the website: the ledger as text, then Jupyter Book with warnings as errors.

_config.yml names this module as an extension of Sphinx, which writes the verdicts of a page's
claims under its title.
"""

import os
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

from icllib.claims import PAPERS
from icllib.decisions import STRENGTHS, VERDICTS, Decision, ledger
from icllib.errors import InputError
from icllib.files import check_writable, write_text
from icllib.results import PROJECT, clock_of, load_record, results_folder
from icllib.verdicts import badge

GENERATED = PROJECT / "book" / "_generated"
EVIDENCE = ("exact", *list(STRENGTHS.values())[:3])  # from the strongest on


def build() -> Path:
    """Write the ledger, build the book and return its first page.

    Raises InputError without Jupyter Book and for folders that cannot be written to, and
    CalledProcessError.
    """
    for folder in (GENERATED, PROJECT / "_build"):
        check_writable(folder)
    jupyter_book = Path(sys.executable).with_name("jupyter-book")
    if not jupyter_book.exists():
        raise InputError(f"{jupyter_book}: expected Jupyter Book, got none; requirements.txt has "
                         "its version")
    write_ledger()
    # Everything is built anew: an unchanged page would not repeat its warnings.
    command = [jupyter_book, "build", PROJECT, "--all", "-W", "-n", "--keep-going", "-q"]
    subprocess.run(command, check=True, env=os.environ | {"PYTHONPATH": str(PROJECT)})
    return PROJECT / "_build" / "html" / "index.html"


def write_ledger() -> None:
    """The tables that the front page and the chapters include."""
    decisions = ledger()
    for paper in PAPERS:
        rows = [item for item in decisions if item.claim.paper == paper]
        write_text(GENERATED / f"claims_{paper}.md", table(rows))
    write_text(GENERATED / "summary.md", summary(decisions))


def summary(decisions: list[Decision]) -> str:
    """How many claims of each paper have which verdict and which evidence, and what its records
    cost; last, those that we added."""
    columns = [*VERDICTS, *map(str.capitalize, EVIDENCE), "Post hoc", "Hours"]
    lines = ["| paper | " + " | ".join(columns) + " |", "|---|" + "---:|" * len(columns)]
    for paper in PAPERS:
        cells = counted(item for item in decisions
                        if item.claim.paper == paper and not item.claim.ours)
        title = (PROJECT / f"book/{paper}.md").read_text().splitlines()[0].removeprefix("# ")
        lines.append(f"| [{title}]({paper}.md) | {cells} | {hours(paper):.1f} |")
    cells = counted(item for item in decisions if item.claim.ours)
    lines.append(f"| [added by us](verdicts.md) | {cells} | |")
    return "\n".join(lines) + "\n"


def counted(decisions) -> str:
    """Cells of a table: how many of these claims have which verdict, on which evidence those are
    settled, and how many came post hoc."""
    decisions = list(decisions)
    verdicts = Counter(item.verdict for item in decisions)
    strengths = Counter(item.strength for item in decisions
                        if item.verdict in ("holds", "mixed", "fails"))
    late = sum(item.claim.post_hoc for item in decisions)
    counts = [*(verdicts[name] for name in VERDICTS), *(strengths[name] for name in EVIDENCE), late]
    return " | ".join(map(str, counts))


def hours(paper: str) -> float:
    """What the committed records of a paper cost, each in the time of `clock_of`."""
    made = [load_record(path).provenance for path in results_folder().glob(f"{paper}/*/*/*.json")]
    return sum(item[f"{clock_of(item)}_seconds"] / item.get("fleet", 1) for item in made) / 3600


def table(decisions: list[Decision]) -> str:
    """Claims as a Markdown table."""
    lines = ["| id | verdict | claim | where | page, or why not run |", "|---|---|---|---|---|"]
    for item in decisions:
        claim = item.claim
        statement = claim.statement.replace("|", "\\|")
        printed = claim.printed_on and f"[what is printed](../notebooks/{claim.printed_on}.ipynb)"
        page = (f"[page](../notebooks/{claim.page}.ipynb)" if item.profile
                else "; ".join(filter(None, (claim.not_run, claim.cost, printed))))
        lines.append(f"| {claim.number} | {badge(item)}{parts_held(item)} | {statement} "
                     f"| {claim.where} | {page} |")
    return "\n".join(lines) + "\n"


def parts_held(item: Decision) -> str:
    """How many parts hold of a claim that is mixed."""
    if item.verdict != "mixed":
        return ""
    held = [item.state(part) for part in item.evidence]
    return f" {held.count('yes')} of {len(held)} parts"


def setup(app) -> dict:
    """What Sphinx calls first."""
    app.connect("doctree-read", write_verdicts_under_title)
    return {"parallel_read_safe": True}


def write_verdicts_under_title(app, document) -> None:
    """A line on a page of notebooks/: which of its claims have which verdict today."""
    from docutils import nodes  # which only a machine that builds the book needs

    page = app.env.docname.removeprefix("notebooks/")
    decisions = [item for item in ledger_of_this_build()
                 if page in (item.claim.page, item.claim.printed_on)]
    if decisions:
        title = next(document.findall(nodes.title))
        title.parent.insert(1, nodes.raw("", verdict_line(decisions), format="html"))


ledger_of_this_build = cache(ledger)


def verdict_line(decisions: list[Decision]) -> str:
    """The numbers of claims by verdict, as HTML."""
    words = {item.words: item for item in decisions}
    parts = []
    for verdict, first in sorted(words.items(), key=lambda pair: VERDICTS.index(pair[1].verdict)):
        own = [item.claim.number for item in decisions if item.words == verdict]
        parts.append(f"{badge(first)} claim{'s' * (len(own) > 1)} {', '.join(own)}")
    return f'<p class="verdict-line">{" ".join(parts)}</p>'
