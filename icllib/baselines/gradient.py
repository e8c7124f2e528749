"""One step of gradient descent from zero on the least squares loss.

All of these answer step * x_N . X^T y. The paper's Eq. 10 and Appendix B print y with its own
last entry y_N; in the matrix A the query's label is 0, and with y_N the answer would leak in. So X
and y are the pairs in context here.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from icllib.baselines.prefixes import ByLength
from icllib.checks import not_negative, positive
from icllib.errors import InputError


@dataclass(frozen=True)
class PsiL(ByLength):
    """x_N . X^T y, the entry (N, d+1) of psi_L(A) = (A A^T) A: a step of 1, not normalized.

    Context-scaling paper, Eq. 10 and Appendix B. It grows with n; see `OneStepGD`.
    """

    def _estimate(self, xs, ys, query):
        return product(xs, ys, query)


def product(xs: Tensor, ys: Tensor, query: Tensor) -> Tensor:
    """x . X^T y: (..., n, d), (..., n), (..., d) -> (...)."""
    return torch.einsum("...nd,...n,...d->...", xs.double(), ys.double(), query.double())


@dataclass(frozen=True)
class OneStepGD(ByLength):
    """One step of gradient descent with the best step for x ~ N(0, I), w ~ N(0, weight_std^2 I).

    With S = X^T X and X^T y = S w + X^T noise, the expected squared error of step * x . X^T y is

        noise_std^2 + E|w - step (S w + X^T noise)|^2,  E tr S = n d,  E tr S^2 = n d (n + d + 1),

    a parabola in the step with its minimum at 1 / (n + d + 1 + noise_std^2 / weight_std^2).
    Raises InputError for standard deviations that cannot be.
    """

    noise_std: float
    weight_std: float

    def __post_init__(self):
        not_negative(noise_std=self.noise_std)
        positive(weight_std=self.weight_std)

    @classmethod
    def optimal(cls, task) -> "OneStepGD":
        """The steps that are best for a LinearRegression task; its inputs must be N(0, I).

        Raises InputError where they are not.
        """
        if task.inputs != "normal" or task.input_mean != 0:
            raise InputError("task: expected inputs N(0, I), "
                             f"got {task.inputs} inputs with mean {task.input_mean}")
        return cls(task.noise_std, task.weight_std)

    def step(self, n: int, dimension: int) -> float:
        """The best step at context length n."""
        return 1 / (n + dimension + 1 + (self.noise_std / self.weight_std) ** 2)

    def expected_error(self, n: int, dimension: int) -> float:
        """The expected squared error against noisy labels at context length n, exactly."""
        unexplained = 1 - n * self.step(n, dimension)
        return self.noise_std**2 + dimension * self.weight_std**2 * unexplained

    def _estimate(self, xs, ys, query):
        return self.step(*xs.shape[-2:]) * product(xs, ys, query)
