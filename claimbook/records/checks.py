"""Argument checks; NaN never passes."""

import dataclasses
import inspect
import math
import types
import typing
from collections.abc import Iterable
from functools import partial
from itertools import groupby
from numbers import Integral, Real
from typing import Annotated

from claimbook.records.errors import InputError

WORD = 0xFFFFFFFF  # the largest seed
MEASURED = "numbers or NaN"  # of models, some of which diverged; truth values are numbers here
NUMBERS = {  # any other kind -> whether each entry of an array is such a number
    "numbers": lambda own: own == own,
    "finite numbers": lambda own: abs(own) < math.inf,
    "positive numbers": lambda own: (0 < own) & (own < math.inf),
    "numbers of at least 0": lambda own: (0 <= own) & (own < math.inf),
    "numbers from 0 to infinity": lambda own: own >= 0,
    "numbers of at least 1": lambda own: (1 <= own) & (own < math.inf),
    "numbers from 0 to 1": lambda own: (0 <= own) & (own <= 1),
    "numbers above 0 and up to 1": lambda own: (0 < own) & (own <= 1),
    "integers of at least 0": lambda own: (own >= 0) & (own.dtype.kind != "f"),
    "integers of at least 1": lambda own: (own >= 1) & (own.dtype.kind != "f"),
}


def integer(least: int = 1, most: float = math.inf, /, **sizes) -> None:
    """Raises InputError, by name, if it is not an integer from `least` to `most`."""
    if all(type(size) is int and least <= size <= most for size in sizes.values()):
        return  # at once: a table of thousands of runs asks a million times
    expected = f"from {least} to {most}" if most < math.inf else f"of at least {least}"
    check(f"an integer {expected}", lambda size: isinstance(size, Integral) and least <= size <= most, **sizes)


def check(expected: str, fits, /, **values) -> None:
    """Raises InputError for the first of some named values that is no number or does not fit."""
    for name, value in values.items():
        try:
            number = type(value) in (int, float) or isinstance(value, Real) and not isinstance(value, bool)
            sound = number and fits(value)
        except OverflowError:  # an integer that is larger than any float
            sound = False
        if not sound:
            raise InputError(f"{name}: expected {expected}, got {value!r:.200}")


# Types of a component's fields that say, in words that the reference shows, what its numbers have to be.
Size = Annotated[int, "an integer of at least 1"]
Count = Annotated[int, "an integer of at least 0"]
Finite = Annotated[float, "a finite number"]
Positive = Annotated[float, "a positive number"]
NotNegative = Annotated[float, "a number of at least 0"]
AboveOne = Annotated[float, "a number above 1"]
Fraction = Annotated[float, "a fraction in [0, 1)"]
Share = Annotated[float, "a number from 0 to 1"]
# Each raises InputError, by name, for what is no such number; a library adds those of its own types.
CHECKS: dict = {kind: partial(check, typing.get_args(kind)[1], fits) for kind, fits in {
    Positive: lambda value: 0 < float(value) < math.inf, AboveOne: lambda value: 1 < float(value) < math.inf,
    NotNegative: lambda value: 0 <= float(value) < math.inf, Finite: math.isfinite,
    Fraction: lambda value: 0 <= value < 1, Share: lambda value: 0 <= value <= 1}.items()}
positive, above_one, not_negative, finite, fraction, share = CHECKS.values()
count = partial(integer, 0)


def numbers(kind: str = "finite numbers", /, **arrays) -> None:
    """Raises InputError, by name, if it is not an array of numbers of this kind, or an empty one."""
    import numpy as np

    for name, own in arrays.items():
        try:
            values = np.asarray(own)
            known = "biuf" if kind == MEASURED else "iuf"
            sound = values.size > 0 and values.dtype.kind in known and (
                kind == MEASURED or NUMBERS[kind](values).all())
        except (TypeError, ValueError, RuntimeError):  # lists of several lengths, tensors of a GPU
            sound = False
        if not sound:
            raise InputError(f"{name}: expected {kind}, got {own!r:.200}")


def together(kind: str = "finite numbers", /, **arrays) -> list:
    """The arrays, in double precision, broadcast against each other; refused as by `numbers`."""
    numbers(kind, **arrays)
    return broadcast(**arrays)


def broadcast(**arrays) -> list:
    """Arrays that `numbers` has seen, in double precision, broadcast against each other."""
    import numpy as np

    try:
        return list(np.broadcast_arrays(*(np.asarray(own, dtype=float) for own in arrays.values())))
    except ValueError:
        raise InputError(f"{', '.join(arrays)}: expected shapes that fit together, got "
                         f"{', '.join(str(np.shape(own)) for own in arrays.values())}") from None


def shaped(shape: tuple, kind: str = "finite numbers", /, **arrays) -> None:
    """Raises InputError as `numbers` does, and for another shape: None is any size, ... any axes before."""
    import numpy as np

    numbers(kind, **arrays)
    for name, own in arrays.items():
        check_shape(name, np.shape(own), shape)


def check_shape(name: str, found: tuple, shape: tuple) -> None:
    """Raises InputError, by name, for a shape that is not the one asked for, written as for `shaped`."""
    rest = shape[1:] if shape[:1] == (...,) else shape
    own = found[max(len(found) - len(rest), 0) :] if rest is not shape else found
    if len(own) != len(rest) or any(size not in (None, got) for size, got in zip(rest, own)):
        told = ", ".join({None: "any", ...: "..."}.get(size, str(size)) for size in shape)
        raise InputError(f"{name}: expected the shape ({told}), got {found}")


def fits(shape: tuple, kind: str = "finite numbers", /, **arrays) -> None:
    """Raises InputError as `numbers` does, and for what does not broadcast to this shape."""
    import numpy as np

    numbers(kind, **arrays)
    for name, own in arrays.items():
        try:
            np.broadcast_to(np.empty(np.shape(own)), shape)
        except ValueError:
            raise InputError(f"{name}: expected a number, or an array that fits {tuple(shape)}, got "
                             f"{np.shape(own)}") from None


def rank(values) -> int:
    """The axes of an array or a list; -1 for lists of several lengths, which are none."""
    import numpy as np

    try:
        return np.ndim(values)
    except ValueError:
        return -1


def instance(kind, expected: str = "", /, **values) -> None:
    """Raises InputError, by name, if it is not an object of this class, which `expected` names."""
    for name, own in values.items():
        if not isinstance(own, kind):
            raise InputError(f"{name}: expected {expected or getattr(kind, '__name__', kind)}, got {own!r:.200}")


boolean, text = partial(instance, bool, "True or False"), partial(instance, str, "text")
CHECKS |= {Size: integer, Count: count, bool: boolean}


def tuple_of(check_one, name: str, values, least: int = 1) -> tuple:
    """The values as a tuple; raises InputError where there are fewer or `check_one` does for one."""
    found = tuple(values) if isinstance(values, Iterable) else None
    if found is None or len(found) < least:
        raise InputError(f"{name}: expected {'one or more in ' * bool(least)}a list, got {values!r:.200}")
    for value in found:
        check_one(**{name: value})
    return found


def different(**values) -> None:
    """Raises InputError, by name, for a tuple in which a value comes twice."""
    for name, own in values.items():
        if len(set(own)) < len(own):
            raise InputError(f"{name}: expected each value once, got {own}")


def one_of(allowed: tuple, **values) -> None:
    """Raises InputError, by name, for a value that is not among those allowed."""
    for name, value in values.items():
        if not any(type(value) is type(one) and value == one for one in allowed):
            raise InputError(f"{name}: expected one of {allowed}, got {value!r:.200}")


def has_method(method: str, /, **parts) -> None:
    """Raises InputError, by name, for what lacks this method, and for a class that has it."""
    for name, part in parts.items():
        if isinstance(part, type) or not hasattr(part, method):
            raise InputError(f"{name}: expected an object with {method}, got {part!r:.200}")


def binds(function, *arguments) -> bool:
    """Whether a function can be called with these arguments in a row."""
    try:
        inspect.signature(function).bind(*arguments)
    except (TypeError, ValueError):  # the latter for what has no signature, as `int`
        return False
    return True


def types_of_fields(component) -> None:
    """Raises InputError, by name, for a field of a dataclass that is not of the type it says."""
    for field in dataclasses.fields(component):
        kind = field.type if isinstance(field.type, type | types.UnionType) else typing.get_origin(field.type)
        instance(kind, **{field.name: getattr(component, field.name)})  # of tuple[str, ...] it is tuple


def lists_runs(**functions) -> None:
    """Raises InputError, by name, if it is not a function of a profile."""
    for name, own in functions.items():
        if not callable(own) or isinstance(own, type) or not binds(own, "profile"):
            raise InputError(f"{name}: expected a function from a profile to its list of runs, "
                             f"got {own!r:.200}")


def in_ranges(numbers: list[int]) -> str:
    """Increasing integers in words: "0 to 2, 5"."""
    groups = groupby(enumerate(numbers), lambda item: item[1] - item[0])
    ends = [(own[0][1], own[-1][1]) for own in (list(group) for _, group in groups)]
    return ", ".join(f"{low} to {high}" if low < high else f"{low}" for low, high in ends)


def takes(function, name: str) -> bool:
    """Whether a function has an argument of this name, or takes any."""
    found = inspect.signature(function).parameters.values()
    return any(own.name == name or own.kind is own.VAR_KEYWORD for own in found)
