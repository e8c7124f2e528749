"""The ledger's tables and files say what the verdicts say."""

import csv
import io
import json
from dataclasses import replace

import pytest

from claimbook.claims import Claim
from claimbook.claims.decisions import Decision, decide
from claimbook.claims.json_and_csv import as_csv, claim_as_json
from claimbook.website.claim_pages import body, what_would_change
from claimbook.website.extension import fold
from claimbook.website.ledger import bar, row_of, summary, table
from claimbook.website.links import linked, linked_html

CLAIM = Claim("causal_lm.6", "Figure 2", "A is below $B$.", {"value": "below", "read": "figure"}, "ordering",
              "ratio of A to B", ("a", "b", "c"), {"below": 1.0}, page="causal_lm/propositions")
EVERY = decide(CLAIM, {"a": [0.5], "b": [0.9], "c": [0.7]}, "cpu")
SOME = decide(CLAIM, {"a": [0.5], "b": [0.9], "c": [1.1]}, "gpu")
NONE = Decision(CLAIM)


def test_the_ledger_says_what_the_parts_say_and_at_which_size():
    assert "mixed, in the paper's model, trained for less<span" in table([SOME])
    assert table([SOME]).count('<i class="part-yes">') == 2 == 2 * table([SOME]).count("part-no")
    assert "holds, in smaller models<span" in table([EVERY])
    assert "*Ours 0.5 to 1.1: yes in 2, no in 1 of 3 parts.*" in table([SOME])


def test_a_row_has_both_numbers_and_the_bound():
    assert [cell for cell in row_of(EVERY)[4:]] == [
        "smaller model", "no", "Ours 0.5 to 0.9: yes in 3 of 3 parts.", "below", "a: 0.5<br>b: 0.9<br>c: 0.7", "below 1"]


def test_many_parts_are_left_to_the_page_of_the_claim():
    parts = tuple("abcde")
    claim = Claim("causal_lm.7", "Table 1", "Small.", {"value": dict.fromkeys(parts, 2.0),
                  "read": "table"}, "value", "error", parts, {"factor": 2.0})
    row = row_of(decide(claim, dict.fromkeys(parts, [1.5, 1.6]), "paper"))
    assert row[7] == "a: 2<br>b: 2<br>c: 2<br>and 2 more" and row[9] == "1 to 4"
    assert "1.55" in row[8]


def test_the_bar_counts_verdicts():
    assert 'aria-label="Claims: 2 holds, 1 mixed, 1 not tested"' in bar([EVERY, SOME, EVERY, NONE])
    assert "flex-grow: 2" in bar([EVERY, EVERY])


def test_evidence_is_counted_where_it_settles_a_claim_and_our_own_claims_stand_apart(monkeypatch):
    monkeypatch.setitem(summary.__globals__, "records_of", lambda pages: [])  # their hours are another test's
    open_ = decide(CLAIM, dict.fromkeys("abc", [0.5, 1.6, 0.8]), "paper")
    own = replace(EVERY, claim=replace(CLAIM, ours=True))
    assert open_.verdict == "undecided"
    row, = (line for line in summary([EVERY, open_]).splitlines() if "causal_lm.md" in line)
    assert row.split(" | ").count("1") == 3  # holds, undecided; smaller model, but not paper
    rows = {line.split("|")[1]: line for line in summary([EVERY, own]).splitlines()}
    of_paper, = (line for name, line in rows.items() if "causal_lm.md" in name)
    ours, = (line for name, line in rows.items() if "added by us" in name)
    assert of_paper.split("|")[2].strip() == ours.split("|")[2].strip() == "1"


def test_files_for_programs_carry_samples_bounds_and_no_infinity():
    own = json.loads(json.dumps(claim_as_json(SOME), allow_nan=False))
    assert own["verdict"] == "mixed" and own["parts"][2] == {
        "part": "c", "part_added_by_us": False, "says": "no", "mean": 1.1, "low": 1.1, "high": 1.1,
        "at_least": None, "at_most": 1.0, "printed_number": None, "one_more_low": None,
        "one_more_high": None, "printed_excluded": None, "half_excluded": None, "out_of_reach": None, "pairs_led": None,
        "pairs": None, "share_low": None, "share_high": None, "counted": 1, "seeds": 1,
        "samples": [1.1]}
    rows = list(csv.DictReader(io.StringIO(as_csv([SOME, NONE]))))
    assert [(row["part"], row["mean"]) for row in rows] == [
        ("a", "0.5"), ("b", "0.9"), ("c", "1.1"), ("", "")]
    gated = replace(CLAIM, gate={"statistic": "error", "at_most": 0.01, "source": "ours"})
    own = claim_as_json(decide(gated, SOME.evidence, "cpu", [float("inf")]))
    assert json.loads(json.dumps(own, allow_nan=False))["gate"] == {part: [None] for part in CLAIM.parts}


def test_the_page_of_a_claim_has_all_that_decides_it():
    html = body(Decision(CLAIM))
    assert "not tested" in html and r"\(B\)" in html and "Evidence" not in html
    numbers = replace(CLAIM, printed={"value": {"a": 0.25, "b": 0.5, "c": 0.75}, "read": "table"})
    assert "a: 0.25; b: 0.5; c: 0.75 (in a table)" in body(Decision(numbers))
    assert "(in a table)" not in body(decide(numbers, EVERY.evidence, "cpu"))
    assert "<h2>Evidence</h2>" in body(EVERY) and "below 1" in body(EVERY)


def test_what_would_change_a_verdict_names_the_nearest_part():
    assert what_would_change(EVERY).startswith("a 95% interval of “b” on the other side of 1;")
    wide = decide(CLAIM, {"a": [0.5], "b": [0.2, 1.5], "c": [0.4]}, "cpu")
    assert what_would_change(wide) == "more seeds for b: its interval is too wide"
    one = decide(CLAIM, {"a": [0.5], "b": [1.2], "c": [1.3]}, "cpu")  # it alone could make it fail
    assert what_would_change(one) == "a 95% interval of “a” on the other side of 1; it is 0.5"
    four = replace(CLAIM, parts=tuple("abcd"))
    two = decide(four, {"a": [0.5], "b": [0.6], "c": [1.2], "d": [1.3]}, "cpu")
    assert what_would_change(two).startswith("no part alone: ")


def test_numbers_of_claims_become_links_but_within_links():
    found = linked("see claims 3, 4 and 70, but claim 9 too", {"3", "4", "9"}, lambda name: name)
    assert [node.astext() for node in found if node.tagname == "reference"] == ["3", "4", "9"]
    assert "".join(node.astext() for node in found) == "see claims 3, 4 and 70, but claim 9 too"
    html = '<b>Claim 3</b> (claims 4 and 9) <a href="x">claim 4</a> <i title="claim 3">'
    assert linked_html(html, {"3", "4"}, lambda name: f"{name}.html") == (
        '<b>Claim <a href="3.html">3</a></b> (claims <a href="4.html">4</a> and 9) '
        '<a href="x">claim 4</a> <i title="claim 3">')


@pytest.mark.parametrize("tags, own, folded, shown", [
    (["figure"], {"image": {"alt": "words"}}, ["figure", "hide-input"], "Code"),
    (["hide-output"], {}, ["hide-cell"], "Settings, and their code"),
    (["hide-output"], {"code_prompt_show": "How GPT-2 differs"}, ["hide-cell"], "How GPT-2 differs")])
def test_code_is_folded_and_says_what_it_is(tags, own, folded, shown):
    metadata = {"tags": tags, "mystnb": own}
    fold(metadata)
    assert metadata == {"tags": folded, "mystnb": own | {
        "code_prompt_show": shown, "code_prompt_hide": f"Hide: {shown[0].lower()}{shown[1:]}"}}
