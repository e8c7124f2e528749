"""What a task hands to a model."""

from typing import NamedTuple

from torch import Tensor


class Prompt(NamedTuple):
    """Points of one function each, in the order in which a model reads them.

    A label is a number or, where a task has `classes`, a one-hot vector: ys and means are then
    (..., n, classes).
    """

    xs: Tensor  # (..., n, d) inputs
    ys: Tensor  # (..., n) labels, noise included
    means: Tensor  # (..., n) labels without their noise
