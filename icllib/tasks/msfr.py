"""Multitask sparse feature regression and its dense relative, as in-context data matrices.

"A solvable attention for neural scaling laws", Section 2 and Appendix H; the equation numbers
are that paper's. A task type s in 1, ..., N_s is drawn for each prompt with probability
proportional to s^-alpha. The inputs of a prompt are features in R^N_s, the last one the query's:
features and labels together are the columns of Phi(s, X) of Eq. 4, the query's label aside.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from claimbook.records.checks import WORD, AboveOne, Finite, NotNegative, Positive, Share, Size, integer
from claimbook.records.errors import InputError
from icllib.streams import Stream
from icllib.tasks.prompt import Prompt, Task, dot


def power_law(types: Tensor, tasks: int, exponent: float, dtype) -> Tensor:
    """s^exponent for each task type s, read from a table so that rounding is always the same."""
    table = torch.arange(1, tasks + 1, device=types.device).to(dtype) ** exponent
    return table[types - 1]


class TypedPrompts(Task):
    """The base of both tasks: features in R^tasks, and prompts of a type (Eq. 1)."""

    @property
    def dimension(self) -> int:
        """Coordinates of a feature."""
        return self.tasks

    def types(self, stream: Stream, ids: Tensor) -> Tensor:
        """The task type s of each prompt, counted from 1: ids (M, B) -> (M, B)."""
        s = torch.arange(1, self.tasks + 1, device=ids.device)
        cumulative = (s.double() ** -self.alpha).cumsum(0)
        uniform = stream.uniform(ids, "type", (), torch.float64)
        return torch.searchsorted(cumulative / cumulative[-1], uniform, right=True) + 1


@dataclass(frozen=True)
class SparseFeatureRegression(TypedPrompts):
    """MSFR: a feature is +-e_s and its label +-Lambda_s (Eqs. 2-4).

    A prompt of n points is the query, which comes last, and a context of psi_1 = n - 1 pairs.
    Task s has psi_s = (n - 1) s^-beta pairs, rounded and at least 1 (ASSUMED), which come first;
    the pairs between them and the query are zero and change no sum over the context. Raises
    InputError for a strength of 0, or a share outside 0 to 1.
    """

    tasks: Size = 500  #: N_s, Appendix G
    alpha: AboveOne = 1.8  #: Fig. 3; 2.1 there also
    strength: Finite = 0.5  #: Lambda_1, Appendix G
    gamma: NotNegative = 0.0  #: Lambda_s = Lambda_1 s^-gamma, Section 4.2
    beta: NotNegative = 0.0  #: psi_s ~ s^-beta, Section 4.2
    positive_share: Share = 0.5  #: of +e_s among features. ASSUMED: Eq. 2 does not say
    feature_noise: NotNegative = 0.0  #: over psi_s: the deviation of zeta; 1 in Appendix H.2

    least_points = 2  # a pair and the query

    def check(self):
        if not self.strength**2 > 0:
            raise InputError(f"strength: expected a number other than 0, got {self.strength}")

    @property
    def label_variance(self) -> float:
        """E y^2 of the query; half of it is the paper's loss of a model that answers 0."""
        shares = {s: s**-self.alpha for s in range(1, self.tasks + 1)}  # of the task types
        squares = (share * (self.strength * s**-self.gamma) ** 2 for s, share in shares.items())
        return sum(squares) / sum(shares.values())

    def draw(self, stream: Stream, ids: Tensor, n: int, dtype) -> Prompt:
        types = self.types(stream, ids)[..., None]  # (M, B, 1)
        contexts = (n - 1) * power_law(types, self.tasks, -self.beta, torch.float64)
        contexts = contexts.round().clamp(min=1)  # psi_s
        position = torch.arange(n, device=ids.device)
        present = (position < contexts) | (position == n - 1)  # (M, B, n)
        signs = torch.where(stream.uniform(ids, "signs", (n,)) < self.positive_share, 1, -1)
        signs = (signs * present).to(dtype)
        basis = torch.arange(1, self.tasks + 1, device=ids.device) == types  # e_s: (M, B, N_s)
        xs = signs[..., None] * basis[..., None, :]
        if self.feature_noise:
            # ASSUMED: labels stay those of the sparse feature, Appendix H.2 does not say.
            zeta = stream.normal(ids, "zeta", (n, self.tasks), dtype)
            deviation = (self.feature_noise / contexts * present).to(dtype)
            xs = xs + deviation[..., None] * zeta
        ys = self.strength * power_law(types, self.tasks, -self.gamma, dtype) * signs
        return Prompt(xs, ys, ys)


@dataclass(frozen=True)
class SourceCapacityRegression(TypedPrompts):
    """In-context regression on normal features whose spectrum falls from coordinate s on.

    Appendix H.1: features are N(0, Sigma_s), where Sigma_s is diagonal and holds omega_k ~ k^-tau rotated
    so that omega_1 stands at coordinate s (Eqs. 108-110, 114); y = Lambda_s . x (Eq. 111) with one Lambda_s
    ~ N(0, I) per task type, the same in training and evaluation. Prompts have 1001 points in Fig. 5. Raises
    InputError for a seed outside [0, 2^32).
    """

    tasks: Size = 500  #: N_s. ASSUMED: Fig. 5 does not say; that of Figs. 3 and 4
    alpha: AboveOne = 1.8  #: Fig. 5b
    tau: Positive = 3.0  #: Appendix H.1
    strength_seed: int = 0  #: of all Lambda_s together

    def check(self):
        integer(0, WORD, strength_seed=self.strength_seed)

    @property
    def label_variance(self) -> float:
        """E y^2, averaged also over the strengths."""
        return sum(k**-self.tau for k in range(1, self.tasks + 1))

    def strengths(self, stream: Stream, types: Tensor, dtype=torch.float32) -> Tensor:
        """Lambda_s of each task type, on the stream's device: types (M, B) -> (M, B, N_s)."""
        seeds = torch.full_like(stream.seeds, self.strength_seed)
        return Stream(seeds, "strengths").normal(types, "strengths", (self.tasks,), dtype)

    def draw(self, stream: Stream, ids: Tensor, n: int, dtype) -> Prompt:
        types = self.types(stream, ids)
        # ASSUMED: omega_1 = 1, so that a large tau leaves MSFR's feature, whose square is 1.
        rank = (torch.arange(1, self.tasks + 1, device=ids.device) - types[..., None]) % self.tasks
        deviations = power_law(rank + 1, self.tasks, -self.tau / 2, dtype)  # (M, B, N_s)
        xs = deviations[..., None, :] * stream.normal(ids, "xs", (n, self.tasks), dtype)
        means = dot(xs, self.strengths(stream, types, dtype)[..., None, :])
        return Prompt(xs, means, means)
