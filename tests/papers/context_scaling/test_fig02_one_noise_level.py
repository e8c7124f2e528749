import pandas as pd
import pytest

from icllib.baselines import Ridge
from icllib.evaluate import ErrorByLength
from icllib.streams import Stream
from icllib.tasks import LinearRegression
from papers.context_scaling import gates
from papers.context_scaling.fig02_one_noise_level import on_prompts_of_seeds

TASK = LinearRegression(3, 0.5, 1.0)


def test_ridge_is_the_gates_measure_on_linear_functions():
    measure = ErrorByLength((5, 20), prompts=2000)
    bayes = pd.DataFrame(measure.measure(TASK, Ridge.bayes(TASK))["error"], columns=(5, 20))
    assert gates.best_ridge(TASK, measure).tolist() == pytest.approx(bayes.loc[0].tolist(), rel=0.01)
    own = ErrorByLength((5, 20), prompts=2000, own_prompts=True)  # a baseline has no seed
    assert gates.over_ridge(2 * bayes, TASK, own)[0] == pytest.approx(2, rel=0.01)
    assert gates.over_ridge(bayes, TASK, measure, n=5)[0] == pytest.approx(1, rel=0.01)


def test_a_baseline_meets_the_prompts_of_each_seed():
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
