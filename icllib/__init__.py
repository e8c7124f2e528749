"""icllib: papers on in-context learning, re-run figure by figure."""

import importlib

__version__ = "0.2.0"

# Where each name is. A module is imported when a name of it is asked for: `import icllib`, and what the
# command line can answer without PyTorch, do without it.
MODULES = {
    "baselines": ("LeastSquares", "Ridge", "XGBoost", "Zero"),
    "estimators": ("InContextClassifier", "InContextRegressor"),
    "evaluate": ("ErrorByLength",),
    "models": ("MLP", "SGPT", "SignedAveraging", "Softmax", "Transformer"),
    "pages": ("Page", "provenance_line", "settings_of", "settings_table", "shown_profile"),
    "results": ("samples", "stacked"),
    "streams": ("Stream",),
    "tasks": ("AffineFunctions", "DecisionTree", "LinearClassification", "LinearRegression", "Quantifier",
              "ReluNetwork", "SparseLinear"),
    "training": ("Limits", "Recipe", "Run", "Trained", "every_profile", "load", "records", "train"),
}
HOME = {name: module for module, names in MODULES.items() for name in names}
__all__ = ["__version__", *sorted(HOME)]


def __getattr__(name: str):
    if name not in HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"icllib.{HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
