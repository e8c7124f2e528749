"""Section 5.1 and Appendix B: the estimators inside feature maps, exactly and against n."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from scipy import integrate, stats
from torch import Tensor

from icllib.baselines import ExponentialSmoother, HilbertEstimate, PsiL, Ridge
from icllib.models.features import log_kernel
from icllib.papers.context_scaling.common import LINEAR_8, RELU_8
from icllib.streams import Stream
from icllib.tasks import LinearRegression

SEEDS = 5  # ASSUMED: each has its own prompts


@dataclass(frozen=True)
class Identities:
    """Equations 10 and 12: the entry (N, d+1) of the whole matrix psi(A) against closed forms."""

    dimension: int  # 8 and 20, the two that the paper uses
    pairs: int = 40  # n of Figure 1
    prompts: int = 500  # ASSUMED: any number; the identities are exact for each
    seed: int = 0
    version: ClassVar[int] = 1

    def measure(self) -> dict:
        """Largest deviations over the prompts, and how large the label leak of Eq. 10 is."""
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


def largest(deviation: Tensor) -> float:
    """The largest absolute value."""
    return float(deviation.abs().max())


@dataclass(frozen=True)
class EstimatorErrors:
    """Errors of the estimators from 10 to 100,000 pairs.

    All context lengths share their functions and queries, and a longer context continues a
    shorter one, so that slopes vary little between seeds.
    """

    task: object
    lengths: tuple[int, ...] = tuple(round(10 ** (1 + k / 3)) for k in range(13))  # ASSUMED
    functions: int = 32  # ASSUMED
    queries: int = 4  # ASSUMED: of each function
    seed: int = 0
    version: ClassVar[int] = 1

    def measure(self) -> dict:
        """Per estimator, the mean errors over functions and queries at each length: (K,) each."""
        sums, count = {}, self.functions * self.queries
        for function in range(self.functions):
            xs, ys, means = (tensor[0, 0].double() for tensor in self.task.sample(
                Stream.of([self.seed], "evaluation"), torch.tensor([[function]]),
                max(self.lengths) + self.queries))
            answers = self.answers(xs[: -self.queries], ys[: -self.queries], xs[-self.queries :])
            for name, answer in answers.items():
                for kind, labels in (("error", ys), ("excess", means)):
                    total = (answer - labels[-self.queries :]).square().sum(-1)
                    name_of = f"{name}_{kind}"
                    sums[name_of] = sums.get(name_of, 0) + total
        return {name: total / count for name, total in sums.items()}

    def answers(self, xs: Tensor, ys: Tensor, queries: Tensor) -> dict:
        """What each estimator answers: (n, d), (n,), (Q, d) -> (K, Q) each."""
        ends = torch.tensor(self.lengths) - 1
        psi = (xs * ys[:, None]).cumsum(0)[ends] @ queries.mT  # x . X^T y
        steps = xs.new_tensor([best_step(self.task, n) for n in self.lengths])
        answers = {"unscaled": psi, "one_step": steps[:, None] * psi}
        for kernel in ("exponential", "hilbert"):
            logs = log_kernel(kernel, queries, xs)
            weights = (logs - logs.amax(-1, keepdim=True)).exp()
            smooth = (weights * ys).cumsum(-1)[:, ends] / weights.cumsum(-1)[:, ends]
            answers[kernel] = smooth.mT
        if isinstance(self.task, LinearRegression):
            answers["ridge"] = torch.stack([self.ridge(xs[:n], ys[:n], queries)
                                            for n in self.lengths])
        return answers

    def ridge(self, xs: Tensor, ys: Tensor, queries: Tensor) -> Tensor:
        """The Bayes predictor's answers: (Q,)."""
        penalty = Ridge.bayes(self.task).penalty * torch.eye(xs.shape[-1], dtype=xs.dtype)
        return queries @ torch.linalg.solve(xs.mT @ xs + penalty, xs.mT @ ys)


# ---- closed forms ---------------------------------------------------------------------------


def moments(task) -> tuple[float, float]:
    """|E x y|^2, of mean over functions, and E |x|^2 y^2, for x ~ N(0, I).

    A linear function has E x y = w. A network's is half of its weights' product, since relu is
    half of a linear function and half of an even one.
    """
    d = task.dimension
    if isinstance(task, LinearRegression):
        return d * task.weight_std**2, d * ((d + 2) * task.weight_std**2 + task.noise_std**2)
    return d / 2, d * (d + 2)


def best_step(task, n: int) -> float:
    """The step s for which s x . X^T y has the least expected squared error at n pairs."""
    signal, moment = moments(task)
    return signal / (moment + (n - 1) * signal)


def one_step_error(task, n: int, step: float | None = None) -> float:
    """The expected squared error of step x . X^T y against noisy labels; best step by default."""
    signal, moment = moments(task)
    step = best_step(task, n) if step is None else step
    return (task.label_variance - 2 * step * n * signal
            + step**2 * n * (moment + (n - 1) * signal))


def exponential_limit(dimension: int) -> float:
    """The error of the exponential smoother on ReLU networks as n goes to infinity.

    Weights exp(x . z) turn N(0, I) into N(x, I), so that the smoother tends to E f(x + g): for a
    linear f to f itself, for relu(u) to u Phi(u) + phi(u).
    """
    normal = stats.norm
    gap = lambda u: max(u, 0) - u * normal.cdf(u) - normal.pdf(u)
    return 2 * dimension * integrate.quad(lambda u: gap(u) ** 2 * normal.pdf(u), -8, 8)[0]


def closed_forms(name: str, kind: str, lengths) -> dict:
    """Closed forms for d = 8 at each length, by estimator, for the task of this class name.

    kind: "error", against noisy labels, or "excess".
    """
    task = LINEAR_8 if name == "LinearRegression" else RELU_8
    noise = LINEAR_8.noise_std**2 if kind == "excess" else 0
    curves = {"one_step": [one_step_error(task, n) - noise for n in lengths]}
    if task == RELU_8:
        curves["exponential"] = [exponential_limit(8)] * len(lengths)
    return curves


def estimators(profile: str) -> list:
    """Section 5.1 and Appendix B: identities, two tasks at d = 8, linear functions at other d."""
    linear = [LinearRegression(d, LINEAR_8.noise_std, d**-0.5) for d in (1, 2, 4)]
    small = {"lengths": (10, 100), "functions": 2} if profile == "smoke" else {}
    return [Identities(d) for d in (8, 20)] + [
        EstimatorErrors(task, seed=seed, **small)
        for task in (LINEAR_8, RELU_8, *linear) for seed in range(SEEDS)]
