"""Training a fleet: M members of one shape take every step together.

Losses are summed over the members, so no gradient flows between them. Every batch is drawn from
counter-based streams: member m at step s sees the same prompts whatever fleet it trains in.
"""

import math
import time
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from icllib.errors import InputError
from icllib.progress import Progress
from icllib.streams import Stream

READ_EVERY = 100  # steps between two looks at the clock and the loss


@dataclass(frozen=True)
class Recipe:
    """How to train: the loss is the mean squared error over the context lengths `lengths`.

    Context-scaling paper, Section 3 (the loss). Raises InputError for sizes that cannot be.
    """

    lengths: tuple[int, ...]  # context lengths: numbers of labelled pairs before the query
    steps: int
    batch: int = 64  # prompts per step
    learning_rate: float = 1e-4
    schedule: str = "constant"  # after the warm-up: "constant", or "cosine" down to 0
    warmup: float = 0.0  # fraction of the steps over which the rate rises linearly from 0
    weight_decay: float = 0.0  # AdamW's; 0 is Adam
    version: ClassVar[int] = 1

    def __post_init__(self):
        object.__setattr__(self, "lengths", tuple(self.lengths))
        if not self.lengths or min(self.lengths) < 1:
            raise InputError(f"lengths: expected context lengths n >= 1, got {self.lengths}")
        if min(self.steps, self.batch) < 1 or self.learning_rate <= 0:
            raise InputError("steps, batch, learning_rate: expected positive numbers, "
                             f"got {self.steps}, {self.batch}, {self.learning_rate}")
        if self.schedule not in ("constant", "cosine"):
            raise InputError(f"schedule: expected 'constant' or 'cosine', got {self.schedule!r}")

    @property
    def points(self) -> int:
        """The points of a prompt, which are the longest context and its query."""
        return max(self.lengths) + 1

    def rate(self, step: int) -> float:
        """The learning rate of a step, counted from 0."""
        warmup = self.warmup * self.steps
        if step < warmup:
            return self.learning_rate * (step + 1) / warmup
        if self.schedule == "constant":
            return self.learning_rate
        progress = (step - warmup) / max(self.steps - warmup, 1)
        return self.learning_rate * 0.5 * (1 + math.cos(math.pi * progress))


class OutOfTime(Exception):
    """The time limit was reached before the fleet had finished."""


def train(task, model, recipe: Recipe, seeds, pretraining_tasks, device="cpu", deadline=None,
          label="") -> nn.Module:
    """Train one member per seed and return the stacked module.

    pretraining_tasks: per member, T stored prompts that are reshuffled each epoch, or None for
    fresh prompts at every step. deadline: a time.monotonic() after which OutOfTime is raised.
    """
    module = model.build(seeds, task.dimension, max(recipe.lengths), device)
    stream = Stream.of(seeds, "training", device)
    optimizer = torch.optim.AdamW(module.parameters(), lr=recipe.learning_rate,
                                  weight_decay=recipe.weight_decay, fused=True)
    progress = Progress(recipe.steps, label, unit_per_step=len(seeds))
    for step in range(recipe.steps):
        ids = prompt_ids(stream, step, recipe.batch, pretraining_tasks)
        loss = member_losses(module, task.sample(stream, ids, recipe.points), recipe.lengths)
        optimizer.zero_grad()
        loss.sum().backward()
        optimizer.param_groups[0]["lr"] = recipe.rate(step)
        optimizer.step()
        if step % READ_EVERY == 0:
            if deadline is not None and time.monotonic() > deadline:
                raise OutOfTime(f"time limit reached at step {step} of {recipe.steps}")
            progress.update(step, loss)
    progress.close()
    return module


def member_losses(module: nn.Module, prompt, lengths) -> Tensor:
    """Mean squared error of each member over prompts and context lengths: (M,)."""
    predictions = module(prompt.xs, prompt.ys, lengths)
    return (predictions - prompt.ys[..., list(lengths)]).square().mean(dim=(1, 2))


def prompt_ids(stream: Stream, step: int, batch: int, pretraining_tasks) -> Tensor:
    """Which prompts a step trains on: (M, batch).

    With T stored tasks, one pass over a new permutation of range(T) per epoch; with None, ids
    that were never used before.
    """
    counts = torch.arange(step * batch, (step + 1) * batch, device=stream.seeds.device)
    counts = counts.expand(len(stream.seeds), -1)
    if all(size is None for size in pretraining_tasks):
        return counts
    sizes = [size or 2**31 - 1 for size in pretraining_tasks]
    size = torch.tensor(sizes, device=counts.device)[:, None]
    return stream.permute(counts % size, counts // size, "order", sizes)
