"""Trained models of the book as estimators of scikit-learn: fit stores pairs, predict asks::

    InContextRegressor("signed_averaging/softmax").fit(X, y).predict(X_new)

Nothing is trained: the pairs given to `fit` are the context in which the model answers.
"""

from icllib.estimators.in_context import InContextClassifier, InContextRegressor
from icllib.estimators.named_models import names

__all__ = ["InContextClassifier", "InContextRegressor", "names"]
