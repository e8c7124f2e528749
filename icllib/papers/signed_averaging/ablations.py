"""Affine functions without a part of the model, at other sizes and under other training laws.

Tables 5 and 6, Figures 1, 9 and 11, Sections 5.2 and 5.3. A page's runs are listed by the
function that has its name; most of them are shown on several pages.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from icllib.models import SignedAveraging, Softmax
from icllib.papers.signed_averaging.affine import SIZES, Size, affine_run, decoder
from icllib.papers.signed_averaging.affine_measures import LineAnswers
from icllib.training import Run

# Per profile: how the models of Table 6 are trained, whatever their depth.
DEPTH_SIZES = {
    "smoke": SIZES["smoke"],
    # ASSUMED: fewer steps and prompts than for Table 1, since these models are up to 18 layers.
    "quick": replace(SIZES["quick"], width=SIZES["quick"].depths_width, steps=1000, prompts=2),
    "gpu": replace(SIZES["gpu"], steps=15_000),
    "paper": SIZES["paper"],
}


class Shape(NamedTuple):
    """The layers and heads of a model, and what its layers consist of."""

    layers: int
    heads: int
    attention: bool = True
    perceptron: bool = True

    @property
    def name(self) -> str:
        """The paper's name: L for full layers, Al for attention only."""
        if not self.attention:
            return "feed-forward only"
        return f"{self.layers}{'L' if self.perceptron else 'Al'}{self.heads}AH"

    def runs(self, profile: str) -> list[Run]:
        """Softmax models of this shape, one per seed."""
        size = DEPTH_SIZES[profile]
        model = decoder(size, **self._asdict())
        runs = [affine_run(size, model, seed) for seed in range(size.depths_seeds)]
        # At `paper` 12L8AH is the softmax model of Table 1. At the other profiles it is not, and
        # errors along its training would cost more than the training.
        return runs if profile == "paper" else [replace(run, along=None) for run in runs]


FULL = Shape(12, 8)  # the paper's base model
ATTENTION_ONLY = Shape(12, 8, perceptron=False)
FEED_FORWARD_ONLY = Shape(12, 8, attention=False)  # ASSUMED: as deep as the others
SHAPES = (*(Shape(layers, heads) for layers in (1, 2, 3) for heads in (1, 2, 4)),
          Shape(6, 4), FULL, Shape(18, 8),
          Shape(2, 32, perceptron=False), ATTENTION_ONLY)  # Table 6, in its order


def base_runs(size: Size, scoring=Softmax(), **law) -> list[Run]:
    """The base model of a profile, one run per seed; law: see `affine_run`."""
    model = decoder(size, scoring)
    return [affine_run(size, model, seed, **law) for seed in range(size.seeds)]


# ---- the runs of every page -----------------------------------------------------------------


def table06_depth_heads(profile: str) -> list[Run]:
    """Table 6 and Figure 11: every shape, in the order of the table."""
    return [run for shape in SHAPES for run in shape.runs(profile)]


def attention_or_feed_forward(profile: str) -> list[Run]:
    """Section 5.2: full layers, attention only, feed-forward only."""
    return [run for shape in (FULL, ATTENTION_ONLY, FEED_FORWARD_ONLY)
            for run in shape.runs(profile)]


def boundary_values(profile: str) -> list[Run]:
    """Figures 1 and 9: models of Table 6 with and without perceptrons, and those of Table 5."""
    return FULL.runs(profile) + ATTENTION_ONLY.runs(profile) + table05_deviant_input(profile)


def table05_deviant_input(profile: str) -> list[Run]:
    """Table 5: the softmax model of Table 1, and the SSA model beside it."""
    size = SIZES[profile]
    return base_runs(size) + base_runs(size, SignedAveraging())


def training_laws(profile: str) -> list[Run]:
    """Section 5.3 and Appendix A.1: other laws of the inputs, and no curriculum."""
    size = SIZES[profile]
    return [run for law in TRAINING_LAWS.values() for run in base_runs(size, **law)]


TRAINING_LAWS = {
    "N(0, 1)": {},
    "N(0, 10)": {"input_std": 10.0},
    "N(0, 100)": {"input_std": 100.0},
    "N(0, 1), no curriculum": {"curriculum": False},
}


# ---- what the pages read --------------------------------------------------------------------


def in_groups(records, names) -> dict:
    """The records of each of several equally large groups, by name.

    records: those of a page, group after group.
    """
    seeds = len(records) // len(names)
    return {name: records[place * seeds : (place + 1) * seeds]
            for place, name in enumerate(names)}


def by_seed(records, metric: str) -> np.ndarray:
    """A metric of several seeds: (seeds, ...)."""
    return np.array([record[metric] for record in records])


def geometric_mean(ratios) -> np.ndarray:
    """The geometric mean over the last axis."""
    return np.exp(np.log(ratios).mean(axis=-1))


def line_answers(records, slope: float, lines=LineAnswers()) -> np.ndarray:
    """The mean predictions on y = slope x: (seeds, queries)."""
    return by_seed(records, "answer")[:, lines.slopes.index(slope)]


def rise(answers, slope: float, start=10, end=20, queries=LineAnswers().queries) -> np.ndarray:
    """How far predictions rise from abs(x) = start to end, as a share of the true rise: (seeds,).

    answers: (seeds, queries) on y = slope x. A model that follows the line has 1; one whose
    predictions have reached their boundary has 0.
    """
    size = lambda x: np.abs(answers[:, [queries.index(-x), queries.index(x)]]).mean(axis=1)
    return (size(end) - size(start)) / (slope * (end - start))
