"""Linear self-attention: Eq. 1 as a loop, and its constructed weights as gradient descent."""

from functools import partial

import contract
import pytest
import torch
from contract import DIMENSION, prompts

from claimbook.records.errors import InputError
from icllib.attention import causal_pairs, full_pairs, with_queries
from icllib.models import LinearAttention
from icllib.models.linear_attention import construct
from icllib.theory import gradient_descent as theory

LENGTHS = (3, 12, 0, 7, 3)
SEEDS = (5, 11, 2)
MODELS = [LinearAttention(2, mask, merged)
          for mask in ("prefix", "causal") for merged in (False, True)]
MASKS = {"prefix": full_pairs, "causal": causal_pairs}


def shaken(model, seeds=SEEDS, dtype=torch.float64):
    """A fleet whose layers do enough for every term to count."""
    module = model.build(seeds, DIMENSION, max(LENGTHS)).to(dtype)
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            parameter *= (0.2 if name.startswith("project") else 0.4) / parameter.std()
    return module


def plain_attention(module, model, member, xs, ys, length):
    """Eq. 1 (or 2) token by token on n pairs and their query, which is not attended to."""
    labels = torch.cat((ys[:length], ys.new_zeros(1)))
    tokens = torch.cat((xs[: length + 1], labels[:, None]), dim=-1)
    for layer in range(model.layers):
        if model.merged:
            kq, pv = module.key_query[member, layer], module.projected_value[member, layer]
        else:
            kq = module.key[member, layer].T @ module.query[member, layer]
            pv = module.projection[member, layer] @ module.value[member, layer]
        after = []
        for j, z in enumerate(tokens):
            last = min(j + 1, length) if model.mask == "causal" else length
            sums = sum((other * (other @ kq @ z) for other in tokens[:last]), torch.zeros_like(z))
            after.append(z + pv @ sums / 12)
        tokens = torch.stack(after)
    return -tokens[-1, -1]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_equals_plain_loops(model):
    module = shaken(model)
    plain = partial(plain_attention, module, model)
    contract.equals_plain_loops(module, plain, *prompts(), LENGTHS)


@torch.no_grad()
@pytest.mark.parametrize("merged", [False, True])
@pytest.mark.parametrize("mask", MASKS)
def test_constructed_weights_are_gradient_descent(mask, merged):
    """Every token of every layer, with 40 pairs and 5 queries, against Eqs. 5, 6 and 8."""
    module = LinearAttention(6, mask, merged).build(SEEDS, DIMENSION, 40).double()
    construct(module, step_size=1.2)
    xs, ys = prompts(points=45)
    ys[..., 40:] = 0
    visible = with_queries(MASKS[mask](40), [40] * 5, attend_to_self=False)
    outputs = module.layer_outputs(torch.cat((xs, ys[..., None]), dim=-1), visible)
    expected = theory.linear_self_attention(xs, ys, visible, 1.2, 6, 40)
    torch.testing.assert_close(torch.stack(outputs)[..., -1], expected, atol=1e-12, rtol=0)
    assert all(torch.equal(output[..., :-1], xs) for output in outputs)


@torch.no_grad()
@pytest.mark.parametrize("merged", [False, True])
def test_predictions_are_those_of_descended_weights(merged):
    """Prefix: w_L x with the weights of L gradient steps on the pairs (Proposition 1)."""
    module, (xs, ys) = LinearAttention(6, merged=merged).build(SEEDS, DIMENSION, 12), prompts()
    construct(module.double(), step_size=0.9)
    for length in (12, 5):
        weights = theory.gradient_descent(xs[:, :, :length], ys[:, :, :length],
                                          0.9 * length / 12, 6)[-1]
        expected = (weights * xs[:, :, length]).sum(-1)
        ours = module(xs, ys, (length,))[..., 0]
        torch.testing.assert_close(ours, expected, atol=1e-12, rtol=1e-12)


@torch.no_grad()
def test_one_layer_starts_from_any_weights():
    """-(w1 - w0) x for a query, w1 one gradient step from w0."""
    module, (xs, ys) = LinearAttention().build(SEEDS, DIMENSION, 12).double(), prompts()
    start = torch.linspace(-1, 2, DIMENSION, dtype=torch.float64)
    construct(module, step_size=0.7, start=start)
    residuals = ys[..., :12] - xs[:, :, :12] @ start
    step = 0.7 / 12 * (residuals[..., None, :] @ xs[:, :, :12])[..., 0, :]
    torch.testing.assert_close(module(xs, ys, (12,))[..., 0], (step * xs[:, :, 12]).sum(-1))


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_one_pass_equals_separate_passes(model):
    contract.one_pass_equals_separate_passes(shaken(model), *prompts(), LENGTHS)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_hidden_points_change_no_bit(model):
    module = shaken(model, dtype=torch.float32)
    contract.hidden_points_change_no_bit(module, *prompts(torch.float32), 3, -5)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_fleet_equals_single_models(model):
    contract.fleet_equals_single_models(model, SEEDS, DIMENSION, *prompts(), LENGTHS)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_gradients_against_finite_differences(model):
    module = shaken(model, [5])
    contract.gradients_equal_finite_differences(module, *prompts())


def test_multiplications_are_those_of_the_operations():
    merged = shaken(LinearAttention(2, merged=True))
    contract.multiplications_are_those_of_the_operations(
        LinearAttention(2), merged, *prompts(), LENGTHS)


@pytest.mark.parametrize("settings", [(0,), (1, "block")])
def test_settings_that_cannot_be_are_refused(settings):
    with pytest.raises(InputError, match="expected .* got"):
        LinearAttention(*settings)
