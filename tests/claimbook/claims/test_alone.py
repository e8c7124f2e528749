"""A verdict without a book, and evidence that counts only for the bounds that it was measured for."""

import doctest
import json
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import claimbook
from claimbook.claims import alone, decisions, find_claim, load_claims
from claimbook.claims.decisions import decision_on_record, evidence_path
from claimbook.pages.page import Page
from claimbook.records.errors import InputError


def test_its_example_is_what_it_says():
    test, = doctest.DocTestFinder().find(alone.decide, "decide", globs={"claimbook": claimbook})
    assert doctest.DocTestRunner().run(test) == (0, 1)


@pytest.mark.parametrize("samples, verdict", [
    ([0.5, 0.6, 0.7], "holds"), ([1.5, 1.6, 1.7], "fails"), ([0.5, 1.0, 1.6], "undecided")])
def test_a_verdict_is_where_scipy_s_interval_lies(samples, verdict):
    low, high = stats.t.interval(0.95, len(samples) - 1, np.mean(samples), stats.sem(samples))
    assert verdict == ("holds" if high < 1 else "fails" if low > 1 else "undecided")
    assert claimbook.decide(samples, below=1).verdict == verdict
    ratios = claimbook.decide(np.exp(samples), below=np.e, scale="log")
    assert ratios.verdict == verdict


def test_gates_controls_and_printed_numbers_count_as_in_a_book():
    found = claimbook.decide({"a": [0.5, 0.6, 0.7, 9.0]}, below=1, gate=[0.1, 0.1, 0.1, 0.9], gate_at_most=0.2)
    assert found.verdict == "holds" and "3 of 4 pass the gate" in repr(found)
    assert claimbook.decide([0.5] * 3, below=1, gate=[0.9] * 3, gate_at_most=0.2).verdict == "not tested"
    assert repr(claimbook.decide([0.5, 0.6, 0.7], below=1, control=[0.4, 0.5, 0.6])).endswith(
        "control: holds, so the verdict shows nothing")
    found = claimbook.decide({"a": [1.0, 1.1, 1.05], "b": [2.0, 2.1, 2.05]}, printed={"a": 1, "b": 3}, factor=1.2)
    assert {part: found.state(part) for part in "ab"} == {"a": "yes", "b": "no"} and found.verdict == "mixed"


@pytest.mark.parametrize("evidence, bounds, name", [
    ([1.0], {}, "bound"), ([1.0], {"below": 1, "above": 2}, "bound"), ([1.0], {"factor": 2}, "printed"),
    (None, {"below": 1}, "evidence"), ({}, {"below": 1}, "parts"), ([1.0], {"below": 1, "gate": [1.0]}, "gate"),
    (["a"], {"below": 1}, "evidence"), ([1.0], {"below": "1"}, "tolerance")])
def test_what_is_no_claim_is_refused_by_name(evidence, bounds, name):
    with pytest.raises(InputError, match=name):
        claimbook.decide(evidence, **bounds)

CLAIM = "causal_lm.1"


@pytest.fixture
def recorded(results):
    """A claim with evidence that is on record for its bounds of today."""
    claim = find_claim(CLAIM)
    evidence = {part: [0.0, 0.0, 0.0] for part in claim.parts}
    path = evidence_path(claim.page)
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({CLAIM: {"profile": "paper", "bounds": claim.bounds, "parts": evidence}}), "utf-8")
    return claim, evidence


def loosened(claim):
    """The claim with a region of twice the size."""
    (kind, size), = claim.tolerance.items()
    return replace(claim, tolerance={kind: 2 * size})


def test_evidence_counts_for_the_bounds_that_it_was_measured_for(recorded):
    claim, _ = recorded
    assert decision_on_record(claim).verdict == "holds"
    assert decision_on_record(replace(claim, statement="In other words.")).verdict == "holds"
    found = decision_on_record(loosened(claim))
    assert found.verdict == "not tested" and found.claim.faulty == decisions.CHANGED


def test_a_page_does_not_decide_a_loosened_claim_by_the_same_evidence(recorded, monkeypatch, tmp_path):
    claim, evidence = recorded
    monkeypatch.setenv("CLAIMBOOK_OUTPUT", str(tmp_path))
    page = Page(claim.page)
    found = {"claim": claim}
    monkeypatch.setattr("claimbook.pages.page.find_claim", lambda name: found["claim"])
    decide = lambda **own: page.decide(CLAIM, own.get("evidence", evidence), control=evidence, profile="paper")
    decide()
    found["claim"] = loosened(claim)
    with pytest.raises(InputError, match="its bounds were changed"):
        decide()
    decide(evidence={part: [0.0, 0.0, 1e-12] for part in claim.parts})  # other evidence: another experiment
    found["claim"] = replace(loosened(claim), post_hoc=True)
    decide()


def test_a_pilot_that_has_not_learned_stops_its_page():
    page = Page("causal_lm/fig06_training_sequences")
    claim = next(claim for claim in load_claims("causal_lm") if claim.gate and claim.gate.at_most)
    page.check_gate(claim.id, [claim.gate.at_most])
    with pytest.raises(InputError, match="pilot"):
        page.check_gate(int(claim.number), [claim.gate.at_most, 2 * claim.gate.at_most])
    without = next(claim for claim in load_claims("causal_lm") if claim.gate is None)
    with pytest.raises(InputError, match=f"{without.id} has none"):
        page.check_gate(without.id, [0.0])
