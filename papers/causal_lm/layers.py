"""Layers of linear attention with constructed weights (Section 5.1), and what they converge to."""

from dataclasses import dataclass

import torch

from claimbook.records import Component
from icllib.attention import with_queries
from icllib.streams import Stream
from icllib.tasks import LinearRegression, Prompt
from icllib.theory import gradient_descent as theory

SEEDS = 5  # ASSUMED: the paper shows one draw
INPUT_MEANS = (0.0, 1.0, 2.0, 3.0)  # mu of Figure 2, right
# d and n: more pairs than dimensions, few of each, and more dimensions than pairs.
SIZES = ((16, 40), (3, 7), (64, 40))


def draw_prompts(task: LinearRegression, seed: int, sequences: int, points: int) -> Prompt:
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
    """The mean of (e . x)^2 over queries x ~ U(-1, 1)^d + mu, exactly: errors e (..., d) -> (...)."""
    return errors.square().sum(-1) / 3 + input_mean**2 * errors.sum(-1).square()


def run_layers(prompt: Prompt, pairs: int, step_size: float, layers: int, mask) -> torch.Tensor:
    """Outputs (layers + 1, sequences, tokens): y_j - w x_j at pairs and -w x at queries."""
    queries = prompt.ys.shape[-1] - pairs
    mask = with_queries(mask(pairs), [pairs] * queries, attend_to_self=False)
    labels = blank_queries(prompt, pairs)
    return theory.linear_self_attention(prompt.xs, labels, mask, step_size, layers, pairs)


def layer_seeds(profile: str) -> range:
    """The seeds of each run; two at the profile smoke."""
    return range(2 if profile == "smoke" else SEEDS)


@dataclass(frozen=True)
class LayersOnPrompts(Component):
    """Layers of linear attention, and the prompts that they read."""

    dimension: int = 16  # Section 5.1
    pairs: int = 40  # Section 5.1
    queries: int = 200  # Section 5.1
    sequences: int = 64  # Section 5.1
    layers: int = 50  # Appendix E.1
    step_size: float = 1.6  # Appendix E.1: the fastest of those tried that does not diverge
    seed: int = 0

    def axes(self, metric: str) -> dict:
        return {"layer": range(self.layers + 1)}

    def prompt(self) -> Prompt:
        """The prompts of the seed."""
        task = LinearRegression(self.dimension, inputs="uniform")
        return draw_prompts(task, self.seed, self.sequences, self.pairs + self.queries)

    def errors(self, prompt: Prompt, outputs: torch.Tensor) -> torch.Tensor:
        """Mean squared error of the queries' predictions, which are minus these outputs."""
        return (prompt.ys + outputs)[..., self.pairs :].square().mean((1, 2))


@dataclass(frozen=True)
class KaczmarzErrors(Component):
    """Query error of the stationary points up to many pairs, with and without label noise: the iteration runs
    on the errors of the weights, which can fall below the rounding of the weights."""

    input_mean: float  # mu, in {0, 1, 2, 3}
    noise_std: float = 0.1  # ASSUMED: the paper has no noise
    dimension: int = 16  # Section 5.1
    pairs: int = 1000  # ASSUMED: far enough to see the floor at mu = 0 and 1
    sequences: int = 64  # Section 5.1
    every: int = 10  # ASSUMED: one n in `every` is kept
    seed: int = 0

    def axes(self, metric: str) -> dict:
        return {"pairs": range(self.every, self.pairs + 1, self.every)}

    def measure(self) -> dict:
        """Mean over sequences at n = every, 2 every, ..., pairs, against noise-free labels."""
        task = LinearRegression(self.dimension, self.noise_std, inputs="uniform", input_mean=self.input_mean)
        prompt = draw_prompts(task, self.seed, self.sequences, self.pairs)
        start = -theory.least_squares(prompt.xs, prompt.means)  # the true weights: no noise here
        noise = prompt.ys - prompt.means
        metrics = {"pairs": list(range(self.every, self.pairs + 1, self.every))}
        for name, labels in (("error", 0 * noise), ("noisy_error", noise)):
            errors = theory.online_gradient_descent(prompt.xs, labels, start)[self.every :: self.every]
            metrics[name] = query_errors(errors, self.input_mean).mean(-1)
        return metrics
