"""Fitted baselines against the libraries called directly, and a plain training loop."""

import pytest
import torch
from torch import nn

from icllib.baselines import Lasso, StudentNetwork
from icllib.baselines.learners import Students
from icllib.streams import Stream
from icllib.tasks import LinearRegression


def sample(count, n, dimension=6, dtype=torch.float64):
    task, ids = LinearRegression(dimension, 0.2), torch.arange(count)[None]
    return task.sample(Stream.of([0], "evaluation"), ids, n, dtype)[:2]


@pytest.mark.parametrize("n", (1, 4, 15))
@pytest.mark.parametrize("penalty", (0.3, 0.01))
def test_lasso_equals_scikit_learn(n, penalty):
    from sklearn.linear_model import Lasso as Reference

    xs, ys = sample(5, 16)
    ours = Lasso(penalty, tolerance=1e-12).predict(xs, ys, (n,))[0, :, 0]
    for answer, x, y in zip(ours.tolist(), xs[0].numpy(), ys[0].numpy()):
        reference = Reference(penalty, fit_intercept=False, tol=1e-12, max_iter=10**6)
        expected = x[n] @ reference.fit(x[:n], y[:n]).coef_
        assert answer == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_the_default_tolerance_is_tight_where_points_are_few():
    xs, _ = sample(20, 11, dimension=20)
    ys = xs[..., :3].sum(dim=-1)  # sparse, no noise: Figure 4C
    ours, exact, loose = (predictor.predict(xs, ys, (10,)) for predictor in (
        Lasso(1e-3), Lasso(1e-3, tolerance=1e-10), Lasso(1e-3, tolerance=1e-4)))
    assert (ours - exact).square().mean() < 1e-3 * (loose - exact).square().mean()


def plain_student(settings, xs, ys, n):
    """One prompt's network as anybody would train it, from the same start on the same batches."""
    start = Students(settings, 1, xs.shape[-1], "cpu").double()
    network = nn.Sequential(nn.Linear(xs.shape[-1], settings.width), nn.ReLU(),
                            nn.Linear(settings.width, 1)).double()
    with torch.no_grad():
        for plain, stacked in ((network[0], start.hidden), (network[2], start.read_out)):
            plain.weight.copy_(stacked.weight[0].T)
            plain.bias.copy_(stacked.bias[0])
    optimizer = torch.optim.Adam(network.parameters(), lr=settings.learning_rate)
    for chosen in settings.batches(n):
        loss = nn.functional.mse_loss(network(xs[chosen])[:, 0], ys[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return network(xs[n:n + 1]).item()


@pytest.mark.parametrize("n", (2, 7, 15))
def test_student_equals_a_plain_loop(n):
    settings = StudentNetwork(width=8, steps=150, batch=5, seed=3)
    xs, ys = sample(3, 16)
    ours = settings.predict(xs, ys, (n,))[0, :, 0].tolist()
    expected = [plain_student(settings, xs[0, b], ys[0, b], n) for b in range(3)]
    assert ours == pytest.approx(expected, rel=1e-6)


def test_batches_are_different_pairs_chosen_evenly():
    settings = StudentNetwork(steps=4000, batch=3)
    batches = settings.batches(7)
    assert batches.shape == (4000, 3)
    assert all(len(set(row)) == 3 for row in batches.tolist())
    pairs = torch.bincount(batches.flatten(), minlength=7)
    expected, deviation = 4000 * 3 / 7, (4000 * 3 / 7 * 4 / 7) ** 0.5
    assert ((pairs - expected).abs() < 4 * deviation).all()
    assert torch.equal(batches, settings.batches(7))
    assert not torch.equal(batches, StudentNetwork(steps=4000, batch=3, seed=1).batches(7))
    assert settings.batches(2).shape == (4000, 2)


def test_students_start_as_linear_layers_do():
    network = Students(StudentNetwork(width=400), 2, 25, "cpu")
    for layer, inputs in ((network.hidden, 25), (network.read_out, 400)):
        for values in (layer.weight, layer.bias):
            assert values.abs().max() <= inputs**-0.5
            assert torch.equal(values[0], values[1])
    weights = network.hidden.weight[0]
    assert weights.std().item() == pytest.approx(25**-0.5 / 3**0.5, rel=0.05)
