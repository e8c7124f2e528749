"""Losses of scaling laws against plain loops, fits against known slopes, and the reduced softmax attention."""

import itertools

import numpy as np
import pytest
import torch
from scipy import stats

from icllib.theory import riccati, scaling_laws, softmax_attention as softmax
from papers.solvable_attention.fig03_scaling_laws import LawsBySimulation
from papers.solvable_attention.fig10_softmax_adamw import first_below
from papers.solvable_attention.laws import LAWS
from papers.solvable_attention.softmax import TABLE_4, LawCurve, SoftmaxCurves, SoftmaxDataLimit, one_by_one

OF_30 = riccati.task_shares(30, 1.8)


def test_tasks_beyond_the_model_may_keep_an_answer_of_their_own():
    loss, = scaling_laws.size_losses(OF_30, STRENGTH, [5], answer=2.0)
    assert loss == pytest.approx(sum(0.5 * share * (2.0 - STRENGTH) ** 2 for share in OF_30[5:]))


@pytest.mark.parametrize("name, kept", [("size_loss", 0), ("kept_size_loss", 1)])
def test_simulated_losses_against_size_task_by_task(name, kept):
    run = LawsBySimulation(1.8, tasks=200, steps=100)
    shares, metrics = riccati.task_shares(200, 1.8), run.measure()
    outputs = run.outputs(shares)
    assert outputs[0] == pytest.approx(2.475, rel=0.01)  # f(0), with the query in its own context
    for size, loss in zip(metrics["size"], metrics[name]):
        answers = [outputs[-1, task] if task < size else kept * outputs[0, task] for task in range(200)]
        expected = sum(0.5 * share * (own - 0.5) ** 2 for share, own in zip(shares, answers))
        assert loss == pytest.approx(expected)


def test_without_data_nothing_is_learned_though_one_task_takes_all():
    assert scaling_laws.data_losses(np.ones(1), 0.5, 0.1, [0, 1]).tolist() == [0.5 * 0.4**2, 0]


def test_data_losses_are_the_mean_over_random_data_sets():
    random, start, count = np.random.default_rng(0), 2.0, 20
    samples = []
    for counts in random.multinomial(count, OF_30, size=4000):
        samples.append(sum(0.5 * share * (start - STRENGTH) ** 2
                           for share, seen in zip(OF_30, counts) if seen == 0))
    expected = scaling_laws.data_losses(OF_30, STRENGTH, start, [count])[0]
    assert abs(np.mean(samples) - expected) < 4 * np.std(samples) / 4000**0.5


def test_a_power_law_is_fitted_exactly_and_noise_widens_the_interval():
    xs = np.geomspace(1, 1000, 20)
    slope, half = scaling_laws.fit_exponent(xs, 3 * xs**-0.7)
    assert slope == pytest.approx(-0.7) and half < 1e-12
    noise = np.random.default_rng(1).normal(size=20)
    ys = 3 * xs**-0.7 * np.exp(0.1 * noise)
    slope, half = scaling_laws.fit_exponent(xs, ys)
    assert abs(slope + 0.7) < 2 * half and half > 0.01
    design = np.stack((np.log(xs), np.ones(20)), axis=1)
    (expected, _), (rest,), *_ = np.linalg.lstsq(design, np.log(ys), rcond=None)
    error = np.sqrt(rest / 18 * np.linalg.inv(design.T @ design)[0, 0])
    assert slope == pytest.approx(expected) and half == pytest.approx(2.1009 * error, rel=1e-4)


STRENGTH, LENGTHS, SHARES = 0.5, (5, 3, 1), np.array([0.5, 0.3, 0.2])
OPTIMIZERS = {"gradient descent": lambda tensors: torch.optim.SGD(tensors, lr=1.0),
              "AdamW": lambda tensors: torch.optim.AdamW(tensors, lr=5e-3, **TABLE_4)}


def literal_loss(w_key, w_query, value, positive_share):
    """The loss of f = V Phi softmax(Phi^T W_K^T W_Q Phi), every prompt written out."""
    tasks, total = len(LENGTHS), 0
    for s, length in enumerate(LENGTHS):
        for signs in itertools.product((1.0, -1.0), repeat=length + 1):
            chance = np.prod([positive_share if sign > 0 else 1 - positive_share for sign in signs])
            phi = torch.zeros(tasks + 1, length + 1, dtype=torch.float64)
            phi[s] = torch.tensor(signs)
            phi[tasks, :-1] = STRENGTH * phi[s, :-1]
            scores = phi.T @ w_key.T @ w_query @ phi
            output = (value @ phi @ torch.softmax(scores, dim=0))[s, -1]
            total = total + SHARES[s] * chance * (output - STRENGTH * signs[-1]) ** 2 / 2
    return total


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("positive_share", [0.5, 1.0, 0.7])
def test_training_is_that_of_the_literal_model(optimizer, positive_share):
    tasks, steps = len(LENGTHS), 6
    start = softmax.random_weights(tasks, 4, 0.3, seed=1)
    random = np.random.default_rng(2)  # for the entries that the reduced model leaves out
    normal = lambda *shape: torch.from_numpy(0.3 * random.standard_normal(shape))
    w_key = torch.cat((start.keys, start.label_keys)).T.clone()
    w_query = torch.cat((start.queries, normal(1, 4))).T.clone()
    value = normal(tasks, tasks + 1)
    value[range(tasks), range(tasks)], value[:, tasks] = start.values.T
    literal = [tensor.requires_grad_() for tensor in (w_key, w_query, value)]
    stepper, losses = OPTIMIZERS[optimizer](literal), []
    for _ in range(steps):
        stepper.zero_grad()
        loss = literal_loss(*literal, positive_share)
        losses.append(loss.item())
        loss.backward()
        stepper.step()
    # Side by side with a model of the first two tasks, which must not change anything.
    both = softmax.side_by_side([start.of([0, 1]), start.of([0, 1, 2])])
    model, rows = torch.tensor([0, 0, 1, 1, 1]), [0, 1, 0, 1, 2]
    found = softmax.train(both, model, torch.from_numpy(SHARES[rows]), STRENGTH,
                          softmax.contexts(LENGTHS, positive_share).of(rows),
                          OPTIMIZERS[optimizer](both.tensors()), steps, range(steps))
    # With one sign, a score that all tokens share has gradient 0, and AdamW divides what rounding
    # leaves of it by eps = 1e-8.
    atol = 1e-9 if optimizer == "AdamW" and positive_share == 1 else 1e-12
    close = lambda ours, theirs: np.testing.assert_allclose(ours, theirs, rtol=0, atol=atol)
    close(found[:, 2:] @ SHARES, losses)
    w_key, w_query, value = (tensor.detach() for tensor in literal)
    close(both.keys[2:], w_key[:, :tasks].T)
    close(both.label_keys[1], w_key[:, tasks])
    close(both.queries[2:], w_query[:, :tasks].T)
    close(both.values[2:, 0], value.diagonal())
    close(both.values[2:, 1], value[:, tasks])


@pytest.mark.parametrize("length, share", [(61, 0.5), (100, 0.5), (100, 0.3)])
@pytest.mark.parametrize("score", [0.2, 3.0, 8.0])
def test_quadrature_is_the_sum_over_all_contexts(length, share, score):
    answer = lambda n: ((n - (length - n) * np.exp(-score) + 0.3)
                        / (n + (length - n) * np.exp(-score) + 1)) ** 2
    points, weights = softmax.binomial_points(length, share)
    numbers = np.arange(length + 1)
    expected = stats.binom.pmf(numbers, length, share) @ answer(numbers)
    assert len(points) < 20 and weights @ answer(points) == pytest.approx(expected, rel=1e-12)


def test_a_cut_model_answers_zero_beyond_its_size():
    run = SoftmaxCurves(1.8, tasks=6, context_length=4, width=3, starts=2, sizes=(2, 6), steps=3)
    shares = torch.from_numpy(run.shares())
    for start in range(2):
        for curve, size in zip(run.size_curves(run.sizes, 3, [0, 3])[start], run.sizes):
            model = run.start(start).of(range(size))
            losses = softmax.train(
                model, torch.zeros(size, dtype=torch.long), shares[:size], run.strength,
                run.prompts().of(range(size)), torch.optim.SGD(model.tensors(), lr=1.0), 3, [0, 3])
            rest = float(shares[size:].sum()) * run.strength**2 / 2
            assert curve == pytest.approx(losses @ shares[:size].numpy() + rest, rel=1e-12)


@pytest.mark.parametrize("optimizer, rate", [("gradient descent", 1.0), ("AdamW", 5e-3)])
def test_tasks_without_data_are_tested_too(optimizer, rate):
    run = SoftmaxDataLimit(1.8, optimizer, rate, tasks=7, context_length=4, width=3, starts=2,
                           steps=8, steps_per_point=0)
    for start, loss in enumerate(run.losses(3)):
        seen = np.random.default_rng([start, 3]).multinomial(3, run.shares())
        assert 0 in seen
        model = run.start(start)
        losses = softmax.train(
            model, torch.zeros(7, dtype=torch.long), torch.from_numpy(seen / 3), run.strength,
            run.prompts(), OPTIMIZERS[optimizer](model.tensors()), 8, [8])[0]
        assert loss == pytest.approx(losses @ run.shares(), rel=1e-12)


def test_the_lower_envelope_is_the_best_size_for_each_budget():
    times, sizes, budgets = np.geomspace(1, 100, 30), (2, 5, 9), np.array([10.0, 40.0, 300.0])
    law = lambda size, time: 1 / size + 3 / time
    curves = [law(size, times) for size in sizes]
    found = scaling_laws.lower_envelope(sizes, times, curves, budgets)
    expected = [min(law(size, budget / size) for size in sizes if 1 <= budget / size <= 100)
                for budget in budgets]
    assert found == pytest.approx(expected, rel=1e-2)
    assert np.isinf(scaling_laws.lower_envelope(sizes, times, curves, [1.0, 1e4])).all()


@pytest.mark.parametrize("alpha", [1.8, 2.1])
@pytest.mark.parametrize("law", LAWS)
def test_the_windows_show_table_1_where_tasks_are_learned_one_by_one(law, alpha):
    assert abs(one_by_one(law, alpha) - scaling_laws.theory_exponents(alpha)[law]) < 0.05


def test_one_by_one_in_time_is_a_plain_sum():
    steps = np.geomspace(30, 1000, 30)
    shares = [s**-2.1 / sum(k**-2.1 for k in range(1, 501)) for s in range(1, 501)]
    losses = [sum(share * np.exp(-share * t) for share in shares) for t in steps]
    assert one_by_one("time", 2.1) == pytest.approx(np.polyfit(np.log(steps), np.log(losses), 1)[0])


def test_the_first_step_below_a_fraction_by_hand():
    losses = np.array([[8.0, 1.0, 0.7], [8.0, 0.5, 9.0], [8.0, 8.0, 8.0]])
    curve = LawCurve("time", 1.8, "random signs", np.array([1, 5, 20]), losses, np.zeros(3))
    assert first_below(curve, 0.1).tolist() == [20, 5, np.inf]
