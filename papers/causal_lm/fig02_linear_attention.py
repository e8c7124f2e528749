"""Figure 2: does linear attention with a causal mask stop short of the answer?"""

from dataclasses import dataclass, field

import numpy as np

from claimbook.pages import plotting
from claimbook.records import ADDED, Component
from icllib.attention import causal_pairs, full_pairs
from icllib.tasks import LinearRegression
from icllib.theory import gradient_descent as theory
from papers.causal_lm.layers import (
    INPUT_MEANS, LayersOnPrompts, draw_prompts, layer_seeds, query_errors, run_layers)
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
            metrics[f"{name}_pairs"] = outputs[..., : self.pairs].square().mean((1, 2))
            metrics[f"{name}_queries"] = self.errors(prompt, outputs)
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
