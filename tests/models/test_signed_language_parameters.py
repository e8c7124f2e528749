"""Scaled signed averaging in models of `transformers`: n and b, precision and dropout."""

import pytest
import torch
from torch.func import functional_call
from transformers import GPT2Config, GPT2LMHeadModel

from icllib.models.signed_language import signed_attention, use_signed_averaging
from random_language_models import IDS, MAKE, NO_DROPOUT, TOKENS, make


# ---- parameters -------------------------------------------------------------------------------


def test_every_head_of_every_layer_has_its_own_n_and_b():
    """Appendix B: from n = 1.5 and b = 1, 2 x 12 x 12 = 288 numbers in GPT-2 124M."""
    with torch.device("meta"):
        model = GPT2LMHeadModel(GPT2Config())
    plain = sum(parameter.numel() for parameter in model.parameters())
    assert sum(p.numel() for p in use_signed_averaging(model).parameters()) == plain + 288
    ssa = use_signed_averaging(MAKE["gpt2"]()).transformer.h[1].attn.signed_softmax_norm
    torch.testing.assert_close(ssa.n, torch.full((4,), 1.5))
    torch.testing.assert_close(ssa.b, torch.ones(4))


@pytest.mark.parametrize("name", ["gpt2", "roberta"])  # Llama normalizes in float32
def test_gradients_are_those_of_finite_differences(name):
    model = make(name)
    learned = {own: values for own, values in model.named_parameters() if "signed_softmax_norm" in own}
    loss = lambda *values: functional_call(model, dict(zip(learned, values)), (TOKENS,)).logits.square().mean()
    assert len(learned) == 4 and torch.autograd.gradcheck(loss, tuple(learned.values()))
    assert all(slope.abs().min() > 1e-9 for slope in torch.autograd.grad(loss(*learned.values()), [*learned.values()]))


# ---- precision and dropout --------------------------------------------------------------------


@torch.no_grad()
def test_scores_are_float32_under_autocast():
    """The second score is 200.5 and the first 200: bfloat16 has only every whole number there."""
    attn = use_signed_averaging(MAKE["gpt2"](), n=300.0).transformer.h[0].attn
    q, k = torch.full((1, 4, 1, 4), 8.0), torch.full((1, 4, 2, 4), 6.25)
    k[:, :, 1, 0] += 0.0625
    with torch.autocast("cpu", torch.bfloat16):
        _, weights = signed_attention(attn, q.bfloat16(), k.bfloat16(), k.bfloat16(), None, scaling=1.0)
    powers = (torch.tensor([201.0, 201.5], dtype=torch.float64) / 201) ** 300
    expected = (powers / powers.sum()).expand(4, 2)
    assert weights.dtype == torch.bfloat16 and expected[0, 1] > 0.67
    torch.testing.assert_close(weights[0, :, 0].double(), expected, atol=4e-3, rtol=0)


def test_dropout_acts_in_training_and_not_after():
    torch.manual_seed(0)
    model = use_signed_averaging(GPT2LMHeadModel(GPT2Config(
        **IDS, **NO_DROPOUT | {"attn_pdrop": 0.5}, n_embd=16, n_layer=1, n_head=4)))
    assert torch.equal(model.eval()(TOKENS).logits, model(TOKENS).logits)
    assert not torch.equal(model.train()(TOKENS).logits, model(TOKENS).logits)
