"""Linear self-attention: trained, or with the weights that make it gradient descent.

"CausalLM is not optimal for in-context learning" (Ding et al., 2024); the equation numbers are
that paper's.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from claimbook.records import Component
from claimbook.records.checks import whole
from icllib.checks import built_for
from icllib.models.packing import Packing, at_queries, pack, packed_size, packed_tokens
from icllib.models.products import product
from icllib.models.stacked import Initializer


@dataclass(frozen=True)
class LinearAttention(Component):
    """z_j <- z_j + P V sum_i z_i (z_i^T K^T Q z_j) in every layer, tokens z = (x, y) (Eq. 1).

    The pairs attend to each other ("prefix") or to those up to themselves ("causal", Eq. 2). A
    query attends to its pairs and never to itself (Section 3.1, footnote). Raises InputError for
    sizes or choices that cannot be.
    """

    layers: int = 1
    mask: Literal["prefix", "causal"] = "prefix"  #: of the pairs
    merged: bool = False  #: True: train K^T Q and P V as one matrix each

    def check(self):
        whole(layers=self.layers)

    def build(self, seeds, dimension: int, max_pairs: int, device="cpu"):
        """A fleet of such models, one per seed."""
        built_for(dimension, max_pairs)
        return StackedLinearAttention(self, seeds, dimension, max_pairs, device)

    def multiplications(self, dimension: int, lengths) -> float:
        """Multiply-adds of the forward pass on one prompt."""
        (rows, tokens), width = packed_size(lengths), dimension + 1
        return self.layers * rows * tokens * 2 * width * (width + tokens)


class StackedLinearAttention(nn.Module):
    """M such models side by side; the matrices are the paper's, (M, layers, d + 1, d + 1).

    The 1/n that Eq. 5 has in P stands outside, n being the largest number of pairs: so all
    matrices are of one magnitude, as suits an optimizer with one learning rate.
    """

    def __init__(self, settings: LinearAttention, seeds, dimension: int, max_pairs: int, device):
        super().__init__()
        self.settings, self.pairs, draw = settings, max_pairs, Initializer(seeds, device)
        size = dimension + 1
        shape, std = (settings.layers, size, size), size**-0.5
        # ASSUMED: N(0, 1 / (d + 1)), and P d + 1 times smaller, which makes up for the size of
        # z_i z_i^T: layers are cubic, so several of them overflow if weights are large.
        if settings.merged:
            self.key_query = draw.normal("key_query", shape, std)
            self.projected_value = draw.normal("projected_value", shape, std / size)
        else:
            self.key = draw.normal("key", shape, std)
            self.query = draw.normal("query", shape, std)
            self.value = draw.normal("value", shape, std)
            self.projection = draw.normal("projection", shape, std / size)

    def forward(self, xs: Tensor, ys: Tensor, lengths) -> Tensor:
        """Predict y[n] from n pairs and x[n], for each n in lengths: (M, B, N, d) -> (M, B, K).

        The last coordinate of a query is minus its prediction (Section 3.1).
        """
        packing = pack(lengths, xs.device)
        outputs = self.layer_outputs(packed_tokens(xs, ys, packing), self.visible(packing))
        return -at_queries(outputs[-1], packing)[..., -1]

    def visible(self, packing: Packing) -> Tensor:
        """Which token attends to which: (R, T, T)."""
        mask = packing.mask & ~packing.is_query[:, None]
        return mask.tril() if self.settings.mask == "causal" else mask

    def layer_outputs(self, z: Tensor, mask: Tensor) -> list[Tensor]:
        """Tokens (M, ..., T, d + 1) at first and after every layer, under any mask (..., T, T)."""
        key_query, projected_value = self.merged_weights()
        outputs = [z]
        for layer in range(self.settings.layers):
            queries = product(z, key_query[:, layer].mT)  # row j is z_j^T Q^T K
            sums = (queries @ z.mT).masked_fill(~mask, 0) @ z
            z = z + product(sums / self.pairs, projected_value[:, layer].mT)
            outputs.append(z)
        return outputs

    def merged_weights(self) -> tuple[Tensor, Tensor]:
        """K^T Q and P V of every layer, which is all that Eq. 1 needs."""
        if self.settings.merged:
            return self.key_query, self.projected_value
        return self.key.mT @ self.query, self.projection @ self.value


@torch.no_grad()
def construct(module: StackedLinearAttention, step_size: float, start: Tensor | None = None):
    """Give every layer the weights of Eq. 5, with which it is one step of gradient descent.

    K = Q = diag(I, 0), V = (0 0; w0 -1), P = (step_size / n) I, n being the largest
    number of pairs. start: w0 (d,), by default 0; with any other the last coordinate of a pair is
    y_j - (w_l - w0) x_j in every layer, so that a query's prediction lacks w0 x (Proposition 6).
    """
    parameter = next(module.parameters())
    size = parameter.shape[-1]
    identity = torch.eye(size, dtype=parameter.dtype, device=parameter.device)
    key, value = identity.clone(), torch.zeros_like(identity)
    key[-1, -1], value[-1, -1] = 0, -1
    if start is not None:
        value[-1, :-1] = start
    weights = {"key": key, "query": key, "value": value, "projection": step_size * identity,
               "key_query": key, "projected_value": step_size * value}
    for name, own in module.named_parameters():
        own.copy_(weights[name])
