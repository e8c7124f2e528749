"""Section 5.1 and Appendix B: the estimators that one attention layer computes without any training."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pandas as pd
import scipy
import torch
from torch import Tensor

from claimbook.records import ADDED, Component
from claimbook.records.values import values
from icllib.baselines import ExponentialSmoother, HilbertEstimate, PsiL, Ridge
from icllib.baselines.gradient import best_step, one_step_error
from icllib.models.features import log_kernel
from icllib.streams import Stream
from icllib.tasks import DecisionTree, LinearRegression, ReluNetwork, SparseLinear
from icllib.theory import largest
from papers.context_scaling.scaling import FIGURE_5_TASKS, LINEAR_8, log_slope

SEEDS = 5  # ASSUMED: each has its own prompts
LINEAR_20 = LinearRegression(20, 0.5, 20**-0.5)  # Figure 2, Appendix A
ESTIMATORS = {  # for each task of Figure 5: {name in metrics: name of the curve}
    "linear": {"exponential": "exponential", "hilbert": "Hilbert",
               "one_step": "one gradient step", "ridge": "ridge"},
    "ReLU network": {"exponential": "exponential", "hilbert": "Hilbert",
                     "one_step": "one gradient step"},
    "decision tree": {"exponential": "exponential", "hilbert": "Hilbert"},
    "sparse linear": {"exponential": "exponential", "hilbert": "Hilbert"},
}
RIDGE_LENGTHS = (10, 20, 40)  # some of Figures 1 and 2, Appendix A
# For consistency, in few dimensions, where 10^6 pairs are many: families of functions in d
# dimensions, each with a kernel smoother that is not consistent on it.
FAMILIES = {
    "linear": (lambda d: LinearRegression(d, LINEAR_8.noise_std, d**-0.5), "gaussian"),
    "ReLU network": (ReluNetwork, "exponential"),
    "decision tree": (DecisionTree, "exponential"),
    "sparse linear": (lambda d: SparseLinear(d, nonzero=1), "gaussian"),
}
FEW_DIMENSIONS = (1, 2)  # ASSUMED
MANY_PAIRS = (10, 100, *(round(10 ** (3 + k / 3)) for k in range(10)))  # ASSUMED: up to 10^6
END = 1000  # pairs; rates are fitted from here on, over the last three decades
CONSISTENCY_SEEDS = 6  # ASSUMED
RIDGE_FUNCTIONS = 1024  # ASSUMED: with four queries each, as many prompts as in Figure 1


# ---- identities and errors ------------------------------------------------------------------


@dataclass(frozen=True)
class Identities(Component):
    """Equations 10 and 12: the entry (N, d+1) of the whole matrix psi(A) against closed forms."""

    dimension: int  # 8 and 20, the two that the paper uses
    pairs: int = 40  # n of Figure 1
    prompts: int = 500  # ASSUMED: any number; the identities are exact for each
    seed: int = 0

    def measure(self) -> dict:
        """Largest relative or absolute deviations over the prompts; the size of Eq. 10's label leak."""
        task = LinearRegression(self.dimension, LINEAR_8.noise_std, self.dimension**-0.5)
        ids = torch.arange(self.prompts)[None]
        xs, ys, _ = (tensor[0] for tensor in task.sample(
            Stream.of([self.seed], "evaluation"), ids, self.pairs + 1, torch.float64))
        labels = torch.cat((ys[:, :-1], torch.zeros_like(ys[:, -1:])), dim=-1)  # y_N = 0
        a, length = torch.cat((xs, labels[..., None]), dim=-1), (self.pairs,)
        closed, smooth, hilbert = (estimator.predict(xs, ys, length)[:, 0] for estimator in (
            PsiL(), ExponentialSmoother(), HilbertEstimate()))
        exponential = (xs @ xs.mT).exp()
        printed = (-xs.square().sum(-1, keepdim=True)).exp().expand_as(exponential)
        inverse = torch.linalg.vector_norm(xs[:, :, None] - xs[:, None], dim=-1) ** -self.dimension
        last = ((a @ a.mT) @ a)[:, -1, -1]
        leak = xs[:, -1].square().sum(-1) * ys[:, -1]
        with_label = (xs[:, -1] * (xs.mT @ ys[..., None])[..., 0]).sum(-1)
        return {"psi_L": largest((last - closed) / closed),
                "printed_y": largest((with_label - last - leak) / with_label),
                "leak": float((leak.square().mean() / last.square().mean()).sqrt()),
                "exponential": largest(smoothed(exponential, a) - smooth),
                "hilbert": largest(smoothed(inverse, a) - hilbert),
                "printed_kernel": largest(smoothed(printed, a) - ys[:, :-1].mean(-1))}


def smoothed(kernel: Tensor, a: Tensor) -> Tensor:
    """psi_K(A)_{N,d+1} from K(x_i, x_j) of all pairs of rows: (B, N, N), (B, N, d+1) -> (B,)."""
    others = torch.where(torch.eye(kernel.shape[-1], dtype=torch.bool), 0, kernel)
    return (others / others.sum(-1, keepdim=True) @ a)[:, -1, -1]


@dataclass(frozen=True)
class EstimatorErrors(Component):
    """Errors of the estimators from 10 to 100,000 pairs, which continue one context, in double precision: the
    nearest of so many points is 1e-5 away, where single precision has three digits."""

    task: object
    lengths: tuple[int, ...] = tuple(round(10 ** (1 + k / 3)) for k in range(13))  # ASSUMED
    functions: int = 32  # ASSUMED
    queries: int = 4  # ASSUMED: of each function
    seed: int = 0
    kernels: tuple[str, ...] = field(default=("exponential", "hilbert"), metadata=ADDED)
    version: ClassVar[int] = 2

    def axes(self, metric: str) -> dict:
        return {"length": self.lengths}

    def measure(self) -> dict:
        """Per estimator, the mean errors over functions and queries at each length: (K,) each."""
        sums, count = {}, self.functions * self.queries
        for function in range(self.functions):
            xs, ys, means = (tensor[0, 0] for tensor in self.task.sample(
                Stream.of([self.seed], "evaluation"), torch.tensor([[function]]),
                max(self.lengths) + self.queries, torch.float64))
            answers = self.answers(xs[: -self.queries], ys[: -self.queries], xs[-self.queries :])
            for name, answer in answers.items():
                for kind, labels in (("error", ys), ("excess", means)):
                    total = (answer - labels[-self.queries :]).square().sum(-1)
                    sums[f"{name}_{kind}"] = sums.get(f"{name}_{kind}", 0) + total
        return {name: total / count for name, total in sums.items()}

    def answers(self, xs: Tensor, ys: Tensor, queries: Tensor) -> dict:
        """The answers of each estimator: (n, d), (n,), (Q, d) -> (K, Q) each."""
        ends = torch.tensor(self.lengths) - 1
        psi = (xs * ys[:, None]).cumsum(0)[ends] @ queries.mT  # x . X^T y
        answers = {"unscaled": psi}
        if isinstance(self.task, (LinearRegression, ReluNetwork)):  # whose moments are known
            steps = xs.new_tensor([best_step(self.task, n) for n in self.lengths])
            answers["one_step"] = steps[:, None] * psi
        for kernel in self.kernels:
            logs = log_weights(kernel, queries, xs)
            weights = (logs - logs.amax(-1, keepdim=True)).exp()
            smooth = (weights * ys).cumsum(-1)[:, ends] / weights.cumsum(-1)[:, ends]
            answers[kernel] = smooth.mT
        if isinstance(self.task, LinearRegression):
            answers["ridge"] = torch.stack([self.ridge(xs[:n], ys[:n], queries) for n in self.lengths])
        return answers

    def ridge(self, xs: Tensor, ys: Tensor, queries: Tensor) -> Tensor:
        """The Bayes predictor's answers: (Q,)."""
        penalty = Ridge.bayes(self.task).penalty * torch.eye(xs.shape[-1], dtype=xs.dtype)
        return queries @ torch.linalg.solve(xs.mT @ xs + penalty, xs.mT @ ys)


def log_weights(kernel: str, queries: Tensor, points: Tensor) -> Tensor:
    """Logarithms of a kernel smoother's weights, (Q, d), (n, d) -> (Q, n); "gaussian", exp(-|x - x'|^2 / 2),
    is not consistent: its width does not shrink with the number of pairs."""
    if kernel == "gaussian":
        return torch.cdist(queries, points).square() / -2
    return log_kernel(kernel, queries, points)


def exponential_limit(dimension: int) -> float:
    """The error of the exponential smoother on ReLU networks as n goes to infinity.

    Weights exp(x . z) turn N(0, I) into N(x, I): the smoother tends to E f(x + g), for relu(u) to u Phi +
    phi.
    """
    normal = scipy.stats.norm
    gap = lambda u: max(u, 0) - u * normal.cdf(u) - normal.pdf(u)
    return 2 * dimension * scipy.integrate.quad(lambda u: gap(u) ** 2 * normal.pdf(u), -8, 8)[0]


# ---- closed forms, runs and curves ----------------------------------------------------------


def closed_forms(title: str, kind: str, lengths) -> dict[str, pd.Series]:
    """Closed forms of the "error" or "excess" on a task of Figure 5 by estimator, where there are."""
    curves, task = {}, FIGURE_5_TASKS[title]
    if "one_step" in ESTIMATORS[title]:
        noise = LINEAR_8.noise_std**2 if kind == "excess" and task == LINEAR_8 else 0
        curves["one_step"] = pd.Series({n: one_step_error(task, n) - noise for n in lengths})
    if isinstance(task, ReluNetwork):
        curves["exponential"] = pd.Series(exponential_limit(8), lengths)
    return curves


def runs(profile: str) -> list:
    """Section 5.1, Appendix B and the introduction's statements on the estimators."""
    return identities_and_errors(profile) + one_step_and_ridge(profile) + consistency(profile)


def identities_and_errors(profile: str) -> list:
    """Identities; errors on four tasks at d = 8 and on linear functions at other d."""
    linear = [LinearRegression(d, LINEAR_8.noise_std, d**-0.5) for d in (1, 2, 4)]
    size = {"lengths": (10, 1000, 2154), "functions": 2} if profile == "smoke" else {"functions": 128}
    return [Identities(d) for d in (8, 20)] + [
        EstimatorErrors(task, seed=seed, **size)
        for task in (*FIGURE_5_TASKS.values(), *linear) for seed in range(SEEDS)]


def consistency(profile: str) -> list[EstimatorErrors]:
    """Errors up to 10^6 pairs of the Hilbert estimate and of a smoother that is not consistent."""
    size = (MANY_PAIRS[:4], 4) if profile == "smoke" else (MANY_PAIRS, 16)
    return [EstimatorErrors(family(d), *size, queries=16, seed=seed, kernels=("hilbert", other))
            for family, other in FAMILIES.values() for d in FEW_DIMENSIONS
            for seed in range(CONSISTENCY_SEEDS)]


def one_step_and_ridge(profile: str) -> list[EstimatorErrors]:
    """Errors on the linear functions of Figures 1 and 2, at context lengths of the paper."""
    functions = 2 if profile == "smoke" else RIDGE_FUNCTIONS
    return [EstimatorErrors(task, RIDGE_LENGTHS, functions, seed=seed)
            for task in (LINEAR_8, LINEAR_20) for seed in range(SEEDS)]


def task_errors(records, title: str, metric: str, dimension: int = 8) -> pd.DataFrame:
    """A metric on a task of Figure 5 of this dimension: a row for each seed, a column for each length."""
    of_kind = lambda task: isinstance(task, type(FIGURE_5_TASKS[title])) and task.dimension == dimension
    return values([record for record in records if of_kind(record.component.task)], metric).unstack("length")


def estimator_curves(records) -> dict:
    """The curves of the page's figure by panel and name, as of `task_errors`, or a row for a closed form."""
    panels, lengths = {}, records[0].component.lengths
    for title, names in ESTIMATORS.items():
        for kind in ("error", "excess") if title == "linear" else ("error",):
            panels[f"{title}, {kind}"] = {
                name: task_errors(records, title, f"{key}_{kind}") for key, name in names.items()
            } | {f"{names[key]}, theory": curve
                 for key, curve in closed_forms(title, kind, lengths).items()}
    return panels | {"linear, excess of Hilbert": {
        f"d = {d}": task_errors(records, "linear", "hilbert_excess", d) for d in (1, 2, 4, 8)}}


def log_rate(excess: pd.DataFrame) -> np.ndarray:
    """p of an excess error that falls like (ln n)^-p at the end of the range, one per seed: 1 for the Hilbert
    estimate from label noise, 0 for a constant error."""
    at_end = excess.loc[:, END:]
    return -log_slope(at_end.set_axis(np.log(at_end.columns), axis=1))


def rates(records) -> dict:
    """{"hilbert" or "other": {family and d: `log_rate`, (seeds,)}}; records: of `consistency`."""
    return {name: {f"{title} d = {d}": log_rate(task_errors(records, title, f"{kernel or other}_excess", d))
                   for title, (_, other) in FAMILIES.items() for d in FEW_DIMENSIONS}
            for name, kernel in (("hilbert", "hilbert"), ("other", None))}


def over_ridge_errors(records, name: str) -> dict:
    """The ratios of errors for claim 23, {part: (seeds,)}, of records of `one_step_and_ridge`."""
    of = lambda name, d: task_errors(records, "linear", f"{name}_error", d)
    return {f"d = {d} n = {n}": own for d in (8, 20) for n, own in (of(name, d) / of("ridge", d)).items()}
