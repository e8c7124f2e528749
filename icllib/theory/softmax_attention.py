"""Softmax attention on multitask sparse feature regression, reduced to the entries that matter.

"A solvable attention for neural scaling laws", Appendix I.1: f = V G softmax(G^T W_K^T W_Q G), read
at row s of the query's column. For task s these entries matter: columns s and N_s + 1 of W_K,
column s of W_Q, and two entries of row s of V. Only column N_s + 1 of W_K, the key of the label, is
shared by the tasks. A prompt is its number n of context features with the query's sign: in a
context of psi, with z = q.(k + Lambda k_y), z0 = q.k, a = v_s + Lambda v_y, f times that sign is

    [(n e^z - (psi - n) e^-z) a + e^z0 v_s] / [n e^z + (psi - n) e^-z + e^z0] .

The mean over prompts is a sum over n. A leading axis of R "rows" holds the tasks of any
number of models side by side; `model` (R,) says to which of M models a row belongs.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
import scipy
from torch import Tensor

from claimbook.records import checks
from claimbook.records.checks import count, finite, instance, integer, shaped, tuple_of
from claimbook.records.errors import InputError
from icllib.checks import floating, indices, tensors

EXACT_UP_TO = 60  # pairs of a context whose numbers of features are all summed over
NODES = 16  # of the quadrature that longer ones get


@dataclass
class Weights:
    """The entries that matter, in double precision."""

    keys: Tensor  #: (R, d_e): column s of W_K
    queries: Tensor  #: (R, d_e): column s of W_Q
    values: Tensor  #: (R, 2): entries s and N_s + 1 of row s of V
    label_keys: Tensor  #: (M, d_e): column N_s + 1 of W_K

    def __post_init__(self):
        tensors((None, None), keys=self.keys)
        rows, width = self.keys.shape
        tensors((rows, width), queries=self.queries)
        tensors((rows, 2), values=self.values)
        tensors((None, width), label_keys=self.label_keys)

    def tensors(self) -> list[Tensor]:
        """Keys, queries, values and the keys of labels."""
        return [self.keys, self.queries, self.values, self.label_keys]

    def of(self, tasks) -> "Weights":
        """Copies for rows of these tasks, of the same model."""
        _check_rows(tasks, len(self.keys))
        rows = (tensor[tasks].clone() for tensor in self.tensors()[:3])
        return Weights(*rows, self.label_keys.clone())


def side_by_side(models: list[Weights]) -> Weights:
    """The rows of several models, one after the other."""
    tuple_of(partial(instance, Weights), "models", models)
    if len({own.keys.shape[1] for own in models}) > 1:
        raise InputError("models: expected one width for all, got "
                         f"{', '.join(str(own.keys.shape[1]) for own in models)}")
    return Weights(*map(torch.cat, zip(*(model.tensors() for model in models))))


def random_weights(tasks: int, width: int, scale: float, seed: int) -> Weights:
    """Weights of one model, every entry N(0, scale^2)."""
    integer(tasks=tasks, width=width)
    finite(scale=scale)
    integer(0, seed=seed)
    random = np.random.default_rng(seed)
    normal = lambda *shape: torch.from_numpy(scale * random.standard_normal(shape))
    return Weights(normal(tasks, width), normal(tasks, width), normal(tasks, 2), normal(1, width))


@dataclass
class Contexts:
    """All prompts of each row, by the number of context features with the query's sign."""

    same: Tensor  #: (R, K): features with the query's sign
    other: Tensor  #: (R, K): features with the other sign
    chance: Tensor  #: (R, K): sums to 1 over K

    def __post_init__(self):
        tensors((None, None), same=self.same)
        tensors(tuple(self.same.shape), other=self.other, chance=self.chance)

    def of(self, tasks) -> "Contexts":
        """The contexts of the rows of these tasks."""
        _check_rows(tasks, len(self.same))
        return Contexts(self.same[tasks], self.other[tasks], self.chance[tasks])


def _check_rows(tasks, count: int) -> None:
    """Raises InputError if it is not a list of tasks from 0 to count - 1."""
    shaped((None,), "integers of at least 0", tasks=tasks)
    if np.max(tasks) >= count:
        raise InputError(f"tasks: expected numbers below {count}, got {np.max(tasks)}")


def contexts(lengths, positive_share: float) -> Contexts:
    """Contexts of the given lengths (R,) whose features are +e_s with this probability.

    A query is +e_s with the same probability. Rows of fewer points are filled with points of
    chance 0. Raises InputError for lengths below 1 and if it is not a probability.
    """
    shaped((None,), "integers of at least 1", lengths=lengths)
    checks.share(positive_share=positive_share)
    lengths = np.asarray(lengths)
    points = {length: context_points(length, positive_share) for length in np.unique(lengths)}
    same, chance = np.zeros((2, len(lengths), max(len(same) for same, _ in points.values())))
    for row, length in enumerate(lengths):
        found = points[length]
        same[row, : len(found[0])], chance[row, : len(found[0])] = found
    return Contexts(*map(torch.from_numpy, (same, lengths[:, None] - same, chance)))


def context_points(length: int, positive_share: float) -> tuple:
    """Numbers of features with the query's sign, and their chances."""
    integer(length=length)
    checks.share(positive_share=positive_share)
    if positive_share in (0, 1):
        return np.array([float(length)]), np.ones(1)
    halves = [(share, *binomial_points(length, share)) for share in {positive_share, 1 - positive_share}]
    return (np.concatenate([same for _, same, _ in halves]),
            np.concatenate([chance * (share if len(halves) == 2 else 1)
                            for share, _, chance in halves]))


def binomial_points(length: int, share: float) -> tuple:
    """Points and weights of a mean over Binomial(length, share).

    All numbers up to EXACT_UP_TO pairs; then Gauss quadrature on the eigenvalues of the Krawtchouk
    polynomials' Jacobi matrix, six times shorter. It is as good as the sum for a share of one half
    (1e-14 at 100 pairs), which the paper has; at shares of a tenth errors of 1e-5 were seen.
    """
    integer(length=length)
    checks.share(share=share)
    if length <= EXACT_UP_TO:
        numbers = np.arange(length + 1.0)
        return numbers, scipy.stats.binom.pmf(numbers, length, share)
    k = np.arange(NODES)
    points, vectors = scipy.linalg.eigh_tridiagonal(
        share * (length - k) + k * (1 - share),
        np.sqrt(k[1:] * (length - k[1:] + 1) * share * (1 - share)))
    return points, vectors[0] ** 2


def losses_and_gradients(weights: Weights, model: Tensor, shares: Tensor, strength: float,
                         prompts: Contexts) -> tuple[Tensor, list[Tensor]]:
    """Mean of (f - Lambda)^2 / 2 of each row (R,), and the gradients of its sum times shares (R,).

    Raises InputError for what does not fit the weights.
    """
    _check(weights, model, shares, strength, prompts)
    return _losses_and_gradients(weights, model, shares, strength, prompts)


def _check(weights, model, shares, strength, prompts) -> None:
    instance(Weights, weights=weights)
    instance(Contexts, prompts=prompts)
    rows = len(weights.keys)
    indices(model=model)
    shaped((rows,), "integers of at least 0", model=model)
    if model.max() >= len(weights.label_keys):
        raise InputError(f"model: expected numbers below {len(weights.label_keys)}, got {model.max()}")
    floating(shares=shares)
    shaped((rows,), shares=shares)
    finite(strength=strength)
    if len(prompts.same) != rows:
        raise InputError(f"prompts: expected those of {rows} rows, got {len(prompts.same)}")


def _losses_and_gradients(weights, model, shares, strength, prompts) -> tuple[Tensor, list[Tensor]]:
    """`losses_and_gradients` without its checks, for training."""
    keys, queries, values, label_keys = weights.tensors()
    label_keys = label_keys[model]
    z0 = (queries * keys).sum(1, keepdim=True)
    z = z0 + strength * (queries * label_keys).sum(1, keepdim=True)
    a, b = values[:, :1] + strength * values[:, 1:], values[:, :1]
    plus, minus, itself = prompts.same * z.exp(), prompts.other * (-z).exp(), z0.exp()
    signed, plain = plus - minus, plus + minus
    inverse = 1 / (plain + itself)
    f = (signed * a + itself * b) * inverse
    error = f - strength
    losses = 0.5 * (prompts.chance * error.square()).sum(1)
    pull = prompts.chance * error * inverse * shares[:, None]  # d loss / d f over the denominator
    by_a = (pull * signed).sum(1, keepdim=True)
    by_b = itself * pull.sum(1, keepdim=True)
    pulled = pull * f
    by_z = a * (pull * plain).sum(1, keepdim=True) - (pulled * signed).sum(1, keepdim=True)
    by_z0 = by_b * b - itself * pulled.sum(1, keepdim=True)
    by_label_score = strength * by_z
    by_score = by_z + by_z0
    by_label_keys = torch.zeros_like(weights.label_keys).index_add_(0, model, by_label_score * queries)
    return losses, [by_score * queries, by_score * keys + by_label_score * label_keys,
                    torch.cat((by_a + by_b, strength * by_a), 1), by_label_keys]


def train(weights: Weights, model: Tensor, shares: Tensor, strength: float, prompts: Contexts,
          optimizer: torch.optim.Optimizer, steps: int, kept=()) -> np.ndarray:
    """Train in place on the mean loss; the losses of the rows before the steps in kept, (., R).

    Raises InputError for what does not fit the weights, and for negative steps.
    """
    _check(weights, model, shares, strength, prompts)
    instance(torch.optim.Optimizer, optimizer=optimizer)
    integer(0, steps=steps)
    kept, found = set(tuple_of(count, "kept", kept, 0)), []
    for step in range(steps + 1):
        losses, gradients = _losses_and_gradients(weights, model, shares, strength, prompts)
        if step in kept:
            found.append(losses.numpy())
        if step == steps:
            break
        for tensor, gradient in zip(weights.tensors(), gradients):
            tensor.grad = gradient
        optimizer.step()
    return np.array(found)
