"""What every model owes, by the checks of tests/models/contract.py."""

from functools import partial

import contract
import pytest
import torch
from contract import DIMENSION, prompts

from icllib.models import MLP, SGPT, FeatureMLP, ScalarRegression, Transformer
from icllib.models.products import product
from icllib.models.stacked import Initializer, linear

SEEDS, LENGTHS = (5, 11, 2), (3, 12, 1, 7, 3)
SGPTS = [SGPT(2, 3), SGPT(2, 3, mlp_skip=False), SGPT(2, 3, "absolute"), SGPT(2, 3, "none")]
FEATURES = [FeatureMLP("linear", width=6), FeatureMLP("l1", activation="gelu", width=6),
            FeatureMLP("hilbert", prompt=True, width=6), FeatureMLP("exponential", width=6),
            ScalarRegression("hilbert"), ScalarRegression("linear")]
MODELS = [Transformer(1, 2, 4), Transformer(1, 1, 4, tokens="separate"), MLP(6), *SGPTS, *FEATURES]
every_model = pytest.mark.parametrize("model", MODELS, ids=str)


def module_of(model, seeds=SEEDS, pairs=12, dtype=torch.float64):
    return contract.shaken(model.build(seeds, DIMENSION, pairs).to(dtype), 0.3)


@every_model
def test_one_pass_equals_separate_passes(model):
    contract.one_pass_equals_separate_passes(module_of(model), *prompts(), LENGTHS)


@every_model
def test_hidden_points_change_no_bit(model):
    module = module_of(model, dtype=torch.float32)
    contract.hidden_points_change_no_bit(module, *prompts(torch.float32), 3, -5)


@every_model
def test_a_member_is_in_every_fleet_what_it_is_alone(model):
    contract.fleet_equals_single_models(model, SEEDS, DIMENSION, *prompts(), LENGTHS)


@pytest.mark.parametrize("model", [
    MLP(64), SGPT(2, 16), FeatureMLP("linear", width=50), FeatureMLP("linear", True, width=50)], ids=str)
def test_multiplications_are_those_of_the_operations(model):
    """Of decoders see test_transformer.py; one-dimensional sums are not counted as products."""
    contract.multiplications_are_those_of_the_operations(model, module_of(model), *prompts(), LENGTHS)


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
    contract.equals_plain_loops(module, partial(plain_mlp, module), *contract.prompts(members=2), (3, 7, 12))


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
