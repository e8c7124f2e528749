"""Printed scores of GPT-2 against the claims, and what is computed from them."""

import runpy
from pathlib import Path
from shutil import copy

import numpy as np
import pytest

from claimbook.claims import find_claim
from claimbook.records.errors import InputError
from papers.signed_averaging import tables02_04_gpt2
from papers.signed_averaging.tables02_04_gpt2 import BENCHMARKS, sampling_error


def test_ratios_of_the_printed_scores_are_those_of_the_claim():
    ratios = {f"{BENCHMARKS.task[name]} {shots}": row["SSA"] / row["softmax"]
              for shots in tables02_04_gpt2.SHOTS for name, row in tables02_04_gpt2.printed_scores(shots).iterrows()}
    assert ratios == pytest.approx(find_claim("signed_averaging.17").printed["value"], rel=5e-3)
    perplexity = tables02_04_gpt2.PERPLEXITY["SSA"] / tables02_04_gpt2.PERPLEXITY["softmax"]
    printed, = find_claim("signed_averaging.16").printed["value"].values()
    assert perplexity == pytest.approx(printed, abs=5e-4)


def test_the_printed_gains_are_most_pronounced_elsewhere():
    ratios = find_claim("signed_averaging.17").printed["value"]
    claim = find_claim("signed_averaging.48")
    for part in claim.parts:
        shots = part.split()[1]
        others = {name: ratio for name, ratio in ratios.items()
                  if name.endswith(shots) and name not in claim.parts}
        assert len(others) == 8 and max(others, key=others.get) == f"cb {shots}"
        assert claim.printed["value"][part] == pytest.approx(ratios[part] / others[f"cb {shots}"], abs=5e-3)
        assert ratios[f"wic {shots}"] < ratios[f"arc_challenge {shots}"]


def test_the_sampling_error_is_that_of_drawn_answers():
    scores = tables02_04_gpt2.printed_scores("0-shot")["SSA"]
    rng, formula = np.random.default_rng(0), sampling_error(scores)
    for name in ("CB", "WSC", "ARC-Easy"):
        size = BENCHMARKS["size"][name]
        drawn = 100 * rng.binomial(size, scores[name] / 100, 40_000) / size
        assert formula[name] == pytest.approx(drawn.std(), rel=0.02)


def test_a_guess_among_the_answers():
    chance = tables02_04_gpt2.chance_level()
    assert (chance["WiC"], chance["HellaSwag"]) == (50, 25) and np.isnan(chance["LAMBADA"])


def test_a_damaged_table_is_told_by_its_name(tmp_path):
    module = Path(copy(tables02_04_gpt2.__file__, tmp_path))
    content = Path(tables02_04_gpt2.__file__).with_suffix(".csv").read_bytes()
    for damaged in (content.replace(b"29.2", b"2\xdb.2"), content.replace(b"1.22\n", b"1.22,")):
        module.with_suffix(".csv").write_bytes(damaged)
        with pytest.raises(InputError, match="tables02_04_gpt2.csv: expected a table of scores, got a damaged file"):
            runpy.run_path(module)
