"""Propositions 1 to 5: which algorithm the layers of linear attention run."""

from dataclasses import dataclass, field

import torch

from claimbook.records import ADDED, Component
from icllib.attention import causal_pairs, full_pairs
from icllib.tasks import LinearRegression, Prompt
from icllib.theory import gradient_descent as theory, largest
from papers.causal_lm.layers import SIZES, blank_queries, draw_prompts, layer_seeds, run_layers


@dataclass(frozen=True)
class Propositions(Component):
    """Largest deviations from Propositions 1 to 5 on one random prompt; limits are after many steps."""

    dimension: int
    pairs: int
    layers: int = 50  # Appendix E.1
    steps_to_limit: int = 3000  # ASSUMED: after these only rounding errors are left
    step_size: float = 1.0  # below 2n / lambda_max(XX^T) and 2n / max|x|^2 at all sizes used
    seed: int = 0
    off: float = field(default=0.0, metadata=ADDED)  # relative, in each formula: a control

    @property
    def formula_step(self) -> float:
        """The step size in the formulas."""
        return self.step_size * (1 + self.off)

    def measure(self) -> dict:
        """Largest absolute deviation of each statement."""
        task = LinearRegression(self.dimension, inputs="uniform")
        prompt = draw_prompts(task, self.seed, 1, self.pairs + 10)
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
        deviations = {"4 stationary": largest(limit - stationary), "5": largest(stationary - online)}
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


def runs(profile: str) -> list[Propositions]:
    """Propositions 1 to 5 at all sizes."""
    return [Propositions(d, n, seed=seed) for d, n in SIZES for seed in layer_seeds(profile)]
