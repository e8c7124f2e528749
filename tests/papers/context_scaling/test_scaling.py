import numpy as np
import pandas as pd
import pytest

from claimbook.records import Record
from icllib.baselines import MixtureRidge, Ridge
from icllib.evaluate import ErrorByLength
from papers.context_scaling import fig03_two_noise_levels, scaling


def test_slopes_over_either_range_of_tasks():
    """Excess errors of 1 / T up to ten thousand tasks, and equal from there on."""
    excess = pd.DataFrame({(0, T): {5: 9.0, 10: 1 / min(T, 10**4)}
                           for T in (100, 10**3, 10**4, 10**5, 10**6)}).T.rename_axis(["seed", "T"])
    found = scaling.slopes_over_tasks(excess)
    assert found["from T = 1e4"] == pytest.approx([0], abs=1e-12)
    assert found["from T = 1e3"] == pytest.approx([-0.3])  # of 0, -1, -1, -1 at 0, 1, 2, 3


def test_sgpt_beside_ridge_with_one_penalty_for_both_levels():
    """The best penalty by a plain search; made-up errors of SGPT are 0 and 1."""
    runs = fig03_two_noise_levels.runs("smoke")
    lengths, task = runs[0].evaluation.lengths, runs[0].task
    rule = ErrorByLength(lengths, 64)
    made = [Record.of(run, {metric: np.full((2, len(lengths)), place) for metric in ("error", "excess")}, {})
            for place, run in enumerate(runs)]
    errors = fig03_two_noise_levels.errors_at_two_levels(made)["error"]

    def of_ridge(predictor):  # the geometric mean over the levels
        errors = [rule.measure(task.at_level(level), predictor)["error"] for level in (0, 1)]
        return np.prod([error[0, lengths.index(20)] for error in errors]) ** 0.5

    best = min(of_ridge(Ridge(penalty)) for penalty in scaling.penalties(task.dimension))
    ratios, of_floor = fig03_two_noise_levels.over_one_penalty(errors)
    assert ratios.tolist() == pytest.approx([0, 1 / best], rel=1e-4)
    assert of_floor == pytest.approx([of_ridge(MixtureRidge.bayes(task)) / best], rel=1e-4)
