"""One step of gradient descent from zero on the least squares loss.

All of these answer step * x_N . X^T y, where X and y are only the pairs in context. The paper's
Eq. 10 and Appendix B print y with the query's label y_N, by which the answer would leak in; in the
matrix A this label is 0.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from claimbook.records.checks import instance
from claimbook.records.errors import InputError
from icllib.baselines.prefixes import ByLength
from icllib.tasks import LinearRegression, ReluNetwork


@dataclass(frozen=True)
class PsiL(ByLength):
    """x_N . X^T y, the entry (N, d+1) of psi_L(A) = (A A^T) A: a step of 1, not normalized.

    Context-scaling paper, Eq. 10 and Appendix B. It grows with n; see `OneStepGD`.
    """

    def _estimate(self, xs, ys, query):
        return label_product(xs, ys, query)


def label_product(xs: Tensor, ys: Tensor, query: Tensor) -> Tensor:
    """x . X^T y: (..., n, d), (..., n), (..., d) -> (...)."""
    return torch.einsum("...nd,...n,...d->...", xs.double(), ys.double(), query.double())


@dataclass(frozen=True)
class OneStepGD(ByLength):
    """One step of gradient descent with the best step for a task, see `best_step`."""

    task: object

    def check(self):
        moments(self.task)

    def _estimate(self, xs, ys, query):
        return best_step(self.task, xs.shape[-2]) * label_product(xs, ys, query)


def moments(task) -> tuple[float, float]:
    """The mean over functions of |E x y|^2, and E |x|^2 y^2, for x ~ N(0, I).
    A linear function has E x y = w. A network's is half of its weights' product, since relu is
    half of a linear function and half of an even one."""
    instance(LinearRegression | ReluNetwork, "linear functions or ReLU networks", task=task)
    d = task.dimension
    if isinstance(task, ReluNetwork):
        return d / 2, d * (d + 2)
    if task.inputs != "normal" or task.input_mean != 0:
        raise InputError("task: expected inputs N(0, I), "
                         f"got {task.inputs} inputs with mean {task.input_mean}")
    return d * task.weight_std**2, d * ((d + 2) * task.weight_std**2 + task.noise_std**2)


def best_step(task, n: int) -> float:
    """The step s for which s x . X^T y has the least expected squared error at n pairs."""
    signal, moment = moments(task)
    return signal / (moment + (n - 1) * signal)


def one_step_error(task, n: int, step: float | None = None) -> float:
    """The expected squared error of step x . X^T y against noisy labels; best step by default."""
    signal, moment = moments(task)
    step = best_step(task, n) if step is None else step
    return (task.label_variance - 2 * step * n * signal + step**2 * n * (moment + (n - 1) * signal))
