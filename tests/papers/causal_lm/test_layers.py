import numpy as np
import pytest
import torch

from icllib.streams import Stream
from icllib.tasks import LinearRegression
from papers.causal_lm import (
    fig01_dynamics, fig02_linear_attention, fig04_causal_by_position, layers, propositions, what_fails)
from papers.causal_lm.layers import draw_prompts, query_errors


@pytest.mark.parametrize("made, names", [
    (lambda off: propositions.Propositions(5, 4, off=off),
     ("1", "2", "3 stationary", "3 contraction", "4 coefficients", "4 stationary",
      "4 contraction", "5")),
    (lambda off: fig04_causal_by_position.ByPositionPropositions(5, 4, off=off),
     ("7 stationary", "7 contraction", "8")),
    (lambda off: what_fails.StartingWeights(3, 5, 2, 2, 4, 0.5, off=off),
     ("first_layer", "later_layers")),
])
def test_a_coefficient_one_percent_off_shows_in_every_identity(made, names):
    exact, wrong = made(0.0).measure(), made(0.01).measure()
    assert all(exact[name] < 1e-10 < 1e-6 < wrong[name] for name in names)


D, PAIRS, QUERIES, LAYERS, STEP = 2, 4, 3, 5, 0.9
SMALL = {"dimension": D, "pairs": PAIRS, "queries": QUERIES, "layers": LAYERS, "step_size": STEP}


def drawn(points, sequences=2, **task):
    """The prompts of a measurement with seed 0: (sequences, points, D), (sequences, points)."""
    prompt = draw_prompts(LinearRegression(D, inputs="uniform", **task), 0, sequences, points)
    return prompt.xs.numpy(), prompt.ys.numpy()


def through_layers(xs, ys, sees, w0=lambda layer: np.zeros(D)):
    """What the layers leave of each label, token by token: (LAYERS + 1, sequences, tokens)."""
    tokens, outputs = range(xs.shape[1]), [np.where(np.arange(xs.shape[1]) < PAIRS, ys, 0)]
    for layer in range(LAYERS):
        new = outputs[-1].copy()
        for b, j, i in np.ndindex(len(xs), len(tokens), len(tokens)):
            if sees(j, i):
                value = w0(layer) @ xs[b, i] - outputs[-1][b, i]
                new[b, j] += STEP / PAIRS * (xs[b, j] @ xs[b, i]) * value
        outputs.append(new)
    return np.stack(outputs)


SEES = {  # token j, token i
    "prefix": lambda j, i: i < PAIRS,
    "causal": lambda j, i: i < PAIRS and (i <= j or j >= PAIRS),
    "prefix_self": lambda j, i: i < PAIRS or i == j,
    "causal_self": lambda j, i: i <= j if j < PAIRS else i < PAIRS or i == j,
    "prefix_printed": lambda j, i: i < max(j + 1, PAIRS),
}


def test_errors_after_each_layer_in_a_loop():
    metrics = fig02_linear_attention.LayerErrors(**SMALL, sequences=2).measure()
    xs, ys = drawn(PAIRS + QUERIES)
    for mask in ("prefix", "causal"):
        outputs = through_layers(xs, ys, SEES[mask])
        pairs, queries = outputs[..., :PAIRS], ys[:, PAIRS:] + outputs[..., PAIRS:]
        np.testing.assert_allclose(metrics[f"{mask}_pairs"], (pairs**2).mean((1, 2)), rtol=1e-12)
        np.testing.assert_allclose(metrics[f"{mask}_queries"], (queries**2).mean((1, 2)), rtol=1e-12)


def test_one_prompt_through_the_layers_in_a_loop():
    metrics = fig01_dynamics.Dynamics(**SMALL, every=2, shown_queries=2).measure()
    xs, ys = drawn(PAIRS + QUERIES, sequences=1)
    for mask in ("prefix", "causal"):
        outputs = through_layers(xs, ys, SEES[mask])[:, 0]
        left = np.linalg.norm(outputs[-1, :PAIRS]) / np.linalg.norm(ys[0, :PAIRS])
        missed = np.linalg.norm(outputs[-1, PAIRS:] + ys[0, PAIRS:])
        np.testing.assert_allclose(metrics[f"{mask}_pairs"], outputs[:, [1, 3]].T, rtol=1e-12)
        np.testing.assert_allclose(metrics[f"{mask}_queries"], outputs[:, [4, 5]].T, rtol=1e-12)
        assert metrics[f"{mask}_pairs_left"] == pytest.approx(left)
        assert metrics[f"{mask}_queries_left"] == pytest.approx(missed / np.linalg.norm(ys[0, PAIRS:]))
    np.testing.assert_array_equal(metrics["query_labels"], ys[0, PAIRS : PAIRS + 2])


def test_queries_that_see_queries_in_a_loop():
    metrics = what_fails.SelfAttention(**SMALL, sequences=2).measure()
    xs, ys = drawn(PAIRS + QUERIES)
    assert set(metrics) == set(SEES)
    for mask, sees in SEES.items():
        errors = ys[:, PAIRS:] + through_layers(xs, ys, sees)[..., PAIRS:]
        np.testing.assert_allclose(metrics[mask], (errors**2).mean((1, 2)), rtol=1e-12)


def test_starting_weights_in_a_loop():
    metrics = what_fails.StartingWeights(**SMALL, sequences=2).measure()
    ids = torch.zeros(1, 1, dtype=torch.int64)
    w0 = Stream.of([0], "evaluation").normal(ids, "start", (D,), torch.float64)[0, 0].numpy()
    xs, ys = drawn(PAIRS + QUERIES)
    every = through_layers(xs, ys, SEES["prefix"], lambda layer: w0)
    first = through_layers(xs, ys, SEES["prefix"], lambda layer: w0 * (layer == 0))
    for name, outputs in (("read_plainly", every), ("w0_added", every - xs @ w0), ("w0_in_first", first)):
        errors = (ys + outputs)[..., PAIRS:]
        np.testing.assert_allclose(metrics[f"error_{name}"], (errors**2).mean((1, 2)), rtol=1e-12)


def test_the_largest_steps_are_where_layers_begin_to_diverge():
    """The map of one step on all weights, by its largest eigenvalue."""
    metrics = what_fails.StepBounds(D, PAIRS, prompts=6, sequences=4, watched=6).measure()
    xs, _ = drawn(PAIRS, sequences=6)
    beyond = {"prefix": [], "causal": []}
    for step in metrics["step_size"]:
        maps = {"prefix": [np.eye(D) - step / PAIRS * x.T @ x for x in xs],
                "causal": [np.eye(PAIRS) - step / PAIRS * np.triu(x @ x.T) for x in xs]}
        for mask, matrices in maps.items():
            grows = [np.abs(np.linalg.eigvals(matrix)).max() >= 1 for matrix in matrices]
            beyond[mask].append(np.mean(grows))
    for mask, shares in beyond.items():
        np.testing.assert_allclose(metrics[f"{mask}_beyond"], shares)
        assert metrics[f"{mask}_grows"] == [0, 1]


def test_query_errors_are_means_over_queries():
    errors = np.array([[0.3, -0.7], [1.1, 0.4]])
    nodes, weights = np.polynomial.legendre.leggauss(3)  # exact for squares
    points = np.stack(np.meshgrid(nodes, nodes), axis=-1).reshape(-1, 2) + 1.5
    expected = ((errors @ points.T) ** 2) @ np.outer(weights, weights).ravel() / 4
    np.testing.assert_allclose(query_errors(torch.from_numpy(errors), 1.5), expected)


def kaczmarz(xs, ys, start, by_position=False):
    """Weights after each pair of one sequence, which is then fitted: (pairs + 1, D)."""
    weights = [start]
    for i, (x, y) in enumerate(zip(xs, ys)):
        kept = weights[-1] * (i / (i + 1) if by_position else 1)
        weights.append(kept + (y - kept @ x) / (x @ x) * x)
    return np.stack(weights)


def mean_errors(errors, mu):
    """query_errors, which has a test of its own, of each n, meaned over sequences."""
    return query_errors(torch.from_numpy(np.stack(errors)), mu).mean(0).numpy()


def test_stationary_points_in_a_loop():
    mu, pairs = 1.0, 8
    xs, ys = drawn(pairs, sequences=3, input_mean=mu)
    truth = [np.linalg.lstsq(x, y, rcond=None)[0] for x, y in zip(xs, ys)]
    passes = {by: [kaczmarz(x, y, np.zeros(D), by) - w for x, y, w in zip(xs, ys, truth)]
              for by in (False, True)}
    metrics = fig02_linear_attention.StationaryErrors(mu, D, pairs, 3).measure()
    np.testing.assert_allclose(metrics["error"], mean_errors(passes[False], mu)[1:], rtol=1e-9)
    each = query_errors(torch.from_numpy(np.stack(passes[False])), mu)[:, 1:]
    np.testing.assert_allclose(metrics["standard_error"], each.std(0) / 3**0.5, rtol=1e-9)
    metrics = fig04_causal_by_position.ByPositionErrors(mu, D, pairs, 3, every=2).measure()
    assert metrics["pairs"] == [2, 4, 6, 8]
    for name, by_position in (("by_n", False), ("by_position", True)):
        expected = mean_errors(passes[by_position], mu)[2::2]
        np.testing.assert_allclose(metrics[name], expected, rtol=1e-9)


def test_one_pass_with_noise_in_a_loop():
    mu, pairs = 0.0, 8
    prompt = draw_prompts(LinearRegression(D, 0.3, inputs="uniform"), 0, 3, pairs)
    xs, noisy, clean = (values.numpy() for values in (prompt.xs, prompt.ys, prompt.means))
    truth = [np.linalg.lstsq(x, y, rcond=None)[0] for x, y in zip(xs, clean)]
    metrics = layers.KaczmarzErrors(mu, 0.3, D, pairs, 3, every=4).measure()
    for name, labels in (("error", clean), ("noisy_error", noisy)):
        passes = [kaczmarz(x, y, np.zeros(D)) - w for x, y, w in zip(xs, labels, truth)]
        np.testing.assert_allclose(metrics[name], mean_errors(passes, mu)[4::4], rtol=1e-6)
