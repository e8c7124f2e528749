"""Families of functions with their input laws."""

from icllib.tasks.prompt import Prompt
from icllib.tasks.regression import LinearRegression

__all__ = ["LinearRegression", "Prompt"]
