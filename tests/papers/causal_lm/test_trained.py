"""The trained cells of the causalLM paper: its settings, shared runs, printed numbers."""

from dataclasses import replace

import numpy as np
import pytest

from icllib.claims import load_claims
from icllib.models import Gaussian, Transformer
from icllib.papers.causal_lm import (
    block_causal, fig03_layer_probes, fig06_training_sequences, learning_rates,
    table01_prefix_causal, table03_extra_loss, table07_permuted_pairs, tables04_06_fewer_pairs,
    trained)
from icllib.papers.causal_lm.trained import Cell, SIZES, TASKS
from icllib.results import digest, settings
from icllib.training import records, workers

CLAIMS = {claim.id: claim for claim in load_claims("causal_lm")}


def names(runs):
    return {digest(settings(run)) for run in runs}


def test_the_paper_s_settings():
    """Section 5.2, Appendix E.2 and the public code."""
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


def test_gpu_shortens_training_and_holds_out_more():
    gpu, paper = (SIZES[name].__dict__ for name in ("gpu", "paper"))
    assert {name for name in gpu if gpu[name] != paper[name]} == {"steps", "prompts"}
    assert gpu["seeds"] == 5 and SIZES["cpu"].seeds == 8


@pytest.mark.parametrize("profile", SIZES)
def test_pages_share_their_runs(profile):
    first = names(trained.table_1(profile))
    assert names(tables04_06_fewer_pairs.runs(profile)) == first
    seeds = SIZES[profile].seeds
    probed = fig03_layer_probes.runs(profile)
    assert names([run for run in probed if run.seed < seeds]) < first
    assert len(probed) == 6 * (seeds + SIZES[profile].more_seeds)
    more = table03_extra_loss.rows_without_loss(profile)
    assert names([run for run in more if run.seed < seeds]) < names(table03_extra_loss.linear_rows(profile))
    assert len(more) == 4 * (seeds + 2 * SIZES[profile].more_seeds)
    for page, new in ((table03_extra_loss.table_3, 12), (table07_permuted_pairs.runs, 12),
                      (fig06_training_sequences.runs, 6 * len(SIZES[profile].batches)),
                      (block_causal.runs, 10)):
        runs = page(profile)
        assert len(names(runs)) == len(runs) and len(names(runs) - first) == new * seeds


def test_one_kind_of_table_3_has_half_the_rate_with_both_masks():
    slower = lambda runs: [run for run in runs if run.recipe.learning_rate == 2e-3]
    found = slower(table03_extra_loss.table_3("cpu"))
    kinds = {(type(run.task).__name__, run.model.mask, run.model.shared_layers,
              run.recipe.loss_on_pairs) for run in found}
    assert kinds == {("LinearRegression", mask, False, True) for mask in ("prefix", "causal")}
    assert len(found) == 2 * SIZES["cpu"].seeds and not slower(trained.table_1("cpu"))
    at_first = table03_extra_loss.stuck_at_first("cpu")
    assert [replace(run.recipe, learning_rate=2e-3) for run in at_first] == [
        run.recipe for run in found] and not slower(at_first)


def test_the_search_has_every_rate_for_every_model_and_a_seed_of_its_own():
    runs = learning_rates.runs("cpu")
    assert [run.recipe.learning_rate for run in runs] == list(learning_rates.RATES) * 12
    assert {run.seed for run in runs} == {learning_rates.TRIED_SEED}
    assert all(learning_rates.TRIED_SEED >= size.seeds for size in SIZES.values())
    assert SIZES["cpu"].learning_rate in learning_rates.RATES


def test_linear_and_nonlinear_train_in_one_fleet():
    runs = table03_extra_loss.table_3("gpu")
    fleets = {}
    for run in runs:
        fleets.setdefault(run.shape, []).append(run)
    assert sorted(map(len, fleets.values())) == [5] * 8 + [10] * 8


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
    tables["causal_lm.28"] = {f"{c.task} {c.sharing}": ratio(table07_permuted_pairs.permuted_pairs, c,
                                                             mask="causal")
                              for c in trained.as_in_table_1(("prefix",))}
    tables["causal_lm.46"] = tables["causal_lm.28"]["classes unshared"]
    steps = lambda c: [tables04_06_fewer_pairs.fewer_pairs(c, n) for n in (32, 24, 16)]
    tables["causal_lm.47"] = {
        f"{c.task} {c.mask} {c.sharing}": min(steps(c)[1] / steps(c)[0], steps(c)[2] / steps(c)[1])
        for c in trained.as_in_table_1()}
    for claim, ours in tables.items():
        assert ours == pytest.approx(CLAIMS[claim].printed["value"], rel=1e-2)


def test_errors_of_a_cell_are_those_of_its_seeds(results, monkeypatch):
    """With golden numbers: whoever moves them raises the version of what moved."""
    monkeypatch.setattr(workers, "processors", lambda: ["cpu"])
    size = replace(SIZES["smoke"], own_positions=False, own_prompts=False)  # as at pilot
    cells = [Cell("classes", "prefix", True, True, permuted=True),
             Cell("linear", "block-causal", False, False, block=4)]
    runs = lambda profile: [cell.run(size, seed) for cell in cells for seed in (0, 1)]
    found = records(runs, "smoke", page="causal_lm/test")
    errors = trained.errors_by_cell(found, cells)
    assert errors[cells[0]].tolist() == [[100 * v for v in r.metrics["wrong"]] for r in found[:2]]
    assert errors[cells[1]].tolist() == [r.metrics["error"] for r in found[2:]]
    assert errors[cells[1]][0].tolist() == pytest.approx(GOLDEN["linear"], rel=1e-3)
    by_layer = trained.errors_by_cell(found[:2], cells[:1], "_by_layer")[cells[0]]
    assert by_layer.shape == (2, 3, 4) and np.array_equal(by_layer[:, -1], errors[cells[0]])
    assert found[0]["error_by_layer"][:, 0].tolist() == pytest.approx(GOLDEN["classes"], rel=1e-3)


GOLDEN = {"linear": [0.910883, 0.430307, 0.548259, 0.807088],
          "classes": [0.695387, 0.613309, 0.390443]}


def test_a_table_sets_ours_beside_the_paper_s():
    cells = trained.as_in_table_1(("prefix",))
    ours = {cell: [1.0, 2.0, 3.0] for cell in cells}
    table = trained.beside(ours, {cell: trained.extra_loss(cell) for cell in cells})
    assert list(table.index) == ["prefix, shared, extra loss", "prefix, unshared"]
    assert list(table.columns) == [(task, who) for task in TASKS for who in ("paper", "ours")]
    assert table.loc["prefix, unshared", ("classes", "paper")] == "27.6"  # as printed
    assert table.iloc[0, 1] == "2 [0, 4.5]"  # t interval: 2 -+ 4.303 / sqrt(3), and no error < 0
    wide = {cells[0]._replace(task="classes"): [20.0, 50.0, 95.0]}  # 55 -+ 94: percent end, too
    assert trained.beside(wide, {}).iloc[0, 0] == "55 [0, 100]"
    ends = trained.task_rows("ours", wide, "cpu")[0][["low", "high"]]
    assert ends.iloc[0].tolist() == [0, 100]


def test_every_seed_in_a_table():
    prefix, causal = (Cell("linear", mask, True, True) for mask in trained.MASKS)
    table = block_causal.seed_by_seed({"one": {prefix: [2.71, 0.00521], causal: [1, 12]},
                                       "other": {prefix: [3.0], causal: [4.0]}})
    assert table.loc["prefix, shared, extra loss"].tolist() == ["2.7, 0.0052", "3"]
    assert table["one"].tolist() == ["2.7, 0.0052", "1, 12"]


def test_printed_class_errors_apart_by_the_spread_of_drawn_answers():
    """Against 40,000 drawn pairs of tests with 64 x 20 answers each."""
    rng = np.random.default_rng(0)
    drawn = 100 * rng.binomial(1280, [[0.276], [0.321]], (2, 40_000)) / 1280
    apart = (32.1 - 27.6) / (drawn[1] - drawn[0]).std()
    assert trained.standard_errors_apart(27.6, 32.1) == pytest.approx(apart, rel=0.02)
    table = trained.class_differences(trained.extra_loss, trained.as_in_table_1(), mask="causal")
    assert table.loc["prefix, unshared"].tolist() == [27.6, 32.1, 2.5] and len(table) == 2


def test_overfitting_is_a_ratio_of_ratios(results, monkeypatch):
    monkeypatch.setattr(workers, "processors", lambda: ["cpu"])
    cells = table01_prefix_causal.classifier_cells()
    found = records(table01_prefix_causal.classifiers, "smoke", page="causal_lm/test")
    shares = table01_prefix_causal.held_out_and_training(found, cells)
    assert [shares[cells[2]][0, 0], shares[cells[2]][1, 0]] == [
        found[2]["wrong"][0], found[2]["training_wrong"][0]]
    assert cells[2] == Cell("classes", "prefix", False, False) and len(found) == len(cells) == 4
    made = {cell: np.array([[0.3, 0.4], [0.1, 0.2]]) * [[1 + 3 * (not cell.shared)], [1]]
            for cell in cells}
    assert table01_prefix_causal.overfitting(made)["causal"] == pytest.approx([4, 4])
