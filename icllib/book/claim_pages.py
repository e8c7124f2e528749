"""A page for each claim, its permanent address: what is claimed, what decides it and what came out."""

from html import escape

from icllib.book.links import linked_html
from icllib.book.papers import duration, hours, records_shown, title_of
from icllib.book.tables import tidy
from icllib.claims import papers
from icllib.controls import CONTROLS
from icllib.decisions import Decision, interval, verdict_of
from icllib.plotting import short
from icllib.verdicts import (badge, gate_text, meaning, parts_table, printed_text, tolerance_text,
                             typeset)

READ = {"text": "in its text", "table": "in a table", "figure": "read from a figure",
        "corrected": "corrected by us, since what is printed is wrong"}
ON_SCALE = {"linear": "", "log": " (of the logarithms)", "share": ""}


def claim_pages(decisions: list[Decision]):
    """Name, context and template of each page, as Sphinx wants them."""
    for item in decisions:
        paper = papers()[item.claim.paper]
        parents = [{"link": f"../book/{paper.name}.html", "title": escape(paper.short)},
                   {"link": "../book/ledger.html", "title": "The ledger"}]
        own = {other.claim.number for other in decisions if other.claim.paper == paper.name}
        html = linked_html(body(item), own - {item.claim.number},
                           lambda number: f"{paper.name}.{number}.html")
        context = {"title": f"Claim {item.claim.number}: {escape(paper.short)}", "parents": parents,
                   "body": html, "description": f"{item.words}: {item.claim.statement}"}
        yield f"claims/{item.claim.id}", context, "page.html"


def body(item: Decision) -> str:
    """The page of a claim as HTML."""
    claim, paper = item.claim, papers()[item.claim.paper]
    rows = "\n".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in facts(item) if text)
    return (f"<section><h1>{escape(paper.short)}, claim {claim.number}</h1>\n"
            f'<p class="verdict-line">{badge(item)} {escape(meaning(item))}.</p>\n'
            f'<blockquote class="claim"><p>{typeset(claim.statement)}</p></blockquote>\n'
            f'<dl class="facts">\n{rows}\n</dl>\n{evidence(item)}</section>')


def facts(item: Decision):
    """What is to be known of a claim: names and HTML."""
    claim = item.claim
    yield "Where in the paper", escape(claim.where)
    read = READ[claim.printed["read"]]
    if not isinstance(claim.printed["value"], dict):
        yield "The paper's words or number", f"{typeset(printed_text(claim))} ({read})"
    elif item.profile:
        yield "The paper's numbers", f"{read}; in the table below"
    else:
        numbers = (f"{part}: {printed_text(claim, part)}" for part in claim.parts)
        yield "The paper's numbers", f"{'; '.join(map(typeset, numbers))} ({read})"
    yield "Judged by", f"{typeset(claim.statistic)} ({claim.predicate})"
    yield "Holds if", f"each part's 95% interval{ON_SCALE[claim.scale]} lies in the region: {regions(claim)}"
    if claim.gate:
        yield "Gate", typeset(gate_text(item)) if item.gate else typeset(claim.gate.statistic)
    if claim.control:
        verdict = f": {item.control_verdict}" if item.control_verdict else ""
        yield "Control", f"{claim.control} ({escape(CONTROLS[claim.control])}){verdict}"
    yield "What would change the verdict", what_would_change(item)
    if claim.page:
        yield "Figure and code", (f'<a href="../notebooks/{claim.page}.html">'
                                  f"{typeset(title_of(claim.page))}</a>")
    if item.profile:
        yield "Command", (f"<code>python -m icllib run {claim.page} --profile {item.profile}</code>"
                          f"<br><code>python -m icllib claims {claim.id} --json</code>")
        spent = hours(record for record in records_shown(claim.page)
                      if record.profile == item.profile)
        yield ("Cost of the records that the page shows",
               f"{duration(spent)} at profile {item.profile}" * (spent > 0))
    yield "Not run because", typeset("; ".join(filter(None, (claim.not_run, claim.cost))))
    yield "Written", ("post hoc: when a result was known already" if claim.post_hoc
                      else "before the run that decides it")
    yield "For programs", ('<a href="../claims.json">claims.json</a>, '
                           '<a href="../claims.csv">claims.csv</a>')


def regions(claim) -> str:
    """Where the statistic must lie, once where it is the same for every part."""
    found = {part: tolerance_text(claim, part) for part in claim.parts}
    if len(set(found.values())) == 1:
        return escape(next(iter(found.values())))
    return "; ".join(f"{typeset(part)}: {escape(text)}" for part, text in found.items())


def what_would_change(item: Decision) -> str:
    """The parts whose state decides, or of those that could alone the nearest to its bound."""
    if not item.profile:
        return "a run: there is no evidence yet"
    states = {part: item.state(part) for part in item.evidence}
    more_seeds = "more seeds for {}: its interval crosses the bound"
    for state, words in (("not counted", "models that pass the gate, for {}"),
                         ("open, mean inside", more_seeds), ("open, mean outside", more_seeds)):
        found = [part for part, own in states.items() if own == state]
        if found and changes(states, found):
            return words.format(", ".join(map(typeset, found)))
    alone = [part for part in states if changes(states, [part])]
    if not alone:
        return "no part alone: it is mixed while one part holds and another does not"
    part = min(alone, key=lambda part: distance(item, part))
    _, low, high = interval(item.counted_or_all(part), item.claim.scale)
    bound = nearest_bound(item, part)
    nearest = ", and no part lies nearer to its bound" * (len(alone) == len(states))
    now = " to ".join(dict.fromkeys((short(low, 3), short(high, 3))))
    return (f"a 95% interval of “{typeset(part)}” on the other side of {short(bound, 3)}; "
            f"it is {now}{nearest}")


def changes(states: dict[str, str], parts) -> bool:
    """Whether the verdict would be another if these parts all held, or all failed."""
    verdict_with = lambda new: verdict_of([new.get(part, own) for part, own in states.items()])
    return any(verdict_with(dict.fromkeys(parts, state)) != verdict_with({})
               for state in ("yes", "no"))


def nearest_bound(item: Decision, part: str) -> float:
    """The end of a part's region that its mean is nearest to."""
    mean = interval(item.counted_or_all(part), item.claim.scale)[0]
    return min(item.claim.region(part), key=lambda bound: abs(bound - mean))


def distance(item: Decision, part: str) -> float:
    """From a part's interval to the nearest bound, in units of the bound."""
    bound = nearest_bound(item, part)
    ends = interval(item.counted_or_all(part), item.claim.scale)[1:]
    gap = min(abs(end - bound) for end in ends)
    return gap / abs(bound) if bound else gap


def evidence(item: Decision) -> str:
    """The table of a claim's parts."""
    if not item.profile:
        return ""
    table = parts_table(item).to_html(classes="verdicts", border=0)
    return f"<h2>Evidence</h2>\n{tidy(table)}\n"
