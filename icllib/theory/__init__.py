"""Closed forms, and the reduced models that they are checked on."""

from torch import Tensor


def largest(deviation: Tensor) -> float:
    """The largest absolute value."""
    return float(deviation.abs().max())
