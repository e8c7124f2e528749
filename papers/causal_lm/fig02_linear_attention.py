"""Figure 2: does linear attention with a causal mask stop short of the answer?"""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from claimbook.pages import plotting
from claimbook.records import ADDED, Component
from icllib.attention import causal_pairs, full_pairs
from icllib.tasks import LinearRegression
from icllib.theory import gradient_descent as theory
from papers.causal_lm.layers import (
    INPUT_MEANS, KaczmarzErrors, LayersOnPrompts, draw_prompts, layer_seeds, query_errors, run_layers)
from papers.causal_lm.trained import MASKS
from papers.colors import dashed


@dataclass(frozen=True)
class LayerErrors(LayersOnPrompts):
    """Figure 2 left and middle: squared errors of pairs and queries after each layer."""

    other_labels: bool = field(default=False, metadata=ADDED)  # another prompt's: control

    def measure(self) -> dict:
        """Mean squared errors for prefix and causal, pairs and queries: (layers + 1,) each."""
        prompt = self.prompt()
        if self.other_labels:
            prompt.ys[..., : self.pairs] = prompt.ys[..., : self.pairs].roll(1, 0)
        metrics = {}
        for name, mask in (("prefix", full_pairs), ("causal", causal_pairs)):
            outputs = run_layers(prompt, self.pairs, self.step_size, self.layers, mask)
            left = outputs[..., : self.pairs]
            missed = prompt.ys[..., self.pairs :] + outputs[..., self.pairs :]
            metrics[f"{name}_pairs"] = left.square().mean((1, 2))
            metrics[f"{name}_queries"] = missed.square().mean((1, 2))
        return metrics


@dataclass(frozen=True)
class StationaryErrors(Component):
    """Figure 2 right: query error of the causal stationary points w_n* (Propositions 4, 5)."""

    input_mean: float = 0.0  # mu, in {0, 1, 2, 3}
    dimension: int = 16  # Section 5.1
    pairs: int = 300  # Section 5.1
    sequences: int = 1000  # ASSUMED: for small standard errors; the public code has 64
    seed: int = 0

    def axes(self, metric: str) -> dict:
        return {"pairs": None}

    def measure(self) -> dict:
        """Mean over sequences for n = 1 ... pairs, and its standard error: (pairs,) each."""
        task = LinearRegression(self.dimension, inputs="uniform", input_mean=self.input_mean)
        prompt = draw_prompts(task, self.seed, self.sequences, self.pairs)
        weights = theory.least_squares(prompt.xs, prompt.ys)  # the true ones: no noise, n > d
        errors = theory.online_gradient_descent(prompt.xs, prompt.ys)[1:] - weights
        squares = query_errors(errors, self.input_mean)
        return {"error": squares.mean(1), "standard_error": squares.std(1) / self.sequences**0.5}


def runs(profile: str) -> list:
    """Figure 2: layers on the left and in the middle, stationary points on the right."""
    few = {"sequences": 8} if profile == "smoke" else {}
    return [LayerErrors(seed=seed, **few) for seed in layer_seeds(profile)] + [
        StationaryErrors(mu, seed=seed, **few) for mu in INPUT_MEANS for seed in layer_seeds(profile)]


def slope_over_layers(errors, first: int, last: int) -> np.ndarray:
    """Slope of the logarithm of errors, a column for each layer, from one layer to another: (seeds,)."""
    window = errors.loc[:, first:last]
    return np.polyfit(window.columns, np.log(window).T, 1)[0]


def figure_2_evidence(errors: dict, stationary: dict) -> dict:
    """For Figure 2's claims: {number of the claim: (evidence, control)}, each {part: samples}.

    errors: {"prefix_pairs" and so on: a row for each seed, a column for each layer}; stationary: {mu: a row
    for each seed, a column for each number of pairs}. Controls: another prompt's labels, the other mask,
    other inputs, noisy labels, and a power law in place of a rate.
    """
    rate = lambda kind: slope_over_layers(errors[kind], 30, 50)
    to_pairs = {mask: rate(f"{mask}_queries") / rate(f"{mask}_pairs") for mask in MASKS}
    last = {kind: values[50] for kind, values in errors.items()}
    ends = {mu: values[300] for mu, values in stationary.items()}
    first = {mu: (stationary[mu] < 1e-2).idxmax(axis=1) for mu in (0, 1)}
    noisy = KaczmarzErrors(0.0, pairs=300, every=20).measure()["noisy_error"]
    swapped = LayerErrors(other_labels=True).measure()
    full = {mu: least_squares_error(mu) for mu in INPUT_MEANS}
    power_law = late_to_early(pd.DataFrame([1 / np.maximum(range(51), 1)]))
    return {
        6: ({"layer 50": last["prefix_queries"] / last["causal_queries"]},
            {"layer 50": [float(swapped["prefix_queries"][50] / swapped["causal_queries"][50])]}),
        7: ({"mu = 0": first[0]}, {"mu = 0": first[1]}),
        8: ({f"mu = {mu}": ends[mu] / ends[mu - 1] for mu in (1, 2, 3)},
            {f"mu = {mu}": full[mu] / full[mu - 1] for mu in (1, 2, 3)}),
        59: ({"n = 20": stationary[0][20] / (StationaryErrors().dimension / 3)},
            {"n = 20": [least_squares_error(0.0, noise_std=0.0, pairs=20).max() / (16 / 3)]}),
        41: ({"mu = 0": ends[0] / stationary[0][40]},
             {"mu = 0": [float(noisy[14] / noisy[1])]}),  # at 300 and 40 pairs
        42: ({"n = 40": errors["causal_queries"].min(axis=1)},
             {"n = 40": errors["prefix_queries"].min(axis=1)}),
        43: ({"n = 40": to_pairs["prefix"]}, {"n = 40": to_pairs["causal"]}),
        48: ({mask: late_to_early(errors[f"{mask}_pairs"]) for mask in MASKS},
             dict.fromkeys(MASKS, power_law)),
    }


def least_squares_error(input_mean: float, noise_std: float = 0.1, pairs: int = 300) -> np.ndarray:
    """The query error of the prefix mask's stationary points, by seed; without noise it is 0."""
    found, task = [], LinearRegression(16, noise_std, inputs="uniform", input_mean=input_mean)
    for seed in layer_seeds("paper"):
        prompt = draw_prompts(task, seed, 200, pairs)
        weights, truth = (theory.least_squares(prompt.xs, labels) for labels in (prompt.ys, prompt.means))
        found.append(float(query_errors(weights - truth, input_mean).mean()))
    return np.array(found)


def late_to_early(curves) -> np.ndarray:
    """The rate over layers 30 to 50 divided by that over layers 10 to 30; 1 if it is constant."""
    return slope_over_layers(curves, 30, 50) / slope_over_layers(curves, 10, 30)


def draw_card(axes, table) -> None:
    """For the front page: the errors on queries with both masks."""
    for mask in ("causal", "prefix"):
        plotting.draw(axes, table, mask, "queries", label=mask, **dashed(mask))
    axes.set(yscale="log", xlabel="layers", ylabel="squared error")
    axes.set_yticks([1e-4, 1e-2, 1], ["0.0001", "0.01", "1"])
