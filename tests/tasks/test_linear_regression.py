"""Linear regression prompts: the formula, the laws and what is refused."""

import numpy as np
import pytest
import torch
from scipy import stats
from standard_errors import STREAM, within_four_standard_errors

from claimbook.records.errors import InputError
from icllib.baselines import DiscreteMMSE
from icllib.tasks import FunctionPool, LinearRegression


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


def two_normal(values):
    """The distribution function of one normal number in ten with three times the deviation, of variance 1."""
    return 0.9 * stats.norm.cdf(values * 1.8**0.5) + 0.1 * stats.norm.cdf(values * 1.8**0.5 / 3)


LAWS = {  # of variance 1
    "normal": stats.norm.cdf, "uniform": stats.uniform(-3**0.5, 2 * 3**0.5).cdf,
    "laplace": stats.laplace(scale=0.5**0.5).cdf, "exponential": stats.expon(loc=-1).cdf,
    "student": stats.t(4, scale=0.5**0.5).cdf, "mixture": two_normal}


@pytest.mark.parametrize("law", LAWS)
def test_inputs_weights_and_noise_have_the_laws_of_scipy(law):
    task = LinearRegression(1, 0.5, 2.0, law, 0.0, law, law, degrees=4)
    xs, ys, means = task.sample(STREAM, torch.arange(10_000)[None], 1, torch.float64)
    inputs = xs[0, :, 0, 0] * (3**0.5 if law == "uniform" else 1)
    for numbers in (inputs, means[0, :, 0] / xs[0, :, 0, 0] / 2, (ys - means)[0, :, 0] / 0.5):
        assert stats.kstest(numbers.numpy(), LAWS[law]).pvalue > 1e-3
    if law != "student":  # whose fourth moment is infinite here
        assert within_four_standard_errors(ys**2, task.label_variance)


def test_autoregressive_inputs_and_noise_follow_each_other():
    task = LinearRegression(2, 0.5, inputs="autoregressive", noise="autoregressive")
    xs, ys, means = task.sample(STREAM, torch.arange(4000)[None], 4)
    for numbers in (xs, 2 * (ys - means)):
        for apart in (0, 1, 2):
            product = numbers[:, :, 3] * numbers[:, :, 3 - apart]
            assert within_four_standard_errors(product, 0.9**apart)


@pytest.mark.parametrize("law", LAWS)
def test_a_pool_has_so_many_weights_of_every_law_and_new_inputs(law):
    pool = FunctionPool(LinearRegression(1, 1e-9, weights=law, inputs=law), 2)
    xs, ys, _ = pool.sample(STREAM, torch.arange(200)[None], 1, torch.float64)
    slopes = (ys / xs[..., 0])[0, :, 0]
    assert len(np.unique(slopes.numpy().round(4))) == 2
    assert len(xs.unique()) == 200
    known = DiscreteMMSE(pool).weights("cpu")[:, 0].sort().values
    assert torch.allclose(torch.stack((slopes.min(), slopes.max())), known, atol=1e-4)


@pytest.mark.parametrize("settings, name", [({"weights": "autoregressive"}, "weights"), ({"noise": "cauchy"}, "noise"),
                                            ({"degrees": 2}, "degrees")])
def test_laws_without_a_variance_or_an_order_are_refused(settings, name):
    with pytest.raises(InputError, match=name):
        LinearRegression(2, **settings)


def test_a_posterior_mean_of_other_noise_is_refused():
    with pytest.raises(InputError, match="noise"):
        DiscreteMMSE(FunctionPool(LinearRegression(2, 0.5, noise="laplace"), 3))
