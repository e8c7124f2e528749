"""Figure 4 of the context-scaling paper: its models, its baselines and its curves."""

import numpy as np
import pytest
import torch

from claimbook.claims import find_claim
from claimbook.records import PROFILES, Record
from icllib.baselines import LeastSquares, StudentNetwork
from icllib.evaluate import ErrorByLength
from icllib.models import Transformer
from icllib.streams import Stream
from icllib.tasks import ReluNetwork, SparseLinear
from icllib.training import Run
from papers.context_scaling import fig04_three_tasks, scaling

CURVES = {
    fig04_three_tasks.TREES: {"SGPT", "GPT-2, separate tokens", "GPT-2, joint tokens", "XGBoost"},
    fig04_three_tasks.NETWORKS: {"SGPT", "GPT-2", "student network"},
    fig04_three_tasks.SPARSE: {"SGPT", "GPT-2", "Lasso", "least squares"},
}


def trained(profile):
    return [run for run in fig04_three_tasks.runs(profile) if isinstance(run, Run)]


def test_a_baseline_is_measured_prompt_by_prompt():
    task, lengths = SparseLinear(4, nonzero=2), (2, 6)
    found = fig04_three_tasks.Baseline(task, LeastSquares(), ErrorByLength(lengths, prompts=8)).measure()
    xs, ys, _ = (values[0].double().numpy() for values in task.sample(
        Stream.of([0], "evaluation"), torch.arange(8)[None], 7))
    for n, error in zip(lengths, found["error"]):
        fits = [np.linalg.lstsq(x[:n], y[:n], rcond=None)[0] for x, y in zip(xs, ys)]
        expected = np.mean([(x[n] @ w - y[n]) ** 2 for x, y, w in zip(xs, ys, fits)])
        assert error == pytest.approx(expected, rel=1e-5, abs=1e-9)


def test_every_baseline_is_a_column_of_its_settings():
    runs = [run for run in fig04_three_tasks.runs("cpu") if isinstance(run, fig04_three_tasks.Baseline)]
    table = fig04_three_tasks.figure_4_baselines(runs)
    assert list(table) == ["XGBoost", "student network", "Lasso", "least squares"]
    assert table["Lasso"][table["Lasso"] != ""].to_dict() == {
        "prompts": "2048", "penalty": "1, 0.1, 0.01, 0.001, 0.0001"}
    assert table.loc["learning rate"].to_list() == ["0.1", "0.005", "", ""]


@pytest.mark.parametrize("profile", PROFILES)
def test_every_panel_has_the_papers_curves_at_the_lengths_of_its_claim(profile):
    found = {}
    for run in fig04_three_tasks.runs(profile):
        panel, curve = fig04_three_tasks.figure_4_curve(run)
        assert (run.task, run.evaluation.lengths) == fig04_three_tasks.figure_4_tasks(profile)[panel]
        found.setdefault(panel, set()).add(curve)
    assert found == CURVES
    for number, (_, lengths) in zip((7, 8, 9), fig04_three_tasks.figure_4_tasks(profile).values()):
        parts = find_claim(f"context_scaling.{number}").parts
        assert {int(part.split("n = ")[1]) for part in parts} <= set(lengths)


@pytest.mark.parametrize("profile", PROFILES)
def test_models_of_a_panel_are_trained_alike(profile):
    """The same batch, T and seeds, each at the lengths at which it is measured; and the same steps,
    but on networks at cpu, where steps of SGPT take three times as long."""
    by_panel, steps = {}, {}
    for run in trained(profile):
        assert set(run.evaluation.lengths) <= set(run.recipe.lengths)
        told = run.recipe.batch, run.recipe.schedule, run.pretraining_tasks, run.evaluation
        by_panel.setdefault(type(run.task), set()).add(told)
        steps.setdefault(type(run.task), {}).setdefault(run.model, run.recipe.steps)
        assert steps[type(run.task)][run.model] == run.recipe.steps
    assert len(by_panel) == 3 and all(len(found) == 1 for found in by_panel.values())
    for task, found in steps.items():
        most = 3 if (profile, task) == ("cpu", ReluNetwork) else 1
        assert max(found.values()) == most * min(found.values())


def test_the_paper_profile_has_the_papers_sizes():
    for run in trained("paper"):
        assert (run.task.dimension, run.pretraining_tasks) == (20, 2_000_000)
        separate = getattr(run.model, "tokens", "") == "separate"
        assert (run.model.layers, run.model.width) == (12 if separate else 8, 256)
        if isinstance(run.model, Transformer):
            assert run.model.heads == 8
    networks = [run for run in trained("paper") if hasattr(run.task, "width")]
    assert {run.recipe.lengths for run in networks} == {tuple(range(1, 92, 10))}  # Appendix A


def test_errors_are_over_those_of_zero_and_the_student_shares_its_prompts():
    evaluation = ErrorByLength((1, 2), prompts=4)
    runs = [fig04_three_tasks.Baseline(SparseLinear(5), LeastSquares(), evaluation),
            fig04_three_tasks.Baseline(scaling.RELU_8, StudentNetwork(), evaluation)]
    records = [Record.of(run, {"error": [6.0, 3.0]}, {}) for run in runs]
    curves = fig04_three_tasks.figure_4_curves(records)
    assert curves[fig04_three_tasks.SPARSE]["least squares"].tolist() == [2.0, 1.0]  # 3 nonzero weights
    assert curves[fig04_three_tasks.NETWORKS]["student network"].tolist() == [0.75, 0.375]  # d = 8
    cpu = fig04_three_tasks.runs("cpu")
    student = next(run for run in cpu if isinstance(getattr(run, "predictor", 0), StudentNetwork))
    assert 200 <= student.evaluation.prompts <= cpu[0].evaluation.prompts
    assert student.evaluation.seed == cpu[0].evaluation.seed
