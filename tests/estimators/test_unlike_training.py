"""Tables of which a model in context has seen none in training: it answers well, or warns."""

import warnings

import numpy as np
import pytest
from sklearn import datasets
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score
from sklearn.preprocessing import StandardScaler

from claimbook.records.errors import InputError
from icllib.baselines import Ridge
from icllib.estimators import InContextClassifier, InContextRegressor

LEARNED, ASKED, FEATURES = 40, 20, 8
ROWS = LEARNED + ASKED


def labels(X, draw, noise=0.1):
    """A linear function to which every column that varies counts alike, and noise."""
    spread = np.where(X.std(0) == 0, 1, X.std(0))
    clean = (X - X.mean(0)) / spread @ draw.normal(size=X.shape[1])
    return clean + noise * clean.std() * draw.normal(size=len(X))


def outlier(X):
    X[3] *= 30
    return X


def replaced(X, column, values):
    X[:, column] = values
    return X


INPUTS = {  # as few columns or rows as a table may have, and as unlike those of training
    "uniform": lambda draw: draw.uniform(size=(ROWS, FEATURES)),
    "of mean 1": lambda draw: 1 + draw.normal(size=(ROWS, FEATURES)),
    "of mean 1e6": lambda draw: 1e6 + 1e3 * draw.normal(size=(ROWS, FEATURES)),
    "of all units": lambda draw: 10.0 ** np.arange(-4, 4) * draw.normal(size=(ROWS, FEATURES)),
    "lognormal": lambda draw: draw.lognormal(size=(ROWS, FEATURES)),
    "counts": lambda draw: draw.poisson(2, size=(ROWS, FEATURES)),
    "collinear": lambda draw: draw.normal(size=(ROWS, 2)) @ draw.normal(size=(2, FEATURES))
    + 0.05 * draw.normal(size=(ROWS, FEATURES)),
    "of one factor": lambda draw: draw.normal(size=(ROWS, 1))
    + 0.5 * draw.normal(size=(ROWS, FEATURES)),
    "of no mean": lambda draw: draw.standard_cauchy(size=(ROWS, FEATURES)),
    "with an outlier": lambda draw: outlier(draw.normal(size=(ROWS, FEATURES))),
    "of one feature": lambda draw: draw.normal(size=(ROWS, 1)),
    "with a constant": lambda draw: replaced(draw.normal(size=(ROWS, FEATURES)), 2, 4.0),
    "of 5 pairs": lambda draw: draw.normal(size=(5 + ASKED, FEATURES)),
    "of 9 pairs": lambda draw: draw.normal(size=(9 + ASKED, FEATURES)),
    "of 400 pairs": lambda draw: draw.normal(size=(400 + ASKED, FEATURES)),
    "sorted": lambda draw: np.sort(draw.normal(size=(ROWS, FEATURES)), axis=0),
    "asked near the mean": lambda draw: draw.normal(size=(ROWS, FEATURES))
    * np.where(np.arange(ROWS) < LEARNED, 1, 0.2)[:, None],
    "wandering": lambda draw: draw.normal(size=(ROWS, FEATURES)).cumsum(axis=0),
}
LABELS = {
    "shifted": lambda X, draw: 1 + labels(X, draw),
    "far": lambda X, draw: 1e4 + labels(X, draw),
    "large": lambda X, draw: 1e5 * labels(X, draw),
    "small": lambda X, draw: 1e-6 * labels(X, draw),
    "with an outlier": lambda X, draw: labels(X, draw) + 50 * (np.arange(len(X)) == 5),
    "all the same": lambda X, draw: np.full(len(X), 3.7),
    "noise": lambda X, draw: draw.normal(size=len(X)),
    "squares": lambda X, draw: (X**2).sum(1),
    "of one column": lambda X, draw: X[:, 0],
    "with a product": lambda X, draw: labels(X, draw) + 3 * X[:, 0] * X[:, 1],
    "with a jump": lambda X, draw: labels(X, draw) + 10 * (np.arange(len(X)) > 20),
}
TABLES = {f"X {name}": (inputs, labels) for name, inputs in INPUTS.items()} | {
    f"y {name}": (lambda draw: draw.normal(size=(ROWS, FEATURES)), own)
    for name, own in LABELS.items()}


def table(name):
    inputs, own = TABLES[name]
    draw = np.random.default_rng(7)
    X = np.asarray(inputs(draw), dtype=float)
    return X, own(X, draw)


def answered(model, X, y):
    """How much of the last labels' variance is explained, by least squares too, and the warnings."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        answers = model.fit(X[:-ASKED], y[:-ASKED]).predict(X[-ASKED:])
    least = LinearRegression().fit(X[:-ASKED], y[:-ASKED]).predict(X[-ASKED:])
    return (r2_score(y[-ASKED:], answers), r2_score(y[-ASKED:], least),
            [str(warning.message) for warning in told])


@pytest.mark.parametrize("model", [
    "context_scaling/gpt2", pytest.param("context_scaling/sgpt", marks=pytest.mark.large)])
def test_a_worse_answer_than_of_least_squares_comes_with_a_warning(model):
    for name in TABLES:
        own, least, told = answered(InContextRegressor(model), *table(name))
        assert own > least - 0.1 or told, name


@pytest.mark.parametrize("name", ["diabetes", "iris", "wine", "breast_cancer"])
@pytest.mark.parametrize("model", ["context_scaling/gpt2", "context_scaling/sgpt"])
def test_the_tables_of_scikit_learn_come_with_warnings(model, name):
    """book/howto/scikit_learn.md has them all, beside ridge regression."""
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    if name != "diabetes":
        X, y = X[:, 1:], X[:, 0]
    order = np.random.default_rng(0).permutation(len(X))
    X = PCA(min(FEATURES, X.shape[1])).fit_transform(StandardScaler().fit_transform(X))
    own, least, told = answered(InContextRegressor(model), X[order], y[order])
    assert told and np.isfinite(own)


@pytest.mark.parametrize("name", ["X uniform", "X of mean 1", "X of mean 1e6", "X of all units",
                                  "X counts", "y shifted", "y far", "y large", "y small"])
def test_standardized_tables_are_answered_without_a_word(name):
    """And as they stand they are not, but with one."""
    X, y = table(name)
    own, least, told = answered(InContextRegressor("context_scaling/gpt2"), X, y)
    assert own > least - 0.05 and not told
    own, least, told = answered(InContextRegressor("context_scaling/gpt2", standardize=False), X, y)
    assert told


@pytest.mark.parametrize("name, what", [
    ("X collinear", "condition numbers .* leave out columns that follow from others"),
    ("X with a constant", "constant columns of X up to 0, got 1: leave constant columns out"),
    ("X with an outlier", "rows of X of a length .* transform or clip outliers"),
    ("X of one feature", "trained on 8 features: zeros are added to 1"),
    ("X of 9 pairs", "given 9 pairs of 8 features, too few for any linear function: fit 10 or more"),
    ("X of 400 pairs", "the last 40 of 400 are kept"),
    ("y all the same", "given pairs that all have the same label"),
    ("y squares", "its answers are .*% of the labels' variance away from that, its r2 may be .* lower: use ridge regression")])
def test_a_warning_says_what_to_do(name, what):
    with pytest.warns(UserWarning, match=what):
        answered_in_the_open(*table(name))


def answered_in_the_open(X, y):
    return InContextRegressor("context_scaling/gpt2").fit(X[:-ASKED], y[:-ASKED]).predict(X[-ASKED:])


def test_only_kept_rows_count():
    X, y = table("y shifted")
    X, y = np.vstack((1e9 * X, X)), np.concatenate((-1e9 * y, y))
    own, least, told = answered(InContextRegressor("context_scaling/gpt2"), X, y)
    assert own > 0.9 and told == ["the model was trained on up to 40 pairs: the last 40 of 100 are kept"]


def test_a_loop_over_predict_is_told_of_once():
    """Whatever filters there are; once more where other pairs are stored."""
    X, y = table("y squares")
    model = InContextRegressor("context_scaling/gpt2")
    for _ in range(2):
        model.fit(X[:-ASKED], y[:-ASKED])
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            for number in range(1, 21):
                model.predict(number * X[-ASKED:])
        assert sorted(str(one.message)[:32] for one in told) == [
            "the model was trained on queries", "the model was trained to answer "]


@pytest.mark.filterwarnings("error")
def test_a_predictor_that_is_not_known_is_not_standardized_without_a_word():
    X, y = table("y far")
    with pytest.warns(UserWarning, match="reads X and y as they are: scale them .* then set standardize=False"):
        InContextRegressor(Ridge(1.0)).fit(X, y)
    InContextRegressor(Ridge(1.0), standardize=False).fit(X, y)


def test_classes_that_a_linear_function_tells_better_come_with_a_warning():
    """Of x > 0 a model of "every" takes half for the other class; its own classes it knows."""
    X = np.random.default_rng(0).normal(size=(39, 1))
    with pytest.warns(UserWarning, match="takes 47% for the other class, .* ridge regression on their signs 0%"):
        InContextClassifier().fit(X, X[:, 0] > 0)
    X[:4] = abs(X[:4])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        InContextClassifier().fit(X, np.minimum.accumulate(X[:, 0] > 0))
        InContextClassifier("context_scaling/sgpt", "signs").fit(X, X[:, 0] > 0)
    assert not any("other classes" in str(one.message) for one in told)


def test_queries_far_from_the_pairs_are_told_of():
    X, y = table("y shifted")
    with pytest.warns(UserWarning, match="got 20 of 20 farther away: ask nearer"):
        answered_in_the_open(np.vstack((X[:-ASKED], 100 * X[-ASKED:])), y)


@pytest.mark.parametrize("model", [InContextRegressor("context_scaling/gpt2"),
                                   InContextRegressor(Ridge(1.0)),
                                   InContextClassifier("context_scaling/gpt2", "signs")])
@pytest.mark.filterwarnings("ignore")
def test_an_answer_that_is_not_finite_is_refused(model):
    X, y = table("y shifted")
    model.fit(X[:40], y[:40] > 0 if isinstance(model, InContextClassifier) else y[:40])
    with pytest.raises(InputError, match="X: "):
        model.predict(np.vstack((X[40:41], np.full((1, FEATURES), 1.5e308))))


def test_pairs_whose_squares_are_not_finite_are_refused():
    X, y = table("y shifted")
    with np.errstate(all="ignore"):
        with pytest.raises(InputError, match="X: "):
            InContextRegressor("context_scaling/gpt2").fit(1e200 * X[:40], y[:40])
