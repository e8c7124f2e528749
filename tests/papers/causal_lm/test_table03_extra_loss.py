from dataclasses import replace

from papers.causal_lm import table03_extra_loss, trained
from papers.causal_lm.trained import SIZES


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


def test_linear_and_nonlinear_train_in_one_fleet():
    runs = table03_extra_loss.table_3("gpu")
    fleets = {}
    for run in runs:
        fleets.setdefault(run.shape, []).append(run)
    assert sorted(map(len, fleets.values())) == [5] * 8 + [10] * 8
