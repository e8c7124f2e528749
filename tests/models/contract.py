"""What every model owes, as checks that the models' own tests call."""

import torch

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
def one_pass_equals_separate_passes(module, xs, ys, lengths, atol=1e-12):
    together = module(xs, ys, lengths)
    for k, length in enumerate(lengths):
        alone = module(xs[:, :, : length + 1], ys[:, :, : length + 1], (length,))
        torch.testing.assert_close(together[:, :, k], alone[:, :, 0], atol=atol, rtol=0)
