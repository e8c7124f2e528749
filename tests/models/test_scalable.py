"""Scalable softmax against plain loops; tests/test_every_scoring.py has what every scoring keeps."""

import pytest
import torch

from icllib import attention
from icllib.models.scoring import QASSMax, SSMax
from icllib.models.stacked import Initializer
from test_scoring import MASK, SCATTERED, TOKENS, build, draw, looped, ratio, softmax_row


@pytest.mark.parametrize("mask", [MASK, attention.full_pairs(TOKENS), SCATTERED])
def test_scalable_softmax_equals_plain_loops(mask):
    """n^(s z) over its sum, which is how its author writes it; every head has its own s."""
    assert SSMax().build(Initializer([0]), 2).s.tolist() == [[pytest.approx(0.43)] * 2]
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
