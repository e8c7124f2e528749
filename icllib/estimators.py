"""Trained models of the book as estimators of scikit-learn: fit stores pairs, predict asks::

    InContextRegressor("signed_averaging/softmax").fit(X, y).predict(X_new)

Nothing is trained: the pairs given to `fit` are the context in which the model answers.
"""

import inspect
import json
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, is_regressor
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from icllib.baselines import Ridge
from icllib.checks import component, one_of
from icllib.errors import DAMAGE, InputError
from icllib.streams import Stream
from icllib.tasks import AffineFunctions, LinearRegression
from icllib.training.weights import load, run_of, trained_folders

MODELS = "models.json"  # in a folder of results: what names stand for; icllib/shipped.py writes it
PROMPTS = 64  # queries that are asked at a time, each in a prompt of its own
DRAWN = 1024  # prompts of training that pairs are compared with
ROOM = 1.25  # so far outside what these prompts have is still within
APART = 0.05  # of the labels' variance: how far answers may be from the best predictor's
NO_NOISE = 1e-9  # the penalty of ridge regression on labels without noise
TINY = 1e-12  # of a score, so that no row of them is all 0
ROUNDING = 1e-10  # of a column: smaller deviations are rounding
SCALE_X, SCALE_Y, MEAN_X = "a scale of X", "a scale of y", "a mean of a column of X"
CONSTANT, UNLIKE = "constant columns of X", "ratios of columns' deviations"
CORRELATED, FAR, FAR_Y = "condition numbers of X's correlation", "rows of X of a length", "labels"
ADVICE = {SCALE_X: "scale it", SCALE_Y: "scale it", MEAN_X: "center it",
          CONSTANT: "leave constant columns out", UNLIKE: "scale the columns alike",
          CORRELATED: "leave out columns that follow from others",
          FAR: "transform or clip outliers", FAR_Y: "transform or clip outliers"}
BY_ITSELF = SCALE_X, SCALE_Y, MEAN_X, UNLIKE  # what standardize=True sees to
LABELS = ("truth", "signs", "one-hot")  # how two or more classes are written for a model


@dataclass
class Predictor:
    """A predictor, and what it was trained for: None where that is not known."""

    predictor: object
    dimension: int | None = None
    pairs: tuple[int, ...] | None = None  #: how many it may be given
    task: object = None
    classes: int | None = None  #: of one-hot labels
    log_odds: bool = False  #: whether it answers in log-odds

    @property
    def best(self):
        """The best predictor of a task of linear functions, which may be centered and scaled."""
        return best_predictor(self.task)

    def drawn(self, pairs: int, features: int):
        """Pairs as in training: (DRAWN, pairs, features) and (DRAWN, pairs)."""
        ids = torch.arange(DRAWN)[None]
        xs, ys, _ = self.task.sample(Stream.of([0], "evaluation", "cpu"), ids, pairs)
        return xs[0, ..., :features].double(), ys[0].double()


def best_predictor(task):
    """What no predictor beats on linear functions, without noise nearly so; None for other tasks."""
    if isinstance(task, LinearRegression) and task.input_mean == 0:
        return Ridge(max(task.noise_std**2 / task.weight_std**2, NO_NOISE))
    return WithIntercept(Ridge(NO_NOISE)) if isinstance(task, AffineFunctions) else None


@dataclass(frozen=True)
class WithIntercept:
    """A predictor that is given a feature more, which is always 1."""

    predictor: object

    def predict(self, xs, ys, lengths):
        return self.predictor.predict(torch.cat((xs, torch.ones_like(xs[..., :1])), -1), ys, lengths)


def names() -> dict[str, Path]:
    """The models that have a name, and their records: the project's, or what the package ships."""
    return {name: path for name, (path, _) in listed().items()}


def listed() -> dict[str, tuple[Path, tuple[int, ...]]]:
    """By name the record of a model, and at how many pairs it answers well."""
    listed = {}
    for folder in reversed(trained_folders()):
        if (folder / MODELS).exists():
            try:
                models = json.loads((folder / MODELS).read_text("utf-8"))
                listed |= {name: (folder / model["record"], tuple(model["pairs"]))
                           for name, model in models.items()}
            except DAMAGE as error:
                raise InputError(f"{folder / MODELS}: expected models by name, got a damaged file "
                                 f"({error}); restore it from git") from None
    return listed


def found(model) -> Predictor:
    """What a name, the path of a record or a predictor stands for.

    Raises InputError for another name, and where no weights are kept.
    """
    if hasattr(model, "predict"):
        check_predictor(model)
        return Predictor(model)
    path, pairs = listed().get(str(model), (Path(str(model)), None))
    if path.suffix != ".json":
        raise InputError("model: expected a predictor, the path of a record or one of the names "
                         f"{', '.join(names()) or '(none yet)'}, got {model!r}")
    run = run_of(path)
    predictor = load(run)
    predictor.module.double()  # so that an answer does not depend on what is asked beside it
    return Predictor(predictor, run.task.dimension, pairs or run.recipe.lengths, run.task,
                     getattr(run.task, "classes", None), run.recipe.loss == "cross-entropy")


def check_predictor(model) -> None:
    """Raises InputError for a class, and for what predicts from X alone, as scikit-learn's do."""
    component("predict", model=model)
    try:
        inspect.signature(model.predict).bind("xs", "ys", "lengths")
    except TypeError:
        raise InputError("model: expected a predictor, with predict(xs, ys, lengths), got "
                         f"{model!r}, whose predict is another") from None


class InContext(BaseEstimator):
    """What regression and classification share."""

    def __init__(self, model="signed_averaging/softmax", standardize=True):
        self.model, self.standardize = model, standardize

    def store(self, trained: Predictor, X, y):
        """Keep the pairs and the model; raises InputError for more features than it has, and for a
        number of pairs that it may not be given."""
        width, pairs = X.shape[1], trained.pairs or (len(X),)
        if trained.dimension is not None and width > trained.dimension:
            raise InputError(f"X: expected at most {trained.dimension} features, which the model was "
                             f"trained on, got {width}")
        most = max(pairs)
        if len(X) < most and len(X) not in pairs:
            raise InputError(f"X: expected {spans(pairs)} rows, the numbers of pairs that the model was "
                             f"trained for and answers well at, or more, got {len(X)}")
        if width < (trained.dimension or 0):
            tell(f"trained on {trained.dimension} features: zeros are added to {width}")
        if len(X) > most:
            tell(f"trained on up to {most} pairs: the last {most} of {len(X)} are kept")
        self.trained_, X, y = trained, X[-most:], np.asarray(y[-most:], dtype=float)
        drawn = trained.drawn(len(X), width) if trained.task else None
        standard = self.standardize and trained.best
        self.X_scale_ = Scale.of("X", X, drawn[0] if standard else None)
        self.y_scale_ = Scale.of("y", y, drawn[1] if standard and is_regressor(self) else None)
        self.context_ = self.X_scale_.to_model(X), self.y_scale_.to_model(y)
        self.farthest_ = ROOM * float(drawn[0].norm(dim=-1).max()) if drawn else np.inf
        if drawn:
            self.compare(drawn)
        return self

    def compare(self, drawn) -> None:
        """Warn of each look of the kept pairs that those of training do not have."""
        X, y = (torch.tensor(part)[None] for part in self.context_)
        with_labels = is_regressor(self) and self.y_scale_.spread != 0
        if not with_labels and is_regressor(self):
            tell("given one label alone, and answers with it")
        own = looks(X, y, with_labels)
        for what, theirs in looks(*drawn, with_labels).items():
            found, least, most = float(own[what]), float(theirs.min()), float(theirs.max())
            if found > ROOM * most or what in (SCALE_X, SCALE_Y) and found < least / ROOM:
                known = f"up to {most:.2g}" if found > most else f"from {least:.2g} on"
                itself = bool(what in BY_ITSELF and self.trained_.best and not self.standardize)
                tell(f"trained on {what} {known}, got {found:.3g}: {ADVICE[what]}"
                     + itself * ", or set standardize=True")

    def answers(self, X) -> np.ndarray:
        """What the model says about each row, in the context of the stored pairs: (rows, ...).

        Raises InputError for an answer that is not finite.
        """
        check_is_fitted(self)
        X = self.X_scale_.to_model(validate_data(self, X, reset=False, dtype=np.float64))
        far = int((np.linalg.norm(X, axis=1) > self.farthest_).sum())
        if far:
            tell(f"trained on queries as near as the pairs, got {far} of {len(X)} farther away: "
                 "ask nearer, or fit pairs from there")
        said = self.said(self.trained_.predictor, X)
        wrong = np.flatnonzero(~np.isfinite(said.reshape(len(X), -1)).all(axis=1))
        if len(wrong):
            raise InputError(f"X: expected queries that the model has a finite answer to, got row "
                             f"{wrong[0]}, whose is {said[wrong[0]]}")
        if self.trained_.best and is_regressor(self) and self.y_scale_.spread != 0:
            apart = np.mean((said - self.said(self.trained_.best, X)) ** 2)
            share = apart / max(np.var(self.context_[1]), TINY)
            if share > APART:
                tell(f"trained to answer as ridge regression does, its answers are {share:.0%} of the "
                     "labels' variance away from that: use ridge regression on these data")
        return self.y_scale_.from_model(said)

    def said(self, predictor, X) -> np.ndarray:
        """What a predictor says about each row: (rows, ...)."""
        context, labels, X = (torch.tensor(np.ascontiguousarray(part), dtype=torch.float64)
                              for part in (*self.context_, X))
        labels = torch.cat((labels, torch.zeros_like(labels[:1])))  # the query has none
        missing = max((self.trained_.dimension or 0) - X.shape[1], 0)
        said = []
        for queries in X.split(PROMPTS):
            xs = torch.cat((context.expand(len(queries), -1, -1), queries[:, None]), dim=1)
            xs = torch.nn.functional.pad(xs, (0, missing))[None]  # (1, B, n + 1, d)
            ys = labels.expand(1, len(queries), *labels.shape)
            with torch.no_grad():
                answers = predictor.predict(xs, ys, (len(context),))
            if len(answers) != 1:
                raise InputError("model: expected one answer to each query, got "
                                 f"{len(answers)}, as of a sweep of penalties")
            said.append(answers[0, :, 0])
        return torch.cat(said).double().numpy()


@dataclass(frozen=True)
class Scale:
    """A change of origin and unit, by column."""

    center: object = 0.0
    spread: object = 1.0  #: 0 where all pairs have the same
    unit: float = 1.0  #: a deviation in training

    @classmethod
    def of(cls, name: str, values, drawn):
        """What gives pairs the mean 0 and the deviation of those drawn; or none, as they are.

        Raises InputError for numbers whose squares are too large.
        """
        if drawn is None:
            return cls()
        center, spread = values.mean(axis=0), values.std(axis=0)
        if not np.isfinite(spread).all():
            raise InputError(f"{name}: expected numbers whose squares are finite, got up to "
                             f"{np.abs(values).max():.3g}")
        spread = np.where(spread > ROUNDING * np.abs(values).max(axis=0), spread, 0.0)
        return cls(center, spread, float(drawn.square().mean().sqrt()))

    def to_model(self, values):
        return (values - self.center) / np.where(self.spread == 0, 1.0, self.spread) * self.unit

    def from_model(self, values):
        return values / self.unit * self.spread + self.center


def looks(xs, ys, with_labels: bool) -> dict:
    """What is compared with training: of pairs (B, n, d) and (B, n), (B,) each."""
    spreads = xs.std(dim=1, correction=0)
    found = {SCALE_X: xs.square().mean(dim=(1, 2)).sqrt(),
             MEAN_X: xs.mean(dim=1).abs().amax(dim=1),
             CONSTANT: (spreads == 0).sum(dim=1),
             UNLIKE: spreads.amax(dim=1) / torch.where(spreads == 0, torch.inf, spreads).amin(dim=1),
             CORRELATED: condition(xs), FAR: xs.norm(dim=-1).amax(dim=1)}
    labels = {SCALE_Y: ys.square().mean(dim=1).sqrt(), FAR_Y: ys.abs().amax(dim=1)}
    return found | labels if with_labels else found


def condition(xs):
    """The largest over the least eigenvalue of the correlation of columns: (B, n, d) -> (B,).

    A constant column has none with others.
    """
    centered = xs - xs.mean(dim=1, keepdim=True)
    sizes = centered.norm(dim=1, keepdim=True)
    columns = centered / torch.where(sizes == 0, 1.0, sizes)
    correlation = columns.mT @ columns + torch.diag_embed((sizes == 0).to(xs.dtype)[:, 0])
    values = torch.linalg.eigvalsh(correlation)
    return values[:, -1] / values[:, 0].clamp(min=ROUNDING)


def spans(numbers) -> str:
    """Increasing numbers as one writes them: 5, 30 to 40."""
    ends = []
    for number in numbers:
        if ends and number == ends[-1][1] + 1:
            ends[-1][1] = number
        else:
            ends.append([number, number])
    return ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in ends)


def tell(what: str) -> None:
    """Warn that a model is asked outside what it was trained for."""
    warnings.warn(f"the model was {what}", stacklevel=4)


class InContextRegressor(RegressorMixin, InContext):
    """Regression in context: y[n] from n pairs and x[n].

    model: one of `names`, the path of a record whose weights are kept beside it, or a predictor
    (`icllib.evaluate`), such as `icllib.baselines.Ridge(1.0)`. standardize: whether a model of
    linear functions reads X and y with the means and deviations of its training, by those of the
    pairs that are kept; other models and predictors read them as they are.

    Raises InputError, in `fit`, for another model or without weights, for more features than the
    model was trained on, and for a number of pairs that it was not trained for or does not answer
    well at; in `predict` for an answer that is not finite. Warns where there are fewer features or
    more pairs than in training, where pairs or queries look like none in training, and where the
    answers are far from those of the predictor that is best at what the model was trained on.
    """

    def fit(self, X, y):
        """Store the pairs: X (n, d), y (n,)."""
        X, y = validate_data(self, X, y, y_numeric=True, dtype=np.float64)
        trained = found(self.model)
        if trained.classes or trained.log_odds:
            raise InputError(f"model: expected one that answers with a number, got {self.model!r}, "
                             f"which tells {trained.classes or 2} classes: see InContextClassifier")
        return self.store(trained, X, y)

    def predict(self, X):
        """The labels of X (rows, d): (rows,)."""
        return self.answers(X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # it is as good as what the model was trained on
        return tags


class InContextClassifier(ClassifierMixin, InContext):
    """Classes in context.

    model, standardize: as in `InContextRegressor`, which y is no part of. labels: how classes are written for it. "truth": 0 and 1, and
    it answers with the log-odds of 1, as the models of the quantifiers do; "signs": -1 and 1, and
    so does it, as `Ridge`; "one-hot": one number for each of two or more classes, as for texts of
    words. Raises InputError, in `fit`, for a number of classes or for labels that the model was not
    trained on, and as the regressor does. Where y is boolean, all of it may be the same.
    """

    def __init__(self, model="signed_averaging/every", labels="truth", standardize=True):
        super().__init__(model, standardize)
        self.labels = labels

    def fit(self, X, y):
        """Store the pairs: X (n, d), y (n,) of as many classes as the model can tell."""
        one_of(LABELS, labels=self.labels)
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, places = np.unique(y, return_inverse=True)
        if y.dtype == bool:  # of which both are known, even where all in context are the same
            self.classes_, places = np.array([False, True]), y.astype(int)
        if len(self.classes_) > 2 and self.labels != "one-hot":
            raise InputError("Only binary classification is supported. y: expected two classes, got "
                             f"{len(self.classes_)}")
        if len(self.classes_) < 2:
            raise InputError("y: expected two classes, got 1 class")
        trained = found(self.model)
        return self.store(trained, X, self.written(places, trained))

    def written(self, places, trained: Predictor) -> np.ndarray:
        """The labels as the model reads them: (n,), or (n, classes) in one-hot form."""
        right = "one-hot" if trained.classes else "truth" if trained.log_odds else "signs"
        if trained.dimension and self.labels != right:
            raise InputError(f"labels: expected {right!r} for this model, got {self.labels!r}")
        if self.labels != "one-hot":
            return places if self.labels == "truth" else 2 * places - 1
        count = len(self.classes_)
        if count > (trained.classes or count):
            raise InputError(f"y: expected at most {trained.classes} classes, which the model was "
                             f"trained on, got {count}")
        return np.eye(trained.classes or count)[places]

    def scores(self, X) -> np.ndarray:
        """From 0 to 1, for each class: (rows, classes); of words, sums are near 1 but not 1."""
        said = self.answers(X)
        if self.labels == "truth" or self.trained_.log_odds:
            said = expit(said)
        elif self.labels == "signs":
            said = (said.clip(-1, 1) + 1) / 2
        if self.labels == "one-hot":
            return said[:, : len(self.classes_)].clip(0, 1)
        return np.stack((1 - said, said), axis=1)

    def decision_function(self, X):
        """What the model says: of two classes above 0 for the second, (rows,); or (rows, classes)."""
        said = self.answers(X)
        if self.labels != "one-hot":
            return said
        said = said[:, : len(self.classes_)]
        return said[:, 1] - said[:, 0] if len(self.classes_) == 2 else said

    def predict_proba(self, X):
        """The probabilities of the classes: (rows, classes)."""
        scores = self.scores(X) + TINY
        return scores / scores.sum(axis=1, keepdims=True)

    def predict(self, X):
        """The likeliest classes: (rows,)."""
        said = self.decision_function(X)
        return self.classes_[said.argmax(axis=1) if said.ndim == 2 else (said > 0).astype(int)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.labels == "one-hot"
        tags.classifier_tags.poor_score = True
        return tags
