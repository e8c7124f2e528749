"""SGPT against plain loops, one pass against separate ones, and how it starts."""

from functools import partial

import contract
import pytest
import torch
from contract import DIMENSION, prompts
from torch.nn import functional as F

from icllib.models import SGPT
from icllib.streams import Stream
from icllib.tasks import LinearRegression

LENGTHS = (3, 12, 0, 7, 3)
SEEDS = (5, 11, 2)
SETTINGS = [SGPT(layers=2, width=16), SGPT(2, 16, mlp_skip=False), SGPT(2, 16, "absolute"),
            SGPT(2, 16, "none")]


def shaken(model, seeds=SEEDS, dtype=torch.float64):
    """A fleet whose weights are large enough for every term to count."""
    module = model.build(seeds, DIMENSION, max(LENGTHS)).to(dtype)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter *= 0.3 / parameter.std()
    return module


def plain_phi(row, model):
    """One row of scores to weights, entry by entry."""
    if model.normalization == "none":
        return [z / (len(row) * model.width) for z in row]
    total = sum(abs(z) for z in row)
    return [(abs(z) if model.normalization == "absolute" else z) / total for z in row]


def plain_sgpt(module, model, member, xs, ys, length):
    """Eq. 13 on the n + 1 rows of one prompt matrix, token by token."""
    labels = torch.cat((ys[:length], ys.new_zeros(1)))
    hidden = torch.cat((xs[: length + 1], labels[:, None]), dim=-1) @ module.embedding[member]
    for block in module.blocks:
        after = []
        for token in hidden:
            weights = plain_phi([(token @ other).item() for other in hidden], model)
            mixed = sum(weight * other for weight, other in zip(weights, hidden))
            mixed = mixed @ block.project[member] + token
            activated = F.gelu(mixed @ block.mlp[member], approximate="tanh")
            after.append(activated + mixed if model.mlp_skip else activated)
        hidden = torch.stack(after)
    return (hidden[-1] @ module.read_out[member])[0]


@pytest.mark.parametrize("model", SETTINGS, ids=str)
def test_equals_plain_loops(model):
    module = shaken(model)
    contract.equals_plain_loops(module, partial(plain_sgpt, module, model), *prompts(), LENGTHS)


@torch.no_grad()
def test_a_row_of_zeros_has_finite_answers():
    xs, ys = (torch.zeros_like(tensor) for tensor in prompts(torch.float32))
    for model in SETTINGS:
        assert shaken(model, dtype=torch.float32)(xs, ys, LENGTHS).isfinite().all()


def test_the_embedding_is_fixed_but_saved():
    module = SGPT(1, 8).build([0], DIMENSION, 12)
    assert "embedding" not in dict(module.named_parameters())
    assert "embedding" in module.state_dict()


@torch.no_grad()
@pytest.mark.parametrize("width", [64, 256])
@pytest.mark.parametrize("normalization", ["l1", "absolute", "none"])
@pytest.mark.parametrize("mlp_skip", [True, False])
def test_activations_neither_vanish_nor_explode(width, normalization, mlp_skip):
    module = SGPT(8, width, normalization, mlp_skip).build([0], 20, 40)
    sizes = []
    for block in module.blocks:
        block.register_forward_hook(lambda block, inputs, output: sizes.append(
            output.square().mean().sqrt().item()))
    task = LinearRegression(20, noise_std=0.5, weight_std=20**-0.5)
    prompt = task.sample(Stream.of([0], "training"), torch.arange(8)[None], 41)
    module(prompt.xs, prompt.ys, (10, 40))
    assert len(sizes) == 8 and all(0.5 < size < 2 for size in sizes), sizes
