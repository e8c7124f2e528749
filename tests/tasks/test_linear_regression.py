"""Linear regression prompts: the formula, the laws and what is refused."""

import pytest
import torch
from standard_errors import STREAM, within_four_standard_errors

from icllib.tasks import LinearRegression


@pytest.mark.parametrize("inputs, mean", [("normal", 0.0), ("normal", 1.5), ("uniform", 2.0)])
def test_sample_equals_a_plain_loop(inputs, mean):
    task = LinearRegression(3, noise_std=0.3, weight_std=0.5, inputs=inputs, input_mean=mean)
    ids, dtype = torch.tensor([[4, 8]]), torch.float64
    prompt = task.sample(STREAM, ids, 6, dtype)
    xs = (STREAM.normal(ids, "xs", (6, 3), dtype) if inputs == "normal"
          else 2 * STREAM.uniform(ids, "xs", (6, 3), dtype) - 1)
    weights, noise = (STREAM.normal(ids, name, size, dtype)
                      for name, size in (("weights", (3,)), ("noise", (6,))))
    for b in range(2):
        for i in range(6):
            point = [xs[0, b, i, k].item() + mean for k in range(3)]
            label = sum(0.5 * weights[0, b, k].item() * point[k] for k in range(3))
            assert prompt.xs[0, b, i].tolist() == pytest.approx(point, abs=1e-14)
            assert prompt.means[0, b, i].item() == pytest.approx(label, abs=1e-14)
            label += 0.3 * noise[0, b, i].item()
            assert prompt.ys[0, b, i].item() == pytest.approx(label, abs=1e-14)


def test_moments_of_normal_inputs_and_labels():
    task = LinearRegression(8, noise_std=0.5, weight_std=8**-0.5)
    prompt = task.sample(STREAM, torch.arange(20_000)[None], 1)
    xs, ys = prompt.xs[0, :, 0], prompt.ys[0, :, 0]
    for i in range(8):
        assert within_four_standard_errors(xs[:, i], 0)
        for j in range(i + 1):
            assert within_four_standard_errors(xs[:, i] * xs[:, j], float(i == j))
    assert within_four_standard_errors(ys**2, 1 + 0.25)
    assert within_four_standard_errors(prompt.means**2, 1)
    assert within_four_standard_errors((prompt.ys - prompt.means) ** 2, 0.25)


def test_moments_of_uniform_inputs():
    task = LinearRegression(2, inputs="uniform", input_mean=3.0)
    xs = task.sample(STREAM, torch.arange(5000)[None], 4).xs
    assert xs.min() > 2 and xs.max() < 4
    assert within_four_standard_errors(xs, 3)
    assert within_four_standard_errors((xs - 3) ** 2, 1 / 3)
    assert within_four_standard_errors((xs[..., 0] - 3) * (xs[..., 1] - 3), 0)


def test_weights_are_drawn_once_per_prompt():
    prompt = LinearRegression(1, weight_std=2.0).sample(STREAM, torch.arange(5000)[None], 3)
    weights = prompt.means / prompt.xs[..., 0]
    torch.testing.assert_close(weights, weights[..., :1].expand_as(weights))
    assert within_four_standard_errors(weights[..., 0] ** 2, 4)
