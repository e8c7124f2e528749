"""What settings are refused; a comparison with NaN is false, so NaN is refused too."""

import dataclasses
import inspect
import math
import types
import typing
from collections.abc import Iterable
from numbers import Integral, Real

from icllib.errors import InputError

WORD = 0xFFFFFFFF  # the largest seed
MEASURED = "numbers or NaN"  # of models, some of which diverged; truth values are numbers here
NUMBERS = {  # any other kind -> whether each entry of an array is such a number
    "numbers": lambda own: own == own,
    "finite numbers": lambda own: abs(own) < math.inf,
    "positive numbers": lambda own: (0 < own) & (own < math.inf),
    "numbers of at least 0": lambda own: (0 <= own) & (own < math.inf),
    "numbers of at least 1": lambda own: (1 <= own) & (own < math.inf),
    "numbers from 0 to 1": lambda own: (0 <= own) & (own <= 1),
    "numbers above 0 and up to 1": lambda own: (0 < own) & (own <= 1),
    "integers of at least 0": lambda own: (own >= 0) & (own.dtype.kind != "f"),
    "integers of at least 1": lambda own: (own >= 1) & (own.dtype.kind != "f"),
}


def whole(least: int = 1, most: float = math.inf, /, **sizes) -> None:
    """Raises InputError, by name, for what is no integer from `least` to `most`."""
    if all(type(size) is int and least <= size <= most for size in sizes.values()):
        return  # at once: a table of thousands of runs asks a million times
    expected = f"from {least} to {most}" if most < math.inf else f"of at least {least}"
    check(lambda size: isinstance(size, Integral) and least <= size <= most, f"an integer {expected}", sizes)


def positive(**values) -> None:
    """Raises InputError, by name, for what is no finite number above 0."""
    check(lambda value: 0 < float(value) < math.inf, "a positive number", values)


def not_negative(**values) -> None:
    """Raises InputError, by name, for what is no finite number of at least 0."""
    check(lambda value: 0 <= float(value) < math.inf, "a number of at least 0", values)


def finite(**values) -> None:
    """Raises InputError, by name, for what is no finite number."""
    check(math.isfinite, "a finite number", values)


def numbers(kind: str = "finite numbers", /, **arrays) -> None:
    """Raises InputError, by name, for what is no array of numbers of this kind, or an empty one."""
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
    """The arrays, in double precision, broadcast against each other.

    Raises InputError, by name, for what `numbers` refuses and for shapes that do not fit together.
    """
    numbers(kind, **arrays)
    return broadcast(**arrays)


def broadcast(**arrays) -> list:
    """The same for arrays that `numbers` has seen."""
    import numpy as np

    try:
        return list(np.broadcast_arrays(*(np.asarray(own, dtype=float) for own in arrays.values())))
    except ValueError:
        raise InputError(f"{', '.join(arrays)}: expected shapes that fit together, got "
                         f"{', '.join(str(np.shape(own)) for own in arrays.values())}") from None


def shaped(shape: tuple, kind: str = "finite numbers", /, **arrays) -> None:
    """Raises InputError, by name, for what `numbers` refuses and for an array of another shape.

    None in the shape: any size. ... at its start: any axes before.
    """
    import numpy as np

    numbers(kind, **arrays)
    for name, own in arrays.items():
        _check_shape(name, np.shape(own), shape)


def tensors(shape: tuple, /, **own) -> None:
    """Raises InputError, by name, for what is no tensor of double precision and this shape, written as
    for `shaped`."""
    import torch

    floating(**own)
    for name, tensor in own.items():
        if tensor.dtype != torch.float64:
            raise InputError(f"{name}: expected torch.float64, got {tensor.dtype}")
        _check_shape(name, tuple(tensor.shape), shape)


def _check_shape(name: str, found: tuple, shape: tuple) -> None:
    rest = shape[1:] if shape[:1] == (...,) else shape
    own = found[max(len(found) - len(rest), 0) :] if rest is not shape else found
    if len(own) != len(rest) or any(size not in (None, got) for size, got in zip(rest, own)):
        told = ", ".join({None: "any", ...: "..."}.get(size, str(size)) for size in shape)
        raise InputError(f"{name}: expected the shape ({told}), got {found}")


def fits(shape: tuple, kind: str = "finite numbers", /, **arrays) -> None:
    """Raises InputError, by name, for what `numbers` refuses and for what does not broadcast to this
    shape."""
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


def instance(kind, /, **values) -> None:
    """Raises InputError, by name, for what is no object of this class."""
    for name, own in values.items():
        if not isinstance(own, kind):
            expected = getattr(kind, "__name__", kind)
            raise InputError(f"{name}: expected {expected}, got {own!r:.200}")


def switch(**values) -> None:
    """Raises InputError, by name, for what is neither True nor False."""
    for name, value in values.items():
        if not isinstance(value, bool):
            raise InputError(f"{name}: expected True or False, got {value!r:.200}")


def text(**values) -> None:
    """Raises InputError, by name, for what is no text."""
    for name, value in values.items():
        if not isinstance(value, str):
            raise InputError(f"{name}: expected text, got {value!r:.200}")


def fraction(**values) -> None:
    """Raises InputError, by name, for what is no number in [0, 1)."""
    check(lambda value: 0 <= value < 1, "a fraction in [0, 1)", values)


def share(**values) -> None:
    """Raises InputError, by name, for what is no number in [0, 1]."""
    check(lambda value: 0 <= value <= 1, "a number from 0 to 1", values)


def check(fits, expected: str, values: dict) -> None:
    """Raises InputError for the first of some named values that is no number or does not fit."""
    for name, value in values.items():
        try:
            number = type(value) in (int, float) or isinstance(value, Real) and not isinstance(value, bool)
            sound = number and fits(value)
        except OverflowError:  # an integer that is larger than any float
            sound = False
        if not sound:
            raise InputError(f"{name}: expected {expected}, got {value!r:.200}")


def each(check_one, name: str, values, least: int = 1) -> tuple:
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


def alike(shape_of, /, **members) -> None:
    """Raises InputError, by name, for members of a fleet that differ in their shape."""
    for name, own in members.items():
        for other in own:
            if shape_of(other) != shape_of(own[0]):
                raise InputError(f"{name}: expected one shape for all, got {own[0]} and {other}")


def component(method: str, /, **parts) -> None:
    """Raises InputError, by name, for what lacks this method, and for a class that has it."""
    for name, part in parts.items():
        if isinstance(part, type) or not hasattr(part, method):
            raise InputError(f"{name}: expected a component with {method}, got {part!r:.200}")


def predictor(model) -> None:
    """Raises InputError for a class, and for what predicts from X alone, as scikit-learn's do."""
    component("predict", predictor=model)
    if not binds(model.predict, "xs", "ys", "lengths"):
        raise InputError("predictor: expected one with predict(xs, ys, lengths), got "
                         f"{model!r}, whose predict is another")


def binds(function, *arguments) -> bool:
    """Whether a function can be called with these arguments in a row."""
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError:
        return False
    return True


def draws(stream, ids, n, dtype, least: int = 1) -> None:
    """Raises InputError for what no prompts of n points can be drawn from, or not in this type."""
    component("normal", stream=stream)
    whole(least, n=n)
    rows(stream, ids)
    precise(dtype)


def rows(stream, ids) -> None:
    """Raises InputError for ids that are not (M, B), a row for each of the M seeds of a stream."""
    component("seeds", stream=stream)
    indices(ids=ids)
    members = len(stream.seeds)
    if ids.dim() != 2 or len(ids) != members:
        raise InputError(f"ids: expected ({members}, B), a row for each seed of the stream, got {tuple(ids.shape)}")


def indices(**tensors) -> None:
    """Raises InputError, by name, for what is no tensor of integers."""
    import torch

    for name, own in tensors.items():
        if not isinstance(own, torch.Tensor) or own.dtype != torch.int64:
            kind = getattr(own, "dtype", type(own).__name__)
            raise InputError(f"{name}: expected a tensor of torch.int64, got {kind}")


def precise(dtype) -> None:
    """Raises InputError for a type in which a random number may be rounded to 0 or 1, whose logarithm
    is none."""
    import torch

    if dtype not in (torch.float32, torch.float64):
        raise InputError(f"dtype: expected torch.float32 or torch.float64, got {dtype!r}")


def sampled(**tasks) -> None:
    """Raises InputError, by name, for what no prompts can be drawn from.

    Equal tasks are drawn together, so one that can change, which has no hash, is none.
    """
    component("sample", **tasks)
    component("dimension", **tasks)
    for name, task in tasks.items():
        if type(task).__hash__ is None:
            raise InputError(f"{name}: expected a frozen dataclass, got {task!r}, which can change")


def device(device) -> None:
    """Raises InputError for a device that is not there, and for Apple's GPUs."""
    if str(device).partition(":")[0] == "mps":  # no fp64, and no CUDA graphs
        raise InputError(f"device: expected a CPU or a GPU of NVIDIA's, got {device!r}; Macs train on "
                         "their CPU")
    import torch

    try:
        torch.empty(0, device=torch.device(device))
    except (RuntimeError, AssertionError, TypeError, ImportError):  # a PyTorch without CUDA, or without "hpu"
        known = ["cpu", *(f"cuda:{index}" for index in range(torch.cuda.device_count()))]
        raise InputError(f"device: expected one of {', '.join(known)}, got {device!r}") from None


def types_of_fields(component) -> None:
    """Raises InputError, by name, for a field of a dataclass that is not of the type it says."""
    for field in dataclasses.fields(component):
        value, kind = getattr(component, field.name), field.type
        if not isinstance(kind, type | types.UnionType):  # tuple[str, ...], say
            kind = typing.get_origin(kind)
        if not isinstance(value, kind):
            expected = getattr(kind, "__name__", kind)
            raise InputError(f"{field.name}: expected {expected}, got {value!r:.200}")


def floating(**tensors) -> None:
    """Raises InputError, by name, for what is no tensor, and for whole numbers, in whose type answers
    were cut."""
    from torch import Tensor

    for name, values in tensors.items():
        if not isinstance(values, Tensor):
            raise InputError(f"{name}: expected a tensor, got {type(values).__name__}")
        if not values.is_floating_point():
            raise InputError(f"{name}: expected floating-point numbers, got {values.dtype}")


def lists_runs(**functions) -> None:
    """Raises InputError, by name, for what is no function of a profile."""
    for name, own in functions.items():
        if not callable(own) or isinstance(own, type) or not binds(own, "profile"):
            raise InputError(f"{name}: expected a function from a profile to its list of runs, "
                             f"got {own!r:.200}")


def built_for(dimension, max_pairs) -> None:
    """Raises InputError for sizes of prompts for which no model can be built."""
    whole(dimension=dimension)
    whole(0, max_pairs=max_pairs)


def needs_no_pair(model, **lengths) -> None:
    """Raises InputError, by name, for lengths with 0 where a model has no answer without a pair."""
    for name, own in lengths.items():
        if 0 in own and not hasattr(model, "tokens"):
            raise InputError(f"{name}: expected n >= 1 for this model, which needs a pair, got 0")


def prompts(xs, *labels) -> None:
    """Raises InputError for what is no xs (..., n, d), and for labels ys that are not (..., n)."""
    floating(xs=xs)
    if xs.dim() < 2:
        raise InputError(f"xs: expected (..., n, d), got {tuple(xs.shape)}")
    for ys in labels:
        floating(ys=ys)
        if ys.shape[-1:] != xs.shape[-2:-1]:
            raise InputError(f"ys: expected (..., {xs.shape[-2]}), a label for each of xs, "
                             f"got {tuple(ys.shape)}")


def vector(size: int, /, **tensors) -> None:
    """Raises InputError, by name, for what is neither None nor a tensor (..., size)."""
    for name, own in tensors.items():
        if own is not None:
            floating(**{name: own})
            if own.shape[-1:] != (size,):
                raise InputError(f"{name}: expected (..., {size}), got {tuple(own.shape)}")


def answers(shape, predictions) -> None:
    """Raises InputError for what is no tensor, and for predictions that would be broadcast to this
    shape of the targets."""
    from torch import Tensor

    if not isinstance(predictions, Tensor):
        raise InputError(f"predictions: expected a tensor, got {type(predictions).__name__}")
    if predictions.shape[-len(shape):] != shape:
        raise InputError(f"predictions: expected a shape that ends in {tuple(shape)}, "
                         f"got {tuple(predictions.shape)}")


def takes(function, name: str) -> bool:
    """Whether a function has an argument of this name, or takes any."""
    found = inspect.signature(function).parameters.values()
    return any(own.name == name or own.kind is own.VAR_KEYWORD for own in found)
