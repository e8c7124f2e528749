"""What the pages of trained models hand to claims: ratios, gates and controls."""

import numpy as np
import pytest

from icllib.claims import find_claim
from icllib.decisions import decide
from icllib.papers.causal_lm import (
    fig04_causal_by_position, propositions, table03_extra_loss, table07_permuted_pairs,
    tables04_06_fewer_pairs, trained, what_fails)
from icllib.papers.causal_lm.trained import Cell

PREFIX, CAUSAL = (Cell("linear", mask, True, True) for mask in trained.MASKS)


@pytest.mark.parametrize("dimension", [1, 16])
def test_the_best_constant_answer(dimension):
    """E (w x)^2 = d / 3; any of three classes; and a double integral in one dimension."""
    assert trained.constant_error("linear", dimension) == pytest.approx(dimension / 3, rel=0.03)
    assert trained.constant_error("classes", dimension) == pytest.approx(200 / 3)
    if dimension == 1:
        w, of_w = np.polynomial.hermite_e.hermegauss(60)
        x, of_x = np.polynomial.legendre.leggauss(60)
        squares = (1 / (1 + np.exp(-np.outer(w, x))) - 0.5) ** 2
        exact = of_w @ squares @ of_x / np.sqrt(2 * np.pi) / 2
        assert trained.constant_error("nonlinear", 1) == pytest.approx(exact, rel=0.02)


def test_ratios_seed_by_seed_with_the_worst_model_at_the_gate():
    errors = {PREFIX: np.array([0.1, 0.2, 2.0]), CAUSAL: np.array([1.0, 0.8, 0.5])}
    handed = trained.ratios(errors, {"shared": (PREFIX, CAUSAL)}, "cpu")
    zero = trained.constant_error("linear", trained.SIZES["cpu"].dimension)
    assert handed["evidence"]["shared"].tolist() == pytest.approx([0.1, 0.25, 4])
    assert handed["gate"]["shared"] * zero == pytest.approx([1.0, 0.8, 2.0])
    assert handed["control"]["shared"].tolist() == pytest.approx([0.5, 1.25, 1.6])
    assert np.prod(handed["control"]["shared"]) == pytest.approx(1)  # no effect, but scatter
    final = {PREFIX: np.array([0.3] * 3), CAUSAL: np.array([0.2] * 3)}
    gate = trained.ratios(errors, {"shared": (PREFIX, CAUSAL)}, "cpu", final)["gate"]["shared"]
    assert gate * zero == pytest.approx([0.3] * 3)
    loss = {"shared": (PREFIX, PREFIX._replace(extra_loss=False))}
    assert "control" not in trained.ratios(errors | {loss["shared"][1]: errors[CAUSAL]}, loss, "cpu")


@pytest.mark.parametrize("numbers, cells, entry", [
    ((50, 51), table03_extra_loss.table_3_cells(), trained.extra_loss),
    ((52, 53), trained.as_in_table_1(), None),
    ((54, 55), trained.as_in_table_1(), table07_permuted_pairs.permuted_pairs),
])
def test_printed_errors_of_the_claims_are_those_of_the_tables(numbers, cells, entry):
    for number, classes in zip(numbers, (False, True)):
        expected = {}
        for cell in cells:
            if (cell.task == "classes") == classes:
                name = f"{cell.task} {cell.mask} {cell.sharing}"
                if entry:
                    both = number in (50, 51) and cell.extra_loss
                    expected[name + " with extra loss" * both] = entry(cell)
                else:
                    expected |= {f"{name}, {pairs} pairs": tables04_06_fewer_pairs.fewer_pairs(cell, pairs)
                                 for pairs in tables04_06_fewer_pairs.FEWER_PAIRS}
        assert find_claim(f"causal_lm.{number}").printed["value"] == expected


def test_models_that_did_not_learn_are_not_shown_beside_those_that_did():
    zero = trained.constant_error("linear", trained.SIZES["cpu"].dimension)
    errors = {PREFIX: zero * np.array([0.1, 0.51, 0.5]), CAUSAL: zero * np.array([0.6, 1.0, 0.9])}
    shown = trained.learned(errors, "cpu")
    assert shown[PREFIX] == pytest.approx(zero * np.array([0.1, 0.5]))
    assert shown[CAUSAL] == pytest.approx(errors[CAUSAL])  # none learned: all are shown
    shorter = {PREFIX: np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])}
    assert trained.learned(shorter, "cpu", final=errors)[PREFIX].tolist() == [[1, 2], [5, 6]]
    assert find_claim("causal_lm.9").gate.at_most == trained.LEARNED


def test_printed_errors_are_compared_on_the_paper_s_task_alone():
    """Models that are exactly as printed: not tested at half the task, and the constant answer fails."""
    claim, cells = find_claim("causal_lm.55"), trained.as_in_table_1()
    own = [cell for cell in cells if cell.task == "classes"]
    errors = {f"{c.task} {c.mask} {c.sharing}": np.full(3, table07_permuted_pairs.permuted_pairs(c)) for c in own}
    verdicts = {}
    for profile in ("smoke", "paper"):
        handed = trained.beside_printed(errors, own, profile)
        decision = decide(claim, profile=profile, **handed)
        verdicts[profile] = decision.verdict
        assert decision.control_verdict == "fails"
    assert verdicts == {"smoke": "not tested", "paper": "holds"}


@pytest.mark.parametrize("made, names", [
    (lambda off: propositions.Propositions(5, 4, off=off),
     ("1", "2", "3 stationary", "3 contraction", "4 coefficients", "4 stationary",
      "4 contraction", "5")),
    (lambda off: fig04_causal_by_position.ByPositionPropositions(5, 4, off=off),
     ("7 stationary", "7 contraction", "8")),
    (lambda off: what_fails.StartingWeights(3, 5, 2, 2, 4, 0.5, off=off),
     ("first_layer", "later_layers")),
])
def test_a_coefficient_one_percent_off_shows_in_every_identity(made, names):
    exact, wrong = made(0.0).measure(), made(0.01).measure()
    assert all(exact[name] < 1e-10 < 1e-6 < wrong[name] for name in names)
