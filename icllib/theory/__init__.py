"""Closed forms, and the reduced models that they are checked on."""

import numpy as np
from torch import Tensor

from claimbook.records.errors import InputError
from icllib.checks import floating


def largest(deviation: Tensor) -> float:
    """The largest absolute value; raises InputError if it is not a tensor, and for an empty one."""
    floating(deviation=deviation)
    if not deviation.numel():
        raise InputError("deviation: expected at least one number, got none")
    return float(deviation.abs().max())


def denominators(t, g0, h0, strength, rate):
    """What g = g0 y / x and h = h0 x / y are made of: decay, growth, x and y.
    With C = g0 h0 / 2 and k = sqrt(Lambda^2 + C / 2): decay = exp(-2 a k t) and growth =
    (1 - decay) / 2k. Every term below is non-negative, so nothing cancels, overflows or divides
    by zero: not for balanced starts (C = 0), f0 = Lambda, large t, negative Lambda or k = 0."""
    t = np.where(rate == 0, 0, t)  # a task without data stays, for ever too
    half_c = g0 * h0 / 4
    root = np.sqrt(strength**2 + half_c)
    large = root + np.abs(strength)
    small = divide(half_c, large)  # root - |Lambda| without cancellation
    up = np.where(strength >= 0, large, small)  # root + Lambda
    down = np.where(strength >= 0, small, large)  # root - Lambda
    still = root == 0  # both solve g' = -a g^2 / 2
    twice = np.where(still, 1, 2 * root)
    up, down = np.where(still, 0.5, up / twice), np.where(still, 0.5, down / twice)
    decay = np.exp(-2 * rate * root * t)
    growth = np.where(still, rate * t, -np.expm1(-2 * rate * root * t) / twice)
    return (decay, growth, down + up * decay + g0 / 2 * growth, up + down * decay + h0 / 2 * growth)


def divide(numerator, denominator):
    """The quotient, and 0 where the numerator is 0."""
    return np.divide(numerator, denominator, out=np.zeros_like(denominator), where=numerator != 0)
