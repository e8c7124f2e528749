"""A page for each claim, its permanent address: what is claimed, what decides it and what came out."""

from functools import cache
from html import escape

from claimbook.claims import load_claims, papers
from claimbook.claims.controls import CONTROLS
from claimbook.claims.decisions import Decision
from claimbook.claims.history import fixed_before
from claimbook.claims.rule import interval, verdict_of
from claimbook.claims.sentences import competence, sentence, short
from claimbook.claims.verdicts import (badge, gate_text, meaning, parts_table, printed_text, tolerance_text,
                             typeset)
from claimbook.records.errors import InputError
from claimbook.records.files import PROJECT, damage_told, read_text, read_yaml, there
from claimbook.website.links import linked_html
from claimbook.website.papers import duration, hours, records_shown, title_of
from claimbook.website.tables import tidy

ANSWERS = "papers/{}/answers.yml"
READ = {"text": "in its text", "table": "in a table", "figure": "read from a figure",
        "corrected": "corrected by us, since what is printed is wrong"}
SEEN_FIXED = {True: "yes, as the history shows", False: "the history does not show it", None: "not known"}


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
    table = item.profile and tidy(parts_table(item).to_html(classes="verdicts", border=0))
    evidence = f"<h2>Evidence</h2>\n{table}\n" if table else ""
    return (f"<section><h1>{escape(paper.short)}, claim {claim.number}</h1>\n"
            f'<p class="verdict-line">{badge(item)} {escape(meaning(item))}.</p>\n'
            f'<blockquote class="claim"><p>{typeset(claim.statement)}</p></blockquote>\n'
            f"<p>{typeset(sentence(item))}</p>\n"
            f'<dl class="facts">\n{rows}\n</dl>\n{evidence}{objections(item)}</section>')


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
    bounds = {part: escape(tolerance_text(claim, part)) for part in claim.parts}
    if len(set(bounds.values())) > 1:
        bounds = {part: f"{typeset(part)}: {text}" for part, text in bounds.items()}
    parts = "; its parts share the 5% that an interval may miss" * (len(claim.judged) > 1)
    looks = f", a {claim.looks}th of it at each look" * (claim.looks > 1)
    logs = " (of the logarithms)" * (claim.scale == "log")
    yield "Holds if", (f"each part's 95% interval{logs} lies in the region: "
                       f"{'; '.join(dict.fromkeys(bounds.values()))}{parts}{looks}")
    if claim.gate:
        yield "Gate", typeset(gate_text(item)) if item.gate else typeset(claim.gate.statistic)
        yield "Ours at the gate, beside the paper", typeset(competence(item))
    if claim.pairs:
        yield "What the two models of a pair share", typeset(claim.pairs)
    for part, why in claim.added.items():
        yield "A part that we added", f"{typeset(part)}: {typeset(why)}"
    if claim.scope:
        yield "Tested by", f"models of profile {' or '.join(claim.scope.profiles)}: {typeset(claim.scope.because)}"
    if claim.control:
        verdict = f": {item.control_verdict}" if item.control_verdict else ""
        yield "Control", f"{claim.control} ({escape(CONTROLS[claim.control])}){verdict}"
    yield "What would change the verdict", what_would_change(item)
    if claim.page:
        yield "Figure and code", (f'<a href="../notebooks/{claim.page}.html">'
                                  f"{typeset(title_of(claim.page))}</a>")
    if item.profile:
        yield "Command", (f"<code>python -m claimbook run {claim.page} --profile {item.profile}</code>"
                          f"<br><code>python -m claimbook claims {claim.id} --json</code>")
        spent = hours(record for record in records_shown(claim.page) if record.profile == item.profile)
        yield ("Cost of the records that the page shows",
               f"{duration(spent)} at profile {item.profile}" * (spent > 0))
    yield "Not run because", typeset("; ".join(filter(None, (claim.not_run, claim.cost))))
    yield "Written", ("post hoc: when a result was known already" if claim.post_hoc
                      else "before a result was known")
    if item.profile:
        yield "Fixed before its records", SEEN_FIXED[fixed_before(claim, records_shown(claim.page))]
    yield "Rule", ("added later: the evidence was there before the rule that judges it"
                   if claim.rule_later else "")
    yield "For programs", ('<a href="../claims.json">claims.json</a>, '
                           '<a href="../claims.csv">claims.csv</a>')


def what_would_change(item: Decision) -> str:
    """The parts whose state decides, or of those that could alone the nearest to its bound."""
    claim = item.claim
    if not item.profile or claim.faulty:
        return "a run: there is no evidence yet"
    if claim.scope and item.profile not in claim.scope.profiles:
        return f"a run at profile {' or '.join(claim.scope.profiles)}"
    states = {part: item.state(part) for part in claim.judged}
    more = "pairs of seeds" if claim.pairs else "seeds"
    for state, words in (("not tested", "models that pass the gate, for {}"),
                         ("undecided", f"more {more} for {{}}: its interval is too wide")):
        found = [part for part, own in states.items() if own == state]
        if found and changes(states, found):
            return words.format(", ".join(map(typeset, found)))
    alone = [part for part in states if changes(states, [part])]
    if not alone:
        return "no part alone: several say the same"
    if claim.pairs:
        return f"another share of pairs in {', '.join(map(typeset, alone))}"
    part = min(alone, key=lambda part: nearest_bound(item, part)[1])
    _, low, high = interval(item.counted_or_all(part), claim.scale)
    bound, _ = nearest_bound(item, part)
    nearest = ", and no part lies nearer to its bound" * (len(alone) == len(states))
    now = " to ".join(dict.fromkeys((short(low, 3), short(high, 3))))
    return (f"a 95% interval of “{typeset(part)}” on the other side of {short(bound, 3)}; "
            f"it is {now}{nearest}")


def changes(states: dict[str, str], parts) -> bool:
    """Whether the verdict would be another if these parts all said yes, or all no."""
    verdict_with = lambda new: verdict_of([new.get(part, own) for part, own in states.items()])
    return any(verdict_with(dict.fromkeys(parts, state)) != verdict_with({}) for state in ("yes", "no"))


def nearest_bound(item: Decision, part: str) -> tuple[float, float]:
    """The bound nearest to a part's mean, and how far its interval is from it, in units of the bound."""
    mean, *ends = interval(item.counted_or_all(part), item.claim.scale)
    bound = min(item.claim.region(part), key=lambda bound: abs(bound - mean))
    gap = min(abs(end - bound) for end in ends)
    return bound, gap / abs(bound) if bound else gap


def objections(item: Decision) -> str:
    """What the authors could object, and what they answered."""
    listed = "".join(f"<li>{typeset(text)}</li>" for text in what_they_could_object(item))
    answers = "".join(f"<blockquote><p>{typeset(own['text'])}</p><p>{escape(own['by'])}, "
                      f"{escape(str(own['date']))}</p></blockquote>" for own in paper_answers(item.claim.paper)
                      if str(own["claim"]) == item.claim.number)
    none = (f"<p>None yet. Authors can write theirs into <code>{ANSWERS.format(item.claim.paper)}</code>, "
            "and it is shown here as it is.</p>")
    return (f"<h2>What the authors could object</h2>\n<ul>{listed}</ul>\n"
            f"<h3>Their answer</h3>\n{answers or none}\n")


@cache
def paper_answers(paper: str) -> tuple[dict, ...]:
    """What a paper's authors answer, from a file of theirs: claim, by, date and text; none without a file."""
    path = PROJECT / ANSWERS.format(paper)
    if not there(path):
        return ()
    with damage_told(path, "answers"):
        found = read_yaml(read_text(path))["answers"] or []
        lacking = [own for own in found if set(own) != {"claim", "by", "date", "text"}
                   or not (isinstance(own["by"], str) and isinstance(own["text"], str))]
        known = {claim.number for claim in load_claims(paper)}
    if lacking:
        raise InputError(f"{path}: expected claim, by, date and text of each answer, got {lacking[0]}")
    if other := [own["claim"] for own in found if str(own["claim"]) not in known]:
        raise InputError(f"{path}: claim: expected the number of one of {paper}'s {len(known)} claims, "
                         f"got {other[0]!r}")
    return tuple(found)


def what_they_could_object(item: Decision):
    """What weighs against a verdict: notes on the claim, then its size, its models and its history."""
    claim = item.claim
    yield from claim.objections
    if item.strength == "smaller model":
        yield "Our models are smaller than the paper's, and were trained for less; larger ones may do otherwise."
    if item.strength == "paper's model":
        yield "Our models have the paper's size but were trained for less than the paper's."
    if (worst := max((own / theirs for own, theirs in item.competence if theirs), default=0)) > 1.25:
        yield (f"Where both were trained, our models are at {short(worst, 2)} times the number that the paper "
               "prints: the verdict is one on weaker models.")
    if item.gate and (short_of := [part for part in item.left if item.state(part) == "not tested"]):
        yield f"Not tested: {', '.join(short_of)}."
    if claim.predicate != "identity" and claim.printed["read"] in ("text", "figure"):
        yield "The paper prints no number for this; the statistic and its bound are our reading of its words."
    if claim.post_hoc:
        yield "The claim was written, cut or measured anew when a result was known."
    if claim.rule_later:
        yield "The rule that judges it was made when its evidence was known."
    if not item.profile:
        yield "Nothing: it was not run."
