"""Trained models of the book as estimators of scikit-learn: fit stores pairs, predict asks about x.

    InContextRegressor("context_scaling/gpt2").fit(X, y).predict(X_new)

Nothing is trained: the pairs given to `fit` are the context in which the model answers.
"""

import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, is_regressor
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from icllib.errors import InputError
from icllib.results import from_settings, load_record, results_folder
from icllib.streams import Stream
from icllib.training.weights import find_weights, load

# What a name stands for: a page, and the types of model and task that are looked for there.
NAMES = {
    "context_scaling/gpt2": ("context_scaling/fig01_scaling", "Transformer", "LinearRegression"),
    "context_scaling/sgpt": ("context_scaling/fig08_sgpt_scaling", "SGPT", "LinearRegression"),
    "context_scaling/mlp": ("context_scaling/fig01_scaling", "MLP", "LinearRegression"),
    "signed_averaging/every": ("signed_averaging/fig04_every", "Transformer", "Quantifier"),
    "signed_averaging/some": ("signed_averaging/fig05_some", "Transformer", "Quantifier"),
}
PROMPTS = 64  # queries that are asked at a time, each in a prompt of its own
FAR = 2.0  # how many times larger or smaller than in training a scale may be without a word


@dataclass
class Trained:
    """A predictor, and what it was trained for: None where that is not known."""

    predictor: object
    dimension: int | None = None
    longest: int | None = None
    scales: tuple[float, float] | None = None  #: root mean squares of x and y


def found(model) -> Trained:
    """What a name, the path of a record or a predictor stands for.

    Raises InputError for another name, and where no weights are kept.
    """
    if hasattr(model, "predict"):
        return Trained(model)
    path = named(model) if model in NAMES else Path(str(model))
    if path.suffix != ".json":
        raise InputError(f"model: expected a predictor, the path of a record or one of "
                         f"{', '.join(NAMES)}, got {model!r}")
    run = from_settings(load_record(path).run)
    predictor = load(path)
    predictor.module.double()  # so that an answer does not depend on what is asked beside it
    stream = Stream.of([0], "evaluation", "cpu")
    prompt = run.task.sample(stream, torch.arange(1024)[None], run.recipe.points)
    scales = [float(values.double().square().mean().sqrt()) for values in (prompt.xs, prompt.ys)]
    return Trained(predictor, run.task.dimension, max(run.recipe.lengths), tuple(scales))


def named(name: str) -> Path:
    """The record behind a name: of the largest profile, most tasks and steps, then the first seed.

    Raises InputError where no record of the page has its weights beside it.
    """
    page, model, task = NAMES[name]
    candidates = []
    for rank, profile in enumerate(("cpu", "gpu")):
        for path in sorted((results_folder() / page / profile).glob("*.json")):
            run = load_record(path).run
            kinds = [run[part]["type"].split(".")[-1] for part in ("model", "task") if part in run]
            if kinds == [model, task] and find_weights(from_settings(run)):
                many = run.get("pretraining_tasks") or float("inf")
                candidates.append(((rank, many, run["recipe"]["steps"], -run["seed"]), path))
    if not candidates:
        raise InputError(f"model: expected the weights of {name} in {results_folder() / page}, "
                         "found none; run the page to train it, or give another model")
    return max(candidates)[1]


class InContext(BaseEstimator):
    """What regression and classification share."""

    def __init__(self, model="context_scaling/gpt2"):
        self.model = model

    def store(self, X, y):
        """Keep the pairs and find the model; raises InputError for more features than it has."""
        trained = found(self.model)
        width, most = X.shape[1], trained.longest or len(X)
        if trained.dimension is not None and width > trained.dimension:
            raise InputError(f"X: expected at most {trained.dimension} features, which the model was "
                             f"trained on, got {width}")
        if width < (trained.dimension or 0):
            tell(f"trained on {trained.dimension} features: zeros are added to {width}")
        if len(X) > most:
            tell(f"trained on up to {most} pairs: the last {most} of {len(X)} are kept")
        checked = (X, y) if is_regressor(self) else (X,)
        for name, values, scale in zip(("X", "y"), checked, trained.scales or ()):
            ratio = float(np.sqrt(np.mean(np.square(values)))) / scale
            if not 1 / FAR <= ratio <= FAR:
                tell(f"trained on {name} of root mean square {scale:.3g}, got {ratio * scale:.3g}; "
                     "scale it first")
        self.trained_, self.context_ = trained, (X[-most:], y[-most:])
        return self

    def answers(self, X) -> np.ndarray:
        """What the model says about each row, in the context of the stored pairs: (rows,)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        context, labels = (torch.tensor(part, dtype=torch.float64) for part in self.context_)
        missing = max((self.trained_.dimension or 0) - X.shape[1], 0)
        said = []
        for queries in torch.tensor(X, dtype=torch.float64).split(PROMPTS):
            xs = torch.cat((context.expand(len(queries), -1, -1), queries[:, None]), dim=1)
            xs = torch.nn.functional.pad(xs, (0, missing))[None]  # (1, B, n + 1, d)
            ys = torch.nn.functional.pad(labels, (0, 1)).expand(1, len(queries), -1)
            with torch.no_grad():
                said.append(self.trained_.predictor.predict(xs, ys, (len(context),))[0, :, 0])
        return torch.cat(said).double().numpy()


def tell(what: str) -> None:
    """Warn that a model is asked outside what it was trained for."""
    warnings.warn(f"the model was {what}", stacklevel=4)


class InContextRegressor(RegressorMixin, InContext):
    """Regression in context: y[n] from n pairs and x[n].

    model: a name of `NAMES`, the path of a record whose weights are kept beside it, or a predictor
    (`icllib.evaluate`), such as `icllib.baselines.Ridge(1.0)`. Raises InputError, in `fit`, for
    another model or without weights, and for more features than the model was trained on; warns
    where there are fewer features, more pairs or other scales than in training.
    """

    def fit(self, X, y):
        """Store the pairs: X (n, d), y (n,)."""
        return self.store(*validate_data(self, X, y, y_numeric=True, dtype=np.float64))

    def predict(self, X):
        """The labels of X (rows, d): (rows,)."""
        return self.answers(X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # it is as good as what the model was trained on
        return tags


class InContextClassifier(ClassifierMixin, InContext):
    """Two classes in context, with labels 0 and 1: a model's answers are log-odds of the second.

    model: as in `InContextRegressor`; for a predictor that does not answer in log-odds, such as
    `Ridge`, give logits=False: its labels are then -1 and 1, and so are its answers.
    """

    def __init__(self, model="signed_averaging/every", logits=True):
        super().__init__(model)
        self.logits = logits

    def fit(self, X, y):
        """Store the pairs: X (n, d), y (n,) of two classes."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, places = np.unique(y, return_inverse=True)
        if len(self.classes_) > 2:
            raise InputError("Only binary classification is supported. y: expected two classes, got "
                             f"{len(self.classes_)}")
        if len(self.classes_) < 2:
            raise InputError("y: expected two classes, got 1 class")
        return self.store(X, places if self.logits else 2 * places - 1)

    def decision_function(self, X):
        """Above 0 for the second class: (rows,)."""
        return self.answers(X)

    def predict_proba(self, X):
        """The probabilities of both classes: (rows, 2)."""
        answers = self.answers(X)
        second = 1 / (1 + np.exp(-answers)) if self.logits else (answers.clip(-1, 1) + 1) / 2
        return np.stack((1 - second, second), axis=1)

    def predict(self, X):
        """The likelier classes: (rows,)."""
        second = self.decision_function(X) > 0
        return self.classes_[second.astype(int)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True
        return tags
