"""Architectures: each is a frozen dataclass of settings that builds a stacked module."""

from icllib.models.mlp import MLP
from icllib.models.transformer import Transformer

__all__ = ["MLP", "Transformer"]
