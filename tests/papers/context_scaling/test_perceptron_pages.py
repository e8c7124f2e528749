"""Figures 5 to 7 of the context-scaling paper: which runs they share, and what they are told."""

import numpy as np
import pytest

from icllib.evaluate import ErrorByLength
from icllib.models import MLP, FeatureMLP, ScalarRegression
from icllib.papers.context_scaling import (
    fig01_scaling, fig05_one_layer, fig06_scalar_against_row, fig07_features, scaling)
from icllib.results import PROFILES, Record, settings
from icllib.training import workers

NAMES = {"prompt": MLP(), "psi_L": FeatureMLP("linear"), "psi_H": ScalarRegression("hilbert"),
         "prompt + psi_L": FeatureMLP("linear", True), "prompt + psi_H": FeatureMLP(prompt=True)}


@pytest.mark.parametrize("profile", PROFILES[1:])
def test_figures_share_their_runs(profile):
    first, sixth, seventh = (set(page(profile)) for page in (
        fig01_scaling.runs, fig06_scalar_against_row.runs, fig07_features.runs))
    assert {run for run in sixth if isinstance(run.model, FeatureMLP)} < seventh
    on_prompt = {run for run in seventh
                 if isinstance(run.model, MLP) and run.task == scaling.LINEAR_8}
    assert on_prompt and on_prompt <= first


@pytest.mark.parametrize("profile", PROFILES)
def test_every_model_has_one_recipe_at_all_numbers_of_tasks(profile):
    recipes, counts = {}, {}
    for run in fig07_features.runs(profile):
        recipes.setdefault((run.task, run.model), set()).add(run.recipe)
        counts.setdefault((run.task, run.model), set()).add(run.pretraining_tasks)
    assert len(recipes) == 10 and all(len(found) == 1 for found in recipes.values())
    assert all({10**4, 10**6} <= found for found in counts.values())  # what the claims need


def test_the_paper_profile_has_the_papers_sizes():
    for page in (fig06_scalar_against_row.runs, fig07_features.runs):
        for run in page("paper"):
            assert getattr(run.model, "width", 1024) == 1024  # Eq. 14
            assert run.task.dimension == 8
            networks = run.task == scaling.RELU_8
            assert run.recipe.lengths == run.evaluation.lengths == (
                tuple(range(10, 90, 10)) if networks else (5, 10, 20, 30, 40))
    assert {run.recipe.lengths for run in fig05_one_layer.runs("paper")} == {
        (10, 20, 30, 40, 50)}


@pytest.mark.parametrize("name, model", NAMES.items())
def test_names_of_inputs(name, model):
    assert scaling.reads(Record({"model": settings(model)}, {}, {}, {})) == name


def test_ratios_of_errors_are_those_of_one_task():
    """Made-up errors of n + 1e4 / T, times one plus the seed, on ReLU networks times 100."""
    runs = [run for run in fig07_features.fig07_features_alone("cpu") if run.model.features == "linear"]
    records = []
    for run in runs:
        scale = (100 if run.task == scaling.RELU_8 else 1) * (1 + run.seed)
        errors = [scale * (n + 10**4 / run.pretraining_tasks) for n in run.evaluation.lengths]
        records.append(Record(settings(run), {}, {"error": errors}, {}))
    seeds = 1 + np.array(sorted({run.seed for run in runs}))
    for title, (_, lengths) in scaling.TASKS.items():
        found = fig07_features.errors_by_count(records, title, "error")
        assert list(found) == [10**4, 10**6]
        scale = 100 if title == "ReLU network" else 1
        np.testing.assert_allclose(found[10**4], scale * seeds[:, None] * np.add(lengths, 1))
        context, tasks = fig07_features.feature_ratios(records, title)
        np.testing.assert_allclose(context, (lengths[-1] + 0.01) / 10.01)
        np.testing.assert_allclose(tasks, 10.01 / 11)
        assert len(context) == len(tasks) == len(seeds)


def test_the_floor_is_below_zero_and_above_the_noise():
    """Ridge at 5 pairs beats zero; at 40 it is near the noise, 0.05 of 1.05."""
    floor = scaling.bayes_floor(ErrorByLength((5, 40), prompts=1024))
    assert 0.3 < floor[0] < 0.9
    assert 0.05 / 1.05 < floor[1] < 0.1


def test_a_few_steps_start_no_second_process(results, monkeypatch):
    def refuse(*given):
        raise AssertionError("a second process for a few steps")

    monkeypatch.setattr(workers, "Worker", refuse)
    monkeypatch.setattr(workers, "processors", lambda: ["cpu", "cpu"])
    runs = fig05_one_layer.runs("smoke")[:2]
    workers.compute_fleets(runs, runs, "smoke", results / "test")
    assert len(list(results.glob("test/smoke/*.json"))) == 2
