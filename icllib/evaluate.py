"""What is measured on a predictor.

A predictor is anything with `predict(xs, ys, lengths) -> y_hat (..., K)`: y_hat[k] estimates
y[n], n = lengths[k], from the first n pairs and x[n] alone. Trained models and baselines are
predictors alike, so every comparison is one loop over the same prompts.
"""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import torch

from claimbook.records import ADDED, Component
from claimbook.records.checks import Count, Size, different, has_method, integer, takes
from claimbook.records.errors import InputError
from icllib import checks
from icllib.checks import prediction_shape, same_shape, sampled
from icllib.protocols import Evaluation, Predictor, Task
from icllib.streams import Stream
from icllib.tasks import sample_each, side_by_side
from icllib.tasks.prompt import task_sizes

CHUNK = 256  # prompts per forward pass
LEVELS = (0, 1)  # of a task with two noise levels, by their place


def measurable(tasks, predictor, device) -> list:
    """The tasks of M predictors as a list; raises InputError for what cannot be measured."""
    checks.device(device)
    tasks = list(tasks) if isinstance(tasks, list | tuple) else [tasks]
    for task in tasks:
        sampled(task=task)
    if isinstance(predictor, torch.nn.Module):
        raise InputError("predictor: expected Trained(module) for a trained module, "
                         f"got {type(predictor).__name__}")
    checks.predictor(predictor)
    if len({task.dimension for task in tasks}) > 1:
        raise InputError("tasks: expected one dimension for all, got "
                         f"{', '.join(str(task.dimension) for task in tasks)}")
    members = getattr(predictor, "members", len(tasks))
    if members != len(tasks):
        raise InputError(f"tasks: expected one for each of {members} trained models, got {len(tasks)}")
    return tasks


def unseen(evaluation, predictor, members: int, device, purpose: str = "evaluation") -> Stream:
    """What an evaluation draws its prompts from, never those of training.

    The same for all members, by the evaluation's seed; or, where it says `own_prompts`, each
    trained model's own, by the seed that it was trained from. Then the spread over seeds contains
    that of the prompts, and models that are compared at a seed still meet the same ones. Raises
    InputError for `own_prompts` of a predictor that was not trained.
    """
    has_method("own_prompts", evaluation=evaluation)
    integer(members=members)
    if not evaluation.own_prompts:
        return Stream.of([evaluation.seed] * members, purpose, device)
    if getattr(predictor, "stream", None) is None:
        raise InputError(f"own_prompts: expected a trained model with a seed, got {predictor!r}")
    return Stream.of(predictor.stream.seeds.tolist(), purpose, device)


@dataclass(frozen=True)
class ErrorByLength(Component):
    """Mean squared error at each context length, on unseen prompts.

    Measures `error`, against noisy labels (the papers' number), and `excess`, against the labels without
    noise (their difference is the noise variance on average); for one-hot labels, whose error is the mean
    over classes, also `wrong`, the share of wrong largest entries. Each is (M, K). With `by_layer`,
    `error_by_layer` and so on are those of every layer: (M, layers, K). Lengths start at 0 pairs, where the
    baselines answer 0. Raises InputError for invalid sizes or seed, predictions of another shape, and
    queries side by side or answers of layers of a predictor that has none.
    """

    lengths: tuple[Count, ...]
    prompts: Size = 2048
    seed: int = 0
    queries: Size = field(default=1, metadata=ADDED)  #: side by side after the pairs, then averaged
    by_layer: bool = field(default=False, metadata=ADDED)  #: for a decoder
    own_prompts: bool = field(default=False, metadata=ADDED)  #: of each trained model, see `unseen`
    prefix: ClassVar[str] = ""  # of the metrics' names

    def check(self):
        different(lengths=self.lengths)

    def measure(self, tasks, predictor: Predictor, device="cpu") -> dict:
        """The errors of M predictors that share one `predict`, each on its own task.

        tasks: M tasks of one shape, or one task for a single predictor.
        """
        tasks = measurable(tasks, predictor, device)
        name = type(predictor).__name__
        if self.queries > 1 and not takes(predictor.predict, "points"):
            raise InputError("queries: expected 1 of a predictor that has no argument `points`, "
                             f"got {self.queries} of {name}")
        if self.by_layer and not hasattr(predictor, "predict_by_layer"):
            raise InputError(f"by_layer: expected a predictor with predict_by_layer, got {name}")
        stream, points, sums = self.stream(predictor, len(tasks), device), self.points, {}
        for start in range(0, self.prompts, CHUNK):
            ids = torch.arange(start, min(start + CHUNK, self.prompts), device=device)
            prompt = sample_each(tasks, stream, ids.expand(len(tasks), -1), points)
            with torch.no_grad():
                losses = self.all_losses(prompt, predictor)
            for name, values in losses.items():
                sums[name] = sums.get(name, 0) + values
        return {self.prefix + name: (total / self.prompts).cpu().numpy() for name, total in sums.items()}

    def axes(self, metric: str) -> dict:
        """The axes of one model's metric: "length" and, before it, "layer" where it is by layer."""
        return ({"layer": None} if metric.endswith("_by_layer") else {}) | {"length": self.lengths}

    def stream(self, predictor, members: int, device: str) -> Stream:
        """What the prompts are drawn from."""
        return unseen(self, predictor, members, device)

    @property
    def longest(self) -> int:
        """Pairs of the longest context, which a model must have weights for."""
        return max(self.lengths)

    @property
    def points(self) -> int:
        """Points of a prompt: the pairs of the longest context, and the queries."""
        return self.longest + self.queries

    def all_losses(self, prompt, predictor) -> dict:
        """Sums over prompts of every measure, (M, K), and of every layer's, (M, layers, K)."""
        lengths, points = side_by_side(self.lengths, self.queries)
        options = {} if points == lengths else {"points": points}
        if not self.by_layer:  # a predictor may change what it is handed
            predictions = predictor.predict(prompt.xs.clone(), prompt.ys.clone(), lengths, **options)
            return self.losses(prompt, predictions)
        layers = predictor.predict_by_layer(prompt.xs, prompt.ys, lengths, **options)
        losses = [self.losses(prompt, predictions) for predictions in layers]
        by_layer = {f"{name}_by_layer": torch.stack([layer[name] for layer in losses], dim=1)
                    for name in losses[-1]}
        return losses[-1] | by_layer

    def losses(self, prompt, predictions) -> dict:
        """Sums over prompts of every measure, averaged over queries: (M, K) each."""
        points = list(side_by_side(self.lengths, self.queries)[1])
        labels, means = (truth[:, :, points] for truth in (prompt.ys, prompt.means))
        prediction_shape(labels.shape[1:], predictions)  # a sweep answers for many members
        losses = {"error": (predictions - labels).square(), "excess": (predictions - means).square()}
        if labels.dim() == 4:
            losses = {name: squares.mean(dim=-1) for name, squares in losses.items()}
            losses["wrong"] = predictions.argmax(dim=-1) != labels.argmax(dim=-1)
        return {name: values.double().sum(dim=1).unflatten(1, (-1, self.queries)).mean(dim=2)
                for name, values in losses.items()}


@dataclass(frozen=True)
class ErrorByNoiseLevel(ErrorByLength):
    """Mean squared errors on a TwoNoiseLevels task, at each of its levels: (M, 2, K).

    The levels share their inputs and functions. Context-scaling paper, Figure 3.
    """

    def axes(self, metric: str) -> dict:
        """The axes of one model's metric: which of the two noise levels, and the context length."""
        return {"level": LEVELS} | super().axes(metric)

    def measure(self, tasks, predictor: Predictor, device="cpu") -> dict:
        """The errors of M predictors that share one `predict`, each on its own task."""
        tasks = measurable(tasks, predictor, device)
        for task in tasks:
            has_method("at_level", tasks=task)
        at_each = []
        for level in LEVELS:
            alone = [task.at_level(level) for task in tasks]
            at_each.append(super().measure(alone, predictor, device))
        return {name: np.stack([errors[name] for errors in at_each], axis=1) for name in at_each[0]}


@dataclass(frozen=True)
class TrainingError(ErrorByLength):
    """Mean squared errors on the first of the T stored prompts that each member was trained on.

    Measures `training_error` and so on; the seed plays no part. Raises InputError for a
    predictor that was not trained here, such as a baseline.
    """

    prefix: ClassVar[str] = "training_"

    def stream(self, predictor, members: int, device: str) -> Stream:
        """What the prompts are drawn from: each member's own training."""
        if getattr(predictor, "stream", None) is None:
            raise InputError(f"predictor: expected a fleet with its stream of training, got {predictor!r}")
        return predictor.stream


@dataclass(frozen=True)
class Together(Component):
    """Several measures of the same predictors; their metrics need different names.

    Raises InputError for none and for what measures nothing.
    """

    parts: tuple[Evaluation, ...]

    def check(self):
        prefixes = [part.prefix for part in self.parts if isinstance(part, ErrorByLength)]
        if len(set(prefixes)) < len(prefixes):
            raise InputError(f"parts: expected metrics of different names, got {self.parts}")

    def axes(self, metric: str) -> dict:
        """The axes of one model's metric: those that the part which measures it says."""
        for part in self.parts:
            if metric.startswith(part.prefix if isinstance(part, ErrorByLength) else getattr(part, "name", "")):
                if (axes := part.axes(metric)) is not None:
                    return axes
        raise InputError(f"metric: expected one of {self.parts}, got {metric!r}")

    def measure(self, tasks, predictor: Predictor, device="cpu") -> dict:
        """All metrics of all parts; raises InputError where two have the same name."""
        metrics = {}
        for part in self.parts:
            found = part.measure(tasks, predictor, device)
            if metrics.keys() & found.keys():
                raise InputError("parts: expected metrics of different names, got twice "
                                 f"{sorted(metrics.keys() & found.keys())}")
            metrics |= found
        return metrics


@dataclass(frozen=True)
class OnTask(Component):
    """An evaluation on prompts of another task than that of training, say without its pool.

    Its metrics are those of the evaluation with `name` and "_" before them. Raises InputError for
    what is no task or evaluation, and for `TrainingError`, whose prompts are those of training.
    """

    task: Task
    evaluation: Evaluation
    name: str

    def check(self):
        if isinstance(self.evaluation, TrainingError):
            raise InputError(f"evaluation: expected one on unseen prompts, got {self.evaluation}")
        if not isinstance(self.name, str) or not self.name.isidentifier():
            raise InputError(f"name: expected a word, got {self.name!r:.200}")

    def axes(self, metric: str) -> dict:
        """The axes of one model's metric: those of the evaluation."""
        return self.evaluation.axes(metric.removeprefix(f"{self.name}_"))

    def measure(self, tasks, predictor: Predictor, device="cpu") -> dict:
        """All metrics of the evaluation; raises InputError for another size than that of training."""
        tasks = list(tasks) if isinstance(tasks, list | tuple) else [tasks]
        same_shape(task_sizes, tasks=[*tasks, self.task])
        metrics = self.evaluation.measure([self.task] * len(tasks), predictor, device)
        return {f"{self.name}_{name}": own for name, own in metrics.items()}
