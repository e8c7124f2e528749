"""Recipes that learn: the committed file is what the records say, and the gates are those of the claims."""

import json

import pytest

import icllib
from claimbook.records import PROJECT, Record, load_record
from claimbook.records.errors import InputError
from icllib.court import SETTINGS
from icllib.models import SGPT, SignedAveraging, Transformer
from icllib.recipes import known
from icllib.tasks import AffineFunctions, LinearRegression, Quantifier
from papers import recipes

SMALL = Transformer(2, 4, 64, scoring=SignedAveraging(), tokens="separate")


def test_the_committed_files_are_those_that_the_records_give():
    """In every seed of SSA's models in Figure 3, read without our code, the error at sigma = 1 is at most 0.005."""
    rows = recipes.found()
    assert rows == known() and recipes.TABLE.read_text("utf-8") == recipes.table(rows)
    row, = (row for row in rows if row["model"] == recipes.plain(SMALL))
    errors = {}
    for path in (PROJECT / "results/signed_averaging").glob("*/cpu/*.json"):
        content = json.loads(path.read_text("utf-8"))
        if content["run"].get("model") == row["model"] and content["run"]["recipe"] == row["recipe"]:
            if len(content["metrics"].get("error_deviant", [])) == 11:  # measured as in Figure 3
                errors[content["run"]["seed"]] = content["metrics"]["error"][0]
    assert max(errors.values()) <= 0.005 and len(errors) == row["seeds"] == 5


def test_a_recipe_is_given_for_what_has_learned():
    assert icllib.recipe_for(AffineFunctions(), SETTINGS["lines"].model) == SETTINGS["lines"].recipe
    recipe = icllib.recipe_for(AffineFunctions(), SMALL)
    assert (recipe.steps, recipe.batch, max(recipe.lengths)) == (20_000, 32, 39)


@pytest.mark.parametrize("task, model, told", [
    (AffineFunctions(3.0), SMALL, "no model"), (AffineFunctions(), SGPT(), "Transformer.layers=12"),
    (LinearRegression(20), SMALL, "no model")])
def test_where_none_is_known_it_says_so_and_names_others(task, model, told):
    with pytest.raises(InputError, match=f"known recipe.*{told}"):
        icllib.recipe_for(task, model)


@pytest.mark.parametrize("page, metric, place, most", [
    ("fig03_softmax_ssa", "error", (0,), 0.005), ("fig04_every", "wrong", (0, 0), 0.02)])
def test_a_model_beyond_the_gate_has_not_learned(page, metric, place, most):
    path = next(path for path in sorted((PROJECT / f"results/signed_averaging/{page}/cpu").glob("*.json"))
                if recipes.judged(load_record(path), "signed_averaging") is not None)
    record = load_record(path)
    if metric == "wrong":
        place = 0, list(record.component.axes("wrong")["length"]).index(40)
        assert isinstance(record.component.task, Quantifier)
    for value, passes in ((0.99 * most, True), (1.01 * most, False)):
        values = record[metric].copy()
        values[place] = value
        own = Record(**{name: getattr(record, name) for name in ("run", "versions", "provenance")},
                     metrics=record.metrics | {metric: values})
        passed, told = recipes.judged(own, "signed_averaging")
        assert passed is passes and f"{most:.0%}" in told or str(most) in told
