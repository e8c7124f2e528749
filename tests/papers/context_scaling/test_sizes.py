"""The paper profile has the sizes of the paper's figures and of its Appendix A."""

from itertools import product

from icllib.models import SGPT, Transformer
from icllib.models.sgpt import pack
from icllib.tasks import LinearRegression, TwoNoiseLevels
from icllib.training import Run
from papers.context_scaling import (
    fig02_one_noise_level, fig03_two_noise_levels, fig04_three_tasks, fig05_one_layer,
    fig06_scalar_against_row, fig07_features, scaling, sizes)

ONE_LEVEL = LinearRegression(20, 0.5, 20**-0.5)


def test_figures_2_and_3():
    second, third = (page("paper")[0] for page in (fig02_one_noise_level.runs, fig03_two_noise_levels.runs))
    assert (second.task, second.recipe.lengths) == (ONE_LEVEL, (10, 15, 20, 25, 30, 35, 40))
    assert third.task == TwoNoiseLevels(20, (0.1, 0.5), 20**-0.5)
    assert third.recipe.lengths == tuple(range(1, 41))
    assert pack(fig03_two_noise_levels.FEWER_LENGTHS, "cpu").points.shape == (4, 41)


def test_figure_4():
    for run in filter(lambda run: isinstance(run, Run), fig04_three_tasks.runs("paper")):
        assert (run.task.dimension, run.pretraining_tasks) == (20, 2_000_000)
        separate = getattr(run.model, "tokens", "") == "separate"
        assert (run.model.layers, run.model.width) == (12 if separate else 8, 256)
        assert not isinstance(run.model, Transformer) or run.model.heads == 8
        assert not hasattr(run.task, "width") or run.recipe.lengths == tuple(range(1, 92, 10))  # of networks


def test_figures_5_to_7():
    assert {run.recipe.lengths for run in fig05_one_layer.runs("paper")} == {(10, 20, 30, 40, 50)}
    for run in (*fig06_scalar_against_row.runs("paper"), *fig07_features.runs("paper")):
        assert getattr(run.model, "width", 1024) == 1024 and run.task.dimension == 8  # Eq. 14
        assert run.recipe.lengths == run.evaluation.lengths == (
            tuple(range(10, 90, 10)) if run.task == scaling.RELU_8 else (5, 10, 20, 30, 40))


def test_every_size_of_the_sweep():
    found = {SGPT: [], Transformer: []}
    for run in sizes.runs("paper"):
        assert run.task == ONE_LEVEL
        assert run.recipe.lengths == run.evaluation.lengths == tuple(range(10, 41, 5))
        if run.seed == 0:
            heads = (run.model.heads,) if isinstance(run.model, Transformer) else ()
            found[type(run.model)].append((run.model.layers, run.model.width, *heads))
    layers, widths, heads = (2, 4, 6, 8), (256, 512, 1024), (2, 4, 8)
    assert sorted(found[SGPT]) == sorted(product(layers, widths))
    assert sorted(found[Transformer]) == sorted(product(layers, widths, heads))
    assert set(fig02_one_noise_level.runs("paper")) < set(sizes.runs("paper"))
