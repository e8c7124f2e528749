"""Families of functions with their input laws."""

from icllib.tasks.prompt import Prompt, sample_each
from icllib.tasks.regression import LinearRegression

__all__ = ["LinearRegression", "Prompt", "sample_each"]
