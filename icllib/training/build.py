"""What the members of a fleet share, and the stacked module that holds them."""

import dataclasses
import inspect
from collections.abc import Sized

import torch
from torch import Tensor, nn

from icllib.checks import alike, component, positive, whole
from icllib.errors import InputError
from icllib.training.recipe import Recipe


def sizes(task) -> tuple:
    """Of a task's inputs and labels."""
    return task.dimension, getattr(task, "classes", None)


def shape(value):
    """A component without the fields in which members of a fleet may differ."""
    if isinstance(value, tuple):
        return tuple(map(shape, value))
    if not dataclasses.is_dataclass(value):
        return value
    shared = (field for field in dataclasses.fields(value) if not field.metadata.get("per_member"))
    return (type(value), *(shape(getattr(value, field.name)) for field in shared))


def check_members(members: int, tasks, models, pretraining_tasks, learning_rates) -> None:
    """Raises InputError, by name, for what is not one per member, cannot be or differs in shape."""
    lists = {"tasks": tasks, "models": models, "pretraining_tasks": pretraining_tasks,
             "learning_rates": learning_rates}
    for name, own in lists.items():
        if not isinstance(own, Sized) or len(own) != members:
            raise InputError(f"{name}: expected one for each of {members} seeds, got {own!r}")
    for task, model in zip(tasks, models):
        component("sample", tasks=task)
        component("build", models=model)
    for rate, count in zip(learning_rates, pretraining_tasks):
        positive(learning_rates=rate)
        whole(pretraining_tasks=1 if count is None else count)
    alike(shape, models=models)
    alike(sizes, tasks=tasks)


def check_labels(ys: Tensor) -> None:
    """Raises InputError for labels of which there is no cross-entropy."""
    if not ((ys >= 0) & (ys <= 1)).all():
        raise InputError("loss: expected labels from 0 to 1 for 'cross-entropy', got others, from "
                         f"{ys.min():.3g} to {ys.max():.3g}")


def check_device(device: str) -> None:
    """Raises InputError for a device that is not there."""
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError):  # the latter from a PyTorch without CUDA
        known = ["cpu", *(f"cuda:{index}" for index in range(torch.cuda.device_count()))]
        raise InputError(f"device: expected one of {', '.join(known)}, got {device!r}") from None


def check_apart(losses: Tensor, parameters: list[Tensor]) -> None:
    """Raises InputError for members that mix: one's loss has a gradient for another's parameters.

    losses: (M,), made of these parameters.
    """
    for gradient in torch.autograd.grad(losses[0], parameters, allow_unused=True):
        if gradient is not None and gradient[1:].nan_to_num().any():
            raise InputError("model: expected members that do not mix, got one whose answers hang "
                             "on the parameters of another; nothing may reduce over the axis M")


def build(models, seeds, task, recipe: Recipe, device) -> nn.Module:
    """The stacked module of a fleet, each member starting as its own model would alone.

    Raises InputError for a model that takes no classes where the task has them, for a module
    without parameters and for one whose parameters have no leading axis of members.
    """
    classes = getattr(task, "classes", None)
    options = {"classes": classes} if classes else {}
    kind = type(models[0]).__name__
    sizes = task.dimension, max(recipe.lengths), device
    try:
        inspect.signature(models[0].build).bind(seeds, *sizes, **options)
    except TypeError as error:
        raise InputError(f"model: expected one that can be built for {task}, "
                         f"got {kind} ({error})") from None
    module = models[0].build(seeds, *sizes, **options)
    if not isinstance(module, nn.Module) or not list(module.parameters()):
        raise InputError(f"model: expected a module with parameters to train, got {module!r} of "
                         f"{kind}; what has none is a predictor, which is measured as it is")
    for name, parameter in module.named_parameters():
        if parameter.shape[:1] != (len(seeds),):
            raise InputError(f"model: expected parameters with a first axis of {len(seeds)} "
                             f"members, got {name} {tuple(parameter.shape)} of {kind}")
    for member, (model, seed) in enumerate(zip(models, seeds)):
        if model != models[0]:
            own = model.build([seed], *sizes, **options).state_dict()
            for name, values in module.state_dict().items():
                values[member] = own[name][0]
    return module.to(recipe.dtype)
