"""Tokens x, y, x, y ... as in Garg et al. (2022)."""

import torch

from icllib.models import Transformer
from icllib.models.layout import separate_tokens


def test_separate_tokens_interleave_inputs_and_labels():
    xs, ys = torch.randn(2, 3, 5, 4), torch.randn(2, 3, 5)
    tokens = separate_tokens(xs, ys, 3)
    assert tokens.shape == (2, 3, 7, 4)
    for n in range(4):
        assert torch.equal(tokens[:, :, 2 * n], xs[:, :, n])
    for n in range(3):
        assert torch.equal(tokens[:, :, 2 * n + 1, 0], ys[:, :, n])
        assert not tokens[:, :, 2 * n + 1, 1:].any()


def test_input_tokens_show_the_numbers_alone():
    """What is answered at x_n is a function of x_0, ..., x_n in their order, and of no label."""
    module = Transformer(2, 2, 16, tokens="inputs").build([0, 1], 3, 6)
    xs, ys = torch.randn(2, 4, 7, 3), torch.randn(2, 4, 7)
    together = module(xs, ys, (0, 4, 6))
    assert torch.equal(module(xs, ys + 1, (0, 4, 6)), together)
    for k, n in enumerate((0, 4, 6)):
        assert torch.allclose(module(xs, ys, (n,))[..., 0], together[..., k], atol=1e-6)
        changed = xs.clone()
        changed[:, :, n] += 1
        moved = (module(changed, ys, (0, 4, 6)) - together).abs().amax((0, 1)) > 0
        assert moved.tolist() == [length >= n for length in (0, 4, 6)]
