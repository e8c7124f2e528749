"""The two estimators: pairs of X and y as a model in context sees them, and its answers in scikit-learn's form."""

import warnings

import numpy as np
import torch
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, is_regressor
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from icllib.checks import one_of, switch
from icllib.errors import InputError
from icllib.estimators.named_models import Predictor, found
from icllib.estimators.unlike_training import ADVICE, BY_ITSELF, SCALE_X, SCALE_Y, Scale, looks

PROMPTS = 64  # queries that are asked at a time, each in a prompt of its own
ROOM = 1.25  # so far outside what these prompts have is still within
APART = 0.05  # of the labels' variance: how far answers may be from the best predictor's
TINY = 1e-12  # of a score, so that no row of them is all 0
LABELS = ("truth", "signs", "one-hot")  # how two or more classes are written for a model


class InContext(BaseEstimator):
    """What regression and classification share."""

    def __init__(self, model="signed_averaging/softmax", standardize=True):
        self.model, self.standardize = model, standardize

    def store(self, trained: Predictor, X, y):
        """Keep the pairs and the model; raises InputError for more features than it has, and for a
        number of pairs that it may not be given."""
        switch(standardize=self.standardize)
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
