"""Sizes, forms and a reviewer's questions: which runs, and what is made of their errors."""

from itertools import product

import numpy as np
import pytest
import torch

from icllib.models import MLP, SGPT, FeatureMLP, Transformer
from icllib.papers.context_scaling import (
    fig01_scaling, fig02_one_noise_level, normalization, scaling, sizes, what_would_a_reviewer_ask)
from icllib.results import PROFILES, Record, settings
from icllib.tasks import LinearRegression


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


@pytest.mark.parametrize("profile", ("smoke", "cpu", "gpu"))
@pytest.mark.parametrize("kind", (SGPT, Transformer))
def test_shorter_profiles_change_one_thing_at_a_time(profile, kind):
    """From the most layers, the least width and the most heads, to every value of each."""
    found = sizes_at(profile, kind)
    columns = [sorted(set(column)) for column in zip(*found)]
    best = tuple(pick(column) for pick, column in zip((max, min, max), columns))
    changed = [tuple(a != b for a, b in zip(size, best)) for size in found]
    assert best in found and max(map(sum, changed)) == 1
    assert len(found) == len(set(found)) == 1 + sum(len(column) - 1 for column in columns)
    assert tuple(sizes.best_size(profile).values())[: len(best)] == best


def made_up_records():
    """Errors that name their run: layers + width / 100 + heads / 1000, times (1 + seed)."""
    records = []
    for run in sizes.runs("smoke"):
        number = run.model.layers + run.model.width / 100 + getattr(run.model, "heads", 0) / 1000
        errors = np.array([0.9, 1.1]) * number * (1 + run.seed)  # their mean is what counts
        records.append(Record(settings(run), {}, {"error": list(errors), "excess": [0.0]}, {}))
    return records


def test_errors_along_an_axis_and_against_the_best_size():
    best = {"layers": 2, "width": 8, "heads": 2}
    sizes = sizes.by_size(made_up_records())
    gpt, sgpt = (sizes[sizes.model == name] for name in ("GPT-2", "SGPT"))
    assert list(sizes.over_axis(gpt, "heads", best).columns) == [1, 2]
    np.testing.assert_allclose(sizes.over_axis(gpt, "heads", best), [[2.081, 2.082], [4.162, 4.164]])
    np.testing.assert_allclose(sizes.over_axis(sgpt, "layers", best), [[1.08, 2.08], [2.16, 4.16]])
    ratios = sizes.against_best(gpt, best)
    assert len(ratios.columns) == 4
    np.testing.assert_allclose(ratios[1, 8, 2], [1.082 / 2.082] * 2)
    np.testing.assert_allclose(sizes.against_best(sgpt, best)[2, 16, 0], [2.16 / 2.08] * 2)


@pytest.mark.parametrize("profile", PROFILES)
def test_the_first_form_is_the_default_of_every_other_page(profile):
    default = next(iter(normalization.FORMS.values()))
    assert default == {"normalization": SGPT().normalization, "mlp_skip": SGPT().mlp_skip}
    runs = normalization.runs(profile)
    assert len({(run.model.normalization, run.model.mlp_skip) for run in runs}) == 4
    assert all(run.recipe.lengths == run.evaluation.lengths for run in runs)


@pytest.mark.parametrize("profile", PROFILES[1:])
def test_pages_share_their_runs(profile):
    forms, asked = normalization.runs(profile), what_would_a_reviewer_ask.runs(profile)
    default = [run for run in forms if run.model == scaling.SGPTS[profile][0]
               and run.task == scaling.LINEAR_8]
    assert len(default) == 3 and set(default) < set(asked)
    assert set(scaling.fig08_transformers(profile)) & set(forms) == {
        run for run in forms if run.model == scaling.SGPTS[profile][0]}
    known = [run for run in asked if run in fig01_scaling.runs(profile)]
    assert len(known) == (15 if profile == "cpu" else 18)  # GPT-2 at four or five T, the MLP at one
    if profile == "cpu":
        assert set(default) < set(sizes.runs(profile))


@pytest.mark.parametrize("profile", PROFILES)
def test_what_is_asked(profile):
    runs = what_would_a_reviewer_ask.runs(profile)
    assert len(runs) == len(set(runs))
    widths = {run.model.width for run in runs if isinstance(run.model, MLP)}
    assert max(widths) == 2 * min(widths) and len(widths) == 2
    counts = {run.pretraining_tasks for run in runs if isinstance(run.model, FeatureMLP)}
    assert {10**4, 10**6} <= counts  # claim 21
    phis = {run.model.normalization for run in runs if isinstance(run.model, SGPT)}
    assert phis == {"l1", "none"}


@pytest.mark.parametrize("profile", PROFILES)
def test_one_layer_over_deep_at_ten_pairs(profile):
    """Errors of the context length, T and the seed, of the deep models with 3 more."""
    records = [Record(settings(run), {}, {"error": [
        n * run.pretraining_tasks * (1 + run.seed + 3 * isinstance(run.model, SGPT))
        for n in run.evaluation.lengths]}, {}) for run in what_would_a_reviewer_ask.one_layer_and_deep(profile)]
    found = what_would_a_reviewer_ask.one_layer_over_deep(records)
    assert list(found) == ["T = 1e4", "T = 1e5", "T = 1e6"]
    for ratios in found.values():
        assert ratios == pytest.approx([(1 + seed) / (4 + seed) for seed in range(len(ratios))])


def test_every_curve_shows_the_runs_that_it_names():
    """Errors that name run and context length: the place of the run, and n / 100."""
    by_depth = what_would_a_reviewer_ask.by_depth("cpu")
    runs = by_depth + [run for run in what_would_a_reviewer_ask.runs("cpu") if run not in by_depth]
    records = [Record(settings(run), {}, {"error": [
        place + n / 100 for n in run.evaluation.lengths]}, {}) for place, run in enumerate(runs)]
    curves = what_would_a_reviewer_ask.reviewer_curves(records[: len(by_depth)], records[len(by_depth) :], "cpu")

    def shown(letter, name, x, seed=1):
        xs, errors = curves[letter][name]
        value = errors[seed, xs.index(x)]
        return runs[int(value)], round(value % 1 * 100)

    for name, x, n in (("SGPT, n = 10", 8, 10), ("SGPT, n = 40", 1, 40)):
        run, at = shown("A", name, x)
        assert (run.model, run.recipe.steps, run.seed, at) == (SGPT(x, 32), 15_000, 1, n)
    for name, layers, phi in (("normalized, 4 layers", 4, "l1"), ("not normalized, 1 layer", 1, "none")):
        run, at = shown("B", name, 20)
        assert (run.model, run.pretraining_tasks, at) == (SGPT(layers, 32, phi), 10**6, 20)
    for name, kind in (("one-layer SGPT", FeatureMLP), ("GPT-2", Transformer)):
        run, at = shown("C", name, 10**3, seed=2)
        assert (type(run.model), run.pretraining_tasks, run.seed, at) == (kind, 10**3, 2, 10)
    run, at = shown("D", "MLP, width 2048", 30)
    assert (run.model, run.pretraining_tasks, at) == (MLP(2048), 10**5, 30)


@pytest.mark.parametrize("normalization, parity", [("l1", -1), ("absolute", 1)])
def test_parity_of_the_first_weights_in_the_query(normalization, parity):
    """Signed weights of a query on its pairs are odd in x_N, absolute ones even."""
    module = SGPT(1, 16, normalization).build([0], 3, 5)
    rows = torch.randn(1, 1, 1, 6, 4, generator=torch.Generator().manual_seed(0))
    rows[..., -1, -1] = 0  # the label of the query
    weights = []
    for sign in (1, -1):
        rows[..., -1, :] *= sign
        hidden = rows @ module.embedding[0]
        scores = hidden @ hidden.mT
        seen = torch.ones_like(scores, dtype=torch.bool)
        weights.append(module.blocks[0].phi(scores, seen)[..., -1, :-1])
    torch.testing.assert_close(weights[1], parity * weights[0])
