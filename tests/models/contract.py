"""What every model owes, as checks that the models' own tests call."""

import math
from itertools import product

import torch
from torch.utils.flop_counter import FlopCounterMode

DIMENSION = 4


def prompts(dtype=torch.float64, members=3, points=13, batch=2):
    """Inputs (members, batch, points, DIMENSION) and labels (members, batch, points)."""
    generator = torch.Generator().manual_seed(1)
    xs = torch.randn(members, batch, points, DIMENSION, generator=generator, dtype=dtype)
    return xs, torch.randn(members, batch, points, generator=generator, dtype=dtype)


@torch.no_grad()
def shaken(module, std=0.1):
    generator = torch.Generator().manual_seed(0)
    for parameter in module.parameters():
        parameter += std * torch.randn(parameter.shape, generator=generator)
    return module


@torch.no_grad()
def equals_plain_loops(module, plain, xs, ys, lengths):
    """plain(member, xs (N, d), ys (N,), length): one prediction, alone."""
    predictions = module(xs, ys, lengths)
    assert predictions.shape == (*xs.shape[:2], len(lengths)) and predictions.std() > 0.05
    for member, b in product(*map(range, xs.shape[:2])):
        expected = [plain(member, xs[member, b], ys[member, b], length) for length in lengths]
        torch.testing.assert_close(predictions[member, b], torch.stack(expected), atol=1e-12, rtol=1e-12)


@torch.no_grad()
def one_pass_equals_separate_passes(module, xs, ys, lengths, atol=1e-12):
    together = module(xs, ys, lengths)
    for k, length in enumerate(lengths):
        alone = module(xs[:, :, : length + 1], ys[:, :, : length + 1], (length,))
        torch.testing.assert_close(together[:, :, k], alone[:, :, 0], atol=atol, rtol=0)


@torch.no_grad()
def hidden_points_change_no_bit(module, xs, ys, other_x, other_y):
    """Length 7 sees neither its own label nor anything later, though they share the pass."""
    before = module(xs, ys, (3, 7, 12))
    xs, ys = xs.clone(), ys.clone()
    xs[:, :, 8:], ys[:, :, 7:] = other_x, other_y
    after = module(xs, ys, (3, 7, 12))
    assert torch.equal(after[..., :2], before[..., :2])
    assert not torch.equal(after[..., 2], before[..., 2])


@torch.no_grad()
def fleet_equals_single_models(model, seeds, dimension, xs, ys, lengths):
    fleet = model.build(seeds, dimension, 12).double()
    predictions = fleet(xs, ys, lengths)
    for member, seed in enumerate(seeds):
        alone = model.build([seed], dimension, 12).double()
        for name, value in alone.state_dict().items():
            assert torch.equal(value[0], fleet.state_dict()[name][member])
        ours = alone(xs[member, None], ys[member, None], lengths)[0]
        torch.testing.assert_close(ours, predictions[member], atol=1e-12, rtol=1e-12)


def multiplications_are_those_of_the_operations(model, module, xs, ys, lengths):
    with FlopCounterMode(display=False) as counter:
        module(xs, ys, lengths)
    counted = counter.get_total_flops() / 2 / math.prod(ys.shape[:2])
    assert model.multiplications(DIMENSION, lengths) == counted
