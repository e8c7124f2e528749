"""Scaled signed averaging in models of `transformers` with random weights, none downloaded."""

import math

import pytest
import torch
from transformers import RobertaForMaskedLM

from random_language_models import MAKE, TOKENS, make


@pytest.fixture(scope="module", params=MAKE)
def model(request):
    return make(request.param)


# ---- against the paper's formula --------------------------------------------------------------


def by_the_formula(q, k, v, n, b, scale, seen):
    """Equation 5 one query at a time: q, k, v (B, H, T, d), n, b (H,), seen(t) -> columns."""
    mixed = torch.zeros_like(q)
    for batch, head, t in ((*place,) for place in torch.cartesian_prod(
            *(torch.arange(size) for size in q.shape[:3]))):
        powers = {}
        for s in seen(int(t)):
            z = float(q[batch, head, t] @ k[batch, head, s]) * scale
            powers[s] = (1 + float(b[head]) * abs(z)) ** (math.copysign(1, z) * float(n[head]))
        for s, power in powers.items():
            mixed[batch, head, t] += power / sum(powers.values()) * v[batch, head, s]
    return mixed


def heads_of(tensor):
    """(B, T, heads d) -> (B, heads, T, d) with 4 numbers a head."""
    return tensor.unflatten(-1, (-1, 4)).transpose(1, 2)


@torch.no_grad()
@pytest.mark.parametrize("index", [0, 1])
def test_gpt2_mixes_values_by_the_formula(index):
    attn = make("gpt2").transformer.h[index].attn
    hidden = torch.randn(2, 6, 16, dtype=torch.float64)
    q, k, v = (heads_of(part) for part in attn.c_attn(hidden).split(16, dim=-1))
    n = 1 + torch.log1p(attn.signed_softmax_norm.excess.exp())
    b = attn.signed_softmax_norm.log_b.exp()
    mixed = by_the_formula(q, k, v, n, b, 4**-0.5 / (index + 1), lambda t: range(t + 1))
    expected = attn.c_proj(mixed.transpose(1, 2).flatten(-2))
    torch.testing.assert_close(attn(hidden, attention_mask=None)[0], expected, atol=1e-12, rtol=0)


@torch.no_grad()
def test_roberta_mixes_values_by_the_formula_over_all_tokens():
    layer = make("roberta").roberta.encoder.layer[0].attention.self
    hidden = torch.randn(2, 6, 16, dtype=torch.float64)
    q, k, v = (heads_of(part(hidden)) for part in (layer.query, layer.key, layer.value))
    ssa = layer.signed_softmax_norm
    mixed = by_the_formula(q, k, v, ssa.n, ssa.b, 4**-0.5, lambda t: range(6))
    torch.testing.assert_close(layer(hidden)[0], mixed.transpose(1, 2).flatten(-2), atol=1e-12, rtol=0)


@torch.no_grad()
def test_llama_shares_keys_and_values_among_neighbors():
    model = make("llama")
    layer = model.model.layers[0].self_attn
    hidden = torch.randn(2, 6, 16, dtype=torch.float64)
    one, nil = torch.ones(2, 6, 4, dtype=torch.float64), torch.zeros(2, 6, 4, dtype=torch.float64)
    q, k, v = (heads_of(part(hidden)) for part in (layer.q_proj, layer.k_proj, layer.v_proj))
    k, v = (tensor[:, [0, 0, 1, 1]] for tensor in (k, v))
    ssa = layer.signed_softmax_norm
    mixed = by_the_formula(q, k, v, ssa.n, ssa.b, 4**-0.5, lambda t: range(t + 1))
    expected = layer.o_proj(mixed.transpose(1, 2).flatten(-2))
    found = layer(hidden, position_embeddings=(one, nil), attention_mask=None)[0]  # no rotation
    torch.testing.assert_close(found, expected, atol=1e-12, rtol=0)


# ---- masks and caches -------------------------------------------------------------------------


@torch.no_grad()
@pytest.mark.parametrize("side", ["left", "right"])
def test_padding_changes_nothing(model, side):
    padding = torch.ones_like(TOKENS)
    padding[0, slice(2) if side == "left" else slice(-2, None)] = 0
    real = padding.bool()
    first = 1 if isinstance(model, RobertaForMaskedLM) else 0  # its places start behind padding's
    places = (padding.cumsum(-1) - 1).clamp(min=0) + first
    together = model(TOKENS * padding, attention_mask=padding, position_ids=places).logits
    assert together.isfinite().all()
    for row in range(2):
        tokens = TOKENS[row, real[row]][None]
        alone = model(tokens, position_ids=places[row, real[row]][None]).logits[0]
        torch.testing.assert_close(together[row, real[row]], alone, atol=1e-12, rtol=0)


def test_gradients_stay_finite_beside_padding_that_sees_nothing(model):
    padding = torch.tensor([[0, 0, 1, 1, 1, 1], [1] * 6])
    model.zero_grad()
    model(TOKENS, attention_mask=padding).logits[padding.bool()].sum().backward()
    assert all(p.grad is None or p.grad.isfinite().all() for p in model.parameters())
