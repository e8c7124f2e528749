"""What is measured on a model of affine functions, in and out of its training distribution.

Each measure takes the M tasks and the predictor of a fleet, as ErrorByLength does, and uses only
the number of the tasks: every model meets the same functions and prompts.
"""

from dataclasses import dataclass, field
from typing import ClassVar

import torch

from icllib.checks import each, finite, positive, whole
from icllib.evaluate import CHUNK, unseen
from icllib.models.mixing import SignedSoftmax
from icllib.results import ADDED
from icllib.streams import WORD, Stream
from icllib.tasks import AffineFunctions

# Eq. 2: the first prediction that counts is at the third point. ASSUMED of the quantifiers, where
# it is not stated: a sequence is wrong if a position from the third on is.
FIRST_COUNTED = 3
DEVIANT = (100, -1.09, 0.78, 0.26, 0.42)  # Section 5.3: inputs of f(x) = x


@dataclass(frozen=True)
class ShiftedErrors:
    """The error of Eq. 2 away from the training distribution: x ~ N(0, I), a, b ~ N(0, F).

    Measures `error` over F at I = 1 (Tables 1 and 6), (M, function_stds); `error_grid` over I
    and F (Figures 3, 11), (M, I, F); and `error_deviant` over the law of the first input alone
    (Table 5), (M, first_stds). Each law has functions and prompts of its own, the same in
    whichever of the three it is measured. The mean is over the points that count: the printed
    1 / N_p of a sum from the third point on is an erratum. Raises InputError for sizes and
    deviations that cannot be.
    """

    function_stds: tuple = tuple(range(1, 11))  # Tables 1, 6
    grid_input_stds: tuple = ()
    grid_function_stds: tuple = ()
    first_stds: tuple = ()
    functions: int = 100  # Section 3
    prompts: int = 64  # per function, Section 3
    points: int = 40  # Section 3
    seed: int = 0
    own_prompts: bool = field(default=False, metadata=ADDED)
    version: ClassVar[int] = 1

    def __post_init__(self):
        for name in ("function_stds", "grid_input_stds", "grid_function_stds", "first_stds"):
            stds = getattr(self, name)
            object.__setattr__(self, name, each(positive, name, stds) if stds else ())
        whole(functions=self.functions, prompts=self.prompts)
        whole(FIRST_COUNTED, points=self.points)
        whole(0, WORD, seed=self.seed)

    @property
    def longest(self) -> int:
        """Pairs of the longest context."""
        return self.points - 1

    def measure(self, tasks, predictor, device="cpu") -> dict:
        """The errors of M predictors that share one `predict`."""
        laws = {"error": [(1, f, 1) for f in self.function_stds],
                "error_grid": [(i, f, i) for i in self.grid_input_stds
                               for f in self.grid_function_stds],
                "error_deviant": [(1, 1, first) for first in self.first_stds]}
        metrics = {name: torch.stack([self.error(law, predictor, len(tasks), device)
                                      for law in of_metric], dim=1).cpu().numpy()
                   for name, of_metric in laws.items() if of_metric}
        if "error_grid" in metrics:
            shape = len(tasks), len(self.grid_input_stds), len(self.grid_function_stds)
            metrics["error_grid"] = metrics["error_grid"].reshape(shape)
        return metrics

    def error(self, law, predictor, members: int, device) -> torch.Tensor:
        """Mean squared error over prompts and over the points that count: (M,).

        law: the deviations of the inputs, of the functions and of the first input.
        """
        task = AffineFunctions(*map(float, law), prompts_per_function=self.prompts)
        purpose = "evaluation at {:g}, {:g}, {:g}".format(*law)
        stream, count = unseen(self, predictor, members, device, purpose), self.prompt_count
        lengths, total = range(FIRST_COUNTED - 1, self.points), 0
        for start in range(0, count, CHUNK):
            ids = torch.arange(start, min(start + CHUNK, count), device=device)
            prompt = task.sample(stream, ids.expand(members, -1), self.points)
            with torch.no_grad():
                predictions = predictor.predict(prompt.xs, prompt.ys, lengths)
            squares = (predictions - prompt.ys[:, :, FIRST_COUNTED - 1 :]).square()
            total = total + squares.double().mean(dim=2).sum(dim=1)
        return total / count

    @property
    def prompt_count(self) -> int:
        """Prompts under each law."""
        return self.functions * self.prompts


@dataclass(frozen=True)
class LineAnswers:
    """What a model answers on lines y = slope x far from the origin (Figures 1, 9), and the
    sequence of Section 5.3.

    Measures `answer`, the mean prediction at each query after `pairs` pairs with x ~ N(0, 1)
    (ASSUMED: the paper does not say which pairs stand before), (M, slopes, queries), and
    `deviant_answers`, the predictions at the five inputs of `DEVIANT` on y = x, (M, 5). Raises
    InputError for what cannot be.
    """

    slopes: tuple = (1, 9, 10)  # Figures 1, 9
    # ASSUMED: from normal to large x in steps that grow; the paper's text gives no range.
    queries: tuple = (-100, -50, -30, -20, -10, -7, -5, -3, -2, -1, -0.5, 0,
                      0.5, 1, 2, 3, 5, 7, 10, 20, 30, 50, 100)
    pairs: int = 39  # a full context, Section 3
    prompts: int = 64  # ASSUMED: as many as per function in Section 3
    seed: int = 0
    version: ClassVar[int] = 1

    def __post_init__(self):
        for name in ("slopes", "queries"):
            object.__setattr__(self, name, each(finite, name, getattr(self, name)))
        whole(pairs=self.pairs, prompts=self.prompts)
        whole(0, WORD, seed=self.seed)

    @property
    def longest(self) -> int:
        """Pairs of the longest context."""
        return max(self.pairs, len(DEVIANT) - 1)

    def measure(self, tasks, predictor, device="cpu") -> dict:
        """The answers of M predictors that share one `predict`."""
        members = len(tasks)
        answers = [self.answers(slope, predictor, members, device) for slope in self.slopes]
        xs = torch.tensor(DEVIANT, device=device).expand(members, 1, -1)
        with torch.no_grad():
            deviant = predictor.predict(xs[..., None], xs, range(len(DEVIANT)))[:, 0]
        return {"answer": torch.stack(answers, dim=1).cpu().numpy(),
                "deviant_answers": deviant.cpu().numpy()}

    def answers(self, slope, predictor, members: int, device) -> torch.Tensor:
        """The mean predictions on one line: (M, queries)."""
        stream = Stream.of([self.seed] * members, "evaluation", device)
        queries = torch.tensor(self.queries, device=device, dtype=torch.float32)[:, None]
        total = 0
        for prompt in range(self.prompts):
            ids = torch.full((members, 1), prompt, device=device)
            pairs = stream.normal(ids, "line", (self.pairs, 1)).expand(-1, len(queries), -1, -1)
            xs = torch.cat((pairs, queries[:, None].expand(members, -1, -1, -1)), dim=2)
            with torch.no_grad():
                predictions = predictor.predict(xs, slope * xs[..., 0], (self.pairs,))
            total = total + predictions[..., 0].double()
        return total / self.prompts


@dataclass(frozen=True)
class LearnedExponents:
    """n and b of scaled signed averaging after training: `n` and `b`, (M, layers, heads).

    Nothing for other scoring functions.
    """

    version: ClassVar[int] = 1

    def measure(self, tasks, predictor, device="cpu") -> dict:
        """The values of M trained models."""
        scorings = [getattr(block, "scoring", None) for block in predictor.module.blocks]
        if not all(isinstance(scoring, SignedSoftmax) for scoring in scorings):
            return {}
        values = {name: torch.stack([getattr(scoring, name) for scoring in scorings], dim=1)
                  for name in ("n", "b")}
        return {name: value.detach().cpu().numpy() for name, value in values.items()}
