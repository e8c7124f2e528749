"""The decoder's passes: which lengths share one, how it is laid out, and what it multiplies."""

import pytest
import torch
from torch.nn.functional import gelu, layer_norm
from torch.utils.flop_counter import FlopCounterMode

from claimbook.records.errors import InputError
from icllib.models import Transformer


@pytest.mark.parametrize("options, lengths, needed", [
    ({}, (1, 5, 7), False),
    ({"mask": "prefix"}, (7, 7), False),
    ({"mask": "prefix"}, (6, 7), True),
    ({"mask": "leave-one-out"}, (7, 7), False),
    ({"mask": "leave-one-out"}, (6, 7), True),
    ({"mask": "block-causal", "block": 3}, (3, 6, 7), False),
    ({"mask": "block-causal", "block": 3}, (4, 6), True),
])
def test_lengths_share_a_pass_where_they_can(options, lengths, needed):
    assert Transformer(**options).needs_passes(lengths) == needed


def test_outputs_at_pairs_are_refused_where_lengths_need_several_passes():
    module, xs = Transformer(1, 1, 4, mask="prefix").build([0], 2, 5), torch.randn(1, 1, 6, 2)
    with pytest.raises(InputError, match="with_pairs: "):
        module(xs, xs[..., 0], (3, 5), with_pairs=True)


@pytest.mark.parametrize("lengths", [(5, 10, 20), (40,)])
@pytest.mark.parametrize("options", [
    {}, {"attention": False}, {"perceptron": False}, {"mask": "prefix"}, {"shared_layers": True},
    {"mask": "block-causal", "block": 5}, {"layers": 1, "heads": 2, "width": 32},
])
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
PAIRS, DIMENSION = 5, 3


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
    module = PUBLIC.build([4], DIMENSION, PAIRS)
    xs, ys = torch.randn(1, 3, PAIRS + 1, DIMENSION), torch.randn(1, 3, PAIRS + 1)
    ours = module(xs, ys, (PAIRS,))[0, :, 0]
    theirs = torch.stack([plain_forward(module, xs[0, b], ys[0, b]) for b in range(3)])
    assert torch.allclose(ours, theirs, atol=1e-5)
