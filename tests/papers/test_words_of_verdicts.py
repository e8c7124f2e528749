"""What pages and chapters say of claims is what their verdicts say."""

import re

from claimbook.claims import papers
from claimbook.claims.decisions import ledger
from claimbook.claims.history import fixed_before
from claimbook.records import PROJECT
from claimbook.website.papers import records_shown

SAID = r"holds|fails|is mixed|is undecided|is open|stays open|is not tested|shows no difference"
# "claim 3 fails", "claims 2 and 3 hold", "(claim 7) holds" and "holds (claim 7)"
BEFORE = re.compile(rf"[Cc]laims? (\d+(?:(?:, | and )\d+)*)\)? ({SAID}|hold|fail|are undecided|are not tested)\b")
AFTER = re.compile(rf"\b({SAID}) \(claims? (\d+(?:(?:, | and )\d+)*)\)")
TEXTS = [*sorted((PROJECT / "notebooks").rglob("*.py")), *sorted((PROJECT / "book").glob("*.md"))]


def prose(path):
    """The text of a page or chapter, without code, on one line."""
    text = path.read_text("utf-8")
    if path.suffix == ".py":
        text = "\n".join(line.removeprefix("#").strip() for line in text.splitlines() if line.startswith("#"))
    return " ".join(text.split())


def told(text):
    """Each claim's number with what a text says of it."""
    for numbers, said in [own.groups() for own in BEFORE.finditer(text)] + [
            own.groups()[::-1] for own in AFTER.finditer(text)]:
        yield from ((number, said) for number in re.findall(r"\d+", numbers))


def agrees(said, verdict):
    """Whether a word is that of a verdict, as a whole or in part."""
    meant = {"hold": "holds", "fail": "fails", "is open": "undecided", "stays open": "undecided",
             "shows no difference": "no difference"}.get(said, said.split(" ", 1)[-1] if said.startswith(
                 ("is ", "are ")) else said)
    return verdict.removesuffix(" in part") == meant


def test_what_is_said_of_claims_is_found_and_compared_with_verdicts():
    for text, found in (("So claim 3 fails.", [("3", "fails")]), ("it holds (claim 7)", [("7", "holds")]),
                        ("Claims 2, 4 and 5 hold at", [("2", "hold"), ("4", "hold"), ("5", "hold")]),
                        ("claim 9 is about trees", [])):
        assert list(told(text)) == found
    for said, verdict, same in (("holds", "holds in part", True), ("holds", "mixed", False),
                                ("fail", "fails", True), ("is undecided", "undecided", True),
                                ("are not tested", "not tested", True), ("is open", "not tested", False)):
        assert agrees(said, verdict) is same


def test_no_sentence_says_another_word_than_the_verdict_or_fixed_before_where_the_history_shows_otherwise():
    verdicts = {item.claim.id: item for item in ledger()}
    for path in TEXTS:
        paper = path.parent.name if path.suffix == ".py" else path.stem
        if paper not in papers():
            continue
        for number, said in told(prose(path)):
            verdict = verdicts[f"{paper}.{number}"].verdict
            assert agrees(said, verdict), f"{path}: claim {number} {said}, but its verdict is {verdict}"
        for sentence in re.split(r"(?<=[.:]) ", prose(path)):
            for number in re.findall(r"[Cc]laims? (\d+)", sentence) if "fixed before" in sentence else ():
                item = verdicts[f"{paper}.{number}"]
                if item.profile is not None:
                    assert fixed_before(item.claim, records_shown(item.claim.page)) is not False, sentence


def test_no_sentence_says_that_no_page_shows_something():
    assert [path.name for path in TEXTS if re.search(r"\bno page (shows|compares|has)\b", prose(path))] == []
