"""Figure 5's softmax attention against loops over literal matrices, and against its limit."""

import numpy as np
import pytest
import torch

from papers.solvable_attention import fig05_source_capacity
from papers.solvable_attention.fig05_source_capacity import (
    SourceCapacityCurves, SourceCapacitySoftmax, coordinate_by_coordinate, least_curvature, stable_seeds)
from papers.solvable_attention.softmax import one_by_one

SMALL = {"tasks": 4, "sizes": (3,), "width": 5, "scale": 0.5, "seed": 7}
LONG = SourceCapacityCurves(1.8, **SMALL)
SOFTMAX = SourceCapacitySoftmax(1.8, context_length=6, queries=2, tests=3, **SMALL)


def in_double(problem):
    """The same problem and the weights of a model of size 3 in double precision."""
    weights = [tensor.detach().double().requires_grad_() for tensor in LONG.start(3)]
    return fig05_source_capacity.Problem(*(tensor.double() for tensor in (
        problem.shares, problem.variances, problem.strengths)), problem.size), weights


def literal_output(weights, prompt, s):
    """Row s of V G softmax(G^T W_K^T W_Q G) at the query."""
    keys, queries, value = weights
    queries = torch.cat((queries, torch.ones_like(queries[:1])))  # meets the query's label, 0
    scores = prompt.T @ keys @ queries.T @ prompt
    return (value @ prompt @ torch.softmax(scores, 0))[s, -1]


def test_softmax_losses_and_gradients_are_those_of_the_full_matrices():
    problem, weights = in_double(LONG.problem(3).learned())
    random = torch.Generator().manual_seed(1)
    contexts = torch.randn(3, 6, 4, generator=random, dtype=torch.float64)
    asked = torch.randn(3, 2, 4, generator=random, dtype=torch.float64)
    found = fig05_source_capacity.softmax_losses(
        weights, fig05_source_capacity.Prompts.of(problem, contexts, asked))
    expected = []
    for s in range(3):
        errors = []
        for query in asked[s]:
            prompt = torch.zeros(4, 7, dtype=torch.float64)
            prompt[:3, :6], prompt[:3, 6] = contexts[s, :, :3].T, query[:3]
            prompt[3, :6] = contexts[s] @ problem.strengths[s]
            errors.append(literal_output(weights, prompt, s) - query @ problem.strengths[s])
        expected.append(sum(error**2 for error in errors) / 4)
    torch.testing.assert_close(found, torch.stack(expected), rtol=1e-12, atol=1e-12)
    for ours, theirs in zip(torch.autograd.grad(problem.shares @ found, weights),
                            torch.autograd.grad(problem.shares @ torch.stack(expected), weights)):
        torch.testing.assert_close(ours, theirs, rtol=1e-10, atol=1e-12)


def long_context_slopes(problem, weights, s):
    """The vector that a long context multiplies the query with, by loops over C_s."""
    keys, queries, value = (tensor.detach().numpy() for tensor in weights)
    variances, strengths = problem.variances[s].numpy(), problem.strengths[s].numpy()
    tokens = np.vstack([np.eye(4)[:3], strengths])  # a token is this times the features
    covariance = sum(variances[k] * np.outer(tokens[:, k], tokens[:, k]) for k in range(4))
    return value[s] @ covariance @ keys @ queries.T


def test_long_context_losses_are_those_of_the_covariances():
    problem, weights = in_double(LONG.problem(3).learned())
    found = fig05_source_capacity.long_context_losses(weights, problem).tolist()
    for s in range(3):
        slopes = np.append(long_context_slopes(problem, weights, s), 0)
        errors = slopes - problem.strengths[s].numpy()
        expected = sum(problem.variances[s, k] * errors[k] ** 2 for k in range(4)) / 2
        assert found[s] == pytest.approx(float(expected), rel=1e-12)


def test_the_softmax_becomes_the_linear_attention_of_long_contexts():
    problem, weights = in_double(LONG.problem(3).learned())
    deviations = problem.variances.sqrt()[:, None]
    random = torch.Generator().manual_seed(2)
    draw = lambda count: deviations * torch.randn(3, count, 4, generator=random).double()
    contexts, asked = draw(400_000), draw(4)
    found = fig05_source_capacity.softmax_losses(
        weights, fig05_source_capacity.Prompts.of(problem, contexts, asked)).detach()
    slopes = np.array([long_context_slopes(problem, weights, s) for s in range(3)])
    outputs = (asked[..., :3].numpy() @ slopes[..., None])[..., 0]
    targets = (asked @ problem.strengths[..., None])[..., 0].numpy()
    np.testing.assert_allclose(found, ((outputs - targets) ** 2).mean(1) / 2, rtol=0.02)
    assert np.abs(outputs).max() > 0.1


def test_variances_are_rotated_and_smaller_models_are_part_of_larger_ones():
    problem = LONG.problem(2)
    assert problem.variances[1].tolist() == pytest.approx([1 / 64, 1, 1 / 8, 1 / 27])
    for small, large in zip(LONG.start(2), LONG.start(4)):
        assert set(small.flatten().tolist()) <= set(large.flatten().tolist())


@pytest.mark.parametrize("run", [LONG, SOFTMAX], ids=lambda run: type(run).__name__)
def test_training_is_plain_gradient_descent(run):
    run = type(run)(**{**vars(run), "steps": 3})
    problem, weights = run.problem(3), [tensor.detach() for tensor in run.start(3)]
    training, test = run.losses(problem.learned())
    total = lambda weights: problem.shares[:3] @ training(weights)
    for _ in range(5):
        slopes = torch.func.grad(total)(weights)
        weights = [tensor - 0.2 * slope for tensor, slope in zip(weights, slopes)]
    rest = problem.shares[3] * (problem.variances[3] * problem.strengths[3] ** 2).sum() / 2
    expected = float(problem.shares[:3] @ test(weights) + rest)
    assert run.train(3)[-1] == pytest.approx(expected, rel=1e-5)
    assert expected != pytest.approx(run.train(3)[0], rel=1e-3)


def largest_eigenvalue(strength, share, start):
    """Of the Hessian of one task's loss, at the weights of a learned task in two key components."""
    problem = fig05_source_capacity.Problem(*map(torch.tensor, ([share], [[1.0]], [[strength]])), 1)
    shapes = (2, 2), (1, 2), (1, 2)
    unpack = lambda flat: [part.reshape(shape) for part, shape in zip(flat.split([4, 2, 2]), shapes)]

    def loss(flat):
        return share * fig05_source_capacity.long_context_losses(unpack(flat), problem)[0]

    keys, queries, value = unpack(start)
    output = ((value[0, 0] + strength * value[0, 1]) * (keys[0] + strength * keys[1]) @ queries[0])
    learned = torch.cat((start[:6], start[6:] * strength / output))
    assert float(loss(learned)) < 1e-10
    return float(torch.linalg.eigvalsh(torch.func.hessian(loss)(learned))[-1])


@pytest.mark.parametrize("strength", [0.7, -2.4])
def test_no_learned_task_is_flatter_than_the_least_curvature(strength):
    least, share = least_curvature(strength, 0.6), 0.6
    random = torch.Generator().manual_seed(3)
    assert min(largest_eigenvalue(strength, share, torch.randn(8, generator=random))
               for _ in range(30)) > 0.999 * least
    p_or_k = (abs(strength) / (1 + strength**2) ** -0.5) ** (1 / 3)  # equal terms
    query = p_or_k / (1 + strength**2) ** 0.5
    along = torch.tensor([1.0, strength]) / (1 + strength**2)
    start = torch.cat((p_or_k * torch.stack((along, 0 * along), 1).flatten(),
                       torch.tensor([query, 0.0]), p_or_k * along))
    assert largest_eigenvalue(strength, share, start) == pytest.approx(least, rel=1e-3)


def test_stable_seeds_are_those_whose_loss_falls_without_rising_in_between():
    few = [SourceCapacityCurves(1.8, tasks=5, sizes=(5,), steps=400, seed=seed) for seed in range(5)]
    falls = [bool(np.all(np.diff(run.measure()["ending"]) < 0)) for run in few]
    assert [run.is_stable() for run in few] == falls == [True, False, False, True, True]
    assert stable_seeds(3) == (0, 3, 4)


def test_coordinate_by_coordinate_is_a_plain_sum_and_one_task_at_a_time_for_large_tau():
    assert coordinate_by_coordinate("time", 1.8, tau=60) == pytest.approx(one_by_one("time", 1.8))
    times, shares = np.geomspace(30, 1000, 30), [s**-1.8 for s in range(1, 21)]
    rates = [share / sum(shares) * k**-3.0 for share in shares for k in range(1, 21)]
    losses = [sum(rate * np.exp(-rate * t) for rate in rates) for t in times]
    expected = np.polyfit(np.log(times), np.log(losses), 1)[0]
    assert coordinate_by_coordinate("time", 1.8, tasks=20) == pytest.approx(expected)
