"""The decoder: each option is what it says, which lengths share a pass, and what a pass multiplies."""

from dataclasses import replace

import pytest
import torch
from torch.nn.functional import gelu, layer_norm
from torch.utils.flop_counter import FlopCounterMode

from claimbook.records import digest, key, settings, versions
from claimbook.records.errors import InputError
from icllib.models import CosFormer, Transformer
from papers.context_scaling import fig01_scaling

import contract
from contract import DIMENSION
from test_scoring import SCORINGS

LENGTHS = (3, 7, 12)
SMALL = {"layers": 2, "heads": 4, "width": 16}


def shaken(std=0.1, **options):
    return contract.shaken(Transformer(**(SMALL | options)).build((5, 11), DIMENSION, 12), std)


def prompts(points=13):
    return contract.prompts(torch.float32, 2, points, 3)


def test_the_default_keeps_the_identity_of_its_records():
    """The digest and key of a run as they were before the decoder had options."""
    run = fig01_scaling.runs("gpu")[0]
    assert run.model == Transformer(8, 8, 256)
    assert digest(settings(run)) == "31eb09f6d45d"
    assert key(settings(run), versions(run)) == "b05a73210ef0"


@torch.no_grad()
@pytest.mark.parametrize("scoring", SCORINGS, ids=str)
def test_one_pass_equals_separate_passes(scoring):
    module, (xs, ys) = shaken(scoring=scoring), prompts()
    together = module(xs, ys, LENGTHS)
    # cosFormer's weights depend on the longest length of a pass: only that one can be equal.
    for k, length in list(enumerate(LENGTHS))[2 if scoring == CosFormer() else 0:]:
        alone = module(xs[:, :, : length + 1], ys[:, :, : length + 1], (length,))
        torch.testing.assert_close(together[..., k], alone[..., 0], atol=1e-5, rtol=0)


@torch.no_grad()
@pytest.mark.parametrize("options", [{"mask": "prefix"}, {"mask": "block-causal", "block": 4},
                                     {"mask": "leave-one-out"}])
@pytest.mark.parametrize("lengths", [LENGTHS, (8, 4, 12), (12, 3, 3, 1)])
def test_lengths_do_not_see_each_other_s_pairs(options, lengths):
    contract.one_pass_equals_separate_passes(shaken(**options), *prompts(), lengths, 1e-6)


@torch.no_grad()
def test_blocks_lie_between_causal_and_prefix():
    predict = lambda **options: shaken(**options)(*prompts(), (12,))
    causal, prefix = predict(), predict(mask="prefix")
    blocks = {block: predict(mask="block-causal", block=block) for block in (1, 4, 12)}
    assert torch.equal(blocks[1], causal) and torch.equal(blocks[12], prefix)
    assert not torch.equal(blocks[4], causal) and not torch.equal(blocks[4], prefix)


@torch.no_grad()
def test_leaving_one_out_is_attention_without_that_pair():
    """Pair by pair and head by head, as a loop over the others; the query sees all pairs."""
    module, (xs, ys) = shaken(layers=1, mask="leave-one-out", queries_see_themselves=False), prompts()
    seen = {}
    block = module.blocks[0]
    block.project.register_forward_hook(lambda part, given, made: seen.update(mixed=given[0]))
    module(xs, ys, (12,), with_pairs=True)
    tokens = torch.cat((xs[:, :, :13], ys[:, :, :13, None]), dim=-1)
    tokens[:, :, 12, -1] = 0
    hidden = module.embed(tokens) + module.positions[:, None, :13]
    q, k, v = block.heads_of(block.attention_norm(hidden))
    for token in range(13):
        others = [pair for pair in range(12) if pair != token]
        scores = torch.stack([(q[..., token, :] * k[..., pair, :]).sum(-1) for pair in others], dim=-1)
        weights = (scores / q.shape[-1] ** 0.5).softmax(-1)
        mixed = sum(weights[..., place, None] * v[..., pair, :] for place, pair in enumerate(others))
        torch.testing.assert_close(seen["mixed"][:, :, token], mixed.flatten(2), atol=1e-5, rtol=0)


@torch.no_grad()
def test_queries_that_see_pairs_only():
    module, (xs, ys) = shaken(queries_see_themselves=False), prompts()
    assert not torch.equal(module(xs, ys, LENGTHS), shaken()(xs, ys, LENGTHS))
    with pytest.raises(InputError, match="mask: "):
        module(xs, ys, (0, 3))


@torch.no_grad()
def test_a_layer_with_rotary_positions_rms_and_swiglu_is_llama_s():
    from transformers.models.llama.modeling_llama import LlamaConfig, LlamaDecoderLayer, LlamaRotaryEmbedding

    block = shaken(heads=2, positions="rotary", normalization="rms", activation="swiglu").blocks[1]
    config = LlamaConfig(hidden_size=16, num_attention_heads=2, num_key_value_heads=2, intermediate_size=42,
                         attn_implementation="eager", rms_norm_eps=1e-6, attention_bias=True, mlp_bias=True)
    layer, x, places = LlamaDecoderLayer(config, 0).eval(), prompts()[0].new_empty(2, 3, 9, 16).normal_(), torch.arange(9)
    for member in range(2):
        own = {name: values[member] for name, values in block.state_dict().items()}
        turned = lambda name: (*own[f"{name}.weight"].chunk(3 if name == "qkv" else 2, -1),
                               *own[f"{name}.bias"].chunk(3 if name == "qkv" else 2, -1))
        q, k, v, *qkv_biases = turned("qkv")
        gate, up, *mlp_biases = turned("expand")
        weights = {"self_attn.q_proj": q, "self_attn.k_proj": k, "self_attn.v_proj": v, "mlp.gate_proj": gate,
                   "mlp.up_proj": up, "self_attn.o_proj": own["project.weight"], "mlp.down_proj": own["contract.weight"]}
        biases = (*qkv_biases, *mlp_biases, own["project.bias"], own["contract.bias"])
        layer.load_state_dict(
            {f"{name}.weight": values.T for name, values in weights.items()}
            | {f"{name}.bias": values for name, values in zip(weights, biases)}
            | {"input_layernorm.weight": own["attention_norm.gain"].flatten(),
               "post_attention_layernorm.weight": own["mlp_norm.gain"].flatten()})
        hidden = torch.full((9, 9), -torch.inf).triu(1)[None, None]
        theirs = layer(x[member], attention_mask=hidden, position_embeddings=LlamaRotaryEmbedding(config)(
            x[member], places[None]))
        theirs = theirs[0] if isinstance(theirs, tuple) else theirs
        ours = block(x, torch.ones(9, 9, dtype=torch.bool).tril(), places)[member]
        torch.testing.assert_close(ours, theirs, atol=1e-6, rtol=0)
        read = torch.tensor([8, 2])
        assert torch.allclose(block(x, torch.ones(9, 9, dtype=torch.bool).tril(), places, read)[member],
                              theirs[:, read], atol=1e-6)


@torch.no_grad()
def test_rotary_positions_need_no_table_and_hang_on_distances():
    model = Transformer(**SMALL, positions="rotary", tokens="separate")
    assert model.most_pairs(12) == float("inf")
    block = contract.shaken(model.build((5, 11), DIMENSION, 4)).blocks[0]
    x, mask = torch.randn(2, 3, 6, 16), torch.ones(6, 6, dtype=torch.bool).tril()
    near, far = (block(x, mask, torch.arange(6) + first) for first in (0, 50))
    torch.testing.assert_close(near, far, atol=1e-5, rtol=0)
    assert not torch.allclose(near, block(x, mask, 2 * torch.arange(6)), atol=1e-3)
    with pytest.raises(InputError, match="heads: expected an even"):
        Transformer(1, 4, 12, positions="rotary")


def test_without_normalization_there_is_no_part_of_one():
    assert not any("norm" in name for name, _ in shaken(normalization="none").named_parameters())


@torch.no_grad()
@pytest.mark.parametrize("option, last, names", [
    ("perceptron", "contract", ("mlp_norm", "expand", "contract")),
    ("attention", "project", ("attention_norm", "qkv", "scoring", "project"))])
def test_without_a_part(option, last, names):
    """The decoder without a part equals the one in which the part's last layer is zero."""
    models = [Transformer(**SMALL, **{option: present}) for present in (True, False)]
    full, part = (model.build((5, 11), DIMENSION, 12) for model in models)
    for block in full.blocks:
        for parameter in getattr(block, last).parameters():
            parameter.zero_()
    assert torch.equal(full(*prompts(), LENGTHS), part(*prompts(), LENGTHS))
    missing = full.state_dict().keys() - part.state_dict().keys()
    assert {name.split(".")[2] for name in missing} == set(names)


def test_a_read_out_at_a_rate_starts_alike_and_moves_as_much_faster():
    """The first step of Adam moves each number by the learning rate."""
    start, (xs, ys) = Transformer(**SMALL), prompts()
    answers, moved = [], []
    for rate in (1.0, 10.0):
        model = replace(start, read_out_rate=rate)
        module = model.build((5, 11), DIMENSION, 12)
        before = rate * module.read_out.weight.detach().clone()
        answers.append(module(xs, ys, LENGTHS).detach())
        optimizer = torch.optim.AdamW(module.parameters(), lr=1e-3, weight_decay=0)
        module(xs, ys, LENGTHS).square().sum().backward()
        optimizer.step()
        moved.append((rate * module.read_out.weight.detach() - before).abs())
    torch.testing.assert_close(*answers)
    torch.testing.assert_close(moved[1], 10 * moved[0], rtol=1e-3, atol=1e-6)


def test_shared_layers_are_one_block_repeated():
    xs, ys = prompts()
    shared, repeated = shaken(shared_layers=True, layers=3), shaken(layers=3)
    count = lambda module: sum(parameter.numel() for parameter in module.blocks.parameters())
    assert 3 * count(shared) == count(repeated)
    for block in repeated.blocks:
        block.load_state_dict(shared.blocks[0].state_dict())
    for part in ("embed", "final_norm", "read_out"):
        getattr(repeated, part).load_state_dict(getattr(shared, part).state_dict())
    repeated.positions.data.copy_(shared.positions)
    assert torch.equal(shared(xs, ys, LENGTHS), repeated(xs, ys, LENGTHS))


@torch.no_grad()
@pytest.mark.parametrize("options", [{}, {"shared_layers": True}, {"mask": "prefix"}])
def test_predictions_by_layer_are_those_of_the_first_layers(options):
    module, (xs, ys) = shaken(layers=3, **options), prompts()
    by_layer = module.predictions_by_layer(xs, ys, LENGTHS)
    assert by_layer.shape == (3, 2, 3, 3)
    assert torch.equal(by_layer[-1], module(xs, ys, LENGTHS))
    for layers in (2, 1):
        if options.get("shared_layers"):
            module.repeats = layers
        else:
            module.blocks = module.blocks[:layers]
        torch.testing.assert_close(by_layer[layers - 1], module(xs, ys, LENGTHS), atol=1e-6, rtol=0)


@pytest.mark.parametrize("options, message", [
    ({"attention": False, "perceptron": False}, "expected at least one, got neither"),
    ({"block": 4}, "block: "),
    ({"tokens": "separate", "query_positions": 2}, "expected True and 1 with separate tokens, got True and 2"),
    ({"tokens": "inputs", "queries_see_themselves": False}, "with inputs tokens, got False and 1")])
def test_options_that_do_not_go_together_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        Transformer(**options)


def test_outputs_at_pairs_are_refused_where_lengths_need_several_passes():
    module, xs = Transformer(1, 1, 4, mask="prefix").build([0], 2, 5), torch.randn(1, 1, 6, 2)
    with pytest.raises(InputError, match="with_pairs: "):
        module(xs, xs[..., 0], (3, 5), with_pairs=True)


@pytest.mark.parametrize("lengths", [(5, 10, 20), (40,)])
@pytest.mark.parametrize("options", [
    {}, {"attention": False}, {"perceptron": False}, {"mask": "prefix"}, {"shared_layers": True},
    {"mask": "block-causal", "block": 5}, {"layers": 1, "heads": 2, "width": 32}])
def test_multiplications_are_those_counted(options, lengths):
    """FlopCounterMode counts two for a multiply-add, and embedding and readout too."""
    model = Transformer(**{"layers": 3, "heads": 4, "width": 64} | options)
    xs, module = torch.randn(1, 1, max(lengths) + 1, 8), model.build([0], 8, max(lengths))
    with FlopCounterMode(display=False) as counter, torch.no_grad(), \
            torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        module(xs, xs[..., 0], lengths)
    tokens = sum(map(model.token_count, model.passes(lengths)))
    both_ends = model.width * (9 * tokens + len(lengths))
    assert model.multiplications(8, lengths) + both_ends == counter.get_total_flops() / 2


@pytest.mark.parametrize("mask", ["prefix", "causal"])
def test_queries_with_positions_of_their_own_are_queries_alone_at_these_positions(mask):
    """Ding et al., public code: 3 queries after 4 pairs stand at positions 4, 5 and 6."""
    model = Transformer(2, 2, 8, mask=mask, query_positions=3, uniform_start=True)
    module, xs, ys = model.build([0], 2, 4), torch.randn(1, 5, 9, 2), torch.randn(1, 5, 9)
    together = module(xs, ys, (2, 2, 2, 4, 4, 4), (6, 7, 8) * 2)
    for place, pairs in enumerate((2, 2, 2, 4, 4, 4)):
        query, alone = place % 3, model.build([0], 2, 4)
        with torch.no_grad():
            alone.positions[:, pairs] = module.positions[:, pairs + query]
        expected = alone(xs, ys, (pairs,), (6 + query,))[..., 0]
        torch.testing.assert_close(together[..., place], expected)


def test_input_tokens_show_the_numbers_alone():
    """What is answered at x_n is a function of x_0, ..., x_n in their order, and of no label."""
    module = Transformer(2, 2, 16, tokens="inputs").build([0, 1], 3, 6)
    xs, ys = torch.randn(2, 4, 7, 3), torch.randn(2, 4, 7)
    together = module(xs, ys, (0, 4, 6))
    assert torch.equal(module(xs, ys + 1, (0, 4, 6)), together)
    for k, n in enumerate((0, 4, 6)):
        assert torch.allclose(module(xs, ys, (n,))[..., 0], together[..., k], atol=1e-6)
        changed = xs.clone()
        changed[:, :, n] += 1
        moved = (module(changed, ys, (0, 4, 6)) - together).abs().amax((0, 1)) > 0
        assert moved.tolist() == [length >= n for length in (0, 4, 6)]


PUBLIC = Transformer(2, 2, 12, mask="prefix", queries_see_themselves=False, normalize_stream=True,
                     attention_width=8, final_norm=False, uniform_start=True)
PAIRS = 5


def plain_forward(module, xs, ys):
    """One member, one prompt at a time, with explicit loops over tokens and heads."""
    take = lambda layer: (layer.weight[0], layer.bias[0])
    linear = lambda layer, x: x @ take(layer)[0] + take(layer)[1]
    norm = lambda layer, x: layer_norm(x, x.shape[-1:]) * layer.gain[0, 0] + layer.bias[0, 0]
    tokens = torch.cat((xs, torch.cat((ys[:PAIRS], torch.zeros(1)))[:, None]), dim=1)
    x = linear(module.embed, tokens) + module.positions[0]
    for block in module.blocks:
        x = norm(block.attention_norm, x)
        qkv = linear(block.qkv, x).view(PAIRS + 1, 3, 2, 4)
        mixed = torch.zeros(PAIRS + 1, 2, 4)
        for token in range(PAIRS + 1):
            for head in range(2):
                scores = qkv[:PAIRS, 1, head] @ qkv[token, 0, head] / 2  # the query sees no query
                mixed[token, head] = scores.softmax(0) @ qkv[:PAIRS, 2, head]
        x = x + linear(block.project, mixed.flatten(1))
        x = norm(block.mlp_norm, x)
        x = x + linear(block.contract, gelu(linear(block.expand, x), approximate="tanh"))
    return linear(module.read_out, x)[PAIRS, 0]


def test_it_is_the_decoder_of_the_causal_lm_paper_s_public_code():
    module = PUBLIC.build([4], 3, PAIRS)
    xs, ys = torch.randn(1, 3, PAIRS + 1, 3), torch.randn(1, 3, PAIRS + 1)
    ours = module(xs, ys, (PAIRS,))[0, :, 0]
    theirs = torch.stack([plain_forward(module, xs[0, b], ys[0, b]) for b in range(3)])
    assert torch.allclose(ours, theirs, atol=1e-5)
