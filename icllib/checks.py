"""Checks of tensors, prompts and models, beside the general ones of claimbook.records.checks."""

import torch

from claimbook.records.checks import binds, check_shape, count, has_method, instance, integer, tuple_of
from claimbook.records.errors import InputError


def tensors(shape: tuple, /, **own) -> None:
    """Raises InputError, by name, if it is not a tensor of double precision and this shape, written as
    for `shaped`."""
    floating(**own)
    for name, tensor in own.items():
        if tensor.dtype != torch.float64:
            raise InputError(f"{name}: expected torch.float64, got {tensor.dtype}")
        check_shape(name, tuple(tensor.shape), shape)


def same_shape(shape_of, /, **members) -> None:
    """Raises InputError, by name, for members of a fleet that differ in their shape."""
    for name, own in members.items():
        for other in own:
            if shape_of(other) != shape_of(own[0]):
                raise InputError(f"{name}: expected one shape for all, got {own[0]} and {other}")


def predictor(model) -> None:
    """Raises InputError for a class, and for what predicts from X alone, as scikit-learn's do."""
    has_method("predict", predictor=model)
    if not binds(model.predict, "xs", "ys", "lengths"):
        raise InputError("predictor: expected one with predict(xs, ys, lengths), got "
                         f"{model!r}, whose predict is another")


def draws(stream, ids, n, dtype, least: int = 1) -> None:
    """Raises InputError for what no prompts of n points can be drawn from, or not in this type."""
    has_method("normal", stream=stream)
    integer(least, n=n)
    rows(stream, ids)
    precise(dtype)


def rows(stream, ids) -> None:
    """Raises InputError for ids that are not (M, B), a row for each of the M seeds of a stream."""
    has_method("seeds", stream=stream)
    indices(ids=ids)
    members = len(stream.seeds)
    if ids.dim() != 2 or len(ids) != members:
        raise InputError(f"ids: expected ({members}, B), a row for each seed of the stream, got {tuple(ids.shape)}")


def indices(**tensors) -> None:
    """Raises InputError, by name, if it is not a tensor of integers."""
    for name, own in tensors.items():
        if not isinstance(own, torch.Tensor) or own.dtype != torch.int64:
            kind = getattr(own, "dtype", type(own).__name__)
            raise InputError(f"{name}: expected a tensor of torch.int64, got {kind}")


def precise(dtype) -> None:
    """Raises InputError for a type in which a random number may be rounded to 0 or 1, whose logarithm
    is none."""
    if dtype not in (torch.float32, torch.float64):
        raise InputError(f"dtype: expected torch.float32 or torch.float64, got {dtype!r}")


def sampled(**tasks) -> None:
    """Raises InputError, by name, for what no prompts can be drawn from.
    Equal tasks are drawn together, so one that can change, which has no hash, is none."""
    has_method("sample", **tasks)
    has_method("dimension", **tasks)
    for name, task in tasks.items():
        if type(task).__hash__ is None:
            raise InputError(f"{name}: expected a frozen dataclass, got {task!r}, which can change")


def device(device) -> None:
    """Raises InputError for a device that is not there, and for Apple's GPUs."""
    if str(device).partition(":")[0] == "mps":  # no fp64, and no CUDA graphs
        raise InputError(f"device: expected a CPU or a GPU of NVIDIA's, got {device!r}; Macs train on "
                         "their CPU")
    try:
        torch.empty(0, device=torch.device(device))
    except (RuntimeError, AssertionError, TypeError, ImportError):  # a PyTorch without CUDA, or without "hpu"
        known = ["cpu", *(f"cuda:{index}" for index in range(torch.cuda.device_count()))]
        raise InputError(f"device: expected one of {', '.join(known)}, got {device!r}") from None


def floating(**tensors) -> None:
    """Raises InputError, by name, if it is not a tensor, and for whole numbers, in whose type answers
    were cut."""
    for name, values in tensors.items():
        instance(torch.Tensor, "a tensor", **{name: values})
        if not values.is_floating_point():
            raise InputError(f"{name}: expected floating-point numbers, got {values.dtype}")


def built_for(dimension, max_pairs) -> None:
    """Raises InputError for sizes of prompts for which no model can be built."""
    integer(dimension=dimension)
    integer(0, max_pairs=max_pairs)


def needs_no_pair(model, **lengths) -> None:
    """Raises InputError, by name, for lengths with 0 where a model has no answer without a pair."""
    for name, own in lengths.items():
        if 0 in own and not hasattr(model, "tokens"):
            raise InputError(f"{name}: expected n >= 1 for this model, which needs a pair, got 0")


def prompt_shapes(xs, *labels) -> None:
    """Raises InputError if it is not xs (..., n, d), and for labels ys that are not (..., n)."""
    floating(xs=xs)
    if xs.dim() < 2:
        raise InputError(f"xs: expected (..., n, d), got {tuple(xs.shape)}")
    for ys in labels:
        floating(ys=ys)
        if ys.shape[-1:] != xs.shape[-2:-1]:
            raise InputError(f"ys: expected (..., {xs.shape[-2]}), a label for each of xs, "
                             f"got {tuple(ys.shape)}")


def places(points: int, name: str, values) -> tuple[int, ...]:
    """Places among so many points as a tuple; raises InputError, by name, for one that is not there."""
    found = tuple_of(count, name, values)
    if max(found) >= points:
        raise InputError(f"{name}: expected numbers below {points}, the number of points, got {found}")
    return found


def vector(size: int, /, **tensors) -> None:
    """Raises InputError, by name, for what is neither None nor a tensor (..., size)."""
    for name, own in tensors.items():
        if own is not None:
            floating(**{name: own})
            if own.shape[-1:] != (size,):
                raise InputError(f"{name}: expected (..., {size}), got {tuple(own.shape)}")


def prediction_shape(shape, predictions) -> None:
    """Raises InputError if it is no tensor of floating-point numbers, and for predictions that would be
    broadcast to this shape of the targets."""
    floating(predictions=predictions)
    if predictions.shape[-len(shape):] != shape:
        raise InputError(f"predictions: expected a shape that ends in {tuple(shape)}, "
                         f"got {tuple(predictions.shape)}")
