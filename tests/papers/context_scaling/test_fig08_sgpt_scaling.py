from dataclasses import replace

import numpy as np
import pytest

from claimbook.records.errors import InputError
from papers.context_scaling import fig08_sgpt_scaling, scaling


def test_figure_8_at_cpu_trains_sgpt_as_gpt2_but_for_the_rate():
    tasks, context = scaling.fig08_against_tasks("cpu"), scaling.fig08_against_context("cpu")
    for runs in (tasks, context):
        for task in {run.task for run in runs}:
            own = {replace(run.recipe, learning_rate=0.001) for run in runs if run.task == task}
            assert len(own) == 1
    assert all(run.recipe.steps * run.recipe.batch >= 2 * 10**6 for run in tasks)


def test_figure_8_at_the_paper_profile():
    """Appendix C: both of eight layers, d = 8, networks of width 100."""
    for run in fig08_sgpt_scaling.runs("paper"):
        assert (run.model.layers, run.model.width, run.task.dimension) == (8, 256, 8)
        assert getattr(run.task, "width", 100) == 100 and getattr(run.model, "heads", 8) == 8
        assert run.recipe.steps == 500_000


def test_scaling_ratios_by_hand():
    errors = {10**4: np.array([[8.0, 9, 4]]), 10**5: np.array([[6.0, 9, 2]]),
              10**6: np.array([[4.0, 9, 3]])}
    assert fig08_sgpt_scaling.tasks_ratio(errors, (10, 20, 40)) == 0.5
    assert scaling.context_ratios(errors, (10, 20, 40), "GPT-2 ") == {
        "GPT-2 T = 1e5": 1 / 3, "GPT-2 T = 1e6": 0.75}
    needed = "T: expected 10000, 1000000, as claims .* got 100000, 1000000"
    with pytest.raises(InputError, match=needed):
        fig08_sgpt_scaling.tasks_ratio({T: errors[T] for T in (10**5, 10**6)}, (10, 20, 40))
    with pytest.raises(InputError, match="T: "):
        scaling.context_ratios({10**4: errors[10**4]}, (10, 20, 40))
