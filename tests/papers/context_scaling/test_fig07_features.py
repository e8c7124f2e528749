import numpy as np
import pytest

from claimbook.records import Record, settings
from papers.context_scaling import fig07_features, scaling


def features(errors_of):
    """Records of every model of Figure 7 with these errors at n pairs and T tasks, by what it reads."""
    by_input = {}
    for run in fig07_features.runs("cpu"):
        errors = [errors_of(scaling.reads(run.model), n, run.pretraining_tasks)
                  for n in run.evaluation.lengths]
        by_input.setdefault(scaling.reads(run.model), []).append(
            Record(settings(run), {}, {"error": errors}, {}))
    return by_input


def test_prompt_and_features_beside_either_alone():
    """Both: n. Features alone: 10. The prompt alone: 5, at ten thousand tasks 20."""
    errors = {"psi": lambda n, T: 10.0, "prompt": lambda n, T: 20.0 if T == 10**4 else 5.0,
              "both": lambda n, T: float(n)}
    name = lambda reads: "both" if "+" in reads else reads.split("_")[0]
    by_input = features(lambda reads, n, T: errors[name(reads)](n, T))
    over_context, prompt = fig07_features.both_beside(by_input, over_tasks=False)
    assert list(over_context["psi_L linear"]) == pytest.approx([4] * 3)  # at 40 pairs
    assert list(over_context["psi_H ReLU network"]) == pytest.approx([8] * 3)  # at 80
    assert list(prompt["psi_L ReLU network"]) == pytest.approx([0.5] * 3)
    over_tasks, features_alone = fig07_features.both_beside(by_input, over_tasks=True)
    assert list(over_tasks["psi_L linear"]) == pytest.approx([2] * 3)  # 10 over 5, at a million tasks
    assert list(features_alone["psi_L linear"]) == pytest.approx([2] * 3)
    learned = fig07_features.features_learned(by_input, lambda kernel: kernel, lambda kernel: "prompt")
    assert list(learned["tasks psi_H ReLU network"]) == pytest.approx([10 / 8] * 3)
    parts = fig07_features.over_margins(fig07_features.feature_parts(by_input, lambda kernel: "prompt"))
    assert list(parts["context psi_L linear"]) == pytest.approx([1 / 0.9] * 3)
    assert list(parts["tasks psi_L linear"]) == pytest.approx([0.95 * 4] * 3)


def test_ratios_of_errors_are_those_of_one_task():
    """Made-up errors of n + 1e4 / T, times one plus the seed, on ReLU networks times 100."""
    runs = [run for run in fig07_features.fig07_features_alone("cpu") if run.model.features == "linear"]
    records = []
    for run in runs:
        scale = (100 if run.task == scaling.RELU_8 else 1) * (1 + run.seed)
        errors = [scale * (n + 10**4 / run.pretraining_tasks) for n in run.evaluation.lengths]
        records.append(Record(settings(run), {}, {"error": errors}, {}))
    seeds = 1 + np.array(sorted({run.seed for run in runs}))
    for title, (_, lengths) in scaling.TASKS.items():
        found = fig07_features.errors_on(title, records)
        assert list(found.index.unique("T")) == [10**4, 10**6]
        scale = 100 if title == "ReLU network" else 1
        np.testing.assert_allclose(found.xs(10**4, level="T"), scale * seeds[:, None] * np.add(lengths, 1))
        context, tasks = fig07_features.feature_ratios(records, title)
        np.testing.assert_allclose(context, (lengths[-1] + 0.01) / 10.01)
        np.testing.assert_allclose(tasks, 10.01 / 11)
        assert len(context) == len(tasks) == len(seeds)
