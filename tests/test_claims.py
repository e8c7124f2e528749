"""Verdicts follow from evidence and tolerance alone."""

import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from icllib import claims
from icllib.claims import PAPERS, Claim, find_claim, load_claims
from icllib.decisions import decide, decision_on_record, evidence_path, holds, interval, ledger
from icllib.errors import InputError
from icllib.pages import all_pages
from icllib.verdicts import explained, ours_text

ORDERING = Claim("causal_lm.6", "Figure 2", "A is below B.", {"value": "below", "read": "figure"},
                 "ordering", "ratio of A to B", ("n = 1", "n = 2"), {"below": 1.0})
LOW, HIGH, WIDE = [0.5, 0.52, 0.51], [1.5, 1.52, 1.51], [0.1, 0.9, 1.7]


@pytest.mark.parametrize("first, second, profile, verdict", [
    (LOW, LOW, "paper", "reproduced"),
    (LOW, LOW, "gpu", "reproduced"),
    (LOW, LOW, "cpu", "partly"),  # a small model's success is marked, not promoted
    (LOW, HIGH, "gpu", "partly"),
    (LOW, WIDE, "gpu", "partly"),
    (WIDE, WIDE, "gpu", "undecided"),
    (HIGH, HIGH, "paper", "not reproduced"),
    (HIGH, HIGH, "cpu", "undecided"),  # a small model's failure refutes nothing
    (LOW, HIGH, "cpu", "undecided"),
])
def test_verdicts(first, second, profile, verdict):
    assert decide(ORDERING, {"n = 1": first, "n = 2": second}, profile).verdict == verdict


def test_the_verdict_on_a_ratio_does_not_depend_on_what_is_divided_by_what():
    ratios = np.array([0.6, 0.7, 0.83])  # on the linear scale below 1, their inverses not above
    claim = replace(ORDERING, scale="log")
    upside_down = replace(claim, tolerance={"above": 1.0})
    for samples in (ratios, ratios[:2], ratios**0.1):
        assert holds(claim, "n = 1", samples) == holds(upside_down, "n = 1", 1 / samples)
    assert holds(replace(claim, scale="linear"), "n = 1", ratios) != holds(
        replace(upside_down, scale="linear"), "n = 1", 1 / ratios)


def test_the_interval_of_a_ratio_is_that_of_its_logarithm():
    samples = np.array([0.5, 1.0, 4.0])
    low, high = np.exp(stats.t.interval(0.95, 2, np.log(samples).mean(), stats.sem(np.log(samples))))
    assert interval(samples, "log") == pytest.approx((2 ** (1 / 3), low, high))


def test_the_interval_of_a_share_is_shown_within_0_and_1():
    shown = [ours_text(replace(ORDERING, scale=scale), "n = 1", [0, 0, 1])
             for scale in ("share", "linear")]
    assert shown == ["0.333 [0, 1]", "0.333 [-1.1, 1.77]"]


def test_every_ratio_of_errors_is_judged_on_the_log_scale():
    wrong = [claim.id for paper in PAPERS for claim in load_claims(paper)
             if claim.statistic.startswith("ratio of") and claim.scale != "log"]
    assert wrong == []


def test_a_mean_outside_with_an_interval_that_reaches_in_is_undecided():
    evidence = {"n = 1": [0.9, 1.2, 1.3], "n = 2": HIGH}
    assert decide(ORDERING, evidence, "gpu").verdict == "undecided"


@pytest.mark.parametrize("samples, expected", [
    (LOW, "yes"), (HIGH, "no"), (WIDE, "by its mean"), ([0.9, 1.2, 1.3], "not by its mean"),
    ([1.0], "yes"), ([math.nan], "not by its mean"), ([0.5, 0.6, -math.inf], "not by its mean"),
])
def test_whether_a_part_holds(samples, expected):
    assert holds(ORDERING, "n = 1", samples) == expected


@pytest.mark.parametrize("profile, verdict", [("cpu", "undecided"), ("gpu", "reproduced")])
def test_a_small_profile_cannot_show_that_an_effect_is_absent(profile, verdict):
    claim = replace(ORDERING, absence=True)
    assert decide(claim, {"n = 1": LOW, "n = 2": LOW}, profile).verdict == verdict


def test_evidence_must_cover_the_stated_range():
    with pytest.raises(InputError, match="expected evidence for"):
        decide(ORDERING, {"n = 1": LOW}, "gpu")


def test_a_part_whose_evidence_is_not_finite_does_not_hold():
    assert decide(ORDERING, {"n = 1": [math.nan], "n = 2": LOW}, "gpu").verdict == "partly"


def test_interval_is_the_t_interval_of_scipy():
    samples = np.random.default_rng(0).normal(size=5)
    low, high = stats.t.interval(0.95, 4, samples.mean(), stats.sem(samples))
    assert interval(samples) == pytest.approx((samples.mean(), low, high))


@pytest.mark.parametrize("predicate, tolerance, printed, region", [
    ("identity", {"at_most": 1e-10}, "exact", (-math.inf, 1e-10)),
    ("value", {"factor": 2.0}, 3.0, (1.5, 6.0)),
    ("value", {"distance": 0.5}, {"p": 3.0}, (2.5, 3.5)),
    ("value", {"factor": 2.0}, -3.0, (-6.0, -1.5)),
    ("trend", {"above": 0.1}, "rises", (0.1, math.inf)),
])
def test_regions(predicate, tolerance, printed, region):
    claim = Claim("causal_lm.1", "s", "s", {"value": printed, "read": "text"}, predicate, "s",
                  ("p",), tolerance)
    assert claim.region("p") == region


VALUE = {"predicate": "value", "printed": {"value": 1, "read": "text"},
         "tolerance": {"distance": 0.5}}


@pytest.mark.parametrize("change, message", [
    ({"tolerance": {}}, "tolerance: expected one of"),
    ({"tolerance": {"factor": 2.0}}, "tolerance: expected one of"),
    ({"printed": {"value": 1}}, "printed: expected value and read"),
    ({"printed": {"value": 1, "read": "memory"}}, "printed.read: expected one of"),
    ({"predicate": "vibes"}, "predicate: expected one of"),
    ({"parts": ()}, "parts: expected at least one"),
    (VALUE | {"printed": {"value": {"n = 1": 1}, "read": "text"}}, "a region for n = 2, got"),
    (VALUE | {"printed": {"value": "about one", "read": "text"}}, "a region for n = 1, got"),
    (VALUE | {"tolerance": {"factor": 0}}, "a region for n = 1, got"),
    (VALUE | {"tolerance": {"distance": -1}}, "a region for n = 1, got"),
    ({"tolerance": {"above": "0.1"}}, "a region for n = 1, got"),
])
def test_a_claim_that_lacks_what_a_verdict_needs(change, message):
    import dataclasses

    with pytest.raises(InputError, match=message):
        dataclasses.replace(ORDERING, **change)


@pytest.mark.parametrize("paper, least", [("context_scaling", 18), ("signed_averaging", 20),
                                          ("causal_lm", 15), ("solvable_attention", 19)])
def test_every_claim_of_the_papers_is_in_the_ledger(paper, least):
    claims = load_claims(paper)
    assert [claim.id for claim in claims] == [f"{paper}.{i + 1}" for i in range(len(claims))]
    assert len(claims) >= least
    for claim in claims:
        assert claim.page or claim.not_run, f"{claim.id} has neither a page nor a reason"
        for part in claim.parts:
            low, high = claim.region(part)
            assert low < high


def test_formulas_of_claims_are_closed():
    for item in ledger():
        for text in explained(item.claim):
            plain = re.sub(r"\$[^$]+\$", "", text)
            assert not re.search(r"[$\\_^]", plain), f"{item.claim.id}: {plain}"


def test_a_claim_that_was_not_run_names_the_page_of_what_is_printed():
    for item in ledger():
        assert (item.claim.printed_on in all_pages()) == (item.verdict == "not run"), item.claim.id


def test_claims_with_a_page_have_a_verdict():
    for item in ledger():
        assert (item.verdict == "not run") == (item.claim.page is None), item.claim.id


@pytest.mark.parametrize("profile", ["qick", "stored", None])
def test_evidence_is_of_a_known_profile(profile):
    with pytest.raises(InputError, match=f"expected evidence at one of .* got {profile!r}"):
        decide(ORDERING, {"n = 1": LOW, "n = 2": LOW}, profile)


def test_a_part_without_samples_is_refused():
    with pytest.raises(InputError, match="samples: expected at least one, got none"):
        decide(ORDERING, {"n = 1": [], "n = 2": LOW}, "gpu")


def evidence_of(claim, **changes):
    entry = {"profile": "cpu", "parts": {part: [1.0] for part in claim.parts}} | changes
    return json.dumps({claim.id: entry}).encode()


CLAIM = find_claim("causal_lm.6")


@pytest.mark.parametrize("content", [
    b"", b"[]", b"null", b"\xff\xfe", b"{", b'{"causal_lm.6": {}}', b'{"causal_lm.6": null}',
    evidence_of(CLAIM, profile="qick"), evidence_of(CLAIM, parts={}),
    evidence_of(CLAIM, parts={part: "a" for part in CLAIM.parts}),
    evidence_of(CLAIM, parts={part: ["a"] for part in CLAIM.parts}),
    evidence_of(CLAIM, parts={part: [] for part in CLAIM.parts}),
])
def test_damaged_evidence_is_told_with_its_file(results, content):
    path = evidence_path(CLAIM.page)
    path.parent.mkdir(parents=True)
    path.write_bytes(evidence_of(CLAIM))
    assert decision_on_record(CLAIM).profile == "cpu"
    path.write_bytes(content)
    with pytest.raises(InputError, match=f"{path}: expected evidence, got a damaged file"):
        decision_on_record(CLAIM)


def test_claims_that_the_evidence_does_not_name_were_not_run(results):
    assert decision_on_record(CLAIM).verdict == "not run"
    path = evidence_path(CLAIM.page)
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    assert decision_on_record(CLAIM).verdict == "not run"


@pytest.mark.parametrize("content, reason", [
    (b"", "damaged file"), (b"claims:", "damaged file"), (b"[]", "damaged file"),
    (b"claims: [", "damaged file"), (b"\xff", "damaged file"), (b"claims: [text]", "damaged file"),
    (b"claims: [{id: causal_lm.1}]", "missing 6 required"), (None, "No such file"),
    (b"claims: [{id: casual_lm.1}]", "expected the id causal_lm.1, got casual_lm.1"),
])
def test_a_damaged_file_of_claims_is_told_in_one_line(tmp_path, monkeypatch, content, reason):
    monkeypatch.setattr(claims, "PROJECT", tmp_path)
    path = tmp_path / "claims" / "causal_lm.yml"
    path.parent.mkdir()
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=f"{path}: expected claims, got .*{reason}") as error:
        load_claims("causal_lm")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("claim_id", ["causal_lm.99", "nonsense.1", "causal_lm"])
def test_unknown_claim_id(claim_id):
    with pytest.raises(InputError, match="claim id: expected .* got"):
        find_claim(claim_id)


def test_a_claim_tells_what_we_added_and_what_came_late():
    assert replace(ORDERING, post_hoc=True).where == "Figure 2; post hoc"
    assert replace(ORDERING, ours=True, post_hoc=True).where == "Figure 2; added by us; post hoc"
