"""Architectures: each is a frozen dataclass of settings that builds a stacked module."""

from icllib.models.encoder import Encoder
from icllib.models.feature_models import FeatureMLP, ScalarRegression
from icllib.models.linear_attention import LinearAttention
from icllib.models.mlp import MLP
from icllib.models.scalable import QASSMax, SSMax
from icllib.models.scoring import (L1, CosFormer, Entmax, Gaussian, Identity, MixedHeads,
                                   Relu, SelfAdjusting, SignedAveraging, Softmax, Sparsemax,
                                   Square, Tanh, Uniform)
from icllib.models.sgpt import SGPT
from icllib.models.transformer import Transformer

__all__ = ["Encoder", "FeatureMLP", "LinearAttention", "MLP", "ScalarRegression", "SGPT",
           "Transformer", "CosFormer", "Entmax", "Gaussian", "Identity", "L1", "MixedHeads",
           "QASSMax", "Relu", "SelfAdjusting", "SignedAveraging", "Softmax", "Sparsemax", "Square",
           "SSMax", "Tanh", "Uniform"]
