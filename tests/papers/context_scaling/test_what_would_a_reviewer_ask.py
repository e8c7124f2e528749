import pytest

from claimbook.records import PROFILES, Record, settings
from icllib.models import FeatureMLP, MLP, SGPT, Transformer
from papers.context_scaling import what_would_a_reviewer_ask as asked


@pytest.mark.parametrize("profile", PROFILES)
def test_one_layer_over_deep_at_ten_pairs(profile):
    """Errors of the context length, T and the seed, of the deep models with 3 more."""
    records = [Record(settings(run), {}, {"error": [
        n * run.pretraining_tasks * (1 + run.seed + 3 * isinstance(run.model, SGPT))
        for n in run.evaluation.lengths]}, {}) for run in asked.one_layer_and_deep(profile)]
    found = asked.one_layer_over_deep(records)
    assert list(found) == ["T = 1e4", "T = 1e5", "T = 1e6"]
    for ratios in found.values():
        assert ratios.tolist() == pytest.approx([(1 + seed) / (4 + seed) for seed in range(len(ratios))])


def test_every_curve_shows_the_runs_that_it_names():
    """Errors that name run and context length: the place of the run, and n / 100."""
    by_depth = asked.by_depth("cpu")
    runs = by_depth + [run for page in (asked.one_layer_against_tasks, asked.with_and_without_normalization,
                                        asked.perceptrons_by_width) for run in page("cpu")]
    records = [Record(settings(run), {}, {"error": [
        place + n / 100 for n in run.evaluation.lengths]}, {}) for place, run in enumerate(runs)]
    curves = asked.reviewer_curves(records[: len(by_depth)], records[len(by_depth) :], "cpu")

    def shown(letter, name, x, seed=1):
        value = curves[letter][name].loc[seed, x]
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
