"""Scalable softmax against plain loops; tests/test_every_scoring.py has what every scoring keeps."""

import pytest
import torch

from icllib import attention
from icllib.models.scoring import QASSMax, SSMax
from icllib.models.scoring import Softmax
from icllib.models.stacked import Initializer
from test_scoring import MASK, SCATTERED, TOKENS, build, draw, looped, ratio, softmax_row


@pytest.mark.parametrize("mask", [MASK, attention.full_pairs(TOKENS), SCATTERED])
def test_scalable_softmax_equals_plain_loops(mask):
    """n^(s z) over its sum, which is how its author writes it; every head has its own s."""
    module, (q, k, v) = build(SSMax()), draw()
    for member, head in [(0, 0), (1, 3)]:
        s = module.s[member, head].item()
        own = (slice(member, member + 1), slice(None), slice(head, head + 1))
        expected = looped(q[own], k[own], v[own], mask,
                          lambda z: ratio([len(z) ** (s * value) for value in z]))
        torch.testing.assert_close(module(q, k, v, mask)[own], expected, atol=1e-12, rtol=0)


@pytest.mark.parametrize("mask", [MASK, attention.full_pairs(TOKENS), SCATTERED])
def test_query_aware_scalable_softmax_equals_plain_loops(mask):
    """One query at a time through perceptrons of torch.nn, with the module's numbers."""
    module, (q, k, v) = build(QASSMax(4)), draw()
    counts = mask.sum(-1)
    for member in range(2):
        parts = {}
        for name, part in (("base", module.base), ("gate", module.gate)):
            parts[name] = torch.nn.Sequential(*(
                torch.nn.GELU() if index == 1 else torch.nn.Linear(*part[index].weight.shape[1:])
                for index in range(3))).double()
            for index in (0, 2):
                parts[name][index].weight.data = part[index].weight[member].T
                parts[name][index].bias.data = part[index].bias[member]
        scaled = q[member].clone()
        for b, head, t in torch.cartesian_prod(*map(torch.arange, q.shape[1:4])).tolist():
            base = parts["base"](counts[t].double().log()[None])[4 * head : 4 * head + 4]
            scaled[b, head, t] *= base * (1 + torch.tanh(parts["gate"](q[member, b, head, t])))
        own = slice(member, member + 1)
        expected = looped(scaled[None].detach(), k[own], v[own], mask, softmax_row)
        torch.testing.assert_close(module(q, k, v, mask)[own], expected, atol=1e-12, rtol=0)


def test_scalable_softmax_keeps_the_largest_weight_where_softmax_loses_it():
    """Figure 1 of Nakanishi (2025): one score of 3 among -2, at n = 16 and 1024 and s = 0.43."""
    found = {}
    for scoring in (Softmax(), SSMax(0.43)):
        for n in (16, 1024):
            q, k = torch.ones(1, 1, 1, 1, 1), torch.full((1, 1, 1, n, 1), -2.0)
            k[..., -1, :] = 3
            module = scoring.build(Initializer([0]), 1)
            found[scoring, n] = module.weights(q, k, torch.ones(1, n).bool())[..., -1].item()
    assert found[Softmax(), 1024] < 0.13 < 0.9 < found[Softmax(), 16]
    assert found[SSMax(0.43), 16] > 0.95 and found[SSMax(0.43), 1024] > 0.99
