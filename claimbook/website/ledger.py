"""The ledger as tables: one for each chapter, one that sorts and filters, and files for programs."""

import base64
import json
from collections import Counter
from html import escape
from pathlib import Path

import pandas as pd

from claimbook.claims import papers
from claimbook.claims.chance import chance
from claimbook.claims.decisions import SEEN, Decision
from claimbook.claims.history import fixed_before
from claimbook.claims.json_and_csv import as_csv, claim_as_json
from claimbook.claims.rule import FOR_READERS, VERDICTS, words_of
from claimbook.claims.sentences import sentence
from claimbook.claims.verdicts import badge, markdown, ours_text, printed_text, tolerance_text, typeset
from claimbook.records.files import write_text
from claimbook.website.forest import forest
from claimbook.website.papers import cited, hours, records_of, records_shown, title_of

EVIDENCE = tuple(SEEN)  # from the strongest on
SEARCHED = """<link rel="stylesheet" href="../datatables.css">
<script src="../datatables.js"></script>
<script src="../_static/ledger.js"></script>
"""
LISTED = 3  # parts of a claim in the ledger; its own page has all
COLUMNS = ["paper", "claim", "what is claimed", "verdict", "evidence", "post hoc", "what came out",
           "the paper's number", "ours, with its 95% interval", "holds if"]


def write_ledger(decisions: list[Decision], folder: Path) -> None:
    """The tables that pages include, and what is served beside them."""
    for paper in papers():
        rows = [item for item in decisions if item.claim.paper == paper]
        write_text(folder / f"forest_{paper}.svg", forest(rows))
        write_text(folder / f"claims_{paper}.md", f"{figure(paper)}\n{table(rows)}\n"
                   f"```{{raw}} html\n{SEARCHED}```\n")
    write_text(folder / "summary.md", summary(decisions))
    write_text(folder / "ledger.html", app(decisions))
    write_datatables(folder / "served")
    entries = json.dumps(list(map(claim_as_json, decisions)), indent=1, allow_nan=False)
    write_text(folder / "served/claims.json", entries)
    write_text(folder / "served/claims.csv", as_csv(decisions))


# ---- counts ---------------------------------------------------------------------------------


def summary(decisions: list[Decision]) -> str:
    """How many claims of each paper have which verdict, how many of those that are settled which evidence,
    how many came post hoc, and what its records cost; last, those that we added."""
    rows = []
    for paper, own in by_paper(decisions).items():
        verdicts = Counter(item.verdict for item in own)
        strengths = Counter(item.strength for item in own if item.settled)
        rows.append([*map(verdicts.__getitem__, VERDICTS), *map(strengths.__getitem__, EVIDENCE),
                     sum(item.claim.post_hoc for item in own),
                     f"{hours(records_of(f'{paper}/*')):.1f}" if paper else ""])
    return named([*VERDICTS, *map(str.capitalize, EVIDENCE), "Post hoc", "Hours"], rows)


def for_readers(decisions: list[Decision], folder: str = "") -> str:
    """How many claims of each paper hold, in a reader's words. folder: of the chapters, from the table."""
    columns, counts = dict.fromkeys(FOR_READERS.values()), []
    for own in by_paper(decisions).values():
        found = Counter(FOR_READERS[item.verdict] for item in own)
        counts.append([found[word] for word in columns])
    return named(columns, counts, folder)


def by_paper(decisions: list[Decision]) -> dict[str | None, list[Decision]]:
    """The claims of each paper, by its name; last, under None, those that we added."""
    found = {paper: [item for item in decisions if item.claim.paper == paper and not item.claim.ours]
             for paper in papers()}
    return found | {None: [item for item in decisions if item.claim.ours]}


def named(columns, rows, folder: str = "") -> str:
    """A table in Markdown of these rows, one for each paper and one for what we added."""
    names = [f"[*{in_cell(paper.title)}*]({folder}{paper.name}.md) ({in_cell(cited(paper))})"
             for paper in papers().values()]
    lines = ["| paper | " + " | ".join(columns) + " |", "|---|" + "---:|" * len(columns)]
    for name, row in zip([*names, f"[added by us]({folder}verdicts.md)"], rows):
        lines.append(f"| {name} | {' | '.join(map(str, row))} |")
    return "\n".join(lines) + "\n"


def bar(decisions) -> str:
    """How many claims have which verdict as one stacked bar, as HTML."""
    counts = Counter(item.verdict for item in decisions)
    pieces = "".join(f'<span class="verdict-{name.replace(" ", "-")}" style="flex-grow: '
                     f'{counts[name]}" title="{counts[name]} {name}">{counts[name]}</span>'
                     for name in VERDICTS if counts[name])
    return f'<span class="verdict-bar" role="img" aria-label="Claims: {in_words(decisions)}">{pieces}</span>'


def in_words(decisions) -> str:
    """How many claims have which verdict, as in "12 holds, 5 mixed"."""
    counts = Counter(item.verdict for item in decisions)
    return ", ".join(f"{counts[name]} {name}" for name in VERDICTS if counts[name])


def what_chance_does(decisions: list[Decision]) -> str:
    """How many parts would be wrong by chance, and how many claims were fixed before their records, for
    the page on verdicts."""
    found, tested = chance(decisions), [item for item in decisions if item.profile]
    fixed = Counter(fixed_before(item.claim, records_shown(item.claim.page)) for item in tested)
    known = ("whether that is so is not known, for lack of a history" if fixed[None] == len(tested) else
             f"the history shows it of {fixed[True]} of {len(tested)} claims with evidence")
    missed = found.missed / max(found.left_out, 1)
    return f"""Of the {found.parts} parts with evidence {found.spread} have several seeds with a spread; the others
are exact, or shares, or of models that have not learned. Leaving out one seed at a time, {found.missed} of
{found.left_out:,} lie outside the 95% interval that the other seeds of their part predict: {missed:.1%}, where 5%
would be right. Of the {found.decided} such parts that say something about {found.wrong_alone:.0f} at most would be
wrong by chance if each had an interval of 95% to itself. As the parts of a claim share the 5%, at most about
{found.wrong_claims:.0f} of these {found.claims} claims have a wrong part. That tells of chance alone, and not of
wrong bounds.

*Fixed before its records:* {known}.
"""


# ---- tables ---------------------------------------------------------------------------------


def figure(paper: str) -> str:
    """What is printed against ours, claim by claim, as MyST."""
    return (f"```{{figure}} _generated/forest_{paper}.svg\n"
            ":alt: A row for each claim with a number: ours as points with 95% intervals, what is "
            "printed as a hollow diamond, and the bound as a grey tick.\n"
            f":name: forest {paper}\n\n"
            "What is printed (hollow) against ours (95% intervals over seeds), claim by claim, one point "
            "for each part, in the color of what it says. Above, ratios; below, other numbers, less what is "
            "printed or less their bound. Grey: the bounds of the claims. Claims that are exact or not tested, "
            "and deviations that should be 0, are left out.\n```\n")


def table(decisions: list[Decision]) -> str:
    """Claims of a chapter as a Markdown table, the paper's headline first."""
    lines = ["```{rst-class} claims\n```\n",
             "| claim | verdict | what is claimed, and *what came out* | where | page, or why not run |",
             "|---|---|---|---|---|"]
    for item in decisions:
        claim = item.claim
        statement = f"{in_cell(claim.statement)}<br>*{in_cell(sentence(item))}*"
        printed = claim.printed_on and f"[what is printed](../notebooks/{claim.printed_on}.ipynb)"
        reasons = [in_cell(text) for text in (claim.not_run, claim.cost) if text]
        page = (f"[{in_cell(title_of(claim.page).partition(':')[0])}](../notebooks/{claim.page}.ipynb)"
                if item.profile else "; ".join([*reasons, *filter(None, [printed])]))
        lines.append(f'| <a href="../claims/{claim.id}.html">{claim.number}</a> '
                     f"| {badge(item)} | {statement} | {in_cell(claim.where)} | {page} |")
    return "\n".join(lines) + "\n"


def in_cell(text: str) -> str:
    """Text in a cell of a Markdown table."""
    return markdown(text).replace("|", "\\|")


def app(decisions: list[Decision]) -> str:
    """Every claim as an HTML table, which static/ledger.js makes search, sort and filter."""
    found = pd.DataFrame([row_of(item) for item in decisions], columns=COLUMNS)
    with pd.option_context("display.max_colwidth", None):
        html = found.to_html(index=False, escape=False, border=0, classes="table ledger")
    return f"{html}\n{SEARCHED}"


def write_datatables(folder: Path) -> None:
    """DataTables, which itables brings, for a page opened from a folder, where a browser loads no modules."""
    import itables  # which only a machine that builds the book needs

    bundle = Path(itables.__file__).parent / "html"
    module = base64.b64encode((bundle / "dt_bundle.js").read_bytes()).decode()
    write_text(folder / "datatables.js",
               f'window.datatables = import("data:text/javascript;base64,{module}");\n')
    write_text(folder / "datatables.css", (bundle / "dt_bundle.css").read_text("utf-8"))


def row_of(item: Decision) -> list[str]:
    """A row of the ledger, as HTML."""
    claim, printed = item.claim, item.claim.printed["value"]
    by_part = isinstance(printed, dict)
    numbers = ({part: printed_text(claim, part) for part in claim.parts} if by_part
               else {"": printed_text(claim)})
    ours = {part: ours_text(claim, part, item.counted_or_all(part)) for part in item.evidence or ()}
    bounds = {part: tolerance_text(claim, part) for part in claim.parts}
    bounds = bounds if len(set(bounds.values())) > 1 else {"": next(iter(bounds.values()))}
    return [escape(papers()[claim.paper].short),
            f'<a href="../claims/{claim.id}.html" title="claim {claim.id}">{claim.number}</a>',
            f'{typeset(claim.statement)} <small>({escape(claim.where)})</small>',
            badge(item, words_of(map(item.state, claim.judged))), item.strength or "none",
            "yes" if claim.post_hoc else "no", typeset(sentence(item)),
            in_list(numbers), in_list(ours) if ours else escape(claim.not_run or ""), in_list(bounds)]


def in_list(texts: dict[str, str]) -> str:
    """What is to be said of each part, the first few under each other, as HTML."""
    if len(texts) == 1:
        return typeset(*texts.values())
    lines = [f"{typeset(part)}: {typeset(text)}" for part, text in texts.items()]
    more = [f"and {len(lines) - LISTED} more"] * (len(lines) > LISTED)
    return "<br>".join(lines[:LISTED] + more)
