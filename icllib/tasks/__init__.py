"""Tasks: families of functions with the distributions of their inputs.

Each is a frozen dataclass that raises InputError for settings out of range; its `sample` raises it
for fewer points than it needs.
"""

from icllib.tasks.classification import BagOfWords, LinearClassification
from icllib.tasks.msfr import SourceCapacityRegression, SparseFeatureRegression
from icllib.tasks.networks import DecisionTree, ReluNetwork
from icllib.tasks.pools import FunctionPool, Mixture
from icllib.tasks.prompt import Prompt, sample_each, side_by_side
from icllib.tasks.quantifiers import Quantifier
from icllib.tasks.regression import (AffineFunctions, LinearRegression, SigmoidRegression,
                                     SparseLinear, TwoNoiseLevels)
from icllib.tasks.sentences import MaskedBatch, MaskedSentences

__all__ = ["AffineFunctions", "BagOfWords", "DecisionTree", "FunctionPool", "LinearClassification",
           "LinearRegression", "MaskedBatch", "MaskedSentences", "Mixture", "Prompt", "Quantifier",
           "ReluNetwork", "SigmoidRegression", "SourceCapacityRegression",
           "SparseFeatureRegression", "SparseLinear", "TwoNoiseLevels", "sample_each",
           "side_by_side"]
