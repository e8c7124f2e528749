"""The sizes of attention weights, against matrices by hand and at the start."""

import numpy as np
import pytest
import torch

from claimbook.records import Record, settings
from icllib.models import Transformer
from icllib.training.run import Trained
from papers.signed_averaging import query_key_weights
from papers.signed_averaging.query_key_weights import WeightSizes


def test_sizes_are_those_of_the_matrices_and_of_what_makes_the_scores():
    """Scores of the model itself, between unit vectors in place of its normalized stream."""
    module = Transformer(2, 2, 6, tokens="separate").build([1, 2], 1, 3)
    with torch.no_grad():
        for block in module.blocks:
            block.attention_norm.gain.uniform_(0.5, 2, generator=torch.Generator().manual_seed(0))
    found = WeightSizes().measure([None, None], Trained(module))["sizes"]
    assert found.shape == (2, 4, 2)
    for layer, block in enumerate(module.blocks):
        weight = block.qkv.weight.detach().numpy()  # biases are zero
        for part in range(3):
            own = weight[:, :, part * 6 : part * 6 + 6]
            assert found[:, part, layer] == pytest.approx(np.sqrt((own**2).mean((1, 2))))
        units = block.attention_norm.gain * torch.eye(6)
        q, k, _ = block.heads_of(units.expand(2, 1, 6, 6))
        scores = (q @ k.mT / 3**0.5).detach()[:, 0]  # (M, heads, 6, 6)
        expected = scores.square().mean((1, 2, 3)).sqrt()
        assert found[:, 3, layer] == pytest.approx(expected.numpy(), rel=1e-5)


def test_a_model_starts_at_the_size_that_the_figure_divides_by():
    module = Transformer(2, 8, 64, tokens="separate").build([0], 1, 40)
    run, measured = query_key_weights.runs("cpu")[0], WeightSizes().measure([None], Trained(module))
    made = Record(settings(run), {}, {"sizes": measured["sizes"][0].tolist()}, {})
    sizes, = query_key_weights.over_layers([made]).to_numpy()
    assert sizes == pytest.approx([0.02, 0.02, 0.02, 0.0004], rel=0.03)
