"""Figure 4 and Propositions 7 and 8: why the causal step is not divided by the position."""

from dataclasses import dataclass, field

import torch

from claimbook.records import ADDED, Component
from icllib.attention import causal_pairs
from icllib.tasks import LinearRegression
from icllib.theory import gradient_descent as theory, largest
from papers.causal_lm.layers import INPUT_MEANS, SIZES, draw_prompts, layer_seeds, query_errors


@dataclass(frozen=True)
class ByPositionErrors(Component):
    """Figure 4: query errors of the stationary points for steps eta/j, and for steps eta/n."""

    input_mean: float = 0.0  # mu, in {0, 1, 2, 3}
    dimension: int = 16  # Section 5.1
    pairs: int = 300  # as in Figure 2, right
    sequences: int = 200  # ASSUMED: the paper does not say
    every: int = 4  # ASSUMED: one n in `every` is kept
    seed: int = 0
    other_labels: bool = field(default=False, metadata=ADDED)  # another prompt's: a control

    def axes(self, metric: str) -> dict:
        return {"pairs": range(self.every, self.pairs + 1, self.every)}

    def measure(self) -> dict:
        """Mean errors at n = every, 2 every, ..., pairs, over the same sequences for both steps."""
        task = LinearRegression(self.dimension, inputs="uniform", input_mean=self.input_mean)
        prompt = draw_prompts(task, self.seed, self.sequences, self.pairs)
        truth = theory.least_squares(prompt.xs, prompt.ys)  # no noise, and more pairs than d
        metrics = {"pairs": list(range(self.every, self.pairs + 1, self.every))}
        labels = prompt.ys.roll(1, 0) if self.other_labels else prompt.ys
        for name, by_position in (("by_n", False), ("by_position", True)):
            weights = theory.online_gradient_descent(prompt.xs, labels, None, by_position)
            squares = query_errors(weights[self.every :: self.every] - truth, self.input_mean)
            metrics[name] = squares.mean(-1)
        return metrics


@dataclass(frozen=True)
class ByPositionPropositions(Component):
    """Largest deviations from Propositions 7 and 8 on one random prompt, with half of the largest step."""

    dimension: int
    pairs: int
    layers: int = 50  # Appendix E.1
    steps_to_limit: int = 2000  # ASSUMED: after these only rounding errors are left
    seed: int = 0
    off: float = field(default=0.0, metadata=ADDED)  # relative, in each formula: a control

    def measure(self) -> dict:
        """Largest absolute deviation of each statement."""
        task = LinearRegression(self.dimension, inputs="uniform")
        xs, ys, _ = draw_prompts(task, self.seed, 1, self.pairs)
        step_size = float((theory.positions(xs) / xs.square().sum(-1)).min())
        path = theory.causal_gradient_descent(xs, ys, step_size, self.steps_to_limit, by_position=True)
        stationary = (1 + self.off) * theory.causal_stationary_weights(xs, ys, by_position=True)
        online = theory.online_gradient_descent(xs, ys, by_position=True)[1:].transpose(0, 1)
        early = path[: self.layers + 1]
        mask = causal_pairs(self.pairs) * self.pairs / theory.positions(xs)[:, None]  # its row j is n / j
        outputs = theory.linear_self_attention(xs, ys, mask, step_size, self.layers, self.pairs)
        deviations = {"attention": largest(outputs - (ys - (early * xs).sum(-1))),  # from y_j - w_j x_j
                      "7 stationary": largest(path[-1] - stationary),
                      "8": largest(stationary - online)}
        if self.dimension >= self.pairs:  # else coefficients are not unique
            deviations["7 contraction"] = self.contraction_deviation(xs, ys, step_size, early)
        return deviations

    def contraction_deviation(self, xs, ys, step_size: float, weights) -> float:
        """Deviation from a - a* = (a_before - a*) (I - eta S), where w_n = sum of a_i x_i / n."""
        coefficients = self.pairs * weights[..., -1:, :] @ torch.linalg.pinv(xs)
        distances = coefficients[..., 0, :] - theory.causal_coefficients(xs, ys, by_position=True)
        step_size *= 1 + self.off
        matrix = torch.eye(self.pairs) - step_size * theory.triangular_matrix(xs, by_position=True)
        return largest(distances[1:] - torch.einsum("lbi,bij->lbj", distances[:-1], matrix))


def runs(profile: str) -> list:
    """Figure 4 for every mu, then Propositions 7 and 8 at the sizes of Propositions 1 to 5."""
    return [ByPositionErrors(mu, seed=seed) for mu in INPUT_MEANS for seed in layer_seeds(profile)] + [
        ByPositionPropositions(d, n, seed=seed) for d, n in SIZES for seed in layer_seeds(profile)]
