"""Verdicts follow from evidence and tolerance alone, and each can be lost."""

import json
import math
from dataclasses import replace

import pytest

from claimbook.claims import Claim, find_claim, load_claims, papers
from claimbook.claims.controls import FROM_EVIDENCE
from claimbook.claims.decisions import decide, decision_on_record, evidence_path
from claimbook.claims.verdicts import gate_text
from claimbook.records.errors import InputError

ORDERING = Claim("causal_lm.6", "Figure 2", "A is below B.", {"value": "below", "read": "figure"},
                 "ordering", "ratio of A to B", ("n = 1", "n = 2"), {"below": 1.0})
LOW, HIGH, WIDE = [0.5, 0.52, 0.51], [1.5, 1.52, 1.51], [0.1, 0.9, 1.7]


@pytest.mark.parametrize("first, second, profile, words", [
    (LOW, LOW, "paper", "holds, at the paper's size"),
    (LOW, LOW, "gpu", "holds, in the paper's model, trained for less"),
    (LOW, HIGH, "gpu", "mixed, in the paper's model, trained for less"),
    (LOW, WIDE, "cpu", "holds in 1 of 2, in smaller models"),
    ([math.nan], LOW, "cpu", "holds in 1 of 2, in smaller models"),
    (WIDE, WIDE, "gpu", "undecided, in the paper's model, trained for less"),
    (HIGH, HIGH, "paper", "fails, at the paper's size"),
    (HIGH, WIDE, "paper", "fails in 1 of 2, at the paper's size")])
def test_verdicts(first, second, profile, words):
    assert decide(ORDERING, {"n = 1": first, "n = 2": second}, profile).words == words


def test_a_closed_form_is_exact_evidence():
    claim = replace(ORDERING, exact=True)
    assert decide(claim, {"n = 1": [0.5], "n = 2": [0.5]}, "paper").words == "holds, exactly"


GATE = {"statistic": "error at sigma = 1", "at_most": 0.01, "source": "ours"}
GATED = replace(ORDERING, gate=GATE)
SOUND, FAR, LOST = [0.001] * 4, [0.5] * 4, [0.001, 0.5, 0.5, 0.5]


@pytest.mark.parametrize("gate, verdict", [
    (SOUND, "holds"),
    (FAR, "not tested"),
    (LOST, "not tested"),  # one of four is too few
    ([0.001, 0.01, 0.001, 0.5], "holds"),  # three of four; a value at the bound passes
    ([0.001, 0.001, 0.001, math.nan], "holds"),
    ([0.001, 0.001, 0.5, 0.5], "not tested"),  # half, but fewer than three
    ([0.001], "holds"), ([0.5], "not tested"),  # one value for all samples
    ([0.001, 0.5], "not tested"), ([0.001, 0.001], "holds"),  # not one for each sample: all must pass
    ({"n = 1": SOUND, "n = 2": FAR}, "holds in part"),
    ([0.001] * 3 + FAR, "not tested"), ([*SOUND, 0.5, 0.5, 0.5], "holds"),  # of seven
])
def test_a_model_that_has_not_learned_decides_nothing(gate, verdict):
    count = len(gate) if len(gate) == 7 else 4
    evidence = {part: [0.5, 0.52, 0.51, 0.53, 0.5, 0.52, 0.51][:count] for part in GATED.parts}
    assert decide(GATED, evidence, "cpu", gate).verdict == verdict


def test_only_seeds_that_have_learned_are_counted():
    evidence = {part: [0.5, 0.52, 0.51, 9.0] for part in GATED.parts}
    decided = decide(GATED, evidence, "cpu", [0.001, 0.001, 0.001, 0.5])
    assert decided.verdict == "holds" and decided.counted("n = 1") == [0.5, 0.52, 0.51]
    assert decided.counted_or_all("n = 1") == [0.5, 0.52, 0.51]
    assert decide(GATED, evidence, "cpu", [0.5]).counted_or_all("n = 1") == evidence["n = 1"]
    assert decide(GATED, evidence, "cpu", SOUND).verdict == "undecided"


def test_parts_that_hold_and_fail_are_mixed_whatever_has_not_learned():
    claim = replace(GATED, parts=("n = 1", "n = 2", "n = 3"))
    gate = {"n = 1": SOUND, "n = 2": SOUND, "n = 3": FAR}
    four = lambda samples: [*samples, samples[0]]
    both = {"n = 1": four(LOW), "n = 2": four(HIGH), "n = 3": four(LOW)}
    assert decide(claim, both, "cpu", gate).verdict == "mixed"
    assert decide(claim, both | {"n = 2": four(LOW)}, "cpu", gate).verdict == "holds in part"


def test_a_gate_at_least():
    claim = replace(ORDERING, gate={"statistic": "passes over T", "at_least": 2, "source": "ours"})
    evidence = {"n = 1": LOW, "n = 2": LOW}
    assert decide(claim, evidence, "cpu", [2.0] * 3).verdict == "holds"
    assert decide(claim, evidence, "cpu", [1.9] * 3).verdict == "not tested"
    assert gate_text(decide(claim, evidence, "cpu", [2.0, 9.0, 1.5])).endswith(
        "at least 2: 2 of 3 pass, the worst has 1.5.")


def test_a_gate_has_one_bound_which_is_a_number_and_needs_its_values():
    for change in ({"at_most": None}, {"at_least": 1}, {"at_most": "1e-3"}, {"at_most": True}):
        with pytest.raises(InputError, match="gate: "):
            replace(ORDERING, gate=GATE | change)
    for gate, message in ((None, "gate: "), ({"n = 1": SOUND}, "expected gate for")):
        with pytest.raises(InputError, match=message):
            decide(GATED, {"n = 1": LOW, "n = 2": LOW}, "cpu", gate)


@pytest.mark.parametrize("evidence, control", [
    (LOW, "roles exchanged"), (HIGH, "roles exchanged"), (LOW, "no effect"),
    ([0.5, 0.999, 1.7], "roles exchanged"),  # undecided: the control must not hold
])
def test_controls_that_evidence_gives(evidence, control):
    claim = replace(ORDERING, control=control, scale="log")
    assert decide(claim, {"n = 1": evidence, "n = 2": evidence}, "paper").can_be_lost


@pytest.mark.parametrize("far, shown", [(LOW, False), (HIGH, True)])
def test_the_control_of_a_claim_that_holds_in_part_must_not_hold_in_part(far, shown):
    """It is mixed where the other part of the control fails, and holds in part where it is undecided."""
    claim = replace(ORDERING, scale="log", control="untrained model")
    decided = decide(claim, {"n = 1": LOW, "n = 2": WIDE}, "paper",
                     control={"n = 1": LOW, "n = 2": WIDE if far is LOW else far})
    assert decided.verdict == "holds in part" and decided.can_be_lost is shown


def test_a_control_that_passes_shows_a_claim_without_power():
    equal = {"n = 1": [0.99, 1.0, 1.01], "n = 2": [0.99, 1.0, 1.01]}
    wide = replace(ORDERING, tolerance={"below": 1.25}, scale="log", control="roles exchanged")
    assert not decide(wide, equal, "paper").can_be_lost
    measured = replace(wide, control="untrained model")
    assert decide(measured, equal, "paper", control={part: [9.0] for part in equal}).can_be_lost
    assert not decide(measured, equal, "paper").can_be_lost  # none was measured


def test_where_no_difference_is_seen_the_printed_effect_would_have_been():
    claim = replace(ORDERING, scale="log", kind="ratio of errors", control="printed effect", tolerance={"below": 1.0},
                    printed={"value": {"n = 1": 0.5, "n = 2": 0.5}, "read": "table"})
    sharp, wide = [0.98, 1.0, 1.03], [0.9, 1.0, 1.1]
    decided = decide(claim, {"n = 1": sharp, "n = 2": sharp}, "paper")
    assert (decided.verdict, decided.control_verdict) == ("no difference", "holds") and decided.can_be_lost
    slight = replace(claim, printed={"value": {"n = 1": 0.97, "n = 2": 0.97}, "read": "table"})
    assert not decide(slight, {"n = 1": wide, "n = 2": wide}, "paper").control_verdict == "holds"
    alike = replace(claim, control="roles exchanged")
    assert not decide(alike, {"n = 1": sharp, "n = 2": sharp}, "paper").can_be_lost
    with pytest.raises(InputError, match="control: "):
        decide(replace(claim, printed={"value": "lower", "read": "text"}), {"n = 1": sharp, "n = 2": sharp}, "paper")


@pytest.mark.parametrize("own, other", [(HIGH, WIDE), (LOW, HIGH), (HIGH, LOW)])
def test_a_control_with_the_verdict_of_its_claim_shows_nothing(own, other):
    claim = replace(ORDERING, scale="log", control="untrained model")
    assert not decide(claim, {"n = 1": LOW, "n = 2": own}, "cpu", control={"n = 1": LOW, "n = 2": own}).can_be_lost
    assert decide(claim, {"n = 1": own, "n = 2": own}, "cpu", control={"n = 1": other, "n = 2": other}).can_be_lost


def test_parts_that_we_added_do_not_share_the_error_of_the_papers():
    near = [0.91, 0.97, 0.95, 0.96]  # below 1 by a p-value of 0.03
    parts = "n = 1", "n = 2"
    both, apart = replace(ORDERING, scale="log"), replace(ORDERING, scale="log", added={"n = 2": "ours"})
    verdict = lambda claim: decide(claim, dict.fromkeys(parts, near), "cpu").verdict
    assert (verdict(both), verdict(apart)) == ("undecided", "holds")
    assert verdict(replace(apart, looks=2)) == "undecided"


def test_parts_of_others_are_a_control():
    claim = replace(ORDERING, predicate="value", tolerance={"distance": 0.05}, control="next part",
                    printed={"value": {"n = 1": 0.2, "n = 2": 0.6}, "read": "table"})
    decided = decide(claim, {"n = 1": [0.21], "n = 2": [0.61]}, "paper")
    assert decided.verdict == "holds" and decided.control_verdict == "fails"


# ---- the ledger -----------------------------------------------------------------------------


CLAIMS = [claim for paper in papers() for claim in load_claims(paper) if claim.page]


def test_every_verdict_has_a_gate_and_a_control_and_can_be_lost():
    """Where a claim holds or fails, the control was measured, and does not follow from the evidence."""
    for claim in CLAIMS:
        decided = decision_on_record(claim)
        assert claim.control and decided.can_be_lost, f"{claim.id}: {decided.verdict}, its control too"
        assert claim.gate or decided.profile == "paper", claim.id
        if decided.verdict in ("holds", "fails"):
            recorded = json.loads(evidence_path(claim.page).read_text("utf-8"))[claim.id]
            assert claim.control not in FROM_EVIDENCE, claim.id
            assert set(recorded["control"]) == set(claim.parts), claim.id


def evidence_of(claim, **changes):
    entry = {"profile": "cpu", "parts": {part: [1.0] for part in claim.parts}} | changes
    return json.dumps({claim.id: entry}).encode()


CLAIM = find_claim("causal_lm.6")


DAMAGED = "expected evidence of today's claims, got a damaged"


@pytest.mark.parametrize("content, told", [
    *((content, DAMAGED) for content in (
        b"", b"[]", b"\xff\xfe", b'{"causal_lm.6": {}}', b'{"causal_lm.6": null}',
        evidence_of(CLAIM, profile="qick"), evidence_of(CLAIM, parts={part: ["a"] for part in CLAIM.parts}),
        evidence_of(CLAIM, parts={part: [] for part in CLAIM.parts}))),
    (evidence_of(CLAIM, parts={"of then": [1.0]}),
     r".*or that of an older version .*expected evidence for .*got \['of then'\]")])
def test_evidence_that_is_damaged_or_of_an_older_claim_is_told_with_its_file(results, content, told):
    path = evidence_path(CLAIM.page)
    path.parent.mkdir(parents=True)
    path.write_bytes(evidence_of(CLAIM))
    assert decision_on_record(CLAIM).profile == "cpu"
    path.write_bytes(content)
    with pytest.raises(InputError, match=f"{path}: {told}"):
        decision_on_record(CLAIM)


@pytest.mark.parametrize("values", [[0.001, math.nan, 0.002], [math.nan, 0.001, 0.002]])
def test_the_worst_at_a_gate_is_not_told_where_a_model_diverged(values):
    claim = next(claim for claim in load_claims("signed_averaging") if claim.gate
                 and claim.gate.at_most and len(claim.parts) == 1)
    part, = claim.parts
    decision = decide(claim, {part: [0.5, 0.5, 0.5]}, "cpu", values, {part: [2.0]})
    assert gate_text(decision).endswith(": 2 of 3 pass.")
