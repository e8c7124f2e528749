"""How large the weights of queries and keys are after training on wider inputs (Section 5.3)."""

from dataclasses import dataclass, replace
from typing import ClassVar

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch

from icllib.papers.signed_averaging.ablations import by_model, models_by_law
from icllib.papers.signed_averaging.affine import SIZES
from icllib.papers.signed_averaging.affine_controls import reached_on_law
from icllib.plotting import GREEN, ORANGE, POSITIVE, SKY, draw, legend_below, series
from icllib.results import stacked
from icllib.training import Run

LAWS = {"N(0, 1)": ORANGE, "N(0, 10)": SKY, "N(0, 100)": GREEN}  # colors as in training_laws
KINDS = ("queries", "keys", "values", "scores")
START = 0.02  # standard deviation of every weight before training


@dataclass(frozen=True)
class WeightSizes:
    """Root mean squares of a decoder's attention weights: `sizes`, (M, KINDS, layers).

    Of the matrices Q, K and V, and of G Q K^T G / sqrt(d), G being the gains of the layer norm
    before them and d the width of a head: of this the scores are made, but for biases.
    """

    version: ClassVar[int] = 1

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


def query_key_weights(profile: str) -> list[Run]:
    """The models of the page training_laws, at the end of training and along it."""
    models = models_by_law(profile)
    return [replace(run, evaluation=WeightSizes(), along=replace(run.along,
                                                                 evaluation=WeightSizes()))
            for name in LAWS for run in models[name]]


# ---- what the page shows --------------------------------------------------------------------


def over_layers(sizes) -> np.ndarray:
    """The root mean square over the last axis, the layers."""
    return np.sqrt(np.square(sizes).mean(axis=-1))


def evidence(records) -> dict:
    """The parts of the claim: Q and K after wide training over those after training on N(0, 1)."""
    found = {name: over_layers(sizes) for name, sizes in stacked(records, LAWS, "sizes").items()}
    narrow, *wide = LAWS
    return {f"{letter}, {name}": found[name][:, kind] / found[narrow][:, kind]
            for name in wide for kind, letter in enumerate("QK")}


def reached(profile: str, records) -> dict:
    """The gate of the claim, by part: what the models of training_laws reached on their own law."""
    models = models_by_law(profile)
    grids = by_model(records, models, "error_grid")
    own = {name: reached_on_law(grids[name], SIZES[profile].grid, models[name][0].task.input_std)
           for name in LAWS}
    narrow, *wide = LAWS
    return {f"{letter}, {name}": np.maximum(own[narrow], own[name])
            for name in wide for letter in "QK"}


def size_tables(records, profile: str) -> list[pd.DataFrame]:
    """The sizes over all layers along training, over what they start from: each seed, the means."""
    tables, stops = [], records[0].run["along"]["steps"]
    for name, sizes in stacked(records, LAWS, "sizes_along").items():
        sizes = over_layers(sizes)
        for place, kind in enumerate(KINDS):
            start = START**2 if kind == "scores" else START  # expected of N(0, START^2) weights
            relative = np.insert(sizes[:, :, place] / start, 0, 1, axis=1)
            tables += [series(kind, f"{name}, seed {seed}", [0, *stops], path, profile)
                       for seed, path in enumerate(relative)]
            tables.append(series(kind, name, [0, *stops], relative, profile, POSITIVE))
    return tables


def draw_sizes(table):
    """A panel for each of KINDS with a line for each seed; returns the legend."""
    _, panels = plt.subplots(2, 2, sharex=True, figsize=(9, 5.6))
    for axes, kind in zip(panels.flat, KINDS):
        for name, color in LAWS.items():
            seeds = table.series[table.series.str.startswith(f"{name}, seed")].unique()
            for curve in seeds:
                draw(axes, table, kind, curve, color=color, marker="o",
                     label=name if curve == seeds[0] else "_")
        axes.axhline(1, color="grey", lw=1)
        axes.set(title=kind, yscale="log")
        ticks = (1, 3, 10, 30) if kind == "scores" else (1, 2, 3, 4)
        axes.set_yticks(ticks, ticks)
        axes.minorticks_off()
    for axes in panels[:, 0]:
        axes.set_ylabel("size / size at the start")
    for axes in panels[1]:
        axes.set_xlabel("training steps")
    return legend_below(panels[0, 0], 3)
