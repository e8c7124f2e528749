from dataclasses import replace

import numpy as np
import pytest

from claimbook.claims import find_claim, load_claims
from icllib.models import Gaussian, Transformer
from icllib.training import records
from papers.causal_lm import table03_extra_loss, table07_permuted_pairs, tables04_06_fewer_pairs, trained
from papers.causal_lm.trained import Cell, SIZES


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


@pytest.mark.parametrize("numbers, cells, entry", [
    ((50, 51), table03_extra_loss.table_3_cells(), trained.extra_loss),
    ((52, 53), trained.as_in_table_1(), None),
    ((54, 55), trained.as_in_table_1(), table07_permuted_pairs.printed_error),
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


CLAIMS = {claim.id: claim for claim in load_claims("causal_lm")}


def test_the_paper_s_settings():
    run = Cell("linear", "causal", False, False).run(SIZES["paper"], 3)
    assert run.model == Transformer(
        24, 2, 128, scoring=Gaussian(), mask="causal", queries_see_themselves=False,
        query_positions=20, normalize_stream=True, attention_width=64, final_norm=False, uniform_start=True)
    recipe = run.recipe
    assert (recipe.steps, recipe.batch, recipe.learning_rate) == (100_000, 64, 1e-4)
    assert (recipe.schedule, recipe.warmup, recipe.epsilon) == ("cosine", 0.2, 1e-7)
    assert (recipe.lengths, recipe.queries, recipe.points) == ((40,), 20, 60)
    assert run.pretraining_tasks == 64_000 and run.task.dimension == 16 and run.seed == 3
    assert run.evaluation.lengths == (40, 32, 24, 16) and run.evaluation.prompts == 64


def ratio(entry, cell, **below):
    return entry(cell) / entry(cell._replace(**below))


def test_printed_entries_give_the_printed_ratios_of_the_claims():
    """The ledger's numbers were read from the tables apart from ours, and rounded."""
    table_3 = {f"{c.task} {c.sharing}" + " with extra loss" * c.extra_loss:
               ratio(trained.extra_loss, c, mask="causal")
               for c in table03_extra_loss.table_3_cells() if c.mask == "prefix"}
    tables = {"causal_lm.20": table_3}
    for claim, pairs in ((25, 16), (26, 24), (27, 32)):
        entry = lambda cell: tables04_06_fewer_pairs.fewer_pairs(cell, pairs)
        tables[f"causal_lm.{claim}"] = {f"{c.task} {c.sharing}": ratio(entry, c, mask="causal")
                                        for c in trained.as_in_table_1(("prefix",))}
    tables["causal_lm.28"] = {f"{c.task} {c.sharing}": ratio(table07_permuted_pairs.printed_error, c,
                                                             mask="causal")
                              for c in trained.as_in_table_1(("prefix",))}
    tables["causal_lm.46"] = tables["causal_lm.28"]["classes unshared"]
    steps = lambda c: [tables04_06_fewer_pairs.fewer_pairs(c, n) for n in (32, 24, 16)]
    tables["causal_lm.47"] = {
        f"{c.task} {c.mask} {c.sharing}": min(steps(c)[1] / steps(c)[0], steps(c)[2] / steps(c)[1])
        for c in trained.as_in_table_1()}
    for claim, ours in tables.items():
        assert ours == pytest.approx(CLAIMS[claim].printed["value"], rel=1e-2)


def test_errors_of_a_cell_are_those_of_its_seeds(results):
    """With golden numbers: whoever moves them raises the version of what moved."""
    size = replace(SIZES["smoke"], own_positions=False, own_prompts=False)  # as in SHORT_SIZES
    cells = [Cell("classes", "prefix", True, True, permuted=True),
             Cell("linear", "block-causal", False, False, block=4)]
    runs = lambda profile: [cell.run(size, seed) for cell in cells for seed in (0, 1)]
    found = records(runs, "smoke", page="causal_lm/test")
    errors, lengths = trained.errors_by_cell(found), list(size.fewer_pairs)
    assert list(errors) == cells
    assert errors[cells[0]][lengths].to_numpy().tolist() == [
        [100 * v for v in r.metrics["wrong"]] for r in found[:2]]
    assert errors[cells[1]][lengths].to_numpy().tolist() == [r.metrics["error"] for r in found[2:]]
    assert errors[cells[1]].loc[0, lengths].tolist() == pytest.approx(GOLDEN["linear"], rel=1e-3)
    by_layer = trained.errors_by_cell(found[:2], "_by_layer")[cells[0]]
    assert by_layer.xs(3, level="layer").equals(errors[cells[0]])
    last = trained.final_errors(found)[cells[0]]
    assert last.equals(errors[cells[0]][size.pairs]) and size.pairs == max(lengths)
    assert found[0]["error_by_layer"][:, 0].tolist() == pytest.approx(GOLDEN["classes"], rel=1e-3)


GOLDEN = {"linear": [0.910883, 0.430307, 0.548259, 0.807088], "classes": [0.695387, 0.613309, 0.390443]}


def test_printed_class_errors_apart_by_the_spread_of_drawn_answers():
    rng = np.random.default_rng(0)
    drawn = 100 * rng.binomial(1280, [[0.276], [0.321]], (2, 40_000)) / 1280
    apart = (32.1 - 27.6) / (drawn[1] - drawn[0]).std()
    assert trained.standard_errors_apart(27.6, 32.1) == pytest.approx(apart, rel=0.02)
    table = trained.class_differences(trained.extra_loss, trained.as_in_table_1(), mask="causal")
    assert table.loc["prefix, unshared"].tolist() == [27.6, 32.1, 2.5] and len(table) == 2
