from itertools import product

import numpy as np

from claimbook.records import Record, settings
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


def made_up_records():
    """Errors that name their run: layers + width / 100 + heads / 1000, times (1 + seed)."""
    records = []
    for run in sizes.runs("smoke"):
        number = run.model.layers + run.model.width / 100 + getattr(run.model, "heads", 0) / 1000
        errors = np.array([0.9, 1.1]) * number * (1 + run.seed)  # their mean is what counts
        records.append(Record(settings(run), {}, {"error": [*errors, *[number * (1 + run.seed)] * 3],
                                                  "excess": [0.0] * 5}, {}))
    return records


def test_errors_along_an_axis_and_against_the_best_size():
    best = {"layers": 2, "width": 8, "heads": 2}
    table = sizes.by_size(made_up_records())
    gpt, sgpt = (table[table.model == name] for name in ("GPT-2", "SGPT"))
    assert list(sizes.over_axis(gpt, "heads", best).columns) == [1, 2]
    np.testing.assert_allclose(sizes.over_axis(gpt, "heads", best), [[2.081, 2.082], [4.162, 4.164]])
    np.testing.assert_allclose(sizes.over_axis(sgpt, "layers", best), [[1.08, 2.08], [2.16, 4.16]])
    ratios = sizes.against_best(gpt, best)
    assert len(ratios.columns) == 4
    np.testing.assert_allclose(ratios[1, 8, 2], [1.082 / 2.082] * 2)
    np.testing.assert_allclose(sizes.against_best(sgpt, best)[2, 16, 0], [2.16 / 2.08] * 2)
