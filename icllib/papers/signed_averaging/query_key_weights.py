"""Section 5.3: do queries and keys shrink after training on wider inputs.

How large the weights of queries and keys are after training on wider inputs (Section 5.3).
"""

from dataclasses import dataclass, replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch

from icllib.papers.signed_averaging.affine import LAWS, models_by_law, seed_by_seed
from icllib.papers.signed_averaging.comparisons import reached_on_own_law
from icllib.plotting import GOLD, OLIVE, POSITIVE, STEEL, legend_below, series
from icllib.results import Component
from icllib.training import Run

COLORS = dict(zip(LAWS, (GOLD, STEEL, OLIVE)))  # as in training_laws
KINDS = ("queries", "keys", "values", "scores")
START = 0.02  # standard deviation of every weight before training


@dataclass(frozen=True)
class WeightSizes(Component):
    """Root mean squares of a decoder's attention weights: `sizes`, (M, KINDS, layers).

    Of the matrices Q, K and V, and of G Q K^T G / sqrt(d), G being the gains of the layer norm
    before them and d the width of a head: of this the scores are made, but for biases.
    """

    def measure(self, tasks, predictor, device="cpu") -> dict:
        """The sizes of M trained decoders."""
        with torch.no_grad():
            layers = [layer_sizes(block) for block in predictor.module.blocks]
        return {"sizes": torch.stack(layers, dim=2).cpu().numpy()}


def layer_sizes(block) -> torch.Tensor:
    """Those of one layer: (M, KINDS)."""
    matrices = block.qkv.weight.double().unflatten(-1, (3, block.heads, -1))  # (M, width, 3, H, d)
    q, k = (block.attention_norm.gain[:, 0, 0, :, None, None] * matrices[:, :, part]
            for part in (0, 1))
    scores = torch.einsum("mihd,mjhd->mhij", q, k) / q.shape[-1] ** 0.5
    kinds = [*matrices.unbind(2), scores]
    return torch.stack([kind.flatten(1).square().mean(1).sqrt() for kind in kinds], dim=1)


def runs(profile: str) -> list[Run]:
    """The models of the page training_laws, weighed."""
    return [replace(run, evaluation=WeightSizes(), along=None)
            for runs in models_by_law(profile).values() for run in runs]


def over_layers(sizes) -> np.ndarray:
    """The root mean square over the last axis, the layers."""
    return np.sqrt(np.square(sizes).mean(axis=-1))


def evidence(records) -> dict:
    """The parts of the claim: Q and K after wide training over those after training on N(0, 1)."""
    found = {name: over_layers(sizes) for name, sizes in sizes_by_law(records).items()}
    narrow, *wide = LAWS
    return {f"{letter}, {name}": seed_by_seed(
        np.divide, found[name][:, kind], found[narrow][:, kind])
            for name in wide for kind, letter in enumerate("QK")}


def sizes_by_law(records) -> dict[str, np.ndarray]:
    """The sizes of every model: law -> (seeds, KINDS, layers)."""
    return {name: np.array([record["sizes"] for record in records
                            if record.run["task"]["input_std"] == input_std])
            for name, input_std in LAWS.items()}


def reached(profile: str, records) -> dict:
    """The gate of the claim, by part: what the models of training_laws reached on their own law."""
    own, (narrow, *wide) = reached_on_own_law(profile, records), LAWS
    return {f"{letter}, {name}": seed_by_seed(max, own[narrow], own[name])
            for name in wide for letter in "QK"}


def size_tables(records, profile: str) -> list[pd.DataFrame]:
    """The sizes over all layers over those at the start: the mean of a law, and each seed."""
    start, tables = np.array([START, START, START, START**2]), []
    for name, sizes in sizes_by_law(records).items():
        relative = over_layers(sizes) / start
        tables += [series("sizes", f"{name}, seed {seed}", KINDS, own, profile)
                   for seed, own in enumerate(relative)]
        tables.append(series("sizes", name, KINDS, relative, profile, POSITIVE))
    return tables


def draw_sizes(table):
    """For each of KINDS, a dot for each model; returns the legend."""
    _, axes = plt.subplots(figsize=(8, 4))
    for aside, (name, color) in zip((-0.2, 0, 0.2), COLORS.items()):
        rows = table[table.series.str.startswith(f"{name}, seed")]
        axes.plot(rows.x.map(KINDS.index) + aside, rows.y, "o", color=color, label=name)
    axes.axhline(1, color="grey", lw=1)
    axes.set(yscale="log", ylabel="size / size at the start")
    ticks = (1, 2, 5, 10, 20, 50, 100)
    axes.set_yticks(ticks, ticks)
    axes.set_xticks(range(len(KINDS)), KINDS)
    axes.minorticks_off()
    return legend_below(axes, 3)
