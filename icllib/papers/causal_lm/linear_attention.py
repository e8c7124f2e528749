"""Propositions 1 to 5 and Figure 2: layers of linear self-attention and where they lead.

Everything here is exact or sampled in double precision and trains nothing, so it is the same in
every profile.
"""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import torch

from icllib.attention import causal_pairs, full_pairs, with_queries
from icllib.results import ADDED
from icllib.streams import Stream
from icllib.tasks import LinearRegression, Prompt
from icllib.theory import gradient_descent as theory, largest

SEEDS = 5  # ASSUMED: the paper shows one draw
INPUT_MEANS = (0.0, 1.0, 2.0, 3.0)  # mu of Figure 2, right
# d and n: more pairs than dimensions, few of each, and more dimensions than pairs.
SIZES = ((16, 40), (3, 7), (64, 40))


def draw(task: LinearRegression, seed: int, sequences: int, points: int) -> Prompt:
    """Prompts in double precision: xs (sequences, points, d), ys (sequences, points)."""
    prompt = task.sample(Stream.of([seed], "evaluation"), torch.arange(sequences)[None], points,
                         torch.float64)
    return Prompt(*(tensor[0] for tensor in prompt))


def blank_queries(prompt: Prompt, pairs: int) -> torch.Tensor:
    """The labels as they enter the first layer: a query has y = 0."""
    labels = prompt.ys.clone()
    labels[..., pairs:] = 0
    return labels


def query_errors(errors: torch.Tensor, input_mean: float) -> torch.Tensor:
    """The mean over queries x ~ U(-1, 1)^d + mu of (e . x)^2, exactly: (..., d) -> (...).

    errors: e, those of the weights.
    """
    return errors.square().sum(-1) / 3 + input_mean**2 * errors.sum(-1).square()


def run_layers(prompt: Prompt, pairs: int, step_size: float, layers: int, mask) -> torch.Tensor:
    """What linear self-attention leaves of each label: y_j - w x_j for pairs, -w x for queries."""
    queries = prompt.ys.shape[-1] - pairs
    mask = with_queries(mask(pairs), [pairs] * queries, attend_to_self=False)
    return theory.linear_self_attention(prompt.xs, blank_queries(prompt, pairs), mask, step_size,
                                        layers, pairs)


@dataclass(frozen=True)
class LayerErrors:
    """Figure 2 left and middle: squared errors of pairs and queries after each layer."""

    dimension: int = 16  # Section 5.1
    pairs: int = 40  # Section 5.1
    queries: int = 200  # Section 5.1
    sequences: int = 64  # Section 5.1
    layers: int = 50  # Appendix E.1
    step_size: float = 1.6  # Appendix E.1: the fastest of those tried that does not diverge
    seed: int = 0
    version: ClassVar[int] = 1

    def measure(self) -> dict:
        """Mean squared errors for prefix and causal, pairs and queries: (layers + 1,) each."""
        task = LinearRegression(self.dimension, inputs="uniform")
        prompt = draw(task, self.seed, self.sequences, self.pairs + self.queries)
        metrics = {}
        for name, mask in (("prefix", full_pairs), ("causal", causal_pairs)):
            outputs = run_layers(prompt, self.pairs, self.step_size, self.layers, mask)
            left = outputs[..., : self.pairs]
            missed = prompt.ys[..., self.pairs :] + outputs[..., self.pairs :]
            metrics[f"{name}_pairs"] = left.square().mean((1, 2))
            metrics[f"{name}_queries"] = missed.square().mean((1, 2))
        return metrics


@dataclass(frozen=True)
class StationaryErrors:
    """Figure 2 right: query error of the causal stationary points w_n* (Propositions 4, 5).

    The mean over queries is taken exactly, by `query_errors`.
    """

    input_mean: float = 0.0  # mu, in {0, 1, 2, 3}
    dimension: int = 16  # Section 5.1
    pairs: int = 300  # Section 5.1
    sequences: int = 1000  # ASSUMED: for small standard errors; the public code has 64
    seed: int = 0
    version: ClassVar[int] = 1

    def measure(self) -> dict:
        """Mean over sequences for n = 1 ... pairs, and its standard error: (pairs,) each."""
        task = LinearRegression(self.dimension, inputs="uniform", input_mean=self.input_mean)
        prompt = draw(task, self.seed, self.sequences, self.pairs)
        weights = theory.least_squares(prompt.xs, prompt.ys)  # the true ones: no noise, n > d
        errors = theory.online_gradient_descent(prompt.xs, prompt.ys)[1:] - weights
        squares = query_errors(errors, self.input_mean)
        return {"error": squares.mean(1),
                "standard_error": squares.std(1) / self.sequences**0.5}


@dataclass(frozen=True)
class Propositions:
    """Largest deviations from Propositions 1 to 5 on one random prompt.

    The stationary points are compared with gradient descent after many steps, so that they are
    checked as limits and not only as solutions of their own equations.
    """

    dimension: int
    pairs: int
    layers: int = 50  # Appendix E.1
    steps_to_limit: int = 3000  # ASSUMED: by then what is left is rounding
    step_size: float = 1.0  # below 2n / lambda_max(XX^T) and 2n / max|x|^2 at all sizes used
    seed: int = 0
    off: float = field(default=0.0, metadata=ADDED)  # of a coefficient of each formula: a control
    version: ClassVar[int] = 1

    @property
    def formula_step(self) -> float:
        """The step size in the formulas."""
        return self.step_size * (1 + self.off)

    def measure(self) -> dict:
        """Largest absolute deviation of each statement."""
        task = LinearRegression(self.dimension, inputs="uniform")
        prompt = draw(task, self.seed, 1, self.pairs + 10)
        return {**self.attention_deviations(prompt), **self.prefix_deviations(prompt),
                **self.causal_deviations(prompt)}

    def attention_deviations(self, prompt: Prompt) -> dict:
        """Propositions 1 and 2: layer outputs against Eq. 3 and Eq. 10, queries included."""
        n, labels = self.pairs, blank_queries(prompt, self.pairs)
        xs, ys = prompt.xs[:, :n], prompt.ys[:, :n]
        full = run_layers(prompt, n, self.step_size, self.layers, full_pairs)
        weights = theory.gradient_descent(xs, ys, self.formula_step, self.layers)
        expected = labels - torch.einsum("bnd,lbd->lbn", prompt.xs, weights)
        causal = run_layers(prompt, n, self.step_size, self.layers, causal_pairs)
        by_position = theory.causal_gradient_descent(xs, ys, self.formula_step, self.layers)
        last = by_position[:, :, -1:].expand(-1, -1, 10, -1)  # queries follow the last pair
        by_token = torch.cat((by_position, last), dim=2)
        expected_causal = labels - (by_token * prompt.xs).sum(-1)
        return {"1": largest(full - expected), "2": largest(causal - expected_causal)}

    def prefix_deviations(self, prompt: Prompt) -> dict:
        """Proposition 3: the limit is least squares; each layer contracts by I - eta/n X X^T."""
        xs, ys = prompt.xs[:, : self.pairs], prompt.ys[:, : self.pairs]
        weights = theory.gradient_descent(xs, ys, self.step_size, self.steps_to_limit)
        solution = (1 + self.off) * theory.least_squares(xs, ys)
        covariance = xs.mT @ xs
        matrix = torch.eye(self.dimension) - self.formula_step / self.pairs * covariance
        distances = weights - solution
        contracted = torch.einsum("lbd,bde->lbe", distances[: self.layers], matrix)
        rate = torch.linalg.eigvalsh(matrix).abs()
        return {"3 stationary": largest(weights[-1] - solution),
                "3 contraction": largest(distances[1 : self.layers + 1] - contracted),
                "prefix rate": float(rate[rate < 1 - 1e-9].max())}

    def causal_deviations(self, prompt: Prompt) -> dict:
        """Propositions 4 and 5: coefficients a with w_j = sum of a_i x_i over i <= j."""
        n = self.pairs
        xs, ys = prompt.xs[:, :n], prompt.ys[:, :n]
        limit = theory.causal_gradient_descent(xs, ys, self.step_size, self.steps_to_limit)[-1]
        solution = theory.causal_coefficients(xs, ys)
        stationary = (1 + self.off) * theory.causal_stationary_weights(xs, ys)
        online = theory.online_gradient_descent(xs, ys)[1:].transpose(0, 1)
        early = theory.causal_gradient_descent(xs, ys, self.step_size, self.layers)
        deviations = {"4 stationary": largest(limit - stationary),
                      "5": largest(stationary - online)}
        if self.dimension >= n:  # else the coefficients of a weight vector are not unique
            by_position = early @ torch.linalg.pinv(xs)  # (layers + 1, 1, position j, pair i)
            coefficients = by_position[..., -1, :]
            deviations["4 coefficients"] = largest(
                by_position - (1 + self.off) * coefficients[..., None, :] * torch.ones(n, n).tril())
            matrix = torch.eye(n) - self.formula_step / n * theory.triangular_matrix(xs)
            distances = coefficients - solution
            contracted = torch.einsum("lbi,bij->lbj", distances[:-1], matrix)
            deviations["4 contraction"] = largest(distances[1:] - contracted)
        return deviations


def seeds(profile: str) -> range:
    """The draws of each run; two at smoke."""
    return range(2 if profile == "smoke" else SEEDS)


def propositions(profile: str) -> list[Propositions]:
    """Propositions 1 to 5 at all sizes."""
    return [Propositions(d, n, seed=seed) for d, n in SIZES for seed in seeds(profile)]


def fig02_linear_attention(profile: str) -> list:
    """Figure 2: layers on the left and in the middle, stationary points on the right.

    At smoke both see few sequences.
    """
    few = {"sequences": 8} if profile == "smoke" else {}
    return [LayerErrors(seed=seed, **few) for seed in seeds(profile)] + [
        StationaryErrors(mu, seed=seed, **few) for mu in INPUT_MEANS for seed in seeds(profile)]


def slope_over_layers(errors, first: int, last: int) -> np.ndarray:
    """Slope of the logarithm of (seeds, layers + 1) errors from one layer to another: (seeds,)."""
    layers = np.arange(first, last + 1)
    return np.polyfit(layers, np.log(errors[:, layers]).T, 1)[0]
