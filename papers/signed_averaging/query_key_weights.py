"""Section 5.3: do the weights of queries and keys shrink after training on wider inputs?"""

from dataclasses import dataclass, replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch

from claimbook.claims.sentences import POSITIVE
from claimbook.pages.plotting import GOLD, OLIVE, STEEL, legend_below, series
from claimbook.records import Component
from icllib.training import Run
from papers.signed_averaging.affine import LAWS, models_by_law, seed_by_seed
from papers.signed_averaging.comparisons import reached_on_own_law

COLORS = dict(zip(LAWS, (GOLD, STEEL, OLIVE)))  # as in training_laws
KINDS = ("queries", "keys", "values", "scores")
START = 0.02  # standard deviation of every weight before training


@dataclass(frozen=True)
class WeightSizes(Component):
    """Root mean squares of a decoder's attention weights: `sizes`, (M, KINDS, layers).

    Of the matrices Q, K and V, and of G Q K^T G / sqrt(d), which gives the scores without biases. G
    are the gains of the layer norm before Q and K, d is the width of a head.
    """

    def measure(self, tasks, predictor, device="cpu") -> dict:
        """The sizes of M trained decoders."""
        with torch.no_grad():
            layers = [layer_sizes(block) for block in predictor.module.blocks]
        return {"sizes": torch.stack(layers, dim=2).cpu().numpy()}


def layer_sizes(block) -> torch.Tensor:
    """The sizes of one layer: (M, KINDS)."""
    matrices = block.qkv.weight.double().unflatten(-1, (3, block.heads, -1))  # (M, width, 3, H, d)
    q, k = (block.attention_norm.gain[:, 0, 0, :, None, None] * matrices[:, :, part]
            for part in (0, 1))
    scores = torch.einsum("mihd,mjhd->mhij", q, k) / q.shape[-1] ** 0.5
    kinds = [*matrices.unbind(2), scores]
    return torch.stack([kind.flatten(1).square().mean(1).sqrt() for kind in kinds], dim=1)


def runs(profile: str) -> list[Run]:
    """The models of the page training_laws, measured by WeightSizes."""
    return [replace(run, evaluation=WeightSizes(), along=None)
            for runs in models_by_law(profile).values() for run in runs]


def over_layers(sizes) -> np.ndarray:
    """The root mean square over the last axis, the layers."""
    return np.sqrt(np.square(sizes).mean(axis=-1))


def evidence(records) -> dict:
    """Sizes of Q and K after training on wide inputs over those on N(0, 1): {part: (seeds,)}."""
    found = {name: over_layers(sizes) for name, sizes in sizes_by_law(records).items()}
    narrow, *wide = LAWS
    return {f"{letter}, {name}": seed_by_seed(
        np.divide, found[name][:, kind], found[narrow][:, kind])
            for name in wide for kind, letter in enumerate("QK")}


def sizes_by_law(records) -> dict[str, np.ndarray]:
    """The sizes of every model: {law: (seeds, KINDS, layers)}."""
    return {name: np.array([record["sizes"] for record in records
                            if record.run["task"]["input_std"] == input_std])
            for name, input_std in LAWS.items()}


def reached(profile: str, records) -> dict:
    """The gate: the larger error of both models on their training inputs: {part: (seeds,)}."""
    errors, (narrow, *wide) = reached_on_own_law(profile, records), LAWS
    return {f"{letter}, {name}": seed_by_seed(max, errors[narrow], errors[name])
            for name in wide for letter in "QK"}


def size_tables(records, profile: str) -> list[pd.DataFrame]:
    """Tables of sizes, all layers together, over those at the start: for each law and seed."""
    start, tables = np.array([START, START, START, START**2]), []
    for name, sizes in sizes_by_law(records).items():
        relative = over_layers(sizes) / start
        tables += [series("sizes", f"{name}, seed {seed}", KINDS, values, profile)
                   for seed, values in enumerate(relative)]
        tables.append(series("sizes", name, KINDS, relative, profile, POSITIVE))
    return tables


def draw_sizes(table):
    """Draw a dot for each model at each of KINDS; returns the legend."""
    import seaborn  # takes a second, which commands that draw nothing need not wait

    _, axes = plt.subplots(figsize=(8, 4))
    seeds = table.assign(law=table.series.str.partition(", seed")[0])[~table.series.isin(LAWS)]
    seaborn.swarmplot(seeds, x="x", y="y", hue="law", palette=COLORS, dodge=True, size=6, ax=axes)
    axes.axhline(1, color="grey", lw=1)
    axes.set(yscale="log", xlabel="", ylabel="size / size at the start")
    ticks = (1, 2, 5, 10, 20, 50, 100)
    axes.set_yticks(ticks, ticks)
    axes.minorticks_off()
    return legend_below(axes, 3)
