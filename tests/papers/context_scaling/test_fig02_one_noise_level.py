import pandas as pd
import pytest

from claimbook.records import PROFILES
from icllib.baselines import Ridge
from icllib.evaluate import ErrorByLength
from icllib.models import SGPT, Transformer
from icllib.streams import Stream
from icllib.tasks import LinearRegression
from papers.context_scaling import fig02_one_noise_level, fig03_two_noise_levels, gates
from papers.context_scaling.fig02_one_noise_level import on_prompts_of_seeds

TASK = LinearRegression(3, 0.5, 1.0)


def test_ridge_is_the_gates_measure_on_linear_functions():
    """The best of many penalties is about the best known one, whose error passes the gate."""
    measure = ErrorByLength((5, 20), prompts=2000)
    bayes = pd.DataFrame(measure.measure(TASK, Ridge.bayes(TASK))["error"], columns=(5, 20))
    assert gates.best_ridge(TASK, measure).tolist() == pytest.approx(bayes.loc[0].tolist(), rel=0.01)
    own = ErrorByLength((5, 20), prompts=2000, own_prompts=True)  # a baseline has no seed
    assert gates.over_ridge(2 * bayes, TASK, own)[0] == pytest.approx(2, rel=0.01)
    assert gates.over_ridge(bayes, TASK, measure, n=5)[0] == pytest.approx(1, rel=0.01)


def test_a_baseline_meets_the_prompts_of_each_seed():
    """As a trained model that answers like ridge regression would."""
    class Trained(Ridge):
        members, stream = 1, None

    own = ErrorByLength((5, 20), prompts=50, own_prompts=True)
    found = on_prompts_of_seeds(TASK, own, Ridge(0.3), (4, 0))
    for row, seed in enumerate((4, 0)):
        Trained.stream = Stream.of([seed], "training", "cpu")
        for metric, values in own.measure(TASK, Trained(0.3)).items():
            assert found[metric][row].tolist() == values[0].tolist()
    shared = ErrorByLength((5, 20), prompts=50)
    assert on_prompts_of_seeds(TASK, shared, Ridge(0.3), (4, 0))["error"].shape == (1, 2)


@pytest.mark.parametrize("profile", PROFILES)
def test_both_models_train_on_the_lengths_where_they_are_measured(profile):
    for page in (fig02_one_noise_level.runs, fig03_two_noise_levels.runs):
        runs = page(profile)
        assert {type(run.model) for run in runs} == {SGPT, Transformer}
        for run in runs:
            assert run.recipe.lengths == run.evaluation.lengths
            assert {10, 20, 30, 40} <= set(run.recipe.lengths)  # what claim 6 needs
            assert run.task.weight_std == pytest.approx(run.task.dimension**-0.5)


def test_figure_2_has_the_papers_dimension_and_prompts_of_each_seed():
    runs = fig02_one_noise_level.runs("cpu")
    assert {run.task for run in runs} == {LinearRegression(20, 0.5, 20**-0.5)}
    assert all(run.evaluation.own_prompts for run in runs) and len(runs) == 2 * 5
