"""Section 5.3: do the weights of queries and keys shrink after training on wider inputs?"""

from dataclasses import dataclass, replace

import pandas as pd
import torch

from claimbook.claims.sentences import POSITIVE
from claimbook.pages.plotting import series
from claimbook.records import Component
from claimbook.records.values import values
from icllib.training import Run
from papers.signed_averaging.affine import BY_LAW, LAWS, shared, wider_inputs

KINDS = ("queries", "keys", "values", "scores")
START = 0.02  # standard deviation of every weight before training


@dataclass(frozen=True)
class WeightSizes(Component):
    """Root mean squares of Q, K, V and G Q K^T G / sqrt(d), with the gains G of the layer norm and the width
    d of a head: `sizes`, (M, KINDS, layers)."""

    def axes(self, metric: str) -> dict:
        return {"kind": KINDS, "layer": None}

    def measure(self, tasks, predictor, device="cpu") -> dict:
        with torch.no_grad():
            layers = [layer_sizes(block) for block in predictor.module.blocks]
        return {"sizes": torch.stack(layers, dim=2).cpu().numpy()}


def layer_sizes(block) -> torch.Tensor:
    """The sizes of one layer: (M, KINDS)."""
    matrices = block.qkv.weight.double().unflatten(-1, (3, block.heads, -1))  # (M, width, 3, H, d)
    q, k = (block.attention_norm.gain[:, 0, 0, :, None, None] * matrices[:, :, part] for part in (0, 1))
    scores = torch.einsum("mihd,mjhd->mhij", q, k) / q.shape[-1] ** 0.5
    kinds = [*matrices.unbind(2), scores]
    return torch.stack([kind.flatten(1).square().mean(1).sqrt() for kind in kinds], dim=1)


def runs(profile: str) -> list[Run]:
    """The models of the page training_laws, measured by WeightSizes."""
    return [replace(run, evaluation=WeightSizes(), along=None) for run in wider_inputs(profile)]


def over_layers(records) -> pd.DataFrame:
    """Sizes of all layers together, a root mean square: rows (law, seed), columns KINDS."""
    squares = values(records, "sizes", **BY_LAW) ** 2
    return squares.groupby(["law", "seed", "kind"]).mean().unstack()[list(KINDS)] ** 0.5


def evidence(records) -> dict[str, pd.Series]:
    """Sizes of Q and K after training on wide inputs over those on N(0, 1), by seed."""
    sizes, (narrow, *wide), found = over_layers(records), LAWS, {}
    for name in wide:
        pair = shared(sizes, narrow, name)
        found |= {f"{letter}, {name}": pair[name, kind] / pair[narrow, kind]
                  for letter, kind in (("Q", "queries"), ("K", "keys"))}
    return found


def size_tables(records, profile: str) -> list[pd.DataFrame]:
    """Tables of sizes, all layers together, over those at the start: for each law and seed."""
    relative, tables = over_layers(records) / [START, START, START, START**2], []
    for name, own in ((name, relative.loc[name]) for name in LAWS):
        tables += [series("sizes", f"{name}, seed {seed}", KINDS, row, profile)
                   for seed, row in own.iterrows()]
        tables.append(series("sizes", name, KINDS, own, profile, POSITIVE))
    return tables
