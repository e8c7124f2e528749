from itertools import product

from icllib.models import SGPT, Transformer
from icllib.tasks import LinearRegression
from papers.context_scaling import fig02_one_noise_level, sizes


def sizes_at(profile, kind):
    """The sizes of one model in the sweep, as tuples."""
    axes = ("layers", "width") + (("heads",) if kind is Transformer else ())
    return [tuple(getattr(run.model, axis) for axis in axes)
            for run in sizes.runs(profile) if type(run.model) is kind and run.seed == 0]


def test_the_paper_profile_has_every_size_of_appendix_a():
    layers, widths, heads = (2, 4, 6, 8), (256, 512, 1024), (2, 4, 8)
    assert sorted(sizes_at("paper", SGPT)) == sorted(product(layers, widths))
    assert sorted(sizes_at("paper", Transformer)) == sorted(product(layers, widths, heads))
    for run in sizes.runs("paper"):
        assert run.task == LinearRegression(20, 0.5, 20**-0.5)
        assert run.recipe.lengths == run.evaluation.lengths == tuple(range(10, 41, 5))
    assert set(fig02_one_noise_level.runs("paper")) < set(sizes.runs("paper"))
