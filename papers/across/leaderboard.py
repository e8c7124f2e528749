"""The leaderboard: which attention, mask or layer beats softmax's, by the rules of `icllib compare`."""

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn

from claimbook.records import Component
from icllib.court import SETTINGS, give_words, kept_softmax, ratio_rows
from icllib.models import Module
from icllib.training import Run
from papers.signed_averaging.affine import SCORINGS

SOFTMAX, DISGUISED, UNTRAINED = "softmax", "softmax, other seeds", "one step of training"
SEEDS = 5
NEW = range(5, 15)  # ASSUMED: seeds of claims 21 and 22, twice as many as the table's, and none of them
# What they are about: of claim 21 the first entry, of 22 those whose chance in the table came next.
CLAIMED = {"QASSMax": ["steeper", "as in training", "noise", "heavy-tailed noise"],
           "queries see pairs only": ["as in training", "steeper"], "recurrent net": ["more pairs", "steeper"],
           "prefix mask": ["pairs in order"], "leave-one-out mask": ["pairs in order"]}
LINES = "lines"


@dataclass(frozen=True)
class Recurrent(Component):
    """An LSTM that reads each input beside the label before it, and answers at each."""

    layers: int = 2
    width: int = 64
    core_speed: ClassVar[float] = 1.8e10  # multiply-adds per second of one core in training

    def build(self, seeds, dimension: int, max_pairs: int, device="cpu") -> nn.Module:
        """One network per seed."""
        return Module(lambda inputs: RecurrentNet(inputs, self)).build(seeds, dimension, max_pairs, device)

    def multiplications(self, dimension: int, lengths) -> float:
        """Multiply-adds of the forward pass on one prompt, but for the read-out."""
        return 4 * self.width * (dimension + 1 + (2 * self.layers - 1) * self.width) * (max(lengths) + 1)


class RecurrentNet(nn.Module):
    """The network of one seed."""

    def __init__(self, dimension: int, sizes: Recurrent):
        super().__init__()
        self.reader = nn.LSTM(dimension + 1, sizes.width, sizes.layers, batch_first=True)
        self.read_out = nn.Linear(sizes.width, 1)

    def forward(self, xs: Tensor, ys: Tensor) -> Tensor:
        """Answers at every point: (B, N, d), (B, N) -> (B, N)."""
        before = torch.cat((torch.zeros_like(ys[:, :1]), ys[:, :-1]), dim=1)
        return self.read_out(self.reader(torch.cat((xs, before[..., None]), dim=2))[0])[..., 0]


# What each has in place of the court's decoder: a scoring of Table 1, another option, or another model.
OPTIONS = {row.name: lambda model, row=row: replace(model, scoring=row.settings(model)) for row in SCORINGS
           if row.name != SOFTMAX} | {"recurrent net": lambda model: Recurrent()} | {
               name: lambda model, options=options: replace(model, **options) for name, options in {
               "prefix mask": {"mask": "prefix"}, "block mask, 5 pairs": {"mask": "block-causal", "block": 5},
               "leave-one-out mask": {"mask": "leave-one-out"},
               "queries see pairs only": {"queries_see_themselves": False},
               "no final LayerNorm": {"final_norm": False}, "no LayerNorm": {"normalization": "none"},
               "RMSNorm": {"normalization": "rms"}, "SwiGLU": {"activation": "swiglu"},
               "rotary positions": {"positions": "rotary"},
               "read-out ten times as fast": {"read_out_rate": 10.0}, UNTRAINED: {}}.items()}


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
        return max(shift.pairs for shift in self.shifts.values())

    def axes(self, metric: str) -> dict:
        return {"shift": tuple(self.shifts)}

    def measure(self, tasks, predictor, device="cpu") -> dict:
        return {"error": np.stack([shift.errors(predictor) for shift in self.shifts.values()], axis=1)}


def runs_of(name: str, profile: str, seeds=range(SEEDS)) -> list[Run]:
    """The models of one entry; at smoke two."""
    setting = SETTINGS[LINES]
    steps = 1 if name == UNTRAINED else 20 if profile == "smoke" else setting.recipe.steps
    recipe = replace(setting.recipe, steps=steps)
    return [Run(setting.task, OPTIONS[name](setting.model), recipe, CourtErrors(), seed)
            for seed in (seeds[:2] if profile == "smoke" else seeds)]


def runs(profile: str) -> list[Run]:
    """The models of all entries, and new ones of claims 21 and 22."""
    return [run for names, seeds in ((OPTIONS, range(SEEDS)), (CLAIMED, NEW)) for name in names
            for run in runs_of(name, profile, seeds)]


def judged(errors: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """What `icllib compare` says of each entry at each test, corrected over all (Holm): a row each.

    errors: entry -> a row for each seed, a column for each test. Softmax of other seeds is an entry too.
    """
    softmax = kept_softmax()[LINES]
    errors = errors | {DISGUISED: pd.DataFrame({shift: own[-SEEDS:] for shift, own in softmax.items()})}
    rows = []
    for name, own in errors.items():
        learned = (own["as in training"] <= SETTINGS[LINES].at_most).to_numpy() | (name == DISGUISED)
        rows += [{"entry": name} | row for row in
                 ratio_rows(LINES, {shift: own[shift].to_numpy() for shift in own}, softmax, learned)]
    give_words(rows)
    return pd.DataFrame(rows)


def over_softmax(errors: pd.DataFrame) -> pd.DataFrame:
    """Errors over those of softmax with the same seed."""
    return errors / pd.DataFrame(kept_softmax()[LINES]).loc[errors.index, errors.columns]


def in_words(table: pd.DataFrame) -> pd.DataFrame:
    """A row for each entry, a column for each test: the ratio, and what is said of it."""
    said = {"better": "better", "worse": "worse", "no difference": "same", "can't tell": "?"}
    cells = [f"{row.ratio:.2f} {said[row.word]}" if row.word in said else "not learned"
             for row in table.itertuples()]
    return table.assign(cell=cells).pivot(index="entry", columns="shift", values="cell").reindex(
        index=table.entry.unique(), columns=table["shift"].unique())


def draw_table(axes, table: pd.DataFrame) -> None:
    """Ratios as colors, those that are told in a frame."""
    entries, shifts = list(table.entry.unique()), list(table["shift"].unique())
    ratios = table.pivot(index="entry", columns="shift", values="ratio").loc[entries, shifts]
    axes.imshow(np.log2(ratios), cmap="PuOr_r", vmin=-4, vmax=4, aspect="auto")
    for row in table.itertuples():
        frame = {"fc": "none", "ec": "black"} if row.word in ("better", "worse") else None
        number = f"{row.ratio:.2g}" if row.ratio < 100 else f"{row.ratio:,.0f}"
        axes.text(shifts.index(row.shift), entries.index(row.entry), number if row.pairs else "–",
                  ha="center", va="center", fontsize=10, bbox=frame,
                  color="white" if abs(np.log2(row.ratio)) > 2.5 else "black")
    axes.grid(False)
    axes.set_xticks(range(len(shifts)), shifts, rotation=35, ha="right")
    axes.set_yticks(range(len(entries)), entries)
