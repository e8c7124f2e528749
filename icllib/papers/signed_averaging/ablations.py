"""Affine functions without a part of the model, at other sizes and training distributions.

Tables 5 and 6, Figures 1, 9 and 11, Sections 5.2 and 5.3. A page's runs are listed by the
function that has its name; most of them are shown on several pages.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from icllib.models import SignedAveraging, Softmax
from icllib.papers.signed_averaging.affine import SIZES, affine_run, decoder
from icllib.papers.signed_averaging.affine_measures import (DEVIANT, FIRST_COUNTED,
                                                            LineAnswers)
from icllib.results import digest, settings
from icllib.training import Run

QUERIES = LineAnswers().queries  # where answers on a line are measured

LAWS = {"N(0, 1)": 1.0, "N(0, 10)": 10.0, "N(0, 100)": 100.0}  # of inputs: Section 5.3
# What differs from Table 1 at `cpu`, by the inputs of training. ASSUMED: fewer seeds. After the
# 20,000 steps of Table 1 a model of N(0, 10) had 0.0047 of the error of always answering 0, about
# twice what counts as learned. One model of N(0, 100) is a pilot.
AT_CPU = {"N(0, 1)": {"seeds": 3}, "N(0, 10)": {"seeds": 3, "steps": 50_000},
          "N(0, 100)": {"seeds": 1, "steps": 10_000}}

# Per profile: how the models of Table 6 are trained, whatever their depth.
DEPTH_SIZES = {
    "smoke": replace(SIZES["smoke"], width=32),  # for 32 heads
    # ASSUMED: fewer steps than for Table 1, for models of up to 18 layers. Pilots of 12Al8AH, one
    # seed and 4000 steps, ended at 0.0055 with this rate and at 0.0086 with half of it.
    "cpu": replace(SIZES["cpu"], steps=7000, seeds=3),
    "gpu": replace(SIZES["gpu"], steps=15_000),  # ASSUMED: fourteen models in the time of a page
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
        runs = [affine_run(size, model, seed) for seed in range(size.seeds)]
        # At `paper` 12L8AH is the softmax model of Table 1. At the other profiles it is not, and
        # errors along its training would cost more than the training.
        return runs if profile == "paper" else [replace(run, along=None) for run in runs]


FULL = Shape(12, 8)  # the paper's base model
ATTENTION_ONLY = Shape(12, 8, perceptron=False)
FEED_FORWARD_ONLY = Shape(12, 8, attention=False)  # ASSUMED: as deep as the others
SHALLOW_ATTENTION = Shape(2, 32, perceptron=False)
SHAPES = (*(Shape(layers, heads) for layers in (1, 2, 3) for heads in (1, 2, 4)),
          Shape(6, 4), FULL, Shape(18, 8),
          SHALLOW_ATTENTION, ATTENTION_ONLY)  # Table 6, in its order
PARTS = (FULL, ATTENTION_ONLY, SHALLOW_ATTENTION, FEED_FORWARD_ONLY)  # Section 5.2


# ---- the models of every page, by name: a list of runs each, one per seed ---------------------


def models_by_shape(profile: str, shapes=SHAPES) -> dict[str, list[Run]]:
    """Softmax models of several shapes."""
    return {shape.name: shape.runs(profile) for shape in shapes}


def models_by_scoring(profile: str) -> dict[str, list[Run]]:
    """The softmax model of Table 1, and the SSA model beside it."""
    return {"softmax": base_runs(profile), "SSA": base_runs(profile, SignedAveraging())}


def models_by_law(profile: str) -> dict[str, list[Run]]:
    """The softmax model of Table 1, and the same trained on wider inputs."""
    models = {}
    for name, input_std in LAWS.items():
        size = replace(SIZES[profile], **AT_CPU[name] if profile == "cpu" else {})
        models[name] = [affine_run(size, decoder(size), seed, input_std)
                        for seed in range(size.seeds)]
    return models


def models_by_curriculum(profile: str) -> dict[str, list[Run]]:
    """The softmax model of Table 1, trained with and without a curriculum."""
    return {name: base_runs(profile, curriculum=curriculum)
            for name, curriculum in (("with", True), ("without", False))}


def base_runs(profile: str, scoring=Softmax(), curriculum: bool = True) -> list[Run]:
    """The base model of a profile."""
    size = SIZES[profile]
    return [affine_run(size, decoder(size, scoring), seed, curriculum=curriculum)
            for seed in range(size.seeds)]


def boundary_models(profile: str) -> dict[str, list[Run]]:
    """Models with and without perceptrons, and with SSA beside softmax."""
    return models_by_shape(profile, (FULL, ATTENTION_ONLY)) | models_by_scoring(profile)


# ---- the runs of every page -----------------------------------------------------------------


def table06_depth_heads(profile: str) -> list[Run]:
    """Table 6 and Figure 11: every shape, in the order of the table."""
    return all_runs(models_by_shape(profile))


def attention_or_feed_forward(profile: str) -> list[Run]:
    """Section 5.2: full layers, attention only, feed-forward only."""
    return all_runs(models_by_shape(profile, PARTS))


def boundary_values(profile: str) -> list[Run]:
    """Figures 1 and 9."""
    return all_runs(boundary_models(profile))


def table05_deviant_input(profile: str) -> list[Run]:
    """Table 5, and the sequence of Section 5.3."""
    return all_runs(models_by_scoring(profile))


def training_laws(profile: str) -> list[Run]:
    """Section 5.3 and Appendix A.1: wider inputs in training, and no curriculum."""
    return list(dict.fromkeys(wider_inputs(profile) + with_and_without_curriculum(profile)))


def wider_inputs(profile: str) -> list[Run]:
    """Section 5.3: wider inputs in training."""
    return all_runs(models_by_law(profile))


def with_and_without_curriculum(profile: str) -> list[Run]:
    """A comparison that Appendix A.1 does not show."""
    return all_runs(models_by_curriculum(profile))


def all_runs(models: dict) -> list[Run]:
    """The runs of all models, each once: at `paper`, 12L8AH is the softmax model."""
    return list(dict.fromkeys(run for runs in models.values() for run in runs))


# ---- what the pages read --------------------------------------------------------------------


def by_model(records, models: dict, metric: str) -> dict[str, np.ndarray]:
    """A metric of every model, of the seeds that have records: name -> (seeds, ...).

    records: those of a page, in any order; models: name -> runs.
    """
    found = {digest(record.run): record[metric] for record in records}
    return {name: np.array([found[key] for run in runs if (key := digest(settings(run))) in found])
            for name, runs in models.items()}


def seed_by_seed(combine, first, second) -> np.ndarray:
    """What two models' numbers combine to, for the seeds that both have."""
    return np.array([combine(*pair) for pair in zip(first, second)])


def geometric_mean(ratios) -> np.ndarray:
    """The geometric mean over the last axis."""
    return np.exp(np.log(ratios).mean(axis=-1))


def shift_ratios(grid, stds) -> dict[str, np.ndarray]:
    """Claims 40 and 41: errors under the widest laws of a grid against those under the narrowest.

    Each is first divided by the error of always answering 0, F^2 (1 + I^2). grid: (seeds, I, F),
    over the deviations `stds` of the inputs and of the functions, in rising order.
    """
    squares = np.square(stds)
    share = grid / np.outer(1 + squares, squares)
    ends = {"inputs": share[:, -1, 0], "functions": share[:, 0, -1], "both": share[:, -1, -1]}
    return {shift: end / share[:, 0, 0] for shift, end in ends.items()}


def failure_on_sequence(answers) -> np.ndarray:
    """Claim 47: the squared error on y = x at the inputs DEVIANT over that of always answering 0.

    Over the points that count. answers: (seeds, 5).
    """
    true, answers = np.array(DEVIANT)[FIRST_COUNTED - 1 :], np.asarray(answers)
    return np.square(answers[:, FIRST_COUNTED - 1 :] - true).sum(axis=1) / np.square(true).sum()


def on_line(answers, slope: float) -> np.ndarray:
    """The mean predictions on y = slope x, of a metric (seeds, slopes, queries): (seeds, queries)."""
    return answers[:, LineAnswers().slopes.index(slope)]


def rise(answers, slope: float, near: float = 10, far: float = 20) -> np.ndarray:
    """How far predictions rise between two abs(x), as a share of the true rise: (seeds,).

    answers: (seeds, queries) on y = slope x. A model that follows the line has 1; one whose
    predictions have reached their boundary has 0.
    """
    size = lambda x: np.abs(answers[:, [QUERIES.index(-x), QUERIES.index(x)]]).mean(axis=1)
    return (size(far) - size(near)) / (slope * (far - near))
