"""Learners that are fitted to each prompt: from other libraries, and a network trained from scratch.

Fits of the former run one by one: for the few thousand fits of a figure, handing prompts to other
processes would cost more than it saves. One takes 0.4 ms for Lasso and 6 ms for XGBoost at n = 40, d = 20.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from claimbook.records.checks import Positive, Size
from claimbook.records.errors import InputError
from icllib.baselines.prefixes import ByLength
from icllib.models.stacked import Initializer, StackedLinear
from icllib.streams import Stream

# Garg et al. (2022), public code: the penalties that their figure of sparse tasks tries.
LASSO_PENALTIES = (1.0, 0.1, 0.01, 0.001, 0.0001)


class FittedToEach(ByLength):
    """A predictor that calls `_fit(xs (n, d), ys (n), query (d))` -> number for every prompt."""

    def _estimate(self, xs: Tensor, ys: Tensor, query: Tensor) -> Tensor:
        arrays = [values.reshape(-1, *values.shape[query.dim() - 1:]).double().cpu().numpy()
                  for values in (xs, ys, query)]
        answers = [float(self._fit(*prompt)) for prompt in zip(*arrays)]
        return torch.tensor(answers, dtype=torch.float64, device=xs.device).view(query.shape[:-1])


@dataclass(frozen=True)
class Lasso(FittedToEach):
    """The minimum of ``|y - X w|^2 / 2n + penalty |w|_1``, without intercept, by scikit-learn.

    Context-scaling paper, Figure 4C and Appendix A item 5. ASSUMED, from the public code of Garg
    et al. (2022): no intercept, and the penalties of `LASSO_PENALTIES`.
    Raises InputError for a penalty or a tolerance that is not positive.
    """

    penalty: Positive = 0.01
    #: Relative duality gap. scikit-learn's default of 1e-4 stops far too early for small penalties
    #: at n < d: with 1e-4 as penalty and n = 10, d = 20, s = 3 the error is 9 times too large.
    tolerance: Positive = 1e-6

    def _fit(self, xs, ys, query):
        from sklearn.linear_model import Lasso as Solver

        solver = Solver(alpha=self.penalty, fit_intercept=False, tol=self.tolerance,
                        max_iter=100_000)  # Garg et al.'s public code
        return solver.fit(xs, ys).predict(query[None])[0]


@dataclass(frozen=True)
class XGBoost(FittedToEach):
    """Gradient-boosted trees on the pairs in context (XGBoost, squared error), in float32.

    Context-scaling paper, Figure 4A, with the settings of Garg et al. (2022).
    Raises InputError for settings that are not positive, and without the package xgboost.
    """

    trees: Size = 50  #: Garg et al.
    depth: Size = 4  #: Garg et al.
    learning_rate: Positive = 0.1  #: Garg et al.

    def _fit(self, xs, ys, query):
        try:
            import xgboost
        except ImportError:
            raise InputError("XGBoost: expected the package xgboost, or xgboost-cpu, which is not "
                             "installed; what was trained is kept") from None

        # ASSUMED exact splits: what the library chose by itself for so few points when the paper
        # was written; and faster.
        settings = {"max_depth": self.depth, "eta": self.learning_rate, "tree_method": "exact",
                    "objective": "reg:squarederror", "nthread": 1}
        booster = xgboost.train(settings, xgboost.DMatrix(xs, ys, nthread=1), self.trees)
        return booster.predict(xgboost.DMatrix(query[None], nthread=1))[0]


@dataclass(frozen=True)
class StudentNetwork(ByLength):
    """A two-layer ReLU network, trained by Adam only on the pairs in context.

    Context-scaling paper, Figure 4B, with the settings of Garg et al. (2022). ASSUMED, as in their public
    code: biases, the initialization of torch.nn.Linear, min(batch, n) different pairs per step, and the
    same ones for all prompts. Also ASSUMED: all prompts start from the same network, so that an answer does
    not depend on which prompts are around it; between seeds the mean error over 200 prompts varies by a
    third of its standard error. Raises InputError for settings that are not positive.
    """

    width: Size = 100  #: r, the teacher's (Section 4)
    steps: Size = 5000  #: Garg et al.
    batch: Size = 10  #: Garg et al.
    learning_rate: Positive = 5e-3  #: Garg et al.
    seed: int = 0

    def batches(self, n: int, device="cpu") -> Tensor:
        """Which of n pairs each step trains on: (steps, min(batch, n))."""
        steps = torch.arange(self.steps, device=device)[None]
        order = Stream.of([self.seed], "student", device).uniform(steps, f"batch/{n}", (n,))
        return order[0].argsort(dim=-1)[:, :self.batch]

    @torch.enable_grad()
    def _estimate(self, xs, ys, query):
        xs, ys = xs.reshape(-1, *xs.shape[-2:]), ys.reshape(-1, ys.shape[-1])  # P networks
        network = Students(self, len(xs), xs.shape[-1], xs.device).to(xs.dtype)
        optimizer = torch.optim.Adam(network.parameters(), self.learning_rate, fused=True)
        for chosen in self.batches(xs.shape[1], xs.device):
            errors = network(xs[:, chosen]) - ys[:, chosen]
            optimizer.zero_grad()
            errors.square().mean(dim=1).sum().backward()
            optimizer.step()
        answers = network(query.reshape(len(xs), 1, -1))
        return answers.detach().view(query.shape[:-1])


class Students(nn.Module):
    """P networks of one shape side by side, all with the same initial weights."""

    def __init__(self, settings: StudentNetwork, count: int, dimension: int, device):
        super().__init__()
        draw = Initializer([settings.seed] * count, device)
        width = settings.width
        bound = 1 / math.sqrt(dimension)  # U(+-1/sqrt(fan_in)), as torch.nn.Linear starts
        self.hidden = StackedLinear(draw.uniform("student/hidden", (dimension, width), bound),
                                    draw.uniform("student/bias", (width,), bound))
        bound = 1 / math.sqrt(width)
        self.read_out = StackedLinear(draw.uniform("student/read_out", (width, 1), bound),
                                      draw.uniform("student/read_out/bias", (1,), bound))

    def forward(self, xs: Tensor) -> Tensor:
        """(P, B, d) -> (P, B)."""
        return self.read_out(torch.relu(self.hidden(xs)))[..., 0]
