"""Families of functions with their input laws."""

from icllib.tasks.classification import LinearClassification
from icllib.tasks.msfr import SourceCapacityRegression, SparseFeatureRegression
from icllib.tasks.networks import ReluNetwork
from icllib.tasks.prompt import Prompt, sample_each
from icllib.tasks.quantifiers import Quantifier
from icllib.tasks.regression import (AffineFunctions, LinearRegression, SigmoidRegression,
                                     SparseLinear, TwoNoiseLevels)
from icllib.tasks.trees import DecisionTree
from icllib.tasks.words import BagOfWords

__all__ = ["AffineFunctions", "BagOfWords", "DecisionTree", "LinearClassification",
           "LinearRegression", "Prompt", "Quantifier", "ReluNetwork", "SigmoidRegression",
           "SourceCapacityRegression", "SparseFeatureRegression", "SparseLinear",
           "TwoNoiseLevels", "sample_each"]
