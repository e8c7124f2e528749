"""Softmax, SSA and SSMax trained further: what is compared with what."""

from dataclasses import replace

import numpy as np
import pytest

from claimbook.records import Record
from papers.signed_averaging import longer_training as sheet, trained_further
from papers.signed_averaging.affine import base_runs

OF_A_SEED = sheet.runs("cpu")[:15:5]  # softmax, SSA and SSMax


def test_paths_count_from_the_point_that_is_asked_for():
    run, errors = OF_A_SEED, np.arange(8 * 10 * 40.0).reshape(8, 10, 40)
    records = [Record.of(one, {"error_at_along": errors * scale}, {})
               for one, scale in zip(run, (1, 2, 3), strict=True)]
    models, = trained_further.levels(records)
    third, fourth = (trained_further.paths(models, first).loc["SSA"] for first in (3, 4))
    assert third.shape == (8, 10)
    assert third[1].iloc[0] == pytest.approx(2 * sum(range(2, 40)) / 38)
    assert fourth[1].iloc[0] == pytest.approx(2 * sum(range(3, 40)) / 37)


def models_with(error, steps, pairs):
    """Pairs of these steps whose errors in distribution are all this."""
    along = replace(base_runs("cpu")[0].along, steps=(1, steps))
    runs = [replace(run, seed=seed, recipe=replace(run.recipe, steps=steps, curriculum=None), along=along)
            for run in OF_A_SEED[:2] for seed in range(pairs)]
    return [Record.of(run, {"error_along": np.full((2, 10), error)}, {}) for run in runs]


def test_claims_are_judged_on_the_best_full_set_of_pairs():
    worse, better, few = models_with(0.01, 10, 3), models_with(0.001, 20, 3), models_with(1e-4, 30, 2)
    levels = trained_further.levels(few + better + worse)
    assert [len(models) for models in levels] == [6, 6, 4]
    best = trained_further.most_competent(levels)
    assert best == levels[1] and trained_further.paths(best).loc["SSA"].shape == (3 * 2, 10)
