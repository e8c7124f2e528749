"""A ReLU perceptron on the features of multitask sparse feature regression.

"A solvable attention for neural scaling laws", Section 4.1, compares linear attention with one. It
reads the query's feature, which is +-e_s, and has one hidden layer: with row w_s of the hidden
weights, f(+-e_s) = a . relu(b +- w_s) + c. Nothing but w_s belongs to one task. M perceptrons stand
side by side; a leading axis of "rows" holds R of the tasks, and all means over inputs are exact.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from claimbook.records.checks import boolean, count, finite, instance, integer, positive, shaped, tuple_of
from icllib.checks import floating, tensors

SIGNS = torch.tensor([1.0, -1.0], dtype=torch.float64)


@dataclass
class Perceptrons:
    """The weights of M perceptrons, in double precision."""

    hidden: Tensor  #: (M, R, width): w_s of each row's task
    bias: Tensor  #: (M, width): b
    read_out: Tensor  #: (M, width): a
    offset: Tensor  #: (M,): c

    def __post_init__(self):
        tensors((None, None, None), hidden=self.hidden)
        models, _, width = self.hidden.shape
        tensors((models, width), bias=self.bias, read_out=self.read_out)
        tensors((models,), offset=self.offset)

    def tensors(self) -> list[Tensor]:
        """Hidden weights, biases, read-out and offset."""
        return [self.hidden, self.bias, self.read_out, self.offset]


def random_perceptron(tasks: int, width: int, read_out: float, seed: int) -> Perceptrons:
    """One perceptron at the start of torch.nn.Linear, its read-out times `read_out`.

    Every entry is uniform in +-1 / sqrt(inputs of its layer). Raises InputError for no tasks, no
    width, or a read-out that is not positive.
    """
    integer(tasks=tasks, width=width)
    positive(read_out=read_out)
    integer(0, seed=seed)
    random = np.random.default_rng(seed)
    uniform = lambda inputs, *shape: torch.from_numpy(random.uniform(-1, 1, (1, *shape)) / np.sqrt(inputs))
    return Perceptrons(uniform(tasks, tasks, width), uniform(tasks, width),
                       read_out * uniform(width, width), uniform(width))


def answers(weights: Perceptrons, features: Tensor) -> tuple[Tensor, Tensor]:
    """f of each input (M, 2, R), for the signs + and -, and the hidden units (M, 2, R, width).

    features: (M, R), 1 where the row's feature is extracted and 0 where it is cut off.
    Raises InputError for features of another shape.
    """
    _check_task(weights, features=features)
    return _answers(weights, features)


def _check_task(weights, **given) -> None:
    """Raises InputError, by name, for what are no perceptrons, and for what does not fit them."""
    instance(Perceptrons, weights=weights)
    models, rows, _ = weights.hidden.shape
    for name, shape in (("features", (models, rows)), ("shares", (models, 2, rows))):
        if name in given:
            own = {name: given[name]}
            floating(**own)
            shaped(shape, **own)


def _answers(weights: Perceptrons, features: Tensor) -> tuple[Tensor, Tensor]:
    """`answers` without its checks, for training."""
    signed = features[:, None] * SIGNS[:, None]
    hidden = torch.relu(weights.bias[:, None, None] + signed[..., None] * weights.hidden[:, None])
    outputs = (hidden @ weights.read_out[:, None, :, None])[..., 0]
    return outputs + weights.offset[:, None, None], hidden


def losses_and_gradients(weights: Perceptrons, features: Tensor, shares: Tensor,
                         strength: float) -> tuple[Tensor, list[Tensor]]:
    """(f -+ Lambda)^2 / 2 of each input (M, 2, R), and the gradients of its mean.

    shares: (M, 2, R), of the inputs; they sum to 1 for each perceptron. Raises InputError
    for what does not fit the weights.
    """
    _check_task(weights, features=features, shares=shares)
    finite(strength=strength)
    return _losses_and_gradients(weights, features, shares, strength)


def _losses_and_gradients(weights, features, shares, strength) -> tuple[Tensor, list[Tensor]]:
    """`losses_and_gradients` without its checks, for training."""
    outputs, hidden = _answers(weights, features)
    errors = outputs - strength * SIGNS[:, None]
    pull = shares * errors
    by_read_out = (pull[..., None] * hidden).sum((1, 2))
    by_hidden = (hidden > 0) * (pull[..., None] * weights.read_out[:, None, None])
    return 0.5 * errors.square(), [
        features[..., None] * (by_hidden[:, 0] - by_hidden[:, 1]), by_hidden.sum((1, 2)),
        by_read_out, pull.sum((1, 2))]


def train(weights: Perceptrons, features: Tensor, shares: Tensor, strength: float,
          learning_rate: float, steps: int, kept=(), biases: bool = True) -> np.ndarray:
    """Gradient descent in place on the mean loss; losses before the steps in kept (., M, 2, R).

    biases: whether b and c are trained too, or stay as they are. Raises InputError for a negative
    number of steps or a learning rate that is not positive.
    """
    _check_task(weights, features=features, shares=shares)
    finite(strength=strength)
    positive(learning_rate=learning_rate)
    integer(0, steps=steps)
    boolean(biases=biases)
    kept, found = set(tuple_of(count, "kept", kept, 0)), []
    rates = [learning_rate, learning_rate * biases] * 2
    for step in range(steps + 1):
        losses, gradients = _losses_and_gradients(weights, features, shares, strength)
        if step in kept:
            found.append(losses.numpy())
        if step < steps:
            for tensor, gradient, rate in zip(weights.tensors(), gradients, rates):
                tensor.sub_(gradient, alpha=rate)
    return np.array(found)
