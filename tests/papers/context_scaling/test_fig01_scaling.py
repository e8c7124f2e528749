import pytest

from claimbook.records import PROFILES
from papers.context_scaling import fig01_scaling, scaling


@pytest.mark.parametrize("profile", PROFILES)
def test_panel_b_has_the_decoders_of_panel_a_but_at_cpu_where_they_train_for_longer(profile):
    runs, first = scaling.fig01_against_context(profile), scaling.fig01_decoders(profile)
    assert {run.pretraining_tasks for run in runs} == {10**5, 10**6}
    assert (set(runs) <= set(first)) == (profile != "cpu")
    assert set(runs) <= set(fig01_scaling.runs(profile))
    seen = lambda run: run.recipe.steps * run.recipe.batch
    assert seen(runs[0]) == (10 if profile == "cpu" else 1) * seen(first[0])
    assert runs[0].recipe.lengths == runs[0].evaluation.lengths == scaling.LENGTHS


@pytest.mark.parametrize("profile", PROFILES)
def test_panel_a_looks_at_ten_pairs_and_at_cpu_meets_every_task_twice(profile):
    runs = scaling.fig01_against_tasks(profile)
    assert {10**3, 10**4, 10**6} <= {run.pretraining_tasks for run in runs} or profile == "smoke"
    assert set(runs) <= set(fig01_scaling.runs(profile))
    for run in runs:
        assert run.recipe.lengths == run.evaluation.lengths and 10 in run.recipe.lengths
        if profile == "cpu":
            assert run.recipe.steps * run.recipe.batch >= 2 * 10**6
            assert run.model == scaling.fig01_against_context("cpu")[0].model
