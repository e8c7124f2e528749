"""Claims have what a verdict needs, and their files are sound."""

import json
import math
import os
import re
import shutil
from dataclasses import replace

import pytest
import yaml

from claimbook.claims import Claim, load_claims, papers
from claimbook.claims.claim import claim_of
from claimbook.claims.controls import CONTROLS
from claimbook.claims.decisions import ledger
from claimbook.claims.verdicts import explained
from claimbook.pages.names import all_pages
from claimbook.records.errors import InputError
from claimbook.records.files import PROJECT

ORDERING = Claim("causal_lm.6", "Figure 2", "A is below B.", {"value": "below", "read": "figure"},
                 "ordering", "ratio of A to B", ("n = 1", "n = 2"), {"below": 1.0})


@pytest.mark.parametrize("predicate, tolerance, printed, region", [
    ("identity", {"at_most": 1e-10}, "exact", (-math.inf, 1e-10)),
    ("value", {"factor": 2.0}, 3.0, (1.5, 6.0)), ("value", {"distance": 0.5}, {"p": 3.0}, (2.5, 3.5)),
    ("value", {"factor": 2.0}, -3.0, (-6.0, -1.5)), ("trend", {"above": 0.1}, "rises", (0.1, math.inf))])
def test_regions(predicate, tolerance, printed, region):
    claim = Claim("causal_lm.1", "s", "s", {"value": printed, "read": "text"}, predicate, "s",
                  ("p",), tolerance)
    assert claim.region("p") == region


VALUE = {"predicate": "value", "printed": {"value": 1, "read": "text"}, "tolerance": {"distance": 0.5}}


@pytest.mark.parametrize("change, message", [
    ({"tolerance": {}}, "tolerance: "), ({"tolerance": {"factor": 2.0}}, "tolerance: "),
    ({"printed": {"value": 1}}, "printed: "), ({"predicate": "vibes"}, "predicate: "), ({"parts": ()}, "parts: "),
    (VALUE | {"printed": {"value": {"n = 1": 1}, "read": "text"}}, "printed.value: "),
    ({"printed": {"value": {"n = 1": "low"}, "read": "text"}}, "for each part, got none for n = 2"),
    (VALUE | {"printed": {"value": "about one", "read": "text"}}, "a region for n = 1, got"),
    (VALUE | {"tolerance": {"factor": 0}}, "a region for n = 1, got"),
    (VALUE | {"tolerance": {"distance": -1}}, "a region for n = 1, got"),
    ({"tolerance": {"above": "0.1"}}, "a region for n = 1, got"),
    ({"printed": {"value": None, "read": "text"}}, "printed.value: expected a finite number, got None"),
    ({"printed": {"value": {"n = 1": "low", "n = 2": math.nan}, "read": "text"}}, "printed.value: expected a finite")])
def test_a_claim_that_lacks_what_a_verdict_needs(change, message):
    with pytest.raises(InputError, match=message):
        replace(ORDERING, **change)


def test_claims_of_the_papers_are_sound():
    """Each has a page or a reason, a page that prints it, closed formulas, and ratios on the log scale."""
    for item in ledger():
        claim = item.claim
        assert claim.page or claim.not_run, claim.id
        assert (claim.printed_on in all_pages()) == (item.profile is None), claim.id
        assert claim.scale == "log" or not claim.statistic.startswith("ratio of"), claim.id
        for text in explained(item):
            plain = re.sub(r"\$[^$]+\$", "", text)
            assert not re.search(r"[$\\_^]", plain), f"{claim.id}: {plain}"


def in_a_copy(folder, monkeypatch, name):
    """Makes a folder the project and copies a file of the real one there; returns where it lies."""
    monkeypatch.setattr("claimbook.claims.claim.PROJECT", folder)
    path = folder / name
    path.parent.mkdir(parents=True)
    shutil.copy(PROJECT / name, path)
    return path.parent


@pytest.mark.parametrize("content, reason", [
    (b"", "damaged file"), (b"claims: [", "damaged file"), (b"\xff", "damaged file"), (None, "No such file"),
    (b"text", "expected paper, claims, got 'text'"), (b"claims: []", "paper: expected this entry, got none"),
    (b"paper: causal\nclaims: []", "paper: expected causal_lm, the name of the folder, got 'causal'"),
    (b"paper: causal_lm\nclaims: 7", "claims: expected a list, got 7"),
    (b"paper: causal_lm\nclaims: []\nmore: 1", "more: expected one of paper, claims"),
    (b"paper: causal_lm\nclaims: [text]", "expected id, source, .*, got 'text'"),
    (b"paper: causal_lm\nclaims: [{id: causal_lm.1}]", "source: expected this entry, got none")])
def test_a_damaged_file_of_claims_is_told_in_one_line(tmp_path, monkeypatch, content, reason):
    path = in_a_copy(tmp_path, monkeypatch, "papers/causal_lm/paper.yml") / "claims.yml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=f"{path}: expected claims, got .*{reason}") as error:
        load_claims("causal_lm")
    assert "\n" not in str(error.value)


ENTRY = """paper: causal_lm
claims:
- id: causal_lm.1
  source: Figure 1
  statement: A falls.
  printed: {value: falls, read: figure}
  predicate: identity
  statistic: largest deviation
  parts: [all]
  tolerance: {at_most: 0.1}
  page: causal_lm/propositions
"""


@pytest.mark.parametrize("old, new, reason", [
    ("at_most: 0.1", "at_most: 0.1, at_most: 0.9", "at_most: expected once, got twice .*line 10"),
    ("id: causal_lm.1", "id: casual_lm.1", "expected the id causal_lm.1, got casual_lm.1"),
    ("  tolerance: {at_most: 0.1}\n", "", "tolerance: expected this entry, got none"),
    ("source:", "sauce:", "source: expected this entry, got none"),
    ("  page:", "  pag:", "pag: expected one of id, source"),
    ("{at_most: 0.1}", "0.1", "tolerance: expected dict, got 0.1"),
    ("{value: falls, read: figure}", "", "printed: expected dict, got None"),
    ("  page:", "  source: another\n  page:", "source: expected once, got twice"),
    ("at_most: 0.1", "at_most: -5", "tolerance: expected at_most of at least 0, got -5"),
    ("at_most: 0.1", "at_most: .nan", "expected a region for all"),
    ("at_most: 0.1", "at_most: yes", "tolerance: expected at_most of at least 0, got True"),
    ("causal_lm/propositions", "causal_lm/nosuch", "page: expected one in notebooks/, got 'causal_lm/n"),
    ("causal_lm/propositions", "7", r"page: expected str \| None, got 7"),
    ("[all]", "all", "parts: expected a list, got 'all'"),
    ("A falls.", "[A, falls]", r"statement: expected str, got \['A', 'falls'\]"),
    ("[all]", "[{all: 1}]", r"parts: expected text, got {'all': 1}"), ("[all]", "[all, all]", "parts: expected each value once"),
    ("page:", "competence: {printed: {al: 1}, source: Table 1}\n  page:", "competence: expected one of \\('all',\\), got 'al'"),
    ("causal_lm/propositions", "../notebooks/causal_lm/propositions", "page: expected two names")])
def test_an_entry_that_cannot_be_is_told_in_one_line(tmp_path, monkeypatch, old, new, reason):
    in_a_copy(tmp_path, monkeypatch, "notebooks/causal_lm/propositions.py")
    path = in_a_copy(tmp_path, monkeypatch, "papers/causal_lm/paper.yml") / "claims.yml"
    path.write_text(ENTRY, "utf-8")
    assert [claim.tolerance for claim in load_claims("causal_lm")] == [{"at_most": 0.1}]
    path.write_text(ENTRY.replace(old, new), "utf-8")
    os.utime(path, (0, 0))  # not the time of the first writing, where times are coarse
    with pytest.raises(InputError, match=f"expected claims, got .*{reason}") as error:
        load_claims("causal_lm")
    assert "\n" not in str(error.value)


def test_a_factor_below_1_is_no_tolerance():
    """Its region is that of the inverse factor, which may be wider than meant."""
    entry = vars(ORDERING) | VALUE | {"parts": ["n = 1"], "page": None, "tolerance": {"factor": 0.5}}
    with pytest.raises(InputError, match="tolerance: "):
        claim_of(entry)


def test_all_claims_are_those_of_all_papers_and_a_page_may_have_none(icllib):
    everything = json.loads(icllib("claims", "--json")[1])
    for words in (["all"], ["causal_lm", "all"], ["context_scaling", "context_scaling.6", *papers()]):
        assert json.loads(icllib("claims", *words, "--json")[1]) == everything
    assert icllib("claims", "causal_lm/affine_functions")[:2] == (0, "no claims found\n")


def test_the_how_to_s_claims_are_sound_and_it_names_every_control():
    text = (PROJECT / "book/howto/add_a_page.md").read_text("utf-8")
    block, = re.findall(r"^```yaml\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    claims = [claim_of(fields | {"page": "causal_lm/propositions"}) for fields in yaml.safe_load(block)]
    assert [claim.predicate for claim in claims] == ["value", "identity"]
    told = re.search(r"Controls that follow.*", text)[0]
    assert sorted(re.findall(r"\*([^*]+)\*", told)) == sorted(CONTROLS)
