"""The settings of training: loss, learning rate, optimizer, precision, curriculum."""

import math
from dataclasses import dataclass, field
from typing import Literal

import torch
from torch import Tensor

from claimbook.records import ADDED, Component
from claimbook.records.checks import Count, Fraction, NotNegative, Positive, Size, different
from claimbook.records.errors import InputError
from icllib.streams import Stream, constant
from icllib.tasks import side_by_side

AMPERE = 8, 0  # the first of NVIDIA's architectures with TF32 and bf16


@dataclass(frozen=True)
class Curriculum(Component):
    """A number that grows: `start` at first, `increment` more every `every` steps, up to all.

    Garg et al. (2022), Appendix A: of points of a prompt, or of coordinates of an input, in use.
    Longer contexts have weight 0, which for a causal model is the same as cutting the prompts short;
    other coordinates are 0 before labels are made. Raises InputError for numbers below 1.
    """

    start: Size
    increment: Size
    every: Size

    def at(self, step: Tensor) -> Tensor:
        """The number at a step, counted from 0, without an upper limit."""
        return self.start + self.increment * (step // self.every)


@dataclass(frozen=True)
class Recipe(Component):
    """How to train: the loss is a mean over the context lengths `lengths`.

    Squared error: context-scaling paper, Section 3. Cross-entropy, for labels 0 and 1 of which the model
    predicts the log-odds: signed-averaging paper, Eq. 1. For sentences, "masked tokens": cross-entropy over
    the vocabulary, a mean over the hidden tokens of a batch (Huebner et al., 2021); `lengths` is then the
    most tokens of a sentence. Raises InputError for settings that are invalid or do not go together.
    """

    lengths: tuple[Count, ...]  #: context lengths: numbers of labeled pairs before the query
    steps: Size
    batch: Size = 64  #: prompts per step
    learning_rate: Positive = field(default=1e-4, metadata={"per_member": True})
    #: after the warm-up; "cosine" and "linear" go down to 0
    schedule: Literal["constant", "cosine", "linear"] = "constant"
    warmup: Fraction = 0.0  #: fraction of the steps over which the rate rises linearly from 0
    weight_decay: NotNegative = 0.0  #: AdamW's; 0 is Adam
    betas: tuple[Fraction, ...] = field(default=(0.9, 0.999), metadata=ADDED)  #: Adam's own default
    epsilon: NotNegative = field(default=1e-8, metadata=ADDED)  #: Adam's own default
    curriculum: Curriculum | None = field(default=None, metadata=ADDED)  #: of points
    dimensions: Curriculum | None = field(default=None, metadata=ADDED)  #: of coordinates of x
    clip: Positive | None = field(default=None, metadata=ADDED)  #: largest gradient norm of a member
    loss: Literal["squared", "cross-entropy", "masked tokens"] = field(default="squared", metadata=ADDED)
    #: see `precision_on`
    precision: Literal["tf32", "bf16", "fp32", "fp64"] = field(default="tf32", metadata=ADDED)
    queries: Size = field(default=1, metadata=ADDED)  #: side by side after the pairs of each length
    # Ding et al., Appendix E:
    loss_on_pairs: bool = field(default=False, metadata=ADDED)  #: outputs at pairs, with target 0
    permute_pairs: bool = field(default=False, metadata=ADDED)  #: in a new random order every step
    #: the least and the most loops of shared layers, in place of the model's own; drawn anew every step
    loops: tuple[Size, Size] | None = field(default=None, metadata=ADDED)

    def check(self):
        different(lengths=self.lengths)
        if self.loops is not None and (len(self.loops) != 2 or self.loops[0] > self.loops[1]):
            raise InputError(f"loops: expected the least and the most, got {self.loops}")
        if len(self.betas) != 2:
            raise InputError(f"betas: expected two, got {self.betas}")
        if self.loss != "squared" and self.loss_on_pairs:
            raise InputError(f"loss_on_pairs: expected squared error with it, got {self.loss}")
        if (self.loss_on_pairs or self.permute_pairs) and len(self.lengths) > 1:
            raise InputError("loss_on_pairs, permute_pairs: expected a single context length, "
                             f"got {self.lengths}")
        unused = self.curriculum, self.permute_pairs, self.queries > 1, len(self.lengths) > 1
        if self.loss == "masked tokens" and any(unused):
            raise InputError("loss: expected one length, one query, no curriculum and pairs in "
                             f"order with 'masked tokens', got {self}")
        if self.curriculum and (self.loss_on_pairs or self.queries > 1):
            raise InputError("curriculum: expected one query and no loss on pairs, "
                             f"got {self.queries} and {self.loss_on_pairs}")
        if self.curriculum and self.curriculum.start <= min(self.lengths):
            raise InputError("curriculum: expected a start above the smallest length, "
                             f"{min(self.lengths)}, got {self.curriculum.start}")

    @property
    def dtype(self) -> torch.dtype:
        """The type of parameters and prompts."""
        return torch.float64 if self.precision == "fp64" else torch.float32

    def precision_on(self, device: torch.device) -> str:
        """The precision on a device: CPUs and older GPUs use fp32 in place of TF32 and bf16."""
        if self.precision in ("fp32", "fp64"):
            return self.precision
        on_gpu = device.type == "cuda"
        has_both = on_gpu and torch.cuda.get_device_capability(device) >= AMPERE
        return self.precision if has_both else "fp32"

    @property
    def points(self) -> int:
        """The points of a prompt: the longest context and its queries, or a sentence's tokens."""
        return max(self.lengths) + (self.queries if self.loss != "masked tokens" else 0)

    @property
    def layout(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The context length and the point of every query of a prompt."""
        return side_by_side(self.lengths, self.queries)

    def rate(self, step: int) -> float:
        """The learning rate of a step, counted from 0."""
        warmup = round(self.warmup * self.steps)
        if step < warmup:
            return self.learning_rate * (step + 1) / warmup
        if self.schedule == "constant":
            return self.learning_rate
        progress = (step - warmup) / max(self.steps - warmup, 1)
        if self.schedule == "linear":
            return self.learning_rate * (1 - progress)
        return self.learning_rate * 0.5 * (1 + math.cos(math.pi * progress))

    def rates(self, device) -> Tensor:
        """The learning rate of every step, where the step can look it up: (steps,)."""
        return torch.tensor([self.rate(step) for step in range(self.steps)], device=device)

    def loops_drawn(self) -> list[int]:
        """How often shared layers are applied at each step, for all members; none where the model says it."""
        if self.loops is None:
            return []
        least, most = self.loops
        return Stream.of([0], "training").integers(
            torch.arange(self.steps)[None], "loops", most - least + 1)[0].add(least).tolist()

    def length_weights(self, step: Tensor) -> Tensor:
        """The weight of each context length in the loss at a step: (K,), sum K; or 1 for all."""
        if self.curriculum is None:
            return torch.ones((), device=step.device)
        lengths = constant(self.lengths, step.device)
        counted = (lengths < self.curriculum.at(step)).float()
        return counted * len(self.lengths) / counted.sum().clamp(min=1)

    def active(self, step: Tensor) -> Tensor | None:
        """How many coordinates of x are not 0 at a step; None without a curriculum over them."""
        return None if self.dimensions is None else self.dimensions.at(step)
