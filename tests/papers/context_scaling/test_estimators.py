"""The estimators' page: against the baselines, Monte Carlo and what the identities must refuse."""

import math

import pandas as pd
import pytest
import torch

from icllib.baselines import ExponentialSmoother, HilbertEstimate, OneStepGD, PsiL, Ridge
from icllib.baselines.gradient import best_step, one_step_error
from icllib.streams import Stream
from icllib.tasks import LinearRegression, ReluNetwork
from papers.context_scaling import estimators
from papers.context_scaling.estimators import EstimatorErrors, Identities

LINEAR, RELU = LinearRegression(3, 0.4, 0.7), ReluNetwork(3, width=10)
MANY = torch.arange(200_000)[None]


def test_answers_are_those_of_the_baselines_for_each_query_and_length():
    settings = EstimatorErrors(LINEAR, lengths=(2, 5, 11), functions=1, queries=4)
    prompt = LINEAR.sample(Stream.of([1], "evaluation"), torch.tensor([[0]]), 15, torch.float64)
    xs, ys, queries = prompt.xs[0, 0, :11], prompt.ys[0, 0, :11], prompt.xs[0, 0, 11:]
    answers = settings.answers(xs, ys, queries)
    baselines = {"unscaled": PsiL(), "one_step": OneStepGD(LINEAR), "ridge": Ridge.bayes(LINEAR),
                 "exponential": ExponentialSmoother(), "hilbert": HilbertEstimate()}
    assert answers.keys() == baselines.keys()
    for name, baseline in baselines.items():
        for k, n in enumerate(settings.lengths):
            for q, query in enumerate(queries):
                prompt_xs = torch.cat((xs[:n], query[None]))
                expected = baseline.predict(prompt_xs, ys[: n + 1], (n,))[0]
                torch.testing.assert_close(answers[name][k, q], expected, rtol=1e-9, atol=1e-12)


def test_errors_are_means_over_functions_and_queries():
    settings = EstimatorErrors(LINEAR, lengths=(4,), functions=3, queries=2, seed=7)
    metrics, squares = settings.measure(), {"error": [], "excess": []}
    for function in range(3):
        prompt = LINEAR.sample(Stream.of([7], "evaluation"), torch.tensor([[function]]), 6, torch.float64)
        xs, ys, means = (tensor[0, 0] for tensor in prompt)
        for place in (4, 5):
            order = [0, 1, 2, 3, place]
            answer = HilbertEstimate().predict(xs[order], ys[order], (4,))[0]
            squares["error"].append((answer - ys[place]) ** 2)
            squares["excess"].append((answer - means[place]) ** 2)
    for kind, values in squares.items():
        assert metrics[f"hilbert_{kind}"].item() == pytest.approx(sum(values).item() / 6)


@pytest.mark.parametrize("power", (0, 1, 2))
def test_the_rate_is_the_power_of_the_logarithm_at_the_end(power):
    """Whatever comes before a thousand pairs; an error that stays has rate 0, one over n a high one."""
    lengths = (10, 100, 1000, 10**4, 10**5, 10**6)
    excess = pd.DataFrame([{n: 0.3 * math.log(n) ** -power if n >= 1000 else 1 / n for n in lengths}] * 2)
    assert estimators.log_rate(excess) == pytest.approx([power] * 2)
    assert (estimators.log_rate(pd.DataFrame([{n: 1 / n for n in lengths}])) > 5).all()


def test_the_gaussian_smoother_tends_to_half_a_linear_function():
    """In one dimension its neighbors of x have the law N(x / 2, 1 / 2): E (x / 2 - x)^2 = 1 / 4."""
    task = LinearRegression(1, 0.1, 1.0)
    settings = EstimatorErrors(task, (20_000,), functions=40, queries=50, kernels=("gaussian",))
    metrics, stream = settings.measure(), Stream.of([0], "evaluation")
    expected = []
    for function in range(40):
        prompt = task.sample(stream, torch.tensor([[function]]), 20_050, torch.float64)
        queries = prompt.means[0, 0, -50:]
        expected.append((queries / 2).square().mean())
    assert metrics["gaussian_excess"].item() == pytest.approx(sum(expected).item() / 40, rel=0.05)


@pytest.mark.parametrize("n", (1, 6, 40))
def test_the_best_step_for_linear_functions_is_the_known_one(n):
    """1 / (n + d + 1 + sigma^2 / tau^2), the minimum of a parabola."""
    known = 1 / (n + 3 + 1 + (LINEAR.noise_std / LINEAR.weight_std) ** 2)
    assert best_step(LINEAR, n) == pytest.approx(known)
    assert one_step_error(LINEAR, n) == pytest.approx(
        LINEAR.noise_std**2 + 3 * LINEAR.weight_std**2 * (1 - n * known))


@pytest.mark.parametrize("task", (LINEAR, RELU), ids=lambda task: type(task).__name__)
@pytest.mark.parametrize("scale", (0.5, 1.0))
def test_one_step_errors_by_monte_carlo(task, scale):
    n, step = 5, scale * best_step(task, 5)
    prompt = task.sample(Stream.of([2], "evaluation"), MANY[:, :50_000], n + 1)
    estimates = step * PsiL().predict(prompt.xs, prompt.ys, (n,))[..., 0]
    squares = (estimates - prompt.ys[..., -1]).square()
    four_errors = 4 * float(squares.std()) / 50_000**0.5
    assert abs(float(squares.mean()) - one_step_error(task, n, step)) < four_errors


def test_the_limit_of_the_exponential_smoother_by_monte_carlo():
    """f(x) - E f(x + g), the mean over g from 400 draws, whose own spread is taken off."""
    xs = torch.randn(500, 1, 2, generator=torch.Generator().manual_seed(0))
    noise = torch.randn(500, 400, 2, generator=torch.Generator().manual_seed(1))
    prompt = ReluNetwork(2).sample(Stream.of([3], "evaluation"), MANY[:, :500], 1)
    stream, ids = Stream.of([3], "evaluation"), MANY[:, :500]
    hidden, output = stream.normal(ids, "hidden", (2, 100))[0], stream.normal(ids, "output", (100,))
    network = lambda points: (torch.relu(points @ hidden) @ output[0][..., None])[..., 0] * 0.02**0.5
    assert torch.allclose(network(prompt.xs[0]), prompt.ys[0], atol=1e-5)
    around = network(xs + noise)
    squares = (network(xs)[:, 0] - around.mean(1)).square() - around.var(1) / 400
    four_errors = 4 * float(squares.std()) / 500**0.5
    assert abs(float(squares.mean()) - estimators.exponential_limit(2)) < four_errors


def test_identities_hold_and_notice_a_wrong_psi(monkeypatch):
    metrics = Identities(4, pairs=6, prompts=20).measure()
    assert metrics.pop("leak") > 0.1
    assert max(metrics.values()) < 1e-12
    right = PsiL.predict
    monkeypatch.setattr(PsiL, "predict", lambda *given: 1.001 * right(*given))
    assert Identities(4, pairs=6, prompts=20).measure()["psi_L"] == pytest.approx(1e-3, rel=0.01)
