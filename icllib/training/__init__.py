"""Training of fleets, and the runs whose records the pages show."""

from icllib.training.engine import OutOfTime, Recipe, train
from icllib.training.run import Run, records

__all__ = ["OutOfTime", "Recipe", "Run", "records", "train"]
