"""What a decision says beyond direction: absence, size, pairs, parts that we added, competence."""

from dataclasses import replace

import numpy as np
import pytest

from claimbook.claims import Claim, load_claims, papers
from claimbook.claims.decisions import Decision, decide, ledger
from claimbook.claims.rule import share_of_pairs
from claimbook.claims.sentences import as_times, competence, sentence
from claimbook.claims.verdicts import badge, meaning
from claimbook.records.errors import InputError

RATIO = Claim("causal_lm.6", "Table 1", "A is below B.",
              {"value": {"near": 0.95, "far": 0.187}, "read": "table"}, "ordering",
              "ratio of A to B", ("near", "far"), {"below": 1.0}, scale="log", kind="ratio of errors")
LEVEL, LOWER, UPPER = [0.97, 1.05, 1.01, 0.99, 1.02], [0.5, 0.52, 0.51], [1.5, 1.52, 1.51]


def test_no_difference_is_found_where_the_printed_effect_is_large():
    decided = decide(RATIO, {"near": LEVEL, "far": LEVEL}, "cpu")
    assert [decided.state(part) for part in RATIO.parts] == ["undecided", "no difference"]
    assert decided.words == "no difference in 1 of 2, in smaller models"
    assert sentence(decided) == (
        "The paper prints 1.05 to 5.35 times lower. Ours 1.01 times as high (0.971 to 1.05): no difference "
        "beyond 25% in 1, undecided in 1 of 2 parts. In 1 of 2 parts models like ours exclude the printed "
        "number; in 1 of 2 parts half the printed effect is excluded.")


@pytest.mark.parametrize("ratios, ends, words", [
    ((0.5, 0.2), (0.1, 0.8), "2 to 5 times lower (1.25 to 10)"), ((2.0,), (1.5, 4.0), "2 times higher (1.5 to 4)"),
    ((0.5,), (0.2, 1.1), "0.5 times as high (0.2 to 1.1)"), ((0.0, 0.5), (), "0 to 0.5 times as high")])
def test_ratios_are_told_as_printed_ones_are(ratios, ends, words):
    assert as_times(ratios, ends) == words


def test_a_claim_without_a_kind_or_a_number_shows_no_absence():
    words = replace(RATIO, printed={"value": "lower", "read": "text"})
    for claim in (replace(RATIO, kind=None), words):
        assert decide(claim, {"near": LEVEL, "far": LEVEL}, "cpu").verdict == "undecided"
    assert decide(words, {"near": LEVEL, "far": LEVEL}, "cpu").size("far") is None


def test_each_part_may_have_a_kind_of_its_own():
    claim = replace(RATIO, kind={"far": "ratio of rates"})
    decided = decide(claim, {"near": LEVEL, "far": [0.9, 1.1, 1.15, 0.95, 1.02]}, "cpu")
    assert decided.state("far") == "undecided"  # within 25%, but not within 10%
    assert decide(RATIO, decided.evidence, "cpu").state("far") == "no difference"


def test_parts_that_we_added_are_told_beside_and_change_no_verdict():
    claim = replace(RATIO, added={"far": "ours"})
    decided = decide(claim, {"near": LOWER, "far": UPPER}, "cpu")
    assert decided.words == "holds, in smaller models" and decided.beside == "fails, in smaller models"
    assert sentence(decided).endswith(" Of parts that we added: no.")
    assert badge(decided).count("<i ") == 0 and badge(replace(decided, claim=RATIO)).count("<i ") == 2


PAIRS = replace(RATIO, pairs="data", printed={"value": "lower", "read": "text"})


@pytest.mark.parametrize("below, tied, above, tolerance, expected", [
    (18, 0, 2, {"below": 1.0}, "yes"), (2, 0, 18, {"below": 1.0}, "no"),
    (10, 0, 10, {"below": 1.0}, "no difference"), (0, 20, 0, {"below": 1.0}, "no difference"),
    (14, 0, 6, {"below": 1.0}, "undecided"), (9, 0, 0, {"below": 1.0}, "undecided"),
    (18, 0, 2, {"above": 1.0}, "no"), (10, 0, 10, {"above": 0.9}, "yes"),
    (18, 0, 2, {"above": 0.9}, "no"), (2, 0, 18, {"above": 0.9}, "yes")])
def test_pairs_of_seeds_decide_where_a_claim_says_so(below, tied, above, tolerance, expected):
    samples = [0.1] * below + [1.0] * tied + [30.0] * above
    claim = replace(PAIRS, tolerance=tolerance, parts=("near",))
    decided = decide(claim, {"near": samples}, "cpu")
    assert decided.state("near") == expected
    led = below if tolerance != {"above": 1.0} else above
    assert decided.share("near")[:2] == (led + tied / 2, below + tied + above)
    said = sentence(decided)
    assert f"Better in {led + tied / 2:g} of {below + tied + above} pairs of seeds" in said
    excluded = share_of_pairs(led + tied / 2, below + tied + above)[2] < 0.75
    assert ("a lead in three of four is excluded" in said) is excluded


def test_models_of_another_depth_do_not_test_a_sentence_and_faulty_ones_test_none():
    evidence = {"near": LOWER, "far": LOWER}
    deep = replace(RATIO, scope={"profiles": ["gpu"], "because": "it names 24 layers"})
    assert sentence(decide(deep, evidence, "cpu")) == "Not tested: it names 24 layers."
    assert decide(deep, evidence, "gpu").verdict == "holds"
    faulty = decide(replace(RATIO, faulty="the optimizer was wrong"), evidence, "gpu")
    assert faulty.words == "not tested" and sentence(faulty) == "Not tested: the optimizer was wrong."
    assert meaning(faulty).startswith("nothing was run")
    assert Decision(RATIO).words == "not tested" and not Decision(RATIO).can_be_lost


GATED = replace(RATIO, gate={"statistic": "error", "at_most": 0.01, "source": "ours"},
                competence={"printed": 1e-4, "source": "Table 1"})


def test_our_error_stands_beside_the_printed_one():
    evidence, gate = {"near": LOWER, "far": LOWER}, [0.001, 0.003, 0.002]
    decided = decide(GATED, evidence, "cpu", gate)
    assert decided.competence == [(pytest.approx(0.002), 1e-4)] and decided.same_models
    assert competence(decided) == "20 times the printed (0.002 against 0.0001, Table 1)"
    assert sentence(decided).endswith(" Our models err 20 times as much as the paper's.")
    better = replace(GATED, competence={"printed": 0.1, "source": "Table 1"})
    assert "Our models err" not in sentence(decide(better, evidence, "cpu", gate))
    by_part = replace(GATED, competence={"printed": {"near": 1e-3, "far": 1e-4}, "source": "Table 1"})
    assert competence(decide(by_part, evidence, "cpu", gate)).startswith("2 to 20 times the printed (")
    zero = replace(GATED, competence={"printed": 0.0, "source": "Table 1"})
    assert competence(decide(zero, evidence, "cpu", gate)) == "0.002 against 0, Table 1"
    none = replace(GATED, competence=None)
    assert competence(decide(none, evidence, "cpu", gate)) == "the paper prints no number for it"
    counted = decide(GATED, {part: [*LOWER, 9.0] for part in GATED.parts}, "cpu", [*gate, np.inf])
    assert counted.competence[0][0] == pytest.approx(0.002)  # of the models that count


# ---- the ledger -----------------------------------------------------------------------------


def test_each_paper_has_one_headline_and_it_comes_first():
    for paper in papers():
        first, *others = (claim.headline for claim in load_claims(paper))
        assert first and not any(others), paper


def test_every_claim_is_told_in_a_sentence_and_none_is_told_a_tighter_margin():
    for item in ledger():
        text = sentence(item)
        assert text.endswith(".") and "nan" not in text and "inf" not in text, item.claim.id
        assert set(part.split("%")[0] for part in text.split("beyond ")[1:]) <= {"25", "10"}


def test_claims_of_equality_have_no_kind_of_difference():
    for paper in papers():
        for claim in load_claims(paper):
            for part in claim.parts:
                low, high = claim.region(part)
                assert not (claim.kind_of(part) and np.isfinite([low, high]).all()), claim.id
                if low < 1 < high and claim.scale == "log":
                    assert claim.kind_of(part) in (None, "no loss"), claim.id


def test_a_printed_number_that_a_floor_bars_is_told_as_out_of_reach():
    samples = {"near": LEVEL, "far": LEVEL}
    barred = decide(RATIO, samples, "cpu", reach={"near": [0.1], "far": [0.4, 0.5, 0.6]})
    assert sentence(barred).endswith(" In 1 of 2 parts models like ours cannot reach the printed number, "
                                     "whatever is compared.")
    free = decide(RATIO, samples, "cpu", reach={"near": [0.1], "far": [0.1, 0.1, 0.1]})
    assert "In 1 of 2 parts models like ours exclude the printed number" in sentence(free)
    alone = decide(replace(RATIO, parts=("far",)), {"far": LEVEL}, "cpu", reach={"far": [0.1, 0.1, 0.1]})
    assert " Models like ours exclude the printed number" in sentence(alone)
    with pytest.raises(InputError, match="expected reach for"):
        decide(RATIO, samples, "cpu", reach={"near": [0.1]})
