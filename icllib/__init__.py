"""icllib: tasks, models, baselines, theory and training of in-context learners."""

import os
import shutil

from claimbook.records.lazy import lazy_names

__version__ = "0.3.0"
SHORT_IN_RECORDS = True  # records name components without the package: "tasks.LinearRegression"

# Where each name is. A module is imported when a name of it is asked for: `import icllib`, and what the
# command line can answer without PyTorch, do without it.
MODULES = {
    "court": ("compare",),
    "baselines": ("LeastSquares", "Ridge", "XGBoost", "Zero"),
    "garg": ("from_garg",),
    "estimators": ("InContextClassifier", "InContextRegressor"),
    "evaluate": ("ErrorByLength",),
    "models": ("MLP", "SGPT", "SignedAveraging", "Softmax", "Transformer"),
    "recipes": ("recipe_for",),
    "streams": ("Stream",),
    "tasks": ("AffineFunctions", "DecisionTree", "LinearClassification", "LinearRegression", "Quantifier",
              "ReluNetwork", "SparseLinear"),
    "training": ("Limits", "Recipe", "Run", "Trained", "every_profile", "load", "records", "train"),
}
# On a GPU PyTorch computes some operations by kernels that need a C compiler, unless this is set first.
if not any(map(shutil.which, [os.environ["CC"]] if os.environ.get("CC") else ["clang", "gcc"])):
    os.environ.setdefault("TORCH_DISABLE_NATIVE_JIT", "1")

__getattr__, __dir__, names = lazy_names(__name__, MODULES)
__all__ = ["__version__", *names]
