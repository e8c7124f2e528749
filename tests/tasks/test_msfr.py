"""Multitask sparse feature regression: data matrices, laws, and the theory's context matrix."""

import numpy as np
import pytest
import torch
from standard_errors import STREAM, within_four_standard_errors

from icllib.streams import Stream
from icllib.tasks import SourceCapacityRegression, SparseFeatureRegression
from icllib.theory import riccati

IDS, DOUBLE = torch.arange(12)[None], torch.float64
MANY = torch.arange(20_000)[None]


def type_of(id, tasks, alpha):
    """The task type of one prompt, by walking along the cumulative shares."""
    point = STREAM.uniform(torch.tensor([[id]]), "type", (), DOUBLE).item()
    for s, share in enumerate(riccati.task_shares(tasks, alpha), start=1):
        point -= share
        if point < 0:
            return s


@pytest.mark.parametrize("task", [SparseFeatureRegression(6, alpha=1.8),
                                  SourceCapacityRegression(6, alpha=1.2)])
def test_task_types_follow_a_power_law(task):
    types = task.types(STREAM, MANY)
    assert types[0, :50].tolist() == [type_of(id, 6, task.alpha) for id in range(50)]
    for s, share in enumerate(riccati.task_shares(6, task.alpha), start=1):
        assert within_four_standard_errors(types == s, share)


@pytest.mark.parametrize("task", [
    SparseFeatureRegression(5, strength=-2.0),
    SparseFeatureRegression(5, alpha=1.1, gamma=0.4, beta=0.7),
    SparseFeatureRegression(5, alpha=1.1, beta=1.5, feature_noise=2.0),
    SparseFeatureRegression(3, positive_share=0.25),
])
def test_sparse_features_equal_a_plain_loop(task):
    n = 8
    prompt = task.sample(STREAM, IDS, n, DOUBLE)
    uniform = STREAM.uniform(IDS, "signs", (n,))[0].tolist()
    zeta = STREAM.normal(IDS, "zeta", (n, task.tasks), DOUBLE)[0].tolist()
    for b, id in enumerate(IDS[0].tolist()):
        s = type_of(id, task.tasks, task.alpha)
        context = max(round(7 * s**-task.beta), 1)
        for i in range(n):
            expected, label = [0.0] * task.tasks, 0.0
            if i < context or i == n - 1:
                sign = 1 if uniform[b][i] < task.positive_share else -1
                expected = [task.feature_noise / context * zeta[b][i][k] for k in range(task.tasks)]
                expected[s - 1] += sign
                label = task.strength * s**-task.gamma * sign
            assert prompt.xs[0, b, i].tolist() == pytest.approx(expected, abs=1e-14)
            assert prompt.ys[0, b, i].item() == pytest.approx(label, abs=1e-14)


def test_a_data_matrix_gives_the_context_matrix_of_the_theory():
    """Phi Phi^T, with the query's label set to 0, is H_s of Eq. 7: psi H0 and the query's own."""
    task = SparseFeatureRegression(4, alpha=1.1, strength=0.7)
    prompt = task.sample(STREAM, IDS, 31, DOUBLE)
    labels = prompt.ys[0].clone()
    labels[:, -1] = 0
    phi = torch.cat((prompt.xs[0], labels[..., None]), dim=-1).mT  # (B, N_s + 1, psi + 1)
    for b, s in enumerate(task.types(STREAM, IDS)[0].tolist()):
        expected = np.zeros((5, 5))
        expected[np.ix_([s - 1, 4], [s - 1, 4])] = riccati.context_matrix(30, 0.7)
        np.testing.assert_allclose((phi[b] @ phi[b].T).numpy(), expected, atol=1e-12)


def test_source_capacity_equals_a_plain_loop():
    task, n = SourceCapacityRegression(5, alpha=1.1, tau=3.0, strength_seed=7), 6
    prompt = task.sample(STREAM, IDS, n, DOUBLE)
    draws = STREAM.normal(IDS, "xs", (n, 5), DOUBLE)[0].tolist()
    for b, id in enumerate(IDS[0].tolist()):
        s = type_of(id, 5, task.alpha)
        strengths = Stream.of([7], "strengths").normal(torch.tensor([[s]]), "strengths", (5,),
                                                       DOUBLE)[0, 0].tolist()
        order = [*range(s, 6), *range(1, s)]  # coordinates from the largest eigenvalue down
        for i in range(n):
            expected = [0.0] * 5
            for k, coordinate in enumerate(order, start=1):
                expected[coordinate - 1] = (k**-3.0) ** 0.5 * draws[b][i][coordinate - 1]
            label = sum(strength * x for strength, x in zip(strengths, expected))
            assert prompt.xs[0, b, i].tolist() == pytest.approx(expected, abs=1e-13)
            assert prompt.ys[0, b, i].item() == pytest.approx(label, abs=1e-13)
