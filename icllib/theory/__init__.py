"""Closed forms, and the reduced models that they are checked on."""

from torch import Tensor

from claimbook.records.errors import InputError
from icllib.checks import floating


def largest(deviation: Tensor) -> float:
    """The largest absolute value; raises InputError for what is no tensor, and for an empty one."""
    floating(deviation=deviation)
    if not deviation.numel():
        raise InputError("deviation: expected at least one number, got none")
    return float(deviation.abs().max())
