from dataclasses import replace

import pandas as pd

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
    errors = pd.DataFrame({(0, 10**4): (8.0, 9, 4), (0, 10**5): (6.0, 9, 2), (0, 10**6): (4.0, 9, 3)},
                          index=(10, 20, 40)).T.rename_axis(["seed", "T"])
    found = scaling.context_ratios(errors, "GPT-2 ")
    assert {part: own.tolist() for part, own in found.items()} == {
        "GPT-2 T = 1e5": [1 / 3], "GPT-2 T = 1e6": [0.75]}
    assert scaling.context_ratios(errors, n=20)["T = 1e5"].tolist() == [1.5]
