"""Checks of what a fleet trains, and the stacked module that holds its members."""

import contextlib
import dataclasses
import sys
import traceback
from collections.abc import Sized
from pathlib import Path

import torch
from torch import Tensor, nn

from claimbook.records.checks import has_method, instance, integer, positive
from claimbook.records.errors import InputError, NoRoom
from icllib.checks import needs_no_pair, same_shape, sampled
from icllib.tasks import MaskedSentences
from icllib.tasks.prompt import has_active, task_sizes
from icllib.training.recipe import Recipe

MOST_STORED = 2**31 - 1  # prompts that can be put in random order


def shape(value):
    """A component without the fields in which members of a fleet may differ."""
    if isinstance(value, tuple):
        return tuple(map(shape, value))
    if not dataclasses.is_dataclass(value):
        return value
    shared = (field for field in dataclasses.fields(value) if not field.metadata.get("per_member"))
    return (type(value), *(shape(getattr(value, field.name)) for field in shared))


def check_parts(task, model, recipe) -> None:
    """Raises InputError unless these are a task, a model and a recipe that fit together."""
    sampled(task=task)
    has_method("build", model=model)
    instance(Recipe, recipe=recipe)
    needs_no_pair(model, lengths=recipe.lengths)
    if isinstance(task, MaskedSentences) != (recipe.loss == "masked tokens"):
        raise InputError("recipe.loss: expected 'masked tokens' for sentences and another "
                         f"loss for other tasks, got {recipe.loss!r} for {type(task).__name__}")
    if recipe.dimensions and not has_active(task):
        raise InputError(f"dimensions: expected a task whose sample has an argument `active`, got {task!r}")
    if recipe.loops and (not getattr(model, "shared_layers", False) or model.probes):
        raise InputError(f"recipe.loops: expected a decoder of shared layers without probes, got {model}")
    check_decoder(model, recipe.queries > 1 or recipe.loss_on_pairs)


def check_decoder(model, needed: bool) -> None:
    """Raises InputError where a decoder of joint tokens is needed and the model is another."""
    if needed and getattr(model, "tokens", None) != "joint":
        raise InputError("model: expected a decoder of joint tokens for several queries or a loss "
                         f"on pairs, got {model}")


def check_stored(pretraining_tasks) -> None:
    """Raises InputError for a T that is not from 1 to MOST_STORED; None means fresh prompts."""
    if pretraining_tasks is not None:
        integer(1, MOST_STORED, pretraining_tasks=pretraining_tasks)


def check_members(members: int, recipe, tasks, models, pretraining_tasks, learning_rates) -> None:
    """Raises InputError, by name, unless there is one valid value per member, all of one shape."""
    lists = {"tasks": tasks, "models": models, "pretraining_tasks": pretraining_tasks}
    if learning_rates is not None:
        lists["learning_rates"] = learning_rates
    for name, own in lists.items():
        if not isinstance(own, Sized) or len(own) != members:
            raise InputError(f"{name}: expected one for each of {members} seeds, got {own!r}")
    for task, model in zip(tasks, models):
        check_parts(task, model, recipe)
    for count in pretraining_tasks:
        check_stored(count)
    for rate in () if learning_rates is None else learning_rates:
        positive(learning_rates=rate)
    same_shape(shape, models=models)
    same_shape(task_sizes, tasks=tasks)


@contextlib.contextmanager
def room_for(members: int, device: str):
    """Within it, running out of memory raises NoRoom."""
    try:
        yield
    except (RuntimeError, MemoryError) as error:
        if not of_memory(error):
            raise
        raise NoRoom(f"memory: expected room for {members} models on {device}, got less; "
                     "use --members or fewer seeds to train fewer together"
                     ) from None


# What PyTorch says where memory runs out on a CPU, within cuBLAS, and elsewhere on a GPU.
NO_MEMORY = "can't allocate memory", "CUBLAS_STATUS_ALLOC_FAILED", "CUDA error: out of memory"


def of_memory(error: BaseException | None) -> bool:
    """Whether an error, or the one that led to it, says that memory ran out."""
    if error is None:
        return False
    known = isinstance(error, torch.OutOfMemoryError | MemoryError)
    return known or any(words in str(error) for words in NO_MEMORY) or of_memory(error.__context__)


@contextlib.contextmanager
def told():
    """Within it, what a task or a model raises is an InputError, but for a lack of memory."""
    try:
        yield
    except Exception as error:
        if isinstance(error, InputError) or of_memory(error):
            raise
        raise InputError("task, model, loss: expected some that work on the first prompts, got "
                         f"{error!r:.200}{line_of(error)}") from error


def line_of(error: Exception) -> str:
    """The last line on the way to an error that is none of a package; "" where there is none."""
    packages = str(Path(__file__).parents[1]), sys.prefix, sys.base_prefix, "<"
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(packages)]
    return f" in {own[-1].filename}, line {own[-1].lineno}" if own else ""


def check_labels(ys: Tensor) -> None:
    """Raises InputError for labels outside [0, 1], which have no cross-entropy."""
    if not ((ys >= 0) & (ys <= 1)).all():
        raise InputError("loss: expected labels from 0 to 1 for 'cross-entropy', got labels from "
                         f"{ys.min():.3g} to {ys.max():.3g}")


def check_gradients(losses: Tensor, module) -> None:
    """Raises InputError for losses (M,) that are no numbers, for a parameter that has no effect on them, and where
    the loss of one member depends on the parameters of another."""
    if not losses.isfinite().any():
        raise InputError(f"task, model: expected finite losses on the first prompts, got {losses.tolist()}")
    trained = {name: own for name, own in module.named_parameters() if own.requires_grad}
    gradients = (torch.autograd.grad(losses[0], list(trained.values()), allow_unused=True) if losses.requires_grad
                 else [None] * len(trained))
    for name, gradient in zip(trained, gradients):
        if gradient is None:
            raise InputError(f"model: expected a loss that depends on each parameter, got {name.replace('/', '.')}, "
                             "which has no effect; remove it, or give it requires_grad=False")
        if gradient[1:].nan_to_num().any():
            raise InputError("model: expected members that do not mix, got one whose answers "
                             "depend on another's parameters; nothing may reduce over the axis M")


def check_hidden(module, prompt, layout) -> None:
    """Raises InputError where an answer after n pairs depends on labels or inputs that come later.
    layout: context lengths and points of the queries; not checked for several at one length."""
    lengths, points = layout
    if lengths != points:
        return
    shortest = min(lengths)
    xs, ys = (own[:, :4].detach().clone().requires_grad_() for own in (prompt.xs, prompt.ys))
    answers = module(xs, ys, lengths)
    if answers.shape[:3] != (*ys.shape[:2], len(lengths)) or not answers.requires_grad:
        return  # the loss reports this
    asked = answers[:, :, lengths.index(shortest)].sum()
    gradients = torch.autograd.grad(asked, (xs, ys), allow_unused=True)
    for what, gradient, first in zip(("inputs", "labels"), gradients, (shortest + 1, shortest)):
        if gradient is not None and gradient[:, :, first:].nan_to_num().any():
            raise InputError(f"model: expected answers after {shortest} pairs to depend on these alone, "
                             f"got some that depend on later {what}; shift or mask them")


@told()
def build(models, seeds, task, recipe: Recipe, device) -> nn.Module:
    """The stacked module of a fleet; each member starts from the same values as if alone."""
    classes = getattr(task, "classes", None)
    options = {"classes": classes} if classes else {}
    kind = type(models[0]).__name__
    sizes = task.dimension, max(recipe.lengths), device
    module = models[0].build(seeds, *sizes, **options)
    check_tensors(module, len(seeds), kind)
    module.sizes_of_prompts = (task.dimension, *(classes,) * bool(classes))  # `Trained` refuses others
    start_as_own(module, models, seeds, lambda model, seed: model.build([seed], *sizes, **options))
    for values in module.parameters():  # the fused AdamW takes elements in the order of memory
        values.data = values.data.contiguous()
    return module.to(recipe.dtype)


def check_tensors(module, members: int, kind: str) -> None:
    """Raises InputError if it is not a stacked module, see `build`."""
    trained = isinstance(module, nn.Module) and [p for p in module.parameters() if p.requires_grad]
    if not trained:
        raise InputError(f"model: expected a module with parameters to train, got {module!r} of "
                         f"{kind}; one without is a predictor, measured without training")
    for name, values in module.state_dict().items():
        if values.shape[:1] != (members,):
            raise InputError(f"model: expected parameters and persistent buffers with a first axis "
                             f"of {members} members, got {name} {tuple(values.shape)} of {kind}")
    names = dict(module.named_parameters(remove_duplicate=False))
    if len(names) > len(list(module.parameters())):
        raise InputError(f"model: expected each parameter under one name, got {list(names)} of "
                         f"{kind}, some of which are the same")


def start_as_own(module, models, seeds, built) -> None:
    """Give each member of another model than the first its own initial values, `built(model, seed)`."""
    for member, (model, seed) in enumerate(zip(models, seeds)):
        if model != models[0]:
            own, other = (built(of, seed).state_dict() for of in (model, models[0]))
            if all(torch.equal(values, other[name]) for name, values in own.items()):
                raise InputError("model: expected fields that differ per member to differ in the "
                                 f"tensors of the module, got {models[0]} and {model}, which are "
                                 "built alike; train them separately")
            for name, values in module.state_dict().items():
                values[member] = own[name][0]
