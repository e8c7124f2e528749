"""Stacked models against plain single ones, finite differences and counted operations."""

import contract
import pytest
import torch
from contract import DIMENSION
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode

from icllib.models import MLP, Transformer
from icllib.models.products import product
from icllib.models.stacked import Initializer, linear
from icllib.tasks import Prompt
from icllib.training.losses import member_losses

LENGTHS = (3, 7, 12)
MODELS = (Transformer(layers=2, heads=2, width=16), MLP(width=24))
SEEDS = (5, 11)


def shaken(model, std=0.1, max_pairs=12):
    """A fleet of two whose parameters are all away from zero and one."""
    return contract.shaken(model.build(SEEDS, DIMENSION, max_pairs), std)


def prompts(dtype=torch.float32, points=13):
    """Inputs (2, 3, points, DIMENSION) and labels (2, 3, points)."""
    return contract.prompts(dtype, 2, points, 3)


def plain_mlp(module, member, xs, ys, length):
    """relu(A_v W_0) W_1, A_v being the pairs, zeros for absent ones, then the query."""
    max_pairs = module.pair_weight.shape[1]
    vector = []
    for slot in range(max_pairs):
        present = slot < length
        vector += [*xs[slot].tolist(), ys[slot].item()] if present else [0.0] * (DIMENSION + 1)
    vector += xs[length].tolist()
    first, second = torch.nn.Linear(len(vector), 24), torch.nn.Linear(24, 1)
    weights = (*module.pair_weight[member].flatten(0, 1), *module.query.weight[member])
    first.weight.data, first.bias.data = torch.stack(weights, dim=1), module.query.bias[member]
    second.weight.data, second.bias.data = (module.read_out.weight[member].T,
                                            module.read_out.bias[member])
    return second(torch.relu(first(torch.tensor(vector))))


@torch.no_grad()
def test_a_perceptron_equals_a_plain_single_one():
    module, (xs, ys) = shaken(MODELS[1]), prompts()
    predictions = module(xs, ys, LENGTHS)
    assert predictions.shape == (2, 3, 3) and predictions.std() > 0.1
    for member in range(2):
        for b in range(3):
            for k, length in enumerate(LENGTHS):
                expected = plain_mlp(module, member, xs[member, b], ys[member, b], length)
                torch.testing.assert_close(predictions[member, b, k], expected[0],
                                           atol=1e-5, rtol=0)


@torch.no_grad()
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("lengths", [LENGTHS, (12, 3, 3, 1)])
def test_one_pass_equals_separate_passes(model, lengths):
    contract.one_pass_equals_separate_passes(shaken(model), *prompts(), lengths, 1e-6)


@torch.no_grad()
@pytest.mark.parametrize("model", MODELS)
def test_hidden_tokens_change_no_bit(model):
    contract.hidden_points_change_no_bit(shaken(model), *prompts(), 1e3, -1e3)


@torch.no_grad()
def test_members_do_not_see_each_other():
    xs, ys = prompts()
    for model in MODELS:
        module = shaken(model)
        before = module(xs, ys, LENGTHS)
        after = module(torch.stack((xs[0], xs[1] + 1)), ys, LENGTHS)
        assert torch.equal(after[0], before[0]) and not torch.equal(after[1], before[1])


def gpt2_of(module, member, settings, max_pairs):
    """A GPT2Model with the weights of one member."""
    transformers = pytest.importorskip("transformers")
    gpt2 = transformers.GPT2Model(transformers.GPT2Config(
        vocab_size=1, n_positions=max_pairs + 1, n_embd=settings.width, n_layer=settings.layers,
        n_head=settings.heads, attn_implementation="eager")).eval()
    gpt2.wpe.weight.data = module.positions[member]
    norms = [(gpt2.ln_f, module.final_norm)]
    for theirs, ours in zip(gpt2.h, module.blocks, strict=True):
        norms += [(theirs.ln_1, ours.attention_norm), (theirs.ln_2, ours.mlp_norm)]
        for layer, source in ((theirs.attn.c_attn, ours.qkv), (theirs.attn.c_proj, ours.project),
                              (theirs.mlp.c_fc, ours.expand), (theirs.mlp.c_proj, ours.contract)):
            layer.weight.data, layer.bias.data = source.weight[member], source.bias[member]
    for theirs, ours in norms:
        theirs.weight.data, theirs.bias.data = ours.gain[member, 0, 0], ours.bias[member, 0, 0]
    return gpt2


@torch.no_grad()
def test_hidden_states_equal_those_of_gpt2():
    """All labeled tokens, and the query that comes after the last of them."""
    settings, (xs, ys) = MODELS[0], prompts()
    module, states = shaken(settings), []
    module.blocks[-1].register_forward_hook(lambda _, inputs, output: states.append(output))
    module(xs, ys, LENGTHS, with_pairs=True)  # else the last layer has the queries alone
    for member in range(2):
        gpt2 = gpt2_of(module, member, settings, 12)
        tokens = torch.cat((xs, ys[..., None]), dim=-1)[member]
        tokens[:, 12, -1] = 0
        embedded = F.linear(tokens, module.embed.weight[member].T, module.embed.bias[member])
        expected = gpt2(inputs_embeds=embedded).last_hidden_state
        ours = states[0][member][:, [*range(12), 14]]  # the queries are tokens 12, 13, 14
        norm = module.final_norm
        ours = F.layer_norm(ours, ours.shape[-1:], norm.gain[member].flatten(), norm.bias[member].flatten())
        torch.testing.assert_close(ours, expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("model", MODELS)
def test_gradients_equal_finite_differences(model):
    module, prompt = shaken(model).double(), prompts(torch.float64)
    loss = lambda: member_losses(module, Prompt(*prompt, prompt[1]), LENGTHS).sum()
    loss().backward()
    generator, step = torch.Generator().manual_seed(2), 1e-6
    for name, parameter in module.named_parameters():
        values, gradient = parameter.data.view(-1), parameter.grad.view(-1)
        for entry in torch.randint(len(values), (3,), generator=generator).tolist():
            start = values[entry].item()
            sides = []
            for values[entry] in (start + step, start - step):
                sides.append(loss().item())
            values[entry] = start
            slope = (sides[0] - sides[1]) / (2 * step)
            assert gradient[entry].item() == pytest.approx(slope, rel=1e-5, abs=1e-8), name


@pytest.mark.parametrize("model", MODELS)
def test_a_member_starts_the_same_in_every_fleet(model):
    seeds = [4, 0, 2**32 - 1]
    fleet = model.build(seeds, DIMENSION, 12).state_dict()
    for member, seed in enumerate(seeds):
        for company in ([seed], [seed, 77]):
            for name, values in model.build(company, DIMENSION, 12).state_dict().items():
                assert torch.equal(values[0], fleet[name][member]), name
    drawn = [name for name, values in fleet.items() if len(values[0].unique()) > 1]
    assert not any(torch.equal(fleet[name][0], fleet[name][1]) for name in drawn)


def test_initial_scales():
    """GPT-2's 0.02, 1/sqrt(2 layers) of it on the residual stream; torch.nn.Linear's bounds."""
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


@pytest.mark.parametrize("model, lengths", [(MLP(width=64), (5, 10, 20)), (MLP(width=32), (40,))])
def test_multiplications_are_those_counted(model, lengths):
    """FlopCounterMode counts two for a multiply-add; of decoders see test_transformer_passes.py."""
    module = model.build([0], 8, max(lengths))
    xs = torch.randn(1, 1, max(lengths) + 1, 8)
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        module(xs, xs[..., 0], lengths)
    assert model.multiplications(8, lengths) == counter.get_total_flops() / 2


@pytest.mark.parametrize("shape", [(5, 4), (5, 6, 4), (5, 3, 6, 4)], ids=str)
def test_a_bias_repeated_for_each_prompt_is_the_same_bias(shape):
    """So that a GPU's compiler can sum its gradient prompt by prompt."""
    layer = linear(Initializer((0, 1), uniform_start=True), "layer", 4, 7)
    x = torch.randn(2, *shape, generator=torch.Generator().manual_seed(0))
    own, expected = product(x, layer.weight) + layer.bias_of_prompts(x), layer(x)
    torch.testing.assert_close(own, expected)
    gradient, wanted = (torch.autograd.grad(y.square().sum(), layer.bias)[0] for y in (own, expected))
    torch.testing.assert_close(gradient, wanted)
