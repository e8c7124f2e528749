"""Models without attention on the paper's tasks: loops, autograd and integrated flows."""

import numpy as np
import pytest
import torch
from scipy.integrate import solve_ivp

from icllib.theory import riccati, scaling_laws
from icllib.theory.perceptron import losses_and_gradients, random_perceptron, train
from papers.solvable_attention.other_architectures import (
    ClosedFormModel, PerceptronData, PerceptronSize, PerceptronTime, SharedReadOut, half_time,
    learned_one_by_one)

SHARES, STRENGTH = riccati.task_shares(6, 1.8), 0.5
BOTH = torch.from_numpy(np.tile(SHARES / 2, (1, 2, 1)))
SEEN = torch.ones(1, 6, dtype=torch.float64)


def network(weights):
    """The same perceptron of torch, whose inputs are explicit."""
    layers = torch.nn.Linear(*weights.hidden.shape[1:]), torch.nn.Linear(weights.bias.shape[1], 1)
    model = torch.nn.Sequential(layers[0], torch.nn.ReLU(), layers[1]).double()
    copies = weights.hidden[0].T, weights.bias[0], weights.read_out, weights.offset
    for parameter, values in zip(model.parameters(), copies):
        parameter.data = values.clone()
    return model


def losses_of(model, features=SEEN):
    """Losses of both signs of every task, (2, R), one input after the other."""
    rows = [[0.5 * (model(sign * torch.eye(6, dtype=torch.float64)[s] * features[0, s])
                    - sign * STRENGTH) ** 2 for s in range(6)] for sign in (1, -1)]
    return torch.stack([torch.cat(row) for row in rows])


@pytest.mark.parametrize("cut", [6, 4])
def test_a_perceptron_is_torchs_and_so_are_its_gradients(cut):
    weights, features = random_perceptron(6, 5, 1.5, 0), SEEN * (torch.arange(6) < cut)
    losses, gradients = losses_and_gradients(weights, features, BOTH, STRENGTH)
    model = network(weights)
    expected = losses_of(model, features)
    torch.testing.assert_close(losses[0], expected)
    (BOTH[0] * expected).sum().backward()
    hidden, bias, read_out, offset = (parameter.grad for parameter in model.parameters())
    for found, grad in zip(gradients, (hidden.T, bias, read_out[0], offset)):
        torch.testing.assert_close(found[0], grad.reshape(found[0].shape))


@pytest.mark.parametrize("biases", [True, False])
def test_training_is_torchs_gradient_descent_and_biases_that_are_not_trained_stay_zero(biases):
    weights = PerceptronTime(1.8, tasks=6, width=5, biases=biases).start(1)
    model, kept = network(weights), []
    model[0].bias.requires_grad = model[2].bias.requires_grad = biases
    optimizer = torch.optim.SGD([own for own in model.parameters() if own.requires_grad], lr=0.7)
    for _ in range(31):
        losses = losses_of(model)
        kept.append(losses.detach())
        optimizer.zero_grad()
        (BOTH[0] * losses).sum().backward()
        optimizer.step()
    found = train(weights, SEEN, BOTH, STRENGTH, 0.7, 30, [0, 11, 30], biases=biases)
    np.testing.assert_allclose(found[:, 0], torch.stack(kept)[[0, 11, 30]], atol=1e-14)
    assert (weights.bias.any() and weights.offset.any()).item() is biases


def test_all_tasks_that_are_cut_off_are_one_row():
    """D = 4 of 6 with a row for the rest, against all 6 rows of which two have a feature of 0."""
    run = PerceptronSize(1.8, tasks=6, width=5, starts=1, sizes=(2, 3, 4), steps=40)
    metrics = run.measure()
    for number, size in enumerate(run.sizes):
        features = SEEN * (torch.arange(6) < size)
        losses = train(run.start(0), features, BOTH, STRENGTH, run.learning_rate, 40, [40])[0, 0]
        weighed = BOTH[0].numpy() * losses
        assert metrics["size_loss"][0][number] == pytest.approx(weighed.sum())
        assert metrics["size_learned"][0][number] == pytest.approx(weighed[:, :size].sum())


def test_data_sets_are_trained_on_and_all_tasks_are_tested():
    run = PerceptronData(1.8, tasks=6, width=5, starts=3, counts=(2, 5, 9), steps=60)
    metrics = run.measure()
    for start in range(3):
        for number, count in enumerate(run.counts):
            random = np.random.default_rng([start, count])
            seen = random.multinomial(count, np.tile(SHARES / 2, 2)).reshape(1, 2, 6) / count
            steps, weights = max(60, 20 * count), run.start(start)
            left = train(weights, SEEN, torch.from_numpy(seen), STRENGTH, 0.25, steps, [steps])[0]
            test, _ = losses_and_gradients(weights, SEEN, BOTH, STRENGTH)
            assert metrics["data_loss"][start][number] == pytest.approx(float((test * BOTH).sum()))
            assert metrics["data_left"][start][number] == pytest.approx((seen * left).sum())


def test_time_is_told_in_half_times():
    run = PerceptronTime(1.8, tasks=6, width=5, starts=1, steps=600)
    metrics, kept = run.measure(), np.unique(np.append(0, np.geomspace(1, 600, 120).astype(int)))
    losses = train(run.start(0), SEEN, BOTH, STRENGTH, 0.25, 600, kept)[:, 0]
    first = losses[:, :, 0].sum(1)
    unit = next(step for step, loss in zip(kept, first) if loss < first[0] / 2)
    np.testing.assert_allclose(metrics["time"][0], kept / unit)
    np.testing.assert_allclose(metrics["time_loss"][0], (losses * BOTH[0].numpy()).sum((1, 2)))


@pytest.mark.parametrize("model", ["linear", "diagonal"])
def test_closed_forms_solve_the_flow(model):
    """u' = P (Lambda - u); or u' = P (Lambda - u v) v and v' = P (Lambda - u v) u."""
    run = ClosedFormModel(model, 1.8, start=0.04)
    strength, times = STRENGTH * np.arange(1, 7) ** -0.5, np.linspace(0, 60, 7)
    if model == "linear":
        flow = lambda t, u: SHARES * (strength - u)
        start, read = np.zeros(6), lambda y: y
    else:
        def flow(t, y):
            u, v = y.reshape(2, 6)
            pull = SHARES * (strength - u * v)
            return np.concatenate((pull * v, pull * u))
        start, read = np.tile(np.sqrt(0.04 * strength), 2), lambda y: y[:6] * y[6:]
    found = solve_ivp(flow, (0, 60), start, t_eval=times, rtol=1e-10, atol=1e-12).y
    for t, y in zip(times, found.T):
        np.testing.assert_allclose(run.outputs(t, strength, SHARES), read(y), atol=1e-8)


def test_linear_attention_to_zeroth_order_is_a_diagonal_network():
    """Eq. 9 with H0 alone, integrated, against u v of a network that runs faster."""
    psi, times = 30.0, np.linspace(0, 0.2, 5)
    v0, w0 = np.random.default_rng(0).normal(0, 0.1, (2, 6, 2))
    matrix = psi * riccati.zeroth_order_matrix(STRENGTH)[None]
    v, w = riccati.integrate_flow(v0, w0, matrix, STRENGTH, SHARES, times)
    attention = np.einsum("tsi,ij,tsj->ts", v, matrix[0], w)
    direction = np.array([1, STRENGTH])  # H0 = direction direction^T
    start = np.concatenate((v0 @ direction, w0 @ direction)) * psi**0.5

    def flow(t, y):
        u, v = y.reshape(2, 6)
        pull = SHARES * (STRENGTH - u * v)
        return np.concatenate((pull * v, pull * u))

    faster = psi * (1 + STRENGTH**2) * times
    y = solve_ivp(flow, (0, faster[-1]), start, t_eval=faster, rtol=1e-10, atol=1e-12).y
    np.testing.assert_allclose((y[:6] * y[6:]).T, attention, atol=1e-8)


def test_a_shared_read_out_conserves_its_balance_and_follows_a_loop():
    run = SharedReadOut(1.8, tasks=4, steps=4000, learning_rate=0.05)
    metrics, shares = run.measure(), riccati.task_shares(4, 1.8)
    a, w, losses = 3**-0.5, [0.0] * 4, {}
    for step in range(4001):
        losses[step] = sum(0.5 * p * (0.5 - a * x) ** 2 for p, x in zip(shares, w))
        errors = [p * (0.5 - a * x) for p, x in zip(shares, w)]
        a, w = (a + 0.05 * sum(e * x for e, x in zip(errors, w)),
                [x + 0.05 * e * a for e, x in zip(errors, w)])
    kept = np.unique(np.append(0, np.geomspace(1, 4000, 120).astype(int)))
    assert metrics["time_loss"] == pytest.approx([losses[step] for step in kept])
    assert a**2 - sum(x**2 for x in w) == pytest.approx(1 / 3, abs=0.01)


@pytest.mark.parametrize("alpha", [1.8, 2.1])
def test_tasks_learned_one_by_one_nearly_have_the_laws_of_table_1(alpha):
    found, law = learned_one_by_one(alpha), scaling_laws.theory_exponents(alpha)
    assert all(abs(found[name] - law[name]) < 0.05 for name in found) and len(found) == 3
    shares, left = riccati.task_shares(2000, alpha), []
    for t in (10, 300):  # in half times, at which the first task's loss has been halved t times
        left.append(sum(share * 0.5 ** (t * share / shares[0]) for share in shares))
    assert found["time"] == pytest.approx(np.log(left[1] / left[0]) / np.log(30), abs=0.01)


def test_half_times_and_what_is_lost_on_tasks_that_no_data_point_shows():
    assert half_time([0, 1, 2, 3], [8.0, 5, 3, 1]) == 2
    shares, metrics = riccati.task_shares(2000, 1.8), ClosedFormModel("linear", 1.8, tasks=2000).measure()
    assert metrics["unit"] == pytest.approx(np.log(2) / 2 / shares[0], rel=0.01)
    unseen = [(shares * STRENGTH**2 / 2 * (1 - shares) ** count).sum() for count in metrics["data"]]
    assert metrics["data_loss"] == pytest.approx(unseen)
