"""Feature maps against double loops over whole matrices, and the models that read them."""

import math
from functools import partial

import contract
import pytest
import torch
from contract import DIMENSION, prompts

from icllib.models import FeatureMLP, ScalarRegression
from icllib.models.features import FEATURES, feature_row
from test_every_model import FEATURES as MODELS, LENGTHS, SEEDS, module_of

KERNELS = {
    "exponential": lambda z, other: math.exp(z @ other),
    "hilbert": lambda z, other: 1 / math.dist(z.tolist(), other.tolist()) ** DIMENSION,
}


def prompt_matrix(xs, ys, length):
    """A of Eq. 1 for one prompt: `length` pairs and the query with y = 0."""
    labels = torch.cat((ys[:length], ys.new_zeros(1)))
    return torch.cat((xs[: length + 1], labels[:, None]), dim=-1)


def plain_psi(features, a):
    """psi(A), every row of it, by double loops over pairs of rows."""
    weights = torch.zeros(len(a), len(a), dtype=a.dtype)
    for i, row in enumerate(a):
        for j, other in enumerate(a):
            if features in KERNELS:
                weights[i, j] = KERNELS[features](row[:-1], other[:-1]) if i != j else 0
            else:
                weights[i, j] = row @ other
        if features != "linear":
            weights[i] /= weights[i].abs().sum()
    psi = weights @ a
    return psi / (len(a) - 1) if features == "linear" else psi


@pytest.mark.parametrize("features", FEATURES)
def test_rows_equal_double_loops(features):
    xs, ys = prompts()
    rows = feature_row(features, xs, ys, LENGTHS)
    assert rows.shape == (3, 2, 5, DIMENSION + 1)
    for member in range(3):
        for b in range(2):
            for k, length in enumerate(LENGTHS):
                a = prompt_matrix(xs[member, b], ys[member, b], length)
                torch.testing.assert_close(rows[member, b, k], plain_psi(features, a)[-1],
                                           atol=1e-12, rtol=1e-12)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_points_that_coincide_with_the_query_share_the_hilbert_estimate(dtype):
    xs, ys = prompts(dtype)
    xs[..., 2, :] = xs[..., 5, :] = xs[..., 7, :]
    row = feature_row("hilbert", xs, ys, (7, 4))
    mean = (ys[..., 2] + ys[..., 5]) / 2
    torch.testing.assert_close(row[..., 0, -1], mean)
    torch.testing.assert_close(row[..., 0, :-1], xs[..., 7, :])
    assert row.isfinite().all()


def test_distances_far_from_the_origin_do_not_cancel():
    xs, ys = prompts()
    ours = feature_row("hilbert", (xs + 1000).float(), ys.float(), LENGTHS)[..., -1]
    expected = feature_row("hilbert", xs, ys, LENGTHS)[..., -1]
    torch.testing.assert_close(ours.double(), expected, atol=1e-3, rtol=0)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_kernels_overflow_nowhere(kernel, scale):
    xs, ys = prompts(torch.float32)
    row = feature_row(kernel, scale * xs.repeat(1, 1, 1, 5), ys, LENGTHS)
    assert row.isfinite().all() and (row[..., -1].abs() <= ys.abs().amax() + 1e-5).all()


def plain_model(module, model, member, xs, ys, length, max_pairs=12):
    """The prediction of one prompt; the vectorized prompt is pairs, zeros, then the query."""
    row = feature_row(model.features, xs, ys, (length,))[0]
    if isinstance(model, ScalarRegression):
        return module.slope[member, 0, 0] * row[-1] + module.intercept[member, 0, 0]
    weights, inputs = module.hidden.weight[member], row
    if model.prompt:
        pairs = torch.cat((xs[:length], ys[:length, None]), dim=-1).flatten()
        padding = pairs.new_zeros((max_pairs - length) * (DIMENSION + 1))
        weights = torch.cat((module.pair_weight[member].flatten(0, 1), weights))
        inputs = torch.cat((pairs, padding, xs[length], row))
    hidden = inputs @ weights + module.hidden.bias[member]
    hidden = (torch.relu(hidden) if model.activation == "relu"
              else torch.nn.functional.gelu(hidden, approximate="tanh"))
    return (hidden @ module.read_out.weight[member] + module.read_out.bias[member])[0]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_models_equal_plain_ones(model):
    module = module_of(model)
    contract.equals_plain_loops(module, partial(plain_model, module, model), *prompts(), LENGTHS)


@pytest.mark.parametrize("prompt, inputs", [(False, 4), (True, 4 + 3 + 20 * 4)])
def test_perceptrons_start_like_layers_of_torch(prompt, inputs):
    """Uniform up to 1 / sqrt(inputs of the layer); 50 members, for one of them has one offset."""
    model = FeatureMLP("linear", prompt=prompt, width=64)
    state = model.build(list(range(50)), 3, 20).state_dict()
    bounds = {name: 64 if name.startswith("read_out") else inputs for name in state}
    assert ("pair_weight" in bounds) == prompt
    for name, fan_in in bounds.items():
        assert 0.9 < state[name].abs().max() * fan_in**0.5 <= 1, name


def test_scalar_regression_starts_as_the_estimate_itself():
    xs, ys = prompts()
    module = ScalarRegression("hilbert").build(SEEDS, DIMENSION, 12).double()
    assert torch.equal(module(xs, ys, LENGTHS), feature_row("hilbert", xs, ys, LENGTHS)[..., -1])
