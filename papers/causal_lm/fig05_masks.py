"""Figure 5: the attention masks."""

from dataclasses import dataclass
from typing import Literal

import torch

from claimbook.records import Component
from icllib.attention import block_causal_pairs, causal_pairs, full_pairs, with_queries
from icllib.tasks import LinearRegression
from icllib.theory import gradient_descent as theory, largest
from papers.causal_lm.layers import blank_queries, draw_prompts

MASKS = ("full", "prefix", "block-causal", "causal")  # from the widest to the narrowest


@dataclass(frozen=True)
class MaskCheck(Component):
    """Figure 5: a mask, and whether the output at a query depends on the other queries."""

    mask: Literal[*MASKS]
    pairs: int = 12  # ASSUMED: few enough to see each cell
    queries: int = 6  # ASSUMED: as above
    block: int = 4  # ASSUMED: the paper gives no size for its block-causal mask
    dimension: int = 16  # Section 5.1
    layers: int = 10  # ASSUMED: any number above 1 shows it
    step_size: float = 0.4  # ASSUMED: from the grid of Appendix E.1; 12 pairs need a smaller one
    seed: int = 0

    def axes(self, metric: str) -> dict:
        return {"row": None, "column": None}

    def measure(self) -> dict:
        """The mask as 0 and 1, and the largest change of an output if its query is alone."""
        task = LinearRegression(self.dimension, inputs="uniform")
        prompt = draw_prompts(task, self.seed, 1, self.pairs + self.queries)
        labels = blank_queries(prompt, self.pairs)
        together, differences = self.outputs(prompt.xs, labels), []
        for query in range(self.pairs, self.pairs + self.queries):
            kept = [*range(self.pairs), query]
            alone = self.outputs(prompt.xs[:, kept], labels[:, kept])
            differences.append(largest(alone - together[..., kept]))
        return {"mask": self.matrix(self.queries).int(), "difference": max(differences)}

    def matrix(self, queries: int) -> torch.Tensor:
        """The mask over the pairs and some queries."""
        if self.mask == "full":
            return full_pairs(self.pairs + queries)
        pairs_mask = {"prefix": full_pairs(self.pairs), "causal": causal_pairs(self.pairs),
                      "block-causal": block_causal_pairs(self.pairs, self.block)}[self.mask]
        return with_queries(pairs_mask, [self.pairs] * queries, attend_to_self=False)

    def outputs(self, xs: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """The last coordinates after each layer: (layers + 1, 1, tokens)."""
        mask = self.matrix(xs.shape[1] - self.pairs)
        return theory.linear_self_attention(xs, labels, mask, self.step_size, self.layers, self.pairs)


def runs(profile: str) -> list[MaskCheck]:
    """Figure 5: four masks."""
    return [MaskCheck(mask) for mask in MASKS]
