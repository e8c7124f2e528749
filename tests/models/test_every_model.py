"""What every model owes, by the checks of contract.py, and models of features and SGPT against plain loops."""

import math
from functools import partial
from itertools import product as pairs_of

import pytest
import torch
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode

from icllib.models import MLP, SGPT, FeatureMLP, ScalarRegression, Transformer
from icllib.models.features import FEATURES, feature_row
from icllib.models.products import product
from icllib.models.stacked import Initializer, linear
from icllib.streams import Stream
from icllib.tasks import LinearRegression

import contract
from contract import DIMENSION, prompts

SEEDS, LENGTHS = (5, 11, 2), (3, 12, 1, 7, 3)
SGPTS = [SGPT(2, 3), SGPT(2, 3, mlp_skip=False), SGPT(2, 3, "absolute"), SGPT(2, 3, "none")]
OF_FEATURES = [
    FeatureMLP("linear", width=6), FeatureMLP("l1", activation="gelu", width=6),
    FeatureMLP("hilbert", prompt=True, width=6), FeatureMLP("exponential", width=6),
    ScalarRegression("hilbert"), ScalarRegression("linear")]
MODELS = [Transformer(1, 2, 4), Transformer(1, 1, 4, tokens="separate"), MLP(6), *SGPTS, *OF_FEATURES]
every_model = pytest.mark.parametrize("model", MODELS, ids=str)


def module_of(model, seeds=SEEDS, pairs=12, dtype=torch.float64):
    return contract.shaken(model.build(seeds, DIMENSION, pairs).to(dtype), 0.3)


@every_model
def test_one_pass_equals_separate_passes(model):
    contract.one_pass_equals_separate_passes(module_of(model), *prompts(), LENGTHS)


@every_model
@torch.no_grad()
def test_hidden_points_change_no_bit(model):
    """Length 7 sees neither its own label nor anything later, though they share the pass."""
    module, (xs, ys) = module_of(model, dtype=torch.float32), prompts(torch.float32)
    before = module(xs, ys, (3, 7, 12))
    xs[:, :, 8:], ys[:, :, 7:] = 3, -5
    after = module(xs, ys, (3, 7, 12))
    assert torch.equal(after[..., :2], before[..., :2])
    assert not torch.equal(after[..., 2], before[..., 2])


@every_model
@torch.no_grad()
def test_a_member_is_in_every_fleet_what_it_is_alone(model):
    fleet, (xs, ys) = model.build(SEEDS, DIMENSION, 12).double(), prompts()
    predictions = fleet(xs, ys, LENGTHS)
    for member, seed in enumerate(SEEDS):
        alone = model.build([seed], DIMENSION, 12).double()
        for name, value in alone.state_dict().items():
            assert torch.equal(value[0], fleet.state_dict()[name][member])
        ours = alone(xs[member, None], ys[member, None], LENGTHS)[0]
        torch.testing.assert_close(ours, predictions[member], atol=1e-12, rtol=1e-12)


@pytest.mark.parametrize("model", [
    MLP(64), SGPT(2, 16), FeatureMLP("linear", width=50), FeatureMLP("linear", True, width=50)], ids=str)
def test_multiplications_are_those_of_the_operations(model):
    """Of decoders see test_transformer.py; one-dimensional sums are not counted as products."""
    (xs, ys), module = prompts(), module_of(model)
    with FlopCounterMode(display=False) as counter:
        module(xs, ys, LENGTHS)
    counted = counter.get_total_flops() / 2 / math.prod(ys.shape[:2])
    assert model.multiplications(DIMENSION, LENGTHS) == counted


@torch.no_grad()
def equals_plain_loops(module, plain, xs, ys, lengths):
    """plain(member, xs (N, d), ys (N,), length): one prediction, alone."""
    predictions = module(xs, ys, lengths)
    assert predictions.shape == (*xs.shape[:2], len(lengths)) and predictions.std() > 0.05
    for member, b in pairs_of(*map(range, xs.shape[:2])):
        expected = [plain(member, xs[member, b], ys[member, b], length) for length in lengths]
        torch.testing.assert_close(predictions[member, b], torch.stack(expected), atol=1e-12, rtol=1e-12)


def plain_mlp(module, member, xs, ys, length):
    """relu(A_v W_0) W_1, A_v being the pairs, zeros for absent ones, then the query."""
    max_pairs = module.pair_weight.shape[1]
    vector = []
    for slot in range(max_pairs):
        present = slot < length
        vector += [*xs[slot].tolist(), ys[slot].item()] if present else [0.0] * (DIMENSION + 1)
    vector += xs[length].tolist()
    first, second = torch.nn.Linear(len(vector), 24).double(), torch.nn.Linear(24, 1).double()
    weights = (*module.pair_weight[member].flatten(0, 1), *module.query.weight[member])
    first.weight.data, first.bias.data = torch.stack(weights, dim=1), module.query.bias[member]
    second.weight.data, second.bias.data = (module.read_out.weight[member].T, module.read_out.bias[member])
    return second(torch.relu(first(torch.tensor(vector, dtype=torch.float64))))[0]


def test_a_perceptron_equals_a_plain_single_one():
    module = contract.shaken(MLP(width=24).build((5, 11), DIMENSION, 12).double())
    equals_plain_loops(module, partial(plain_mlp, module), *contract.prompts(members=2), (3, 7, 12))


def test_initial_scales():
    """GPT-2's 0.02, 1/sqrt(2 layers) of it on the residual stream; torch.nn.Linear's bounds, of a decoder too."""
    state = Transformer(layers=8, heads=4, width=64).build([0], DIMENSION, 40).state_dict()
    expected = {"embed.weight": 0.02, "positions": 0.02, "blocks.0.qkv.weight": 0.02,
                "blocks.3.expand.weight": 0.02, "blocks.3.project.weight": 0.005,
                "blocks.7.contract.weight": 0.005}
    for name, std in expected.items():
        count = state[name].numel()
        assert state[name].std().item() == pytest.approx(std, rel=4 / (2 * count) ** 0.5), name
    state = MLP(width=500).build([0], DIMENSION, 40).state_dict()
    for name, fan_in in (("pair_weight", 204), ("query.bias", 204), ("read_out.weight", 500)):
        assert 0.98 < state[name].abs().max().item() * fan_in**0.5 <= 1, name
    module = Transformer(1, 2, 64, attention_width=32, uniform_start=True).build([0], 3, 5)
    for name, fan_in in (("qkv", 64), ("project", 32), ("contract", 256)):
        for values in getattr(module.blocks[0], name).parameters():
            assert 0.9 < values.abs().max().item() * fan_in**0.5 <= 1
        assert abs(getattr(module.blocks[0], name).weight.std().item() * (3 * fan_in) ** 0.5 - 1) < 0.05


@pytest.mark.parametrize("shape", [(5, 4), (5, 6, 4), (5, 3, 6, 4)], ids=str)
def test_a_bias_repeated_for_each_prompt_is_the_same_bias(shape):
    """So that a GPU's compiler can sum its gradient prompt by prompt."""
    layer = linear(Initializer((0, 1), uniform_start=True), "layer", 4, 7)
    x = torch.randn(2, *shape, generator=torch.Generator().manual_seed(0))
    own, expected = product(x, layer.weight) + layer.bias_of_prompts(x), layer(x)
    torch.testing.assert_close(own, expected)
    gradient, wanted = (torch.autograd.grad(y.square().sum(), layer.bias)[0] for y in (own, expected))
    torch.testing.assert_close(gradient, wanted)


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


@pytest.mark.parametrize("model", OF_FEATURES, ids=str)
def test_models_equal_plain_ones(model):
    module = module_of(model)
    equals_plain_loops(module, partial(plain_model, module, model), *prompts(), LENGTHS)


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


UNSORTED = (3, 12, 0, 7, 3)
SETTINGS = [SGPT(layers=2, width=16), SGPT(2, 16, mlp_skip=False), SGPT(2, 16, "absolute"),
            SGPT(2, 16, "none")]


def enlarged(model, seeds=SEEDS, dtype=torch.float64):
    """A fleet whose weights are large enough for every term to count."""
    module = model.build(seeds, DIMENSION, max(UNSORTED)).to(dtype)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter *= 0.3 / parameter.std()
    return module


def plain_phi(row, model):
    """One row of scores to weights, entry by entry."""
    if model.normalization == "none":
        return [z / (len(row) * model.width) for z in row]
    total = sum(abs(z) for z in row)
    return [(abs(z) if model.normalization == "absolute" else z) / total for z in row]


def plain_sgpt(module, model, member, xs, ys, length):
    """Eq. 13 on the n + 1 rows of one prompt matrix, token by token."""
    labels = torch.cat((ys[:length], ys.new_zeros(1)))
    hidden = torch.cat((xs[: length + 1], labels[:, None]), dim=-1) @ module.embedding[member]
    for block in module.blocks:
        after = []
        for token in hidden:
            weights = plain_phi([(token @ other).item() for other in hidden], model)
            mixed = sum(weight * other for weight, other in zip(weights, hidden))
            mixed = mixed @ block.project[member] + token
            activated = F.gelu(mixed @ block.mlp[member], approximate="tanh")
            after.append(activated + mixed if model.mlp_skip else activated)
        hidden = torch.stack(after)
    return (hidden[-1] @ module.read_out[member])[0]


@pytest.mark.parametrize("model", SETTINGS, ids=str)
def test_equals_plain_loops(model):
    module = enlarged(model)
    equals_plain_loops(module, partial(plain_sgpt, module, model), *prompts(), UNSORTED)


@torch.no_grad()
def test_a_row_of_zeros_has_finite_answers():
    xs, ys = (torch.zeros_like(tensor) for tensor in prompts(torch.float32))
    for model in SETTINGS:
        assert enlarged(model, dtype=torch.float32)(xs, ys, UNSORTED).isfinite().all()


def test_the_embedding_is_fixed_but_saved():
    module = SGPT(1, 8).build([0], DIMENSION, 12)
    assert "embedding" not in dict(module.named_parameters())
    assert "embedding" in module.state_dict()


@torch.no_grad()
@pytest.mark.parametrize("width", [64, 256])
@pytest.mark.parametrize("normalization", ["l1", "absolute", "none"])
@pytest.mark.parametrize("mlp_skip", [True, False])
def test_activations_neither_vanish_nor_explode(width, normalization, mlp_skip):
    module = SGPT(8, width, normalization, mlp_skip).build([0], 20, 40)
    sizes = []
    for block in module.blocks:
        block.register_forward_hook(lambda block, inputs, output: sizes.append(
            output.square().mean().sqrt().item()))
    task = LinearRegression(20, noise_std=0.5, weight_std=20**-0.5)
    prompt = task.sample(Stream.of([0], "training"), torch.arange(8)[None], 41)
    module(prompt.xs, prompt.ys, (10, 40))
    assert len(sizes) == 8 and all(0.5 < size < 2 for size in sizes), sizes
