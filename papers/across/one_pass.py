"""Do trained causal models use their pairs as one online pass does, or better?"""

from dataclasses import dataclass

import torch

from icllib.theory.gradient_descent import expected_kaczmarz_error
from icllib.training import Run
from papers.across.shifts import OnNewPrompts, table_1_models
from papers.causal_lm.trained import SIZES, TABLE_3

ENDS = 5  # ASSUMED: labels at either end of a context that claim 9 compares


@dataclass(frozen=True)
class LabelInfluence(OnNewPrompts):
    """How much each label moves the answer: the mean square of the answer's derivative by it.

    Measures, each (M, pairs), by the place of the label: `influence` of trained models and, on the same
    prompts, `one_pass` of online gradient descent with step 1 / |x|^2 (Proposition 5 of Ding et al., 2024)
    and `least_squares`. And `error`, (M,), of the models, over the mean square of the labels.
    """

    def axes(self, metric: str) -> dict:
        return {} if metric == "error" else {"place": range(1, self.pairs + 1)}

    def measure(self, tasks, predictor, device="cpu") -> dict:
        n = self.pairs
        xs, ys, means = self.sample(tasks[0], predictor.members, device)
        ys = ys.clone().requires_grad_()
        with torch.enable_grad():
            answers = predictor.predict(xs, ys, (n,))[..., 0]
            slopes, = torch.autograd.grad(answers.sum(), ys)
        pairs, query = xs[..., :n, :].double(), xs[..., n, :].double()
        weights = {"influence": slopes[..., :n], "one_pass": one_pass_weights(pairs, query),
                   "least_squares": (query[..., None, :] @ torch.linalg.pinv(pairs))[..., 0, :]}
        found = {name: own.double().square().mean(dim=1).cpu().numpy() for name, own in weights.items()}
        misses = (answers.detach() - means[..., n]).square().mean(dim=1) / means[..., n].square().mean(dim=1)
        return found | {"error": misses.cpu().numpy()}


def one_pass_weights(xs: torch.Tensor, query: torch.Tensor) -> torch.Tensor:
    """The weight of each label in the answer of one pass of Kaczmarz's method: (..., n, d) -> (..., n).

    The last label has x . q / |x|^2. What is left of the query, q less its part along x, meets the pair
    before.
    """
    weights = []
    for x in reversed(xs.unbind(dim=-2)):
        weights.append((x * query).sum(-1) / x.square().sum(-1))
        query = query - weights[-1][..., None] * x
    return torch.stack(weights[::-1], dim=-1)


def models(profile: str) -> dict[str, list[Run]]:
    """The kept models of Table 1 on linear functions, by mask and sharing."""
    prompts = 8 if profile == "smoke" else 1024
    return table_1_models(profile, LabelInfluence(SIZES[profile].pairs, prompts))


def runs(profile: str) -> list[Run]:
    """All models of the page."""
    return [run for own in models(profile).values() for run in own]


def first_over_last(influence):
    """The influence of the first labels over that of the last, by seed. influence: a row for each seed."""
    return influence.iloc[:, :ENDS].mean(axis=1) / influence.iloc[:, -ENDS:].mean(axis=1)


def over_one_pass(error: float) -> float:
    """An error on linear functions over that of one pass, at the paper's size."""
    size = SIZES["paper"]
    return error / float(expected_kaczmarz_error(size.dimension, torch.tensor(float(size.pairs))))


def printed_over_one_pass() -> dict[str, float]:
    """The printed errors of causal models over that of one pass."""
    return {f"{'shared' if shared else 'unshared'}{', extra loss' * extra}": over_one_pass(errors[0])
            for (mask, shared, extra), errors in TABLE_3.items() if mask == "causal"}
