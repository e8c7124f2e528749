from dataclasses import replace

import pytest

from claimbook.records import PROFILES
from papers.context_scaling import optimizer_steps, scaling


@pytest.mark.parametrize("profile", PROFILES)
def test_runs_of_figures_1_and_8_have_one_with_twice_the_steps(profile):
    runs = optimizer_steps.runs(profile)
    once, twice = runs[: len(runs) // 2], runs[len(runs) // 2 :]
    figures = {run for run in scaling.fig08_transformers(profile) if run.task == scaling.LINEAR_8}
    figures |= {*scaling.fig01_decoders(profile), *scaling.fig01_perceptrons(profile)}
    counts = {run.pretraining_tasks for run in figures}
    assert set(once) == {run for run in figures
                         if run.pretraining_tasks in {min(counts), 10**5, 10**6}}
    assert len(set(runs)) == len(runs)
    for run, longer in zip(once, twice):
        assert longer.recipe.steps == 2 * run.recipe.steps
        assert replace(run, recipe=longer.recipe) == longer
