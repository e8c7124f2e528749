import pytest
import torch

from icllib.models import SGPT
from papers.context_scaling import normalization


@pytest.mark.parametrize("normalization, parity", [("l1", -1), ("absolute", 1)])
def test_parity_of_the_first_weights_in_the_query(normalization, parity):
    """Signed weights of a query on its pairs are odd in x_N, absolute ones even."""
    module = SGPT(1, 16, normalization).build([0], 3, 5)
    rows = torch.randn(1, 1, 1, 6, 4, generator=torch.Generator().manual_seed(0))
    rows[..., -1, -1] = 0  # the label of the query
    weights = []
    for sign in (1, -1):
        rows[..., -1, :] *= sign
        hidden = rows @ module.embedding[0]
        scores = hidden @ hidden.mT
        seen = torch.ones_like(scores, dtype=torch.bool)
        weights.append(module.blocks[0].phi(scores, seen)[..., -1, :-1])
    torch.testing.assert_close(weights[1], parity * weights[0])
