"""What can be measured: runs that train, and computations that do not."""

import math
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol

import torch

from claimbook.records import ADDED, Component
from claimbook.records.checks import Size, has_method, instance, integer, takes
from claimbook.records.errors import InputError
from icllib.checks import floating, needs_no_pair, places, same_shape
from icllib.evaluate import ErrorByLength, ErrorByNoiseLevel, OnTask, Together, TrainingError
from icllib.models.own import member_of
from icllib.protocols import Evaluation, Model, Task
from icllib.streams import Stream
from icllib.tasks import MaskedSentences
from icllib.tasks.prompt import task_sizes
from icllib.training.build import check_decoder, check_parts, check_stored, shape
from icllib.training.cpu_step import Compiled, stands_in
from icllib.training.recipe import Recipe


@dataclass(frozen=True)
class Along(Component):
    """What is also measured during training: its metrics get the suffix "_along", (M, stops, ...).

    Raises InputError where the steps do not increase.
    """

    steps: tuple[Size, ...]  #: after so many steps of training
    evaluation: Evaluation | None

    def check(self):
        if list(self.steps) != sorted(set(self.steps)):
            raise InputError(f"steps: expected increasing numbers from 1 on, got {self.steps}")


@dataclass(frozen=True)
class Run(Component):
    """One model, trained on one task from one seed, and measured.

    pretraining_tasks: T stored prompts that training goes through again and again, or None for
    fresh prompts at every step. Raises InputError for parts that do not fit each other.
    """

    trainer: ClassVar[str] = "icllib.training.trainer"  # what trains it, for claimbook.records.compute

    task: Task
    model: Model
    recipe: Recipe
    evaluation: Evaluation | None  #: None where only the training matters
    seed: int = 0
    pretraining_tasks: int | None = None
    along: Along | None = field(default=None, metadata=ADDED)

    def check(self):
        check_parts(self.task, self.model, self.recipe)
        check_stored(self.pretraining_tasks)
        if self.along and max(self.along.steps) > self.recipe.steps:
            raise InputError(f"along: expected steps up to {self.recipe.steps}, got {self.along.steps}")
        for evaluation in (self.evaluation, self.along and self.along.evaluation):
            self.check_evaluation(evaluation, self.task)

    def axes(self, metric: str) -> dict:
        """The axes of a metric: those of its evaluation, after "step" for what was measured on the way."""
        evaluation: Any = self.evaluation
        on_the_way = {}
        if self.along and metric.endswith("_along"):
            evaluation, metric = self.along.evaluation, metric.removesuffix("_along")
            on_the_way = {"step": self.along.steps}
        has_method("axes", evaluation=evaluation)
        return on_the_way | evaluation.axes(metric)

    def check_evaluation(self, evaluation, task) -> None:
        """Raises InputError for an evaluation on this task that this model, trained so, cannot answer."""
        if isinstance(evaluation, Together):
            for part in evaluation.parts:
                self.check_evaluation(part, task)
        if isinstance(evaluation, OnTask):
            same_shape(task_sizes, task=[self.task, evaluation.task])
            self.check_evaluation(evaluation.evaluation, evaluation.task)
        if isinstance(evaluation, ErrorByNoiseLevel):
            has_method("at_level", task=task)
        needs_no_pair(self.model, evaluation=getattr(evaluation, "lengths", ()))
        most_pairs = getattr(self.model, "most_pairs", lambda trained: math.inf)
        most, longest = most_pairs(max(self.recipe.lengths)), getattr(evaluation, "longest", 0)
        if longest > most:
            raise InputError(f"evaluation: expected lengths up to {most}, which this model has "
                             f"weights for, got {longest}")
        if not isinstance(evaluation, ErrorByLength):
            return
        check_decoder(self.model, evaluation.queries > 1)
        if isinstance(evaluation, TrainingError):
            self.check_training_prompts(evaluation)
        if evaluation.by_layer and not hasattr(self.model, "tokens"):
            raise InputError(f"by_layer: expected a decoder, got {self.model}")

    def check_training_prompts(self, evaluation: TrainingError) -> None:
        """Raises InputError for prompts that this run does not train on."""
        stored, points = self.pretraining_tasks or 0, self.recipe.points
        if stored < evaluation.prompts or points != evaluation.points:
            raise InputError(f"evaluation: expected at most {stored} stored prompts of "
                             f"{points} points, got {evaluation.prompts} of {evaluation.points}")
        if self.recipe.dimensions:
            raise InputError("evaluation: expected training without a curriculum over dimensions "
                             f"for one on its prompts, got {self.recipe.dimensions}")
        if self.recipe.precision == "fp64":  # whose prompts have other numbers
            raise InputError("evaluation: expected training in fp32 for one on its prompts")

    @property
    def shape(self):
        """What the runs of a fleet share: all but task, seed, T and the fields with metadata
        {"per_member": True}, such as the learning rate. Tasks need only have the same sizes;
        those of sentences must be equal, since their batches differ in size."""
        task = self.task
        if not isinstance(task, MaskedSentences):
            task = task_sizes(task)
        return task, shape(self.model), shape(self.recipe), self.evaluation, self.along


def only_training(run: Run, with_stops: bool = False) -> Run:
    """A run without what is measured on it; with or without the stops of its training on the way."""
    stops = replace(run.along, evaluation=None) if run.along and with_stops else None
    return replace(run, evaluation=None, along=stops)


class Computation(Protocol):
    """A run outside the training engine: seconds to minutes, the same in every profile but smoke."""

    version: ClassVar[int]

    def measure(self) -> dict:
        """The metrics: names to numbers or arrays."""


class Trained:
    """A trained fleet as a predictor, and the stream of the prompts that it was trained on.

    Raises InputError for prompts of another shape than (M, B, N, d) and (M, B, N) or (M, B, N, C),
    for inputs of another dimension than in training and labels of other classes, for context lengths
    that leave no point for a query, for points that are not there, and where queries side by side or
    answers of layers are asked of no decoder.
    """

    def __init__(self, module, stream=None):
        instance(torch.nn.Module, module=module)
        instance(Stream | None, stream=stream)
        first = next(module.parameters(), None)
        if first is None or not first.dim():
            raise InputError("module: expected one with parameters whose first axis is that of its members, "
                             f"got {type(module).__name__}")
        self.module, self.stream = module.eval(), stream
        self.members, self.compiled = len(first), None

    def __repr__(self):
        model = getattr(self.module, "settings", type(self.module).__name__)
        return f"Trained: {self.members} members of {sum(own[0].numel() for own in self.module.parameters()):,} " \
               f"parameters each\n{model!s:.200}"

    def _repr_html_(self):
        """A table in notebooks: a row for each weight, with its shape in one member."""
        import pandas as pd

        rows = {name: " x ".join(map(str, own.shape[1:])) for name, own in self.module.named_parameters()}
        return f"{self.members} members<br>{pd.Series(rows, name='shape').to_frame().to_html()}"

    def member(self, place: int) -> torch.nn.Module:
        """One of the models as an ordinary module, whose forward(xs, ys) answers at every point:
        (B, N, d), (B, N) -> (B, N). Raises InputError for a member that is not there."""
        integer(0, self.members - 1, place=place)
        return member_of(self.module, place).eval()

    def predict(self, xs, ys, lengths, **points):
        """The answers from the first lengths[k] pairs: (M, B, N, d), (M, B, N) -> (M, B, K)."""
        if points and not takes(self.module.forward, "points"):
            raise InputError("points: expected a decoder, which answers queries side by side, "
                             f"got {type(self.module).__name__}")
        forward = self.module
        if stands_in(forward):
            self.compiled = self.compiled or Compiled(forward)
            forward = self.compiled.answers
        return self.call(forward, xs, ys, lengths, points)

    def predict_by_layer(self, xs, ys, lengths, **points):
        """The predictions after every layer: (layers, M, B, K)."""
        if not hasattr(self.module, "predictions_by_layer"):
            raise InputError("by_layer: expected a decoder, which has layers that answer, "
                             f"got {type(self.module).__name__}")
        return self.call(self.module.predictions_by_layer, xs, ys, lengths, points)

    def call(self, forward, xs, ys, lengths, points):
        floating(xs=xs)
        instance(torch.Tensor, "a tensor", ys=ys)
        if xs.dim() != 4 or len(xs) != self.members or ys.shape[:3] != xs.shape[:3]:
            raise InputError(f"xs, ys: expected ({self.members}, B, N, d) and ({self.members}, B, N) "
                             f"of {self.members} trained models, got {tuple(xs.shape)} and "
                             f"{tuple(ys.shape)}")
        lengths = places(xs.shape[2], "lengths", lengths)
        points = {name: places(xs.shape[2], name, own) for name, own in points.items()}
        found = (xs.shape[-1], *ys.shape[3:])
        if found != (known := getattr(self.module, "sizes_of_prompts", found)):
            raise InputError(f"xs, ys: expected inputs of dimension {known[0]} and labels of shape {known[1:]}, as "
                             f"in training, got {found[0]} and {found[1:]}")
        dtype = next(self.module.parameters()).dtype
        return forward(xs.to(dtype), ys.to(dtype), lengths, **points).to(xs.dtype)
