"""Shifts, temperatures, caps and kernels against closed forms, other code and each other."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import Ridge

from icllib import attention
from icllib.evaluate import ErrorByLength
from icllib.models import Softmax, Transformer
from icllib.streams import Stream
from icllib.tasks import LinearRegression
from icllib.training import Trained
from papers.across import caps, kernels, mechanisms, shifts

TASK = LinearRegression(2, noise_std=0.3, weight_std=0.7)


def drawn(law: str):
    task = shifts.OtherInputs(2, 0.3, 0.7, law=law)
    return task.sample(Stream.of([3], "test"), torch.arange(4000)[None], 20)


@pytest.mark.parametrize("law, fourth", [("student", 9), ("laplace", 6), ("autoregressive", 3)])
def test_inputs_have_the_variance_of_training_and_the_tails_of_their_law(law, fourth):
    xs = drawn(law).xs.double()
    assert xs.var().item() == pytest.approx(1, rel=0.03)
    within = 0.5 if law == "student" else 0.05  # whose eighth moment is infinite
    assert (xs**4).mean().item() == pytest.approx(fourth, rel=within)
    followed = (xs[:, :, 1:] * xs[:, :, :-1]).mean().item()
    assert followed == pytest.approx(0.9 if law == "autoregressive" else 0, abs=0.02)


def test_the_optimum_is_the_ridge_regression_of_scikit_learn(monkeypatch):
    monkeypatch.setattr(shifts, "PAIRS", 5)
    task, errors = shifts.OtherInputs(2, 0.3, 0.7, law="laplace"), []
    prompt = task.sample(Stream.of([shifts.SEED], "evaluation"), torch.arange(8)[None], 6)
    for xs, ys in zip(prompt.xs[0].numpy(), prompt.ys[0].numpy()):
        model = Ridge(alpha=0.3**2 / 0.7**2, fit_intercept=False).fit(xs[:5], ys[:5])
        errors.append((model.predict(xs[5:])[0] - ys[5]) ** 2)
    assert shifts.optimum(task, "smoke") == pytest.approx(np.mean(errors), rel=1e-4)


def decoder(temperature: float = 1.0) -> Trained:
    """Two untrained models of two layers."""
    return Trained(Transformer(2, 2, 8, scoring=Softmax(temperature)).build([0, 1], 2, 5))


def test_heated_is_softmax_with_that_temperature_and_back():
    rule = ErrorByLength((1, 5), prompts=8)
    found = shifts.AtTemperatures(rule, (1.0, 4.0)).measure([TASK, TASK], model := decoder())["error"]
    for place, temperature in enumerate((1.0, 4.0)):
        expected = rule.measure([TASK, TASK], decoder(temperature))["error"]
        np.testing.assert_allclose(found[:, place], expected, rtol=1e-6)
    assert not np.allclose(found[:, 0], found[:, 1], rtol=2e-6)
    np.testing.assert_array_equal(rule.measure([TASK, TASK], model)["error"], found[:, 0])


def test_the_largest_answer_is_below_the_bound_and_unexplained_is_the_error_after_the_longest_context():
    model, seed = decoder(), 7
    measure = caps.LargestAnswers(factors=(1, 1e4), prompts=16, points=6, seed=seed, lengths=(2, 5))
    found = measure.measure([TASK, TASK], model)
    assert (found["largest"] < found["bound"][:, None]).all()
    errors = ErrorByLength((5,), prompts=16, seed=seed).measure([TASK, TASK], model)["error"]
    np.testing.assert_allclose(found["unexplained"] * TASK.label_variance, errors[:, 0], rtol=1e-5)


@pytest.mark.parametrize("kernel", kernels.KERNELS)
def test_a_kernel_is_the_attention_of_that_name(kernel):
    draw = np.random.default_rng(0)
    queries, xs, labels = draw.normal(size=(3, 2)), draw.normal(size=(9, 2)), draw.normal(size=(9, 2))
    scores, mask = torch.tensor(queries @ xs.T), torch.ones(3, 9, dtype=torch.bool)
    if kernel == "Hilbert":
        weights = torch.cdist(torch.tensor(queries), torch.tensor(xs)) ** -2
        weights = weights / weights.sum(dim=1, keepdim=True)
    elif kernel == "linear":
        weights = scores / 9
    elif kernel == "SSA":
        weights = attention.softmax(attention.signed_log(scores, torch.tensor(1.5), torch.tensor(1.0)), mask)
    else:
        weights = torch.softmax(scores * (np.log(9) if kernel == "log n" else 1), dim=-1)
    np.testing.assert_allclose(kernels.answers(kernel, queries, xs, labels), weights.numpy() @ labels, rtol=1e-8)


def test_linear_attention_has_the_error_of_its_closed_form():
    """E (q . (S - I) w)^2 + noise: over E |w|^2 = d, (d + 1) / n + sigma^2 / n."""
    found = kernels.KernelErrors(functions=400, counts=(40, 200), noise_std=0.5)
    error = found.measure()["error"][kernels.KERNELS.index("linear")]
    np.testing.assert_allclose(error, (2 + 1 + 0.5**2) / np.array([40, 200]), rtol=0.15)


def test_the_chapter_has_the_table_of_today_s_verdicts():
    assert mechanisms.table() in mechanisms.CHAPTER.read_text("utf-8"), "run: python -m papers"
