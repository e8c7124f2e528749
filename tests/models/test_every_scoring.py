"""What every scoring keeps: masks hide, heads and members stay apart, gradients are right."""

import pytest
import torch

from icllib.attention import causal_pairs
from icllib.models import Transformer
from icllib.models.scoring import Uniform
from icllib.tasks import LinearRegression
from icllib.training import Fleet, Recipe
from icllib.training.engine import run_steps
from test_scoring import FOUR, HALF, HEADS, MASK, TOKENS, build, by_name, draw


@by_name
def test_hidden_tokens_change_no_bit(scoring):
    module, (q, k, v) = build(scoring).float(), draw(dtype=torch.float32)
    before = module(q, k, v, MASK)
    k, v = k.clone(), v.clone()
    k[..., 4:, :], v[..., 4:, :] = 1e3, -1e3
    after = module(q, k, v, MASK)
    assert torch.equal(after[..., :4, :], before[..., :4, :])
    assert not torch.equal(after[..., 4:, :], before[..., 4:, :])


@by_name
def test_hidden_tokens_get_no_weight_and_no_gradient(scoring):
    module, (q, k, v) = build(scoring), [tensor.requires_grad_() for tensor in draw()]
    weights = module.weights(q, k, MASK).expand(2, 2, HEADS, TOKENS, TOKENS)
    assert not weights[..., ~MASK].any()
    module(q, k, v, MASK)[..., :4, :].square().sum().backward()
    assert not k.grad[..., 4:, :].any() if k.grad is not None else scoring == Uniform()
    assert not v.grad[..., 4:, :].any() and v.grad[..., :4, :].any()


@by_name
def test_heads_and_members_do_not_mix(scoring):
    module, inputs = build(scoring), draw()
    before = module(*inputs, MASK)
    for place in ((1, slice(None), 2), (0, slice(None), 0)):  # a head of a member
        changed = [tensor.clone() for tensor in inputs]
        for tensor in changed:
            tensor[place] += 1
        moved = (module(*changed, MASK) != before).flatten(3).any(-1)
        assert moved[place].all() and moved.sum() == 2  # that head, in both prompts


@by_name
def test_prompts_may_have_masks_of_their_own(scoring):
    """As in an encoder, whose sentences are padded: one row of a mask for each prompt."""
    module, (q, k, v) = build(scoring), draw()
    masks = torch.arange(TOKENS) < torch.tensor([3, TOKENS])[:, None]  # (B, T)
    together = module.weights(q, k, masks[None, :, None, None]) @ v
    for prompt, mask in enumerate(masks):
        own = [tensor[:, prompt : prompt + 1] for tensor in (q, k, v)]
        alone = module.weights(*own[:2], mask.expand(TOKENS, -1)) @ own[2]
        torch.testing.assert_close(together[:, prompt].expand_as(alone[:, 0]), alone[:, 0],
                                   atol=1e-12, rtol=0)


@pytest.mark.parametrize("mixed", [HALF, FOUR], ids=str)
def test_mixed_heads_equal_their_parts(mixed):
    inputs, start = draw(), 0
    together = build(mixed)(*inputs, MASK)
    for part, size in mixed.parts:
        own = slice(start, start + size)
        alone = build(part, size)(*(tensor[:, :, own] for tensor in inputs), MASK)
        torch.testing.assert_close(together[:, :, own], alone, atol=1e-12, rtol=0)
        start += size
    assert start == HEADS


@by_name
def test_gradients_equal_finite_differences(scoring):
    module = build(scoring)
    inputs = [tensor[:1, :1].repeat(2, 1, 1, 1, 1).requires_grad_() for tensor in draw(tokens=3)]
    call = lambda q, k, v, *parameters: module(q, k, v, causal_pairs(3))
    assert torch.autograd.gradcheck(call, (*inputs, *module.parameters()))


@by_name
@pytest.mark.parametrize("size", [0.0, 1e-3, 1e3])
def test_scores_of_any_size_give_finite_numbers(scoring, size):
    """In float32, with scores up to 1e6."""
    module = build(scoring).float()
    inputs = [tensor.requires_grad_() for tensor in draw(dtype=torch.float32, size=size)]
    mixed = module(*inputs, MASK)
    mixed.square().mean().backward()
    assert mixed.isfinite().all()
    for tensor in (*inputs, *module.parameters()):
        assert tensor.grad is None or tensor.grad.isfinite().all()


@by_name
def test_a_member_that_diverges_stops_no_other(scoring):
    task, model = LinearRegression(2), Transformer(1, HEADS, 4 * HEADS, scoring)
    fleet = Fleet([task] * 2, model, Recipe((3,), steps=8, batch=2), [0, 1], [None] * 2,
                  learning_rates=[1e-3, 1e30])
    run_steps(fleet)
    assert fleet.alive.tolist() == [True, False]
    assert all(values[0].isfinite().all() for values in fleet.parameters)
