"""What gates and controls of the context-scaling chapter compare models with."""

import numpy as np
import pytest

from icllib.baselines import Ridge
from icllib.evaluate import ErrorByLength
from icllib.papers.context_scaling import (
    fig01_scaling, fig02_one_noise_level, fig07_features, gates, scaling)
from icllib.papers.context_scaling.fig02_one_noise_level import on_prompts_of_seeds
from icllib.results import Record, settings
from icllib.streams import Stream
from icllib.tasks import LinearRegression, ReluNetwork

TASK = LinearRegression(3, 0.5, 1.0)


def test_ridge_is_the_gates_measure_on_linear_functions():
    """The best of many penalties is about the best known one, whose error passes the gate."""
    measure = ErrorByLength((5, 20), prompts=2000)
    bayes = measure.measure(TASK, Ridge.bayes(TASK))["error"]
    assert gates.best_ridge(TASK, measure) == pytest.approx(bayes[0], rel=0.01)
    own = ErrorByLength((5, 20), prompts=2000, own_prompts=True)  # a baseline has no seed
    assert gates.over_ridge(2 * bayes, TASK, own) == pytest.approx([2], rel=0.01)
    assert gates.over_ridge(bayes, TASK, measure, n=5) == pytest.approx([1], rel=0.01)


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


def test_zero_is_the_gates_measure_of_perceptrons():
    zero = fig02_one_noise_level.zero(TASK, ErrorByLength((5, 20), prompts=20_000))
    assert gates.over_zero([zero, zero / 2], TASK, (5, 20), n=5) == pytest.approx(
        [1, 0.5], rel=0.05)


def test_another_dimension_than_the_papers_decides_nothing():
    assert gates.at_papers_dimension([1.0, 2.0], ReluNetwork(20)).tolist() == [1, 2]
    assert np.isinf(gates.at_papers_dimension([1.0, 2.0], scaling.RELU_8)).all()


@pytest.mark.parametrize("T, counts", [(10**6, True), (10**7, False)])
def test_models_that_met_no_task_twice_tell_nothing_about_their_number(T, counts):
    record = Record({"recipe": {"steps": 20_000, "batch": 128}}, {}, {}, {})
    assert np.isfinite(gates.seen_twice([1.0], [record], T)).all() == counts


def test_slopes_over_either_range_of_tasks():
    """Excess errors of 1 / T up to ten thousand tasks, and equal from there on."""
    excess = {T: np.array([[9.0, 1 / min(T, 10**4)]]) for T in (100, 10**3, 10**4, 10**5, 10**6)}
    found = scaling.slopes_over_tasks(excess, (5, 10))
    assert found["from T = 1e4"] == pytest.approx([0], abs=1e-12)
    assert found["from T = 1e3"] == pytest.approx([-0.3])  # of 0, -1, -1, -1 at 0, 1, 2, 3


def test_ratios_at_every_length_of_claim_4():
    errors = {T: np.array([[8.0, 4, 2, 1]]) * T for T in (10**5, 10**6)}
    found = fig01_scaling.ratios_by_length(errors, (10, 20, 30, 40))
    assert list(found) == [f"T = {T} n = {n}" for T in ("1e5", "1e6") for n in (20, 30, 40)]
    assert found["T = 1e6 n = 30"].tolist() == [0.25]


def features(errors_of):
    """Records of every model of Figure 7 with these errors at n pairs and T tasks, by what it reads."""
    by_input = {}
    for run in fig07_features.runs("cpu"):
        record = Record(settings(run), {}, {}, {})
        errors = [errors_of(scaling.reads(record), n, run.pretraining_tasks)
                  for n in run.evaluation.lengths]
        by_input.setdefault(scaling.reads(record), []).append(
            Record(settings(run), {}, {"error": errors}, {}))
    return by_input


def test_prompt_and_features_beside_either_alone():
    """Both: n. Features alone: 10. The prompt alone: 5, at ten thousand tasks 20."""
    errors = {"psi": lambda n, T: 10.0, "prompt": lambda n, T: 20.0 if T == 10**4 else 5.0,
              "both": lambda n, T: float(n)}
    name = lambda reads: "both" if "+" in reads else reads.split("_")[0]
    by_input = features(lambda reads, n, T: errors[name(reads)](n, T))
    over_context, zero = fig07_features.both_beside(by_input, over_tasks=False)
    assert over_context["psi_L linear"] == pytest.approx([4] * 3)  # at 40 pairs
    assert over_context["psi_H ReLU network"] == pytest.approx([8] * 3)  # at 80
    assert zero["psi_L ReLU network"] == pytest.approx([0.8] * 3)  # d = 8
    over_tasks, _ = fig07_features.both_beside(by_input, over_tasks=True)
    assert over_tasks["psi_L linear"] == pytest.approx([2] * 3)  # 10 over 5, at a million tasks
    learned = fig07_features.features_learned(by_input, lambda kernel: kernel, lambda kernel: "prompt")
    assert learned["tasks psi_H ReLU network"] == pytest.approx([10 / 8] * 3)
    parts = fig07_features.over_margins(fig07_features.feature_parts(by_input, lambda kernel: "prompt"))
    assert parts["context psi_L linear"] == pytest.approx([1 / 0.9] * 3)
    assert parts["tasks psi_L linear"] == pytest.approx([0.95 * 4] * 3)
