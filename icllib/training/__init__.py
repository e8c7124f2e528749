"""Training: models of one shape train together, as a fleet, and each run leaves a record."""

from claimbook.records.compute import every_profile, records
from claimbook.records.errors import OutOfTime
from claimbook.records.limits import Limits
from icllib.training.engine import Fleet, run_steps, train
from icllib.training.recipe import Curriculum, Recipe
from icllib.training.run import Along, Run, Trained
from icllib.training.weights import load, untrained

__all__ = ["Along", "Curriculum", "Fleet", "Limits", "OutOfTime", "Recipe", "Run", "Trained",
           "every_profile", "load", "records", "run_steps", "train",
           "untrained"]
