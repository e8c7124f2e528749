"""Figures 1 and 8 of the context-scaling paper and the pages around them: runs and statistics."""

from dataclasses import replace

import numpy as np
import pytest

from icllib.errors import InputError
from icllib.models import SGPT, Transformer
from icllib.papers.context_scaling import (
    fig01_scaling, fig08_sgpt_scaling, optimizer_steps, scaling, untrained_lengths)
from icllib.results import PROFILES


@pytest.mark.parametrize("profile", PROFILES)
def test_figure_8_has_the_decoders_of_figure_1_and_what_its_claim_needs(profile):
    def of(runs):
        found = {}
        for run in runs:
            found.setdefault((run.task, type(run.model)), []).append(run)
        return found

    decoder = scaling.LINEAR_8, Transformer
    tasks, context = of(scaling.fig08_against_tasks(profile)), of(fig08_sgpt_scaling.fig08_against_context(profile))
    assert set(tasks[decoder]) <= set(scaling.fig01_against_tasks(profile))
    assert set(context[decoder]) == set(fig01_scaling.fig01_against_context(profile))
    assert len(tasks) == len(context) == 4
    for panel, needed in ((tasks, {10**4, 10**5, 10**6}), (context, {10**5, 10**6})):
        for runs in panel.values():
            assert len({(run.model, run.recipe) for run in runs}) == 1
            assert needed <= {run.pretraining_tasks for run in runs}
            assert runs[0].recipe.lengths == runs[0].evaluation.lengths
            assert 10 in runs[0].recipe.lengths and (panel is tasks or 40 in runs[0].recipe.lengths)
    every = fig08_sgpt_scaling.runs(profile)
    assert len(every) == len(set(every))
    assert (every == scaling.fig08_transformers(profile)) == (profile != "cpu")


def test_figure_8_at_cpu_trains_sgpt_as_gpt2_but_for_the_rate():
    tasks, context = scaling.fig08_against_tasks("cpu"), fig08_sgpt_scaling.fig08_against_context("cpu")
    for runs in (tasks, context):
        for task in {run.task for run in runs}:
            own = {replace(run.recipe, learning_rate=0.001) for run in runs if run.task == task}
            assert len(own) == 1
    assert all(run.recipe.steps * run.recipe.batch >= 2 * 10**6 for run in tasks)


@pytest.mark.parametrize("profile", PROFILES)
def test_panel_b_has_the_decoders_of_panel_a_but_at_cpu_where_they_train_for_longer(profile):
    runs, first = fig01_scaling.fig01_against_context(profile), scaling.fig01_decoders(profile)
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
            assert run.model == fig01_scaling.fig01_against_context("cpu")[0].model


def test_figure_8_at_the_paper_profile():
    """Appendix C: both of eight layers, d = 8, networks of width 100."""
    for run in fig08_sgpt_scaling.runs("paper"):
        assert (run.model.layers, run.model.width, run.task.dimension) == (8, 256, 8)
        assert getattr(run.task, "width", 100) == 100 and getattr(run.model, "heads", 8) == 8
        assert run.recipe.steps == 500_000


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


@pytest.mark.parametrize("profile", PROFILES)
def test_untrained_lengths_are_new_to_training_and_have_positions(profile):
    runs = untrained_lengths.runs(profile)
    assert [type(run.model) for run in runs if run.seed == 0] == [SGPT, Transformer, Transformer]
    assert {run.model.positions for run in runs[len(runs) // 3 :]} == {"learned", "none"}
    for run in runs:
        trained, tested = set(run.recipe.lengths), set(run.evaluation.lengths)
        new = tested - trained
        assert trained < tested and min(tested) == min(trained)
        assert any(length < max(trained) for length in new) and max(new) > max(trained)
        if isinstance(run.model, Transformer) and run.model.positions == "learned":
            assert run.model.positions_up_to == max(tested)


def test_ratios_at_untrained_lengths():
    """By hand: trained at 1, 11 and 21 with errors 1, 0.5 and 0.25."""
    tested = (1, 6, 11, 16, 21, 31)
    errors = [[1, 0.75, 0.5, 0.75, 0.25, 0.5], [1, 1.5, 0.5, 0.375, 0.25, 0.125]]
    ratios = untrained_lengths.untrained_ratios(errors, (1, 11, 21), tested)
    np.testing.assert_allclose(ratios["between"], [(1 + 2) / 2, (2 + 1) / 2])
    np.testing.assert_allclose(ratios["beyond"], [2, 0.5])


def test_slopes_on_logarithmic_axes_are_the_exponents_of_power_laws():
    counts = np.array([100, 10**4, 10**6])
    slopes = scaling.log_slope(counts, np.stack([3 * counts**-0.2, counts**0.1], axis=1))
    np.testing.assert_allclose(slopes, [-0.2, 0.1])


def test_scaling_ratios_by_hand():
    errors = {10**4: np.array([[8.0, 9, 4]]), 10**5: np.array([[6.0, 9, 2]]),
              10**6: np.array([[4.0, 9, 3]])}
    assert fig08_sgpt_scaling.tasks_ratio(errors, (10, 20, 40)) == 0.5
    assert scaling.context_ratios(errors, (10, 20, 40), "GPT-2 ") == {
        "GPT-2 T = 1e5": 1 / 3, "GPT-2 T = 1e6": 0.75}
    needed = "T: expected 10000, 1000000, as claims .* got 100000, 1000000"
    with pytest.raises(InputError, match=needed):
        fig08_sgpt_scaling.tasks_ratio({T: errors[T] for T in (10**5, 10**6)}, (10, 20, 40))
    with pytest.raises(InputError, match="T: expected 100000, 1000000, as claims .* got 10000$"):
        scaling.context_ratios({10**4: errors[10**4]}, (10, 20, 40))
