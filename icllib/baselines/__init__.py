"""Predictors that need no training, to compare trained models with.

Each is a predictor (see `icllib.evaluate`): it estimates y[n] only from the first n pairs and x[n],
as 0 if n is 0, and computes in float64 unless its docstring says otherwise.
"""

from icllib.baselines.gradient import OneStepGD, PsiL
from icllib.baselines.kernels import ExponentialSmoother, HilbertEstimate
from icllib.baselines.learners import LASSO_PENALTIES, Lasso, StudentNetwork, XGBoost
from icllib.baselines.linear import DiscreteMMSE, LeastSquares, MixtureRidge, Ridge, RidgeSweep, Zero

__all__ = ["LASSO_PENALTIES", "DiscreteMMSE", "ExponentialSmoother", "HilbertEstimate", "Lasso", "LeastSquares",
           "MixtureRidge", "OneStepGD", "PsiL", "Ridge", "RidgeSweep", "StudentNetwork",
           "XGBoost", "Zero"]
