"""Prompts, and functions with which tasks make them."""

from dataclasses import replace
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor

from claimbook.records import Component
from claimbook.records.checks import takes
from claimbook.records.errors import InputError
from icllib.checks import draws, rows
from icllib.streams import Stream, constant


class Prompt(NamedTuple):
    """Points of one function each, in the order in which a model reads them.

    A label is a number or, where a task has `classes`, a one-hot vector: ys and means are then
    (..., n, classes).
    """

    xs: Tensor  #: (..., n, d) inputs
    ys: Tensor  #: (..., n) labels, noise included
    means: Tensor  #: (..., n) labels without their noise


class Task(Component):
    """The base of tasks, which say in `draw` what their prompts are."""

    least_points: ClassVar[int] = 1  # of a prompt

    def sample(self, stream: Stream, ids: Tensor, n: int, dtype=torch.float32,
               active: Tensor | None = None) -> Prompt:
        """Prompts of n points; ids (M, B) name them: the same id gives the same prompt.

        active: how many coordinates of x are kept, the others being 0; () of integers. Raises InputError
        for fewer points than the task needs, and for `active` where it keeps all coordinates.
        """
        draws(stream, ids, n, dtype, self.least_points)
        if active is None:
            return self.draw(stream, ids, n, dtype)
        if not has_active(self):
            raise InputError(f"active: expected None for this task, got {active!r:.200}")
        return self.draw(stream, ids, n, dtype, active)


def dot(xs: Tensor, weights: Tensor) -> Tensor:
    """Inner products over the last axis, whose rounding depends on nothing around them.
    A matrix product rounds differently with the size of the batch, and to 10 bits under TF32."""
    return (xs * weights).sum(dim=-1)


def masked_inputs(xs: Tensor, active: Tensor | None) -> Tensor:
    """Inputs (..., d) whose coordinates from the `active`-th on are 0; as they are for None."""
    if active is None:
        return xs
    return xs * (torch.arange(xs.shape[-1], device=xs.device) < active)


def task_sizes(task) -> tuple:
    """A task's dimension and classes; None for classes if labels are numbers."""
    return task.dimension, getattr(task, "classes", None)


def has_active(task) -> bool:
    """Whether the task's prompts can leave coordinates of its inputs 0."""
    parts = getattr(task, "parts", None)
    return all(map(has_active, parts)) if parts else takes(getattr(task, "draw", task.sample), "active")


def sample_each(tasks, stream: Stream, ids: Tensor, n: int, dtype=torch.float32,
                active: Tensor | None = None) -> Prompt:
    """Prompts of a fleet whose members have their own tasks; equal tasks are sampled together.

    tasks: M tasks of one shape; ids: (M, B); active: see `masked_inputs`. Returns tensors (M, B, n, ...).
    Raises InputError if a task returns other shapes.
    """
    rows(stream, ids)
    if not isinstance(tasks, list | tuple) or len(tasks) != len(ids) or not all(
            hasattr(task, "sample") for task in tasks):
        raise InputError(f"tasks: expected a list of {len(ids)}, one for each row of ids, got {tasks!r:.200}")
    members_of = {}
    for member, task in enumerate(tasks):
        members_of.setdefault(task, []).append(member)
    if len(members_of) == 1:
        return sample_one(tasks[0], stream, ids, n, dtype, active)
    parts = []
    for task, members in members_of.items():
        chosen = constant(tuple(members), ids.device)
        of_members = replace(stream, seeds=stream.seeds[chosen])
        parts.append(sample_one(task, of_members, ids[chosen], n, dtype, active))
    places = [member for members in members_of.values() for member in members]
    order = constant(tuple(sorted(range(len(tasks)), key=places.__getitem__)), ids.device)
    return Prompt(*(torch.cat(tensors)[order] for tensors in zip(*parts)))


def sample_one(task, stream: Stream, ids: Tensor, n: int, dtype, active=None) -> Prompt:
    """Prompts of one task; raises InputError unless each has n points of this precision."""
    options = {} if active is None else {"active": active}
    prompt = task.sample(stream, ids, n, dtype, **options)
    named = isinstance(prompt, tuple) and hasattr(prompt, "_fields")
    if not named or not all(isinstance(tensor, Tensor) for tensor in prompt):
        got = f"one of {', '.join(type(item).__name__ for item in prompt)}" if named else (
            type(prompt).__name__)
        raise InputError(f"{type(task).__name__}.sample: expected a Prompt of tensors, got {got}")
    if isinstance(prompt, Prompt):  # sentences have other shapes
        classes = getattr(task, "classes", None)
        points = (*ids.shape, n)
        labels = (*points, classes) if classes else points
        expected = Prompt((*points, task.dimension), labels, labels)
        got = Prompt(*(tuple(tensor.shape) for tensor in prompt))
        if got != expected:
            raise InputError(f"{type(task).__name__}.sample: expected the shapes {expected}, got {got}")
        if any(tensor.dtype != dtype for tensor in prompt):
            raise InputError(f"{type(task).__name__}.sample: expected numbers of {dtype}, got "
                             f"{', '.join(str(tensor.dtype) for tensor in prompt)}")
    return prompt


def side_by_side(lengths, queries: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Several queries after the pairs of each length: what each sees, and which point it is.

    side_by_side((3, 5), 2) is (3, 3, 5, 5) and (3, 4, 5, 6).
    """
    seen = tuple(length for length in lengths for _ in range(queries))
    return seen, tuple(length + query for length in lengths for query in range(queries))
