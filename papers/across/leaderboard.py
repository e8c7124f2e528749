"""The leaderboard: which attention, mask or layer is better than softmax's, by the rules of `icllib compare`."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from claimbook.records import Component
from icllib.court import SETTINGS, give_words, kept_softmax, ratio_rows
from icllib.training import Run
from papers.signed_averaging.affine import SCORINGS

SOFTMAX, DISGUISED, UNTRAINED = "softmax", "softmax, other seeds", "one step of training"
SEEDS = 5
LINES = "lines"
# What each has in place of the court's decoder: a scoring of Table 1, or another option.
OPTIONS = {row.name: lambda model, row=row: {"scoring": row.settings(model)} for row in SCORINGS
           if row.name != SOFTMAX} | {name: lambda model, options=options: options for name, options in {
               "prefix mask": {"mask": "prefix"}, "block mask, 5 pairs": {"mask": "block-causal", "block": 5},
               "queries see pairs only": {"queries_see_themselves": False},
               "no final LayerNorm": {"final_norm": False}, "no LayerNorm": {"normalization": "none"},
               "RMSNorm": {"normalization": "rms"}, "SwiGLU": {"activation": "swiglu"},
               "rotary positions": {"positions": "rotary"}, "read-out ten times as fast": {"read_out_rate": 10.0},
               UNTRAINED: {}}.items()}
# Those whose models are on record; to add one, give it here and run the page at the profile cpu.
ON_RECORD = ("SSA", "SSMax", "temperature 10", "no final LayerNorm", "read-out ten times as fast", UNTRAINED)


@dataclass(frozen=True)
class CourtErrors(Component):
    """The errors that `icllib compare` measures in one of its settings: `error`, (M, shifts)."""

    setting: Literal["lines", "linear functions"] = LINES

    @property
    def shifts(self) -> dict:
        """The tests by name."""
        return SETTINGS[self.setting].shifts

    @property
    def longest(self) -> int:
        """Pairs of the longest context."""
        return max(shift.pairs for shift in self.shifts.values())

    def axes(self, metric: str) -> dict:
        """The test."""
        return {"shift": tuple(self.shifts)}

    def measure(self, tasks, predictor, device="cpu") -> dict:
        """The errors of M trained models."""
        return {"error": np.stack([shift.errors(predictor) for shift in self.shifts.values()], axis=1)}


def runs_of(name: str, profile: str) -> list[Run]:
    """The models of one entry."""
    setting = SETTINGS[LINES]
    model = replace(setting.model, **OPTIONS[name](setting.model))
    steps = 1 if name == UNTRAINED else 20 if profile == "smoke" else setting.recipe.steps
    seeds = range(2 if profile == "smoke" else SEEDS)
    return [Run(setting.task, model, replace(setting.recipe, steps=steps), CourtErrors(), seed) for seed in seeds]


def runs(profile: str) -> list[Run]:
    """The models of all entries that are on record."""
    return [run for name in ON_RECORD for run in runs_of(name, profile)]
