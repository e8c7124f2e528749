"""The two estimators: X and y as a model in context sees them, and its answers in scikit-learn's form."""

import math
import warnings
from dataclasses import dataclass

import numpy as np
import torch
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, is_regressor
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from claimbook.records.checks import boolean, in_ranges, one_of
from claimbook.records.errors import InputError
from icllib import checks
from icllib.baselines import Ridge
from icllib.estimators.named_models import Predictor, WithIntercept, found

PROMPTS = 64  # queries in a batch, each in a separate prompt
ROOM = 1.25  # by which pairs may exceed the range of training, and their number must exceed features
FEW = 5  # queries that tell the variance of their labels as well as all pairs do; ASSUMED
LOST = 0.1  # largest r2 by which answers may lie below the best predictor's without a warning
TINY = 1e-12  # added to scores, so that no row is all 0
ROUNDING = 1e-10  # of a column: smaller deviations are rounding
SCALE_X, SCALE_Y, MEAN_X = "a scale of X", "a scale of y", "a mean of a column of X"
CONSTANT, UNLIKE = "constant columns of X", "ratios of columns' deviations"
CORRELATED, FAR, FAR_Y = "condition numbers of X's correlation", "rows of X of a length", "labels"
ADVICE = {SCALE_X: "scale it", SCALE_Y: "scale it", MEAN_X: "center it",
          CONSTANT: "leave constant columns out", UNLIKE: "scale the columns alike",
          CORRELATED: "leave out columns that follow from others",
          FAR: "transform or clip outliers", FAR_Y: "transform or clip outliers"}
BY_ITSELF = SCALE_X, SCALE_Y, MEAN_X, UNLIKE  # standardize=True mends these
LABELS = ("truth", "signs", "one-hot")  # how two or more classes are written for a model


class InContext(BaseEstimator):
    """The code that regression and classification share."""

    def __init__(self, model="signed_averaging/softmax", standardize=True):
        self.model, self.standardize = model, standardize

    def numbers(self, X, *y, **options):
        """X, and y if it is given, as scikit-learn reads them; raises InputError for dates and spans of time,
        of which it would take the nanoseconds, and for what is masked, which it would take for what lies there."""
        for name, own in zip("Xy", (X, *y[: is_regressor(self)])):
            held = np.asarray(own)
            objects = held.flat if held.dtype == object else []
            if held.dtype.kind in "mM" or np.ma.is_masked(own) or any(isinstance(one, np.timedelta64) for one in objects):
                raise InputError(f"{name}: expected numbers, got dates, spans of time or masked entries")
        return validate_data(self, X, *y, dtype=np.float64, **options)

    def store(self, trained: Predictor, X, y):
        """Keep the pairs and the model; raises InputError for more features than the model has, and
        for a number of pairs at which it does not answer well."""
        boolean(standardize=self.standardize)
        width, pairs = X.shape[1], trained.pairs or (len(X),)
        if trained.dimension is not None and width > trained.dimension:
            raise InputError(f"X: expected at most {trained.dimension} features, which the model was "
                             f"trained on, got {width}")
        most = max(pairs)
        if len(X) < most and len(X) not in pairs:
            raise InputError(f"X: expected {in_ranges(pairs)} rows, at which the model answers well, or "
                             f"more, got {len(X)}")
        if width < (trained.dimension or 0):
            warn_of_use(f"trained on {trained.dimension} features: zeros are added to {width}")
        if len(X) > most:
            warn_of_use(f"trained on up to {most} pairs: the last {most} of {len(X)} are kept")
        classes, kept = (len(np.unique(part, axis=0)) for part in (y, y[-most:]))
        if not is_regressor(self) and kept < classes:
            warn_of_use(f"given kept pairs of {kept} of {classes} classes: shuffle the rows")
        self.trained_, X, y = trained, X[-most:], np.asarray(y[-most:], dtype=float)
        self.told_ = set()  # of what `predict` has warned, which may be called in a loop
        if self.standardize and trained.task is None:
            warn_of_use("given as a predictor, which reads X and y as they are: scale them as in its training, "
                        "then set standardize=False")
        drawn = trained.drawn(len(X), width) if trained.task else None
        standard = self.standardize and trained.best
        self.X_scale_ = Scale.of("X", X, drawn[0] if standard else None)
        self.y_scale_ = Scale.of("y", y, drawn[1] if standard and is_regressor(self) else None)
        self.context_ = self.X_scale_.to_model(X), self.y_scale_.to_model(y)
        self.farthest_ = ROOM * float(drawn[0].norm(dim=-1).max()) if drawn else np.inf
        if drawn:
            self.compare(drawn)
        self.unexplained_ = None
        if trained.task is not None and y.ndim == 1 < len(y) and not is_regressor(self):
            self.compare_classes()
        if self.has_best():
            self.unexplained_ = left_out(*self.context_, trained.best)
            if len(X) < (enough := math.ceil(ROOM * width)):
                warn_of_use(f"given {len(X)} pairs of {width} features, too few for any linear function: fit "
                            f"{enough} or more")
        return self

    def has_best(self) -> bool:
        """Whether answers can be compared with those of a best predictor."""
        return bool(self.trained_.best and is_regressor(self) and self.y_scale_.spread != 0)

    def compare(self, drawn) -> None:
        """Warn of each property of the kept pairs that is outside the range of training."""
        X, y = (torch.tensor(part)[None] for part in self.context_)
        with_labels = is_regressor(self) and self.y_scale_.spread != 0
        if not with_labels and is_regressor(self):
            warn_of_use("given pairs that all have the same label, and answers with it")
        ours = statistics_of(X, y, with_labels)
        for what, theirs in statistics_of(*drawn, with_labels).items():
            found, least, most = float(ours[what]), float(theirs.min()), float(theirs.max())
            if found > ROOM * most or what in (SCALE_X, SCALE_Y) and found < least / ROOM:
                known = f"up to {most:.2g}" if found > most else f"from {least:.2g} on"
                itself = bool(what in BY_ITSELF and self.trained_.best and not self.standardize)
                warn_of_use(f"trained on {what} {known}, got {found:.3g}: {ADVICE[what]}"
                            + itself * ", or set standardize=True")

    def compare_classes(self) -> None:
        """Warn where a linear function tells the class of the later pairs from those before better."""
        xs, ys = (torch.tensor(part)[None, None] for part in self.context_)
        xs = torch.nn.functional.pad(xs, (0, self.trained_.dimension - xs.shape[-1]))
        lengths = tuple(range((ys.shape[-1] + 1) // 2, ys.shape[-1]))
        with torch.no_grad():
            said = self.trained_.predictor.predict(xs, ys, lengths)
            linear = WithIntercept(Ridge(1.0)).predict(xs, (ys > 0).double() * 2 - 1, lengths)
        wrong, lines = (((own[0, 0] > 0) != (ys[0, 0, list(lengths)] > 0)).double().mean() for own in (said, linear))
        if wrong > lines + 2 * LOST:
            warn_of_use(f"trained on other classes: of the later pairs it takes {wrong:.0%} for the other class, "
                        f"from those before, and ridge regression on their signs {lines:.0%}: use another classifier")

    def answers(self, X) -> np.ndarray:
        """The model's answer to each row, in the context of the stored pairs: (rows, ...)."""
        check_is_fitted(self)
        X = self.X_scale_.to_model(self.numbers(X, reset=False))
        far = int((np.linalg.norm(X, axis=1) > self.farthest_).sum())
        if far:
            warn_of_use(f"trained on queries as near as the pairs, got {far} of {len(X)} farther away: "
                        "ask nearer, or fit pairs from there", self.told_)
        said = self.said(self.trained_.predictor, X)
        wrong = np.flatnonzero(~np.isfinite(said.reshape(len(X), -1)).all(axis=1))
        if len(wrong):
            raise InputError("X: expected queries to which the model's answers are finite, got "
                             f"{said[wrong[0]]} for row {wrong[0]}")
        if self.has_best():
            best = self.said(self.trained_.best, X)
            varied = max(np.var(self.context_[1]), TINY)
            apart = np.mean((said - best) ** 2) / varied
            lost = apart + 2 * np.sqrt(apart * self.unexplained_)  # at the most, by Cauchy-Schwarz
            if len(best) > 1:  # in shares of the variance of queries' labels, which may not be that of the pairs
                own = np.var(best, ddof=1) / varied + self.unexplained_
                lost *= (FEW + len(best)) / (FEW + len(best) * own)
            if lost > LOST:
                warn_of_use(f"trained to answer as ridge regression does, its answers are {apart:.0%} of the "
                            f"labels' variance away from that, its r2 may be {lost:.2g} lower: use ridge "
                            "regression on these data", self.told_)
        return self.y_scale_.from_model(said)

    def said(self, predictor, X) -> np.ndarray:
        """A predictor's answer to each row: (rows, ...)."""
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
            checks.prediction_shape((len(queries), 1, *labels.shape[1:]), answers)
            if len(answers) != 1:
                raise InputError("model: expected one answer to each query, got "
                                 f"{len(answers)}, as of a sweep of penalties")
            said.append(answers[0, :, 0])
        return torch.cat(said).double().numpy()


def left_out(X, y, best) -> float:
    """What the best predictor leaves unexplained of the variance of labels y (n,) of X (n, d), each told
    from the others; 1 where there are no others."""
    n = len(X)
    if n == 1:
        return 1.0
    others = np.array([[*range(place), *range(place + 1, n), place] for place in range(n)])
    xs, ys = (torch.tensor(part[others])[None] for part in (X, y))
    said = best.predict(xs, ys, (n - 1,))[0, :, 0].numpy()
    return float(np.mean((said - y) ** 2) / max(np.var(y), TINY))


def warn_of_use(what: str, before: set | None = None) -> None:
    """Warn that a model is used outside what it was trained for, but not of a kind that was told before."""
    if (kind := what.partition(",")[0]) not in (before or ()):
        warnings.warn(f"the model was {what}", stacklevel=4)
    if before is not None:
        before.add(kind)


class InContextRegressor(RegressorMixin, InContext):
    """Regression in context: y[n] from n pairs and x[n].

    model: one of `names`, the path of a record whose weights are kept beside it, or a predictor
    (`icllib.evaluate`), such as `icllib.baselines.Ridge(1.0)`. standardize: whether X and y are
    shifted and scaled for a model of linear functions, so that the kept pairs have the means and
    deviations of its training; other models and predictors always read them as they are. There is no
    `sample_weight`: a model in context counts all pairs alike.

    Raises InputError, in `fit`, for another model or without weights, for more features than the model was
    trained on, and for a number of pairs that it was not trained for or does not answer well at; in
    `predict` for an answer that is not finite. Warns of fewer features or more pairs than in training, of
    too few pairs for a linear function, of pairs or queries unlike those of training, and of answers that
    may explain less, by an r2 of 0.1, than those of the best predictor for what the model was trained on.
    """

    def fit(self, X, y):
        """Store the pairs: X (n, d), y (n,)."""
        X, y = self.numbers(X, y, y_numeric=True)
        trained = found(self.model)
        if trained.classes or trained.log_odds:
            raise InputError(f"model: expected one that answers with a number, got {self.model!r}, "
                             f"which tells {trained.classes or 2} classes: see InContextClassifier")
        return self.store(trained, X, y)

    def predict(self, X, return_std=False):
        """The labels of X (rows, d): (rows,). return_std: also their deviation over models that were trained
        alike from other seeds, (rows,); raises InputError where the weights of none are kept."""
        boolean(return_std=return_std)
        said = self.answers(X)
        if not return_std:
            return said
        others = self.trained_.other_seeds()
        if not others:
            raise InputError("return_std: expected a model of which other seeds are kept, got none of them")
        X = self.X_scale_.to_model(self.numbers(X, reset=False))
        every = [said, *(self.y_scale_.from_model(self.said(other, X)) for other in others)]
        return said, np.std(every, axis=0, ddof=1)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # it is good only at what the model was trained on
        return tags


class InContextClassifier(ClassifierMixin, InContext):
    """Classes in context.

    model, standardize: as in `InContextRegressor`, but y is never standardized. labels: how the model
    reads classes. "truth": as 0 and 1, answered with the log-odds of 1, as by the models of the
    quantifiers; "signs": as -1 and 1, also in answers, as by `Ridge`; "one-hot": as one number for
    each of two or more classes, as for texts of words. Raises InputError, in `fit`, for a number of
    classes or for labels that the model was not trained on, and as the regressor does. If y is
    boolean, all its values may be the same. Warns of classes none of whose rows is kept.
    """

    def __init__(self, model="signed_averaging/every", labels="truth", standardize=True):
        super().__init__(model, standardize)
        self.labels = labels

    def fit(self, X, y):
        """Store the pairs: X (n, d), y (n,) of as many classes as the model can tell."""
        one_of(LABELS, labels=self.labels)
        X, y = self.numbers(X, y)
        check_classification_targets(y)
        self.classes_, places = np.unique(y, return_inverse=True)
        if y.dtype == bool:  # both classes are known, even if the context has only one
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

    def decision_function(self, X):
        """The model's answers: (rows,), above 0 for the second of two classes; or (rows, classes)."""
        said = self.answers(X)
        if self.labels != "one-hot":
            return said
        said = said[:, : len(self.classes_)]
        return said[:, 1] - said[:, 0] if len(self.classes_) == 2 else said

    def predict_proba(self, X):
        """The probabilities of the classes: (rows, classes)."""
        said = self.answers(X)
        if self.labels == "one-hot":
            scores = said[:, : len(self.classes_)].clip(0, 1) + TINY  # they only nearly sum to 1
            return scores / scores.sum(axis=1, keepdims=True)
        second = expit(said) if self.labels == "truth" or self.trained_.log_odds else (said.clip(-1, 1) + 1) / 2
        return np.stack((1 - second, second), axis=1)

    def predict(self, X):
        """The most likely classes: (rows,)."""
        said = self.decision_function(X)
        return self.classes_[said.argmax(axis=1) if said.ndim == 2 else (said > 0).astype(int)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.labels == "one-hot"
        tags.classifier_tags.poor_score = True
        return tags


def statistics_of(xs, ys, with_labels: bool) -> dict:
    """The properties of pairs (B, n, d) and (B, n): {name: (B,)}."""
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
    A constant column counts as uncorrelated with others."""
    centered = xs - xs.mean(dim=1, keepdim=True)
    sizes = centered.norm(dim=1, keepdim=True)
    columns = centered / torch.where(sizes == 0, 1.0, sizes)
    correlation = columns.mT @ columns + torch.diag_embed((sizes == 0).to(xs.dtype)[:, 0])
    values = torch.linalg.eigvalsh(correlation)
    return values[:, -1] / values[:, 0].clamp(min=ROUNDING)


@dataclass(frozen=True)
class Scale:
    """A change of origin and unit, by column."""

    center: object = 0.0
    spread: object = 1.0  #: 0 if all pairs have the same value
    unit: float = 1.0  #: a deviation in training

    @classmethod
    def of(cls, name: str, values, drawn):
        """The scale that gives values the mean 0 and the deviation of `drawn`; none if that is None.

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
