"""Pools of finitely many functions, each used in many prompts, and mixtures of tasks."""

from dataclasses import dataclass, field, replace
from itertools import accumulate

import torch
from torch import Tensor

from claimbook.records.checks import Positive, integer
from claimbook.records.errors import InputError
from icllib import protocols
from icllib.checks import same_shape
from icllib.streams import Stream
from icllib.tasks.prompt import Prompt, Task, sample_one, task_sizes


class Wrapped(Task):
    """A task made of other tasks, with their dimension and classes."""

    @property
    def dimension(self) -> int:
        """Coordinates of an input."""
        return self.parts[0].dimension

    @property
    def classes(self) -> int:
        """The classes of one-hot labels; raises AttributeError if labels are numbers."""
        return self.parts[0].classes


@dataclass(frozen=True)
class FunctionPool(Wrapped):
    """A task with T functions that are drawn once; inputs and noise are new in every prompt.

    Raventos et al. (2023), Section 2. Training and evaluation have the same pool, which depends only
    on `seed`. Raises InputError for a task without `of_function`, the names of those of its draws
    that make the function, and in `sample` for a name that the task does not draw.
    """

    task: protocols.Task
    functions: int  #: T
    seed: int = 0

    def check(self):
        integer(1, 2**31, functions=self.functions)
        if not getattr(self.task, "of_function", ()):
            raise InputError("task: expected one that names its draws of the function in "
                             f"of_function, got {self.task!r}")

    @property
    def parts(self) -> tuple:
        """The one task that it is made of."""
        return (self.task,)

    def chosen(self, stream: Stream, ids: Tensor) -> Tensor:
        """Which function each prompt has: ids (M, B) -> (M, B)."""
        return stream.integers(ids, "function of the pool", self.functions)

    def stream(self, stream: Stream) -> Stream:
        """The stream of the pool's functions, whose ids are their numbers."""
        return replace(stream, seeds=torch.full_like(stream.seeds, self.seed), purpose="pool")

    def draw(self, stream: Stream, ids: Tensor, n: int, dtype, active=None) -> Prompt:
        pooled = PooledStream(stream.seeds, stream.purpose, stream.generator, self)
        prompt = sample_one(self.task, pooled, ids, n, dtype, active)
        if unknown := set(self.task.of_function) - pooled.drawn:
            raise InputError(f"{type(self.task).__name__}.of_function: expected some of what its sample "
                             f"draws, {sorted(pooled.drawn)}, got {sorted(unknown)}")
        return prompt


@dataclass(frozen=True, eq=False)
class PooledStream(Stream):
    """A stream in which the random numbers of a prompt's function are those of the pool's function."""

    pool: FunctionPool | None = None
    drawn: set = field(default_factory=set)  #: names

    def uniform(self, ids: Tensor, name: str, shape=(), dtype=torch.float32) -> Tensor:
        """Uniform numbers in (0, 1); those of a function are the same in every precision."""
        drawn = torch.float32 if self.is_function(name) else dtype
        return super().uniform(ids, name, shape, drawn).to(dtype)

    def words(self, ids: Tensor, name: str, count: int) -> Tensor:
        """Random 32-bit words as int64, ids (M, B) -> (M, B, count)."""
        self.drawn.add(name.partition("/")[0])
        alone = Stream(self.seeds, self.purpose, self.generator)
        if not self.is_function(name):
            return alone.words(ids, name, count)
        return self.pool.stream(alone).words(self.pool.chosen(alone, ids), name, count)

    def is_function(self, name: str) -> bool:
        """Whether a name, or what stands before its "/", is of the function."""
        return name.partition("/")[0] in self.pool.task.of_function


@dataclass(frozen=True)
class Mixture(Wrapped):
    """Each prompt is of one of these tasks, drawn with these shares, which are equal by default.

    Raises InputError for tasks of different sizes, and unless there is one share for each.
    """

    parts: tuple[protocols.Task, ...]
    shares: tuple[Positive, ...] | None = None  #: relative

    def check(self):
        same_shape(task_sizes, parts=self.parts)
        if self.shares is not None and len(self.shares) != len(self.parts):
            raise InputError(f"shares: expected one for each of {len(self.parts)} tasks, got {self.shares}")

    @property
    def probabilities(self) -> list[float]:
        """The probability of each task."""
        shares = self.shares or (1.0,) * len(self.parts)
        return [share / sum(shares) for share in shares]

    @property
    def label_variance(self) -> float:
        """E y^2, noise included."""
        return sum(share * part.label_variance for share, part in zip(self.probabilities, self.parts))

    def which(self, stream: Stream, ids: Tensor) -> Tensor:
        """Which task each prompt is of: ids (M, B) -> (M, B)."""
        number = stream.uniform(ids, "part of the mixture", (), torch.float64)
        *edges, _ = accumulate(self.probabilities)
        return sum((number > edge for edge in edges), torch.zeros_like(ids))

    def draw(self, stream: Stream, ids: Tensor, n: int, dtype, active=None) -> Prompt:
        which = self.which(stream, ids)
        first, *others = (sample_one(part, stream, ids, n, dtype, active) for part in self.parts)
        mixed = first
        for place, prompt in enumerate(others, 1):
            mixed = Prompt(*(torch.where((which == place)[(..., *(None,) * (new.dim() - 2))],
                                         new, before) for new, before in zip(prompt, mixed)))
        return mixed
