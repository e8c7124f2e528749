"""SSMax and QASSMax beside the rows of Table 1 and Figure 4."""

import numpy as np
import pytest

from icllib.papers.signed_averaging import (
    affine, alternatives_on_every, comparisons, table01_scoring_functions)
from icllib.papers.signed_averaging.comparisons import NAMES
from icllib.results import Record, settings

PAGES = {table01_scoring_functions.added_on_affine_functions: (affine.scorings_on_affine_functions, table01_scoring_functions.affine_table),
         alternatives_on_every.added_on_every: (alternatives_on_every.scorings_on_every, alternatives_on_every.every_table)}


@pytest.mark.parametrize("added", PAGES)
@pytest.mark.parametrize("profile", ["smoke", "cpu", "gpu", "paper"])
def test_they_differ_from_the_page_s_softmax_in_scoring_alone(added, profile):
    runs, (of_page, _) = added(profile), PAGES[added]
    seeds = len({run.seed for run in runs})
    softmax = [run for run in of_page(profile) if run.model.scoring == runs[0].model.scoring]
    assert len(set(runs)) == len(runs) == len(NAMES) * seeds
    if profile != "smoke":  # where one page has other heads
        assert runs[:seeds] == softmax
    for run in runs:
        model = run.model
        assert (run.task, run.recipe, run.evaluation) == (
            runs[0].task, runs[0].recipe, runs[0].evaluation)
        if "QAS" in type(model.scoring).__name__:
            assert model.scoring.size == model.width // model.heads


@pytest.mark.parametrize("added", PAGES)
@pytest.mark.parametrize("profile", ["smoke", "cpu", "gpu", "paper"])
def test_a_page_lists_them_after_the_paper_s_and_each_once(added, profile):
    of_page = table01_scoring_functions.runs if "affine" in added.__name__ else (
        alternatives_on_every.runs)
    runs, of_paper = of_page(profile), PAGES[added][0](profile)
    kinds = {type(run.model.scoring).__name__ for run in runs[len(of_paper):]}
    assert runs[:len(of_paper)] == of_paper and len(set(runs)) == len(runs)
    assert {"SSMax", "QASSMax"} <= kinds


@pytest.mark.parametrize("added", PAGES)
def test_rows_say_that_they_are_not_trained_until_they_are(added, results):
    table = comparisons.added_rows(PAGES[added][1], comparisons.added_records(added, "stored", "test/page"))
    assert list(table.index) == ["SSMax", "QASSMax"] and set(table[""]) == {"not trained yet"}


def test_the_ratio_is_to_softmax_seed_by_seed(results):
    runs = table01_scoring_functions.added_on_affine_functions("pilot")
    times = {"Softmax": 1.0, "SSMax": 0.5, "QASSMax": 3.0}
    draw = np.random.default_rng(0).uniform(1, 2, (3, 10))
    for run in runs:
        error = times[type(run.model.scoring).__name__] * draw[run.seed]
        Record.of(run, {"error": error}, {"profile": "pilot"}).save(results / "test/page")
    own = comparisons.added_records(table01_scoring_functions.added_on_affine_functions, "stored", "test/page")
    table = comparisons.added_rows(table01_scoring_functions.affine_table, own)
    assert list(table["ratio to softmax"]) == ["1", "0.5", "3"]
    assert set(table.profile) == {"pilot"} and list(table.index) == list(NAMES)
    assert settings(runs[-1]) == own[-1].run


def test_on_every_the_rows_are_those_of_the_page(results):
    runs = alternatives_on_every.added_on_every("cpu")
    own = [Record(settings(run), {}, {"wrong": np.full((6, 7), 0.01 * (1 + run.seed)).tolist()},
                  {"profile": "cpu"}) for run in runs]
    table = comparisons.added_rows(alternatives_on_every.every_table, own)
    assert list(table["ratio to softmax"]) == ["1", "1", "1"]
