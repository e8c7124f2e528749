"""Laws of the numbers that tasks draw: inputs, weights and noise."""

from functools import reduce
from typing import Literal, get_args

import torch
from torch import Tensor

from claimbook.records.checks import integer, one_of
from icllib.streams import Stream

Law = Literal["normal", "uniform", "laplace", "exponential", "student", "mixture"]
LawInOrder = Literal[Law, "autoregressive"]
CORRELATION = 0.9  # of an autoregressive number and the one before it
RARE, LARGER = 0.1, 3.0  # of a mixture: the share of its larger part, and its deviation over the other's


def variance(law: str) -> float:
    """The variance of the numbers of a law."""
    return 1 / 3 if law == "uniform" else 1.0


def drawn(law: str, stream: Stream, ids: Tensor, name: str, shape, dtype, degrees: int = 5,
          also: str | None = None) -> Tensor:
    """Numbers of a law, of mean 0: ids (M, B) -> ``(M, B, *shape)``.

    "uniform": U(-1, 1). The others have variance 1. "exponential": less its mean. "student": Student's t with so
    many degrees of freedom. "mixture": normal, one in ten with three times the deviation of the others.
    "autoregressive": along the first axis of the shape, 0.9 times the number before plus a normal one.
    also: how the names of what else is drawn begin; by default, with this name and "/". Raises InputError for
    another law, and for degrees of freedom with which there is no variance.
    """
    one_of(get_args(LawInOrder), law=law)
    integer(3, degrees=degrees)  # two have no variance
    also = f"{name}/" if also is None else also
    if law == "uniform":
        return 2 * stream.uniform(ids, name, shape, dtype) - 1
    if law == "exponential":
        return -stream.uniform(ids, name, shape, dtype).log() - 1
    if law == "laplace":
        first, second = (stream.uniform(ids, also + part, shape, dtype).log() for part in ("up", "down"))
        return (first - second) / 2**0.5
    numbers = stream.normal(ids, name, shape, dtype)
    if law == "student":
        squares = reduce(torch.add, (stream.normal(ids, f"{also}square {k}", shape, dtype).square()
                                     for k in range(degrees)))
        return numbers * ((degrees - 2) / squares).sqrt()
    if law == "mixture":
        larger = stream.uniform(ids, also + "larger", shape, dtype) < RARE
        return torch.where(larger, LARGER * numbers, numbers) / (1 + RARE * (LARGER**2 - 1)) ** 0.5
    if law == "autoregressive":
        steps = numbers.unbind(2)
        rows = [steps[0]]
        for step in steps[1:]:
            rows.append(CORRELATION * rows[-1] + (1 - CORRELATION**2) ** 0.5 * step)
        return torch.stack(rows, dim=2)
    return numbers
