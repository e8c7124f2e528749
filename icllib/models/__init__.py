"""Architectures: each is a frozen dataclass of settings that builds a stacked module."""

from icllib.models.mlp import MLP
from icllib.models.scoring import (L1, CosFormer, Entmax, Identity, MixedHeads, Relu,
                                   SelfAdjusting, SignedAveraging, Softmax, Sparsemax, Square,
                                   Tanh, Uniform)
from icllib.models.transformer import Transformer

__all__ = ["MLP", "Transformer", "CosFormer", "Entmax", "Identity", "L1", "MixedHeads", "Relu",
           "SelfAdjusting", "SignedAveraging", "Softmax", "Sparsemax", "Square", "Tanh", "Uniform"]
