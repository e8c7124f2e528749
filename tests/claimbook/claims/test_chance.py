"""What chance does to verdicts, on made-up seeds."""

import numpy as np
import pytest

from claimbook.claims import Claim
from claimbook.claims.chance import chance
from claimbook.claims.decisions import decide


def decisions(draw, count=300, seeds=6):
    parts = ("one", "two")
    claim = Claim("causal_lm.6", "Figure 2", "A is below B.", {"value": "below", "read": "figure"}, "ordering",
                  "difference", parts, {"below": 0.0})
    return [decide(claim, {part: list(draw(seeds)) for part in parts}, "cpu") for _ in range(count)]


def test_of_normal_seeds_one_in_twenty_lies_outside_what_the_others_predict():
    random = np.random.default_rng(0)
    found = chance(decisions(lambda seeds: random.normal(-1, 1, seeds)))
    assert (found.parts, found.spread, found.left_out) == (600, 600, 3600)
    assert found.inflation == pytest.approx(1, abs=0.3)
    assert found.wrong_alone == pytest.approx(found.decided * 0.025 * found.inflation)


def test_seeds_with_heavy_tails_miss_as_often_or_more_and_those_without_a_spread_do_not_count():
    random = np.random.default_rng(0)
    heavy = chance(decisions(lambda seeds: random.standard_cauchy(seeds)))
    assert heavy.inflation > 1.3
    assert chance(decisions(lambda seeds: [-1.0] * seeds)).spread == 0
