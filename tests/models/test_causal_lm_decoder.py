"""The decoder of the causalLM paper's public code, as options of ours."""

import torch
from torch.nn.functional import gelu, layer_norm

from icllib.models import Transformer

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


def test_it_is_the_public_decoder():
    module = PUBLIC.build([4], DIMENSION, PAIRS)
    xs, ys = torch.randn(1, 3, PAIRS + 1, DIMENSION), torch.randn(1, 3, PAIRS + 1)
    ours = module(xs, ys, (PAIRS,))[0, :, 0]
    theirs = torch.stack([plain_forward(module, xs[0, b], ys[0, b]) for b in range(3)])
    assert torch.allclose(ours, theirs, atol=1e-5)


def test_it_starts_uniform_with_the_bounds_of_its_fan_in():
    module = Transformer(1, 2, 64, attention_width=32, uniform_start=True).build([0], 3, 5)
    for layer, fan_in in ((module.blocks[0].qkv, 64), (module.blocks[0].project, 32),
                          (module.blocks[0].contract, 256)):
        for values in (layer.weight, layer.bias):
            largest = values.abs().max().item() * fan_in**0.5
            assert 0.9 < largest <= 1
        assert abs(layer.weight.std().item() * (3 * fan_in) ** 0.5 - 1) < 0.05
