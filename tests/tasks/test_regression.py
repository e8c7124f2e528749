"""Two noise levels, sparse, sigmoid and affine functions against plain loops and their laws."""

import math

import pytest
import torch
from standard_errors import STREAM, within_four_standard_errors

from icllib.tasks import AffineFunctions, SigmoidRegression, SparseLinear, TwoNoiseLevels

IDS, DOUBLE = torch.tensor([[4, 8, 9]]), torch.float64
MANY = torch.arange(10_000)[None]


def numbers(tensor):
    """The drawn numbers of one member as nested lists."""
    return tensor[0].tolist()


def inner(ones, others):
    return sum(one * other for one, other in zip(ones, others))


@pytest.mark.parametrize("dtype", (torch.float32, DOUBLE))
def test_prompts_of_one_level_are_those_of_the_mixture(dtype):
    task, ids = TwoNoiseLevels(20, weight_std=20**-0.5), torch.arange(100)[None]
    mixture, levels = task.sample(STREAM, ids, 5, dtype), task.levels(STREAM, ids)
    assert within_four_standard_errors(task.levels(STREAM, MANY), 0.5)
    for level, noise_std in enumerate(task.noise_stds):
        alone = task.at_level(level)
        assert (alone.noise_std, alone.weight_std) == (noise_std, task.weight_std)
        for ours, expected in zip(mixture, alone.sample(STREAM, ids, 5, dtype)):
            assert torch.equal(ours[levels == level], expected[levels == level])


@pytest.mark.parametrize("active", [6, 4])
def test_support_is_a_uniform_subset_of_the_active_coordinates(active):
    prompt = SparseLinear(6, nonzero=3).sample(STREAM, MANY, active, DOUBLE, torch.tensor(active))
    weights = torch.linalg.solve(prompt.xs[0, ..., :active], prompt.ys[0])
    support = weights.abs() > 1e-6
    assert (support.sum(-1) == 3).double().mean() > 0.999  # but for ill-conditioned prompts
    for i in range(active):
        assert within_four_standard_errors(support[:, i], 3 / active)
        for j in range(i):
            assert within_four_standard_errors(support[:, i] & support[:, j], 3 * 2 / (active * (active - 1)))
    values = weights[support]
    assert within_four_standard_errors(values[values.abs() < 5] ** 2, 1)


@pytest.mark.parametrize("centred", (True, False))
def test_sigmoid_regression_equals_a_plain_loop(centred):
    prompt = SigmoidRegression(16, centred).sample(STREAM, IDS, 6, DOUBLE)
    uniform = numbers(STREAM.uniform(IDS, "xs", (6, 16), DOUBLE))
    weights = numbers(STREAM.normal(IDS, "weights", (16,), DOUBLE))
    for b in range(3):
        for i in range(6):
            point = [2 * u - 1 for u in uniform[b][i]]
            label = 1 / (1 + math.exp(-inner(weights[b], point))) - (0.5 if centred else 0)
            assert prompt.xs[0, b, i].tolist() == pytest.approx(point, abs=1e-14)
            assert prompt.ys[0, b, i].item() == pytest.approx(label, abs=1e-13)
    assert torch.equal(prompt.ys, prompt.means)


@pytest.mark.parametrize("first, sharing", [(None, 1), (50.0, 1), (None, 4)])
def test_affine_functions_equal_a_plain_loop(first, sharing):
    task = AffineFunctions(2.0, 3.0, first, sharing)
    prompt = task.sample(STREAM, IDS, 6, DOUBLE)
    draws = numbers(STREAM.normal(IDS, "xs", (6, 1), DOUBLE))
    for b, id in enumerate(IDS[0].tolist()):
        function = STREAM.normal(torch.tensor([[id // sharing]]), "function", (2,), DOUBLE)
        a, c = (3 * number for number in numbers(function)[0])
        for i in range(6):
            x = draws[b][i][0] * (first if first is not None and i == 0 else 2.0)
            assert prompt.xs[0, b, i, 0].item() == pytest.approx(x, rel=1e-13)
            assert prompt.ys[0, b, i].item() == pytest.approx(a * x + c, rel=1e-12, abs=1e-12)
