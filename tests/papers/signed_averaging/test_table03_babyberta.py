"""Table 3: its runs, what it is printed beside, and its claim."""

import hashlib
import math
from collections import Counter

import pandas as pd
import pytest

from claimbook.claims import find_claim
from icllib.data import DataFile
from papers.signed_averaging import table03_babyberta
from papers.signed_averaging.table03_babyberta import (
    MADE, SCORINGS, WordFrequencies, leads_of_named_probes, probe_ratios)

CLAIM = find_claim("signed_averaging.18")


PRINTED = table03_babyberta.PRINTED.T.set_axis(
    pd.MultiIndex.from_product([SCORINGS, [0]], names=["scoring", "seed"]))


def test_the_printed_ratios_are_those_of_the_claim():
    ratios = probe_ratios(PRINTED)
    assert set(ratios) == set(CLAIM.parts)
    for part, ratio in ratios.items():
        assert ratio[0] == pytest.approx(CLAIM.printed["value"][part], abs=0.011), part


def test_the_printed_leads_are_those_of_the_claim():
    leads = leads_of_named_probes(PRINTED)
    claim = find_claim("signed_averaging.49")
    assert list(leads) == list(claim.parts)
    # Agreement across prepositional phrases gains most of the others, 65.95 - 56.
    for part, lead in leads.items():
        softmax, _, ssa = PRINTED[part]
        assert lead[0] == pytest.approx(ssa - softmax - 9.95), part
        assert lead[0] == pytest.approx(claim.printed["value"][part]), part


def test_the_paper_profile_has_the_settings_of_the_public_code():
    run = table03_babyberta.runs("paper")[0]
    assert (run.model.layers, run.model.heads, run.model.width, run.model.feed_forward) == (8, 8, 256, 1024)
    assert [run.recipe.rate(step) for step in (11_999, 23_999, 142_000)] == pytest.approx(
        [5e-5, 1e-4, 5e-5], rel=1e-3)
    assert run.evaluation.pairs == 2000 and run.recipe.batch == 16


def test_word_frequencies_score_as_a_plain_loop_does(tmp_path, monkeypatch):
    monkeypatch.setenv("CLAIMBOOK_DATA", str(tmp_path))
    pairs = ["the dog sees a cat .", "the dogs see a bird .", "the dog sees a cat .",
             "the cat sees a dog .", "the old dog sees a cat .", "the dog sees a cat ."]
    (tmp_path / "probe.txt").write_text("\n".join(pairs) + "\n", "utf-8")
    digest = hashlib.sha256((tmp_path / "probe.txt").read_bytes()).hexdigest()
    found = WordFrequencies(MADE, (DataFile("probe.txt", digest),)).measure()["accuracy"][0]
    lines = MADE.corpus.read().splitlines()
    counts = Counter(word for place, line in enumerate(lines) if place % 100 for word in line.split())
    scores = [sum(math.log(counts[word] + 0.5) for word in line.split()) for line in pairs]
    right = (scores[1] > scores[0]) + 0.5 + (scores[5] > scores[4])  # the second pair is a tie
    assert found == pytest.approx(100 * right / 3)
