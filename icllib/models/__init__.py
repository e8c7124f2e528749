"""Architectures: each is a frozen dataclass of settings that builds a stacked module."""

from icllib.models.encoder import Encoder
from icllib.models.features import FeatureMLP, ScalarRegression
from icllib.models.gpt2 import from_gpt2, to_gpt2
from icllib.models.mlp import MLP
from icllib.models.own import Module
from icllib.models.scoring import (
    CosFormer, Entmax, Gaussian, MixedHeads, QASSMax, Relu, SelfAdjusting, SignedAveraging, Softmax, Sparsemax,
    Square, SSMax, Tanh, Uniform)
from icllib.models.sgpt import SGPT
from icllib.models.transformer import Transformer

__all__ = ["Encoder", "FeatureMLP", "MLP", "Module", "ScalarRegression", "SGPT", "Transformer",
           "CosFormer", "Entmax", "Gaussian", "MixedHeads", "QASSMax", "Relu", "SelfAdjusting",
           "SignedAveraging", "Softmax", "Sparsemax", "Square", "SSMax", "Tanh", "Uniform",
           "from_gpt2", "to_gpt2"]
