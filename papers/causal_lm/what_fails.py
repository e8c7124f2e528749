"""What fails: queries that see themselves, non-zero starting weights, large steps."""

from dataclasses import dataclass, field

import numpy as np
import torch

from claimbook.records import ADDED, Component
from icllib.attention import causal_pairs, full_pairs, with_queries
from icllib.streams import Stream
from icllib.tasks import LinearRegression, Prompt
from icllib.theory import gradient_descent as theory, largest
from papers.causal_lm.layers import LayersOnPrompts, blank_queries, draw_prompts, layer_seeds

STEP_SIZES = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2)  # Appendix E.1
STEPS = np.union1d(np.geomspace(0.12, 20, 120), STEP_SIZES)  # ASSUMED: enough for a curve


@dataclass(frozen=True)
class SelfAttention(LayersOnPrompts):
    """Section 3.1, second footnote, and Section 2.1: query errors if queries attend to queries."""

    queries: int = 8  # ASSUMED: the paper has 200, which takes longer and shows the same

    def measure(self) -> dict:
        """Mean squared query error after each layer, for each mask: (layers + 1,) each."""
        prompt, metrics = self.prompt(), {}
        labels = blank_queries(prompt, self.pairs)
        for name, mask in self.masks().items():
            outputs = theory.linear_self_attention(
                prompt.xs, labels, mask, self.step_size, self.layers, self.pairs)
            metrics[name] = self.errors(prompt, outputs)
        return metrics

    def masks(self) -> dict[str, torch.Tensor]:
        """The masks of the footnote, the same with self-attention, and the sum to max(j, n')."""
        lengths, masks = [self.pairs] * self.queries, {}
        for name, pairs_mask in (("prefix", full_pairs), ("causal", causal_pairs)):
            masks[name], masks[f"{name}_self"] = (
                with_queries(pairs_mask(self.pairs), lengths, attend_to_self=to_self)
                for to_self in (False, True))
        masks["prefix_printed"] = masks["prefix"] | causal_pairs(self.pairs + self.queries)
        return masks


@dataclass(frozen=True)
class StartingWeights(LayersOnPrompts):
    """Proposition 6: w0 ~ N(0, I) in the value matrix of all layers, or only of the first."""

    queries: int = 8  # ASSUMED: as in SelfAttention
    off: float = field(default=0.0, metadata=ADDED)  # relative, in the w0 of the formula: a control

    def measure(self) -> dict:
        """Deviations from gradient descent started at w0, and query errors after each layer."""
        prompt, stream = self.prompt(), Stream.of([self.seed], "evaluation")
        w0 = stream.normal(torch.zeros(1, 1, dtype=torch.int64), "start", (self.dimension,),
                           torch.float64)[0, 0]
        every, first = self.outputs(prompt, w0)
        weights = theory.gradient_descent(prompt.xs[:, : self.pairs], prompt.ys[:, : self.pairs],
                                          self.step_size, self.layers, w0)
        left = weights - (1 + self.off) * w0
        expected = blank_queries(prompt, self.pairs) - torch.einsum("bnd,lbd->lbn", prompt.xs, left)
        return {
            "first_layer": largest(every[1] - expected[1]),
            "later_layers": largest(every[2:] - expected[2:]),
            "first_layer_w0_in_first": largest(first[1] - expected[1]),
            "later_layers_w0_in_first": largest(first[2:] - expected[2:]),
            "error_read_plainly": self.errors(prompt, every),
            "error_w0_added": self.errors(prompt, every - prompt.xs @ w0),
            "error_w0_in_first": self.errors(prompt, first),
        }

    def outputs(self, prompt: Prompt, w0: torch.Tensor):
        """Layer outputs with w0 in every layer, and with w0 in the first layer only."""
        queries = [self.pairs] * self.queries
        mask = with_queries(full_pairs(self.pairs), queries, attend_to_self=False)
        run = lambda labels, layers, w0: theory.linear_self_attention(
            prompt.xs, labels, mask, self.step_size, layers, self.pairs, w0)
        every = run(blank_queries(prompt, self.pairs), self.layers, w0)
        return every, torch.cat((every[:1], run(every[1], self.layers - 1, None)))


@dataclass(frozen=True)
class StepBounds(Component):
    """Appendix E.1: the step sizes at which the layers stop converging, over many prompts."""

    dimension: int = 16  # Section 5.1
    pairs: int = 40  # Section 5.1
    prompts: int = 1000  # ASSUMED: for the distribution of the bounds
    sequences: int = 64  # Section 5.1: the paper chose its step size on as many
    watched: int = 16  # ASSUMED: prompts that are run just below and above their bound
    layers: int = 400  # ASSUMED: enough to see whether weights diverge there
    seed: int = 0

    def axes(self, metric: str) -> dict:
        return {"bound": {"which": ("smallest", "mean", "largest")}, "grows": {"step": (0.98, 1.02)}}.get(
            metric.split("_")[1], {"step": STEPS})

    def measure(self) -> dict:
        """For each mask the share of prompts beyond their bound at each step size, the least, mean and
        largest bound, and the shares that diverge just below and above it; the largest step below all."""
        task = LinearRegression(self.dimension, inputs="uniform")
        prompt = draw_prompts(task, self.seed, self.prompts, self.pairs)
        bounds = {"prefix": theory.largest_prefix_step(prompt.xs),
                  "causal": theory.largest_causal_step(prompt.xs)}
        metrics = {"step_size": STEPS}
        for name, bound in bounds.items():
            beyond = bound[:, None] <= torch.from_numpy(STEPS)
            metrics[f"{name}_beyond"] = beyond.double().mean(0)
            metrics[f"{name}_bound"] = [float(value) for value in (bound.min(), bound.mean(), bound.max())]
            metrics[f"{name}_grows"] = [self.growing(prompt, name, factor * bound) for factor in (0.98, 1.02)]
        smallest = torch.stack(tuple(bounds.values()))[:, : self.sequences].min()
        metrics["fastest"] = max(step for step in STEP_SIZES if step < smallest)
        return metrics

    def growing(self, prompt: Prompt, mask: str, step_sizes: torch.Tensor) -> float:
        """The share of watched prompts whose weights move more in the last layer than half way."""
        xs, ys = prompt.xs[: self.watched], prompt.ys[: self.watched]
        step_sizes = step_sizes[: self.watched].reshape(-1, 1)
        descend = theory.gradient_descent
        if mask == "causal":
            descend, step_sizes = theory.causal_gradient_descent, step_sizes[..., None]
        moves = descend(xs, ys, step_sizes, self.layers).diff(dim=0).flatten(2).norm(dim=-1)
        return float((moves[-1] > moves[self.layers // 2]).double().mean())


def runs(profile: str) -> list:
    """A query that attends to itself, w0 in the layers, and the bounds on the step size."""
    return [kind(seed=seed) for kind in (SelfAttention, StartingWeights, StepBounds)
            for seed in layer_seeds(profile)]
