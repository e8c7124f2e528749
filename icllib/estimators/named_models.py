"""Models for the estimators of scikit-learn: those that have a name, and what each was trained for."""

from dataclasses import dataclass, replace
from pathlib import Path

import torch

from claimbook.records.checks import integer, tuple_of
from claimbook.records.errors import InputError
from claimbook.records.files import damage_told, read_object, there
from icllib import checks
from icllib.baselines import Ridge
from icllib.data import checksum
from icllib.streams import Stream
from icllib.tasks import AffineFunctions, LinearRegression
from icllib.training.run import Run, Trained
from icllib.training.weights import find_weights, load, run_of, trained_folders

MODELS = "models.json"  # {name: record}, in a folder of results; see papers/export_models.py
DRAWN = 1024  # prompts as in training, with which pairs are compared
SEEDS = 50  # among which others of a model's training are looked for
NO_NOISE = 1e-9  # the penalty of ridge regression on labels without noise


@dataclass
class Predictor:
    """A predictor, and what it was trained for: None where that is not known."""

    predictor: object
    dimension: int | None = None
    pairs: tuple[int, ...] | None = None  #: how many it may be given
    task: object = None
    classes: int | None = None  #: of one-hot labels
    log_odds: bool = False  #: whether it answers in log-odds
    run: Run | None = None  #: of which it is one seed

    @property
    def best(self):
        """The best predictor of a task of linear functions, which may be centered and scaled."""
        return best_predictor(self.task)

    def other_seeds(self) -> list:
        """Predictors of the same training from other seeds, of which the weights are kept."""
        runs = [replace(self.run, seed=seed) for seed in range(SEEDS) if self.run and seed != self.run.seed]
        return [in_double(load(run)) for run in runs if find_weights(run)]

    def drawn(self, pairs: int, features: int):
        """Pairs as in training: (DRAWN, pairs, features) and (DRAWN, pairs)."""
        ids = torch.arange(DRAWN)[None]
        xs, ys, _ = self.task.sample(Stream.of([0], "evaluation", "cpu"), ids, pairs)
        return xs[0, ..., :features].double(), ys[0].double()


def best_predictor(task):
    """The best predictor on linear functions (nearly, if without noise); None for other tasks."""
    if isinstance(task, LinearRegression) and task.input_mean == 0 and task.weights == task.noise == "normal":
        return Ridge(max(task.noise_std**2 / task.weight_std**2, NO_NOISE))
    return WithIntercept(Ridge(NO_NOISE)) if isinstance(task, AffineFunctions) else None


@dataclass(frozen=True)
class WithIntercept:
    """A predictor with an added feature that is always 1."""

    predictor: object

    def predict(self, xs, ys, lengths):
        return self.predictor.predict(torch.cat((xs, torch.ones_like(xs[..., :1])), -1), ys, lengths)


def names() -> dict[str, Path]:
    """{name: record} of the models that have a name, of the project or else of the package."""
    return {name: path for name, (path, *_) in listed().items()}


def listed() -> dict[str, tuple[Path, tuple[int, ...], tuple[str, str]]]:
    """{name: (record of the model, numbers of pairs at which it answers well, SHA-256 of the record and of
    the weights)}."""
    listed = {}
    for folder in reversed(trained_folders()):
        if there(folder / MODELS):
            with damage_told(folder / MODELS, "models by name, as git has them"):
                listed |= {name: (folder / model["record"], tuple_of(integer, "pairs", model["pairs"]),
                                  (model["record_sha256"], model["weights_sha256"]))
                           for name, model in read_object(folder / MODELS).items()}
    return listed


def found(model) -> Predictor:
    """The predictor for a name, for the path of a record, or for a predictor."""
    if hasattr(model, "predict"):
        checks.predictor(model)
        return Predictor(model)
    path, pairs, expected = listed().get(str(model), (Path(str(model)), None, None))
    if path.suffix != ".json":
        raise InputError("model: expected a predictor, the path of a record or one of the names "
                         f"{', '.join(names()) or '(none yet)'}, got {model!r}")
    run = run_of(path)
    if expected and (weights := find_weights(run)):
        checksum(path, expected[0])
        checksum(weights, expected[1])
    return Predictor(in_double(load(run)), run.task.dimension, pairs or run.recipe.lengths, run.task,
                     getattr(run.task, "classes", None), run.recipe.loss == "cross-entropy", run)


def in_double(trained: Trained) -> Trained:
    """In double precision an answer does not depend on the rest of its batch."""
    trained.module.double()
    return trained
