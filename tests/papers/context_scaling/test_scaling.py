import numpy as np
import pandas as pd
import pytest

from claimbook.records import Record
from icllib.baselines import MixtureRidge, Ridge
from icllib.evaluate import ErrorByLength
from papers.context_scaling import (
    fig03_two_noise_levels, fig05_one_layer, fig06_scalar_against_row, fig07_features, scaling)


def test_slopes_over_either_range_of_tasks():
    """Excess errors of 1 / T up to ten thousand tasks, and equal from there on."""
    excess = pd.DataFrame({(0, T): {5: 9.0, 10: 1 / min(T, 10**4)}
                           for T in (100, 10**3, 10**4, 10**5, 10**6)}).T.rename_axis(["seed", "T"])
    found = scaling.slopes_over_tasks(excess)
    assert found["from T = 1e4"] == pytest.approx([0], abs=1e-12)
    assert found["from T = 1e3"] == pytest.approx([-0.3])  # of 0, -1, -1, -1 at 0, 1, 2, 3


def made_up(runs, shape):
    """Records whose errors are 0, 1, 2, ... in the order of the runs."""
    metrics = [{"error": np.full(shape, i), "excess": np.full(shape, -i)} for i in range(len(runs))]
    return [Record.of(run, numbers, {}) for run, numbers in zip(runs, metrics)]


def test_sgpt_beside_ridge_with_one_penalty_for_both_levels():
    """The best penalty by a plain search; made-up errors of SGPT are 0 and 1."""
    runs = fig03_two_noise_levels.runs("smoke")
    lengths, task = runs[0].evaluation.lengths, runs[0].task
    at, penalties = lengths.index(20), scaling.penalties(task.dimension)
    errors = fig03_two_noise_levels.errors_at_two_levels(made_up(runs, (2, len(lengths))))["error"]
    best = min(by_level(task, Ridge(penalty), at, lengths) for penalty in penalties)
    ratios, of_floor = fig03_two_noise_levels.over_one_penalty(errors)
    assert ratios.tolist() == pytest.approx([0, 1 / best], rel=1e-4)
    floor = by_level(task, MixtureRidge.bayes(task), at, lengths)
    assert of_floor == pytest.approx([floor / best], rel=1e-4)


def by_level(task, predictor, at, lengths):
    """The geometric mean over the levels of the error of one predictor."""
    errors = [ErrorByLength(lengths, 64).measure(task.at_level(level), predictor)["error"]
              for level in (0, 1)]
    return np.prod([error[0, at] for error in errors]) ** 0.5


def test_the_paper_profile_has_the_papers_sizes():
    for page in (fig06_scalar_against_row.runs, fig07_features.runs):
        for run in page("paper"):
            assert getattr(run.model, "width", 1024) == 1024  # Eq. 14
            assert run.task.dimension == 8
            networks = run.task == scaling.RELU_8
            assert run.recipe.lengths == run.evaluation.lengths == (
                tuple(range(10, 90, 10)) if networks else (5, 10, 20, 30, 40))
    assert {run.recipe.lengths for run in fig05_one_layer.runs("paper")} == {(10, 20, 30, 40, 50)}
