"""Table 1: trained transformers, with a prefix mask and with a causal mask."""

from dataclasses import replace

import numpy as np

from icllib.evaluate import ErrorByLength, Together, TrainingError
from icllib.papers.causal_lm import trained
from icllib.papers.causal_lm.trained import Cell, MASKS, SIZES, as_in_table_1, table_1
from icllib.results import dealt
from icllib.training import Run


def classifier_cells() -> list[Cell]:
    """The models of Table 1 on three classes."""
    return [cell for cell in as_in_table_1() if cell.task == "classes"]


def runs(profile: str) -> list[Run]:
    """Table 1, and its classifiers on their training sequences."""
    return table_1(profile) + classifiers(profile)


def classifiers(profile: str) -> list[Run]:
    """Table 1's models of three classes, measured on held-out and on training sequences."""
    both = []
    for run in trained.runs(profile, classifier_cells()):
        sizes = run.recipe.lengths, run.evaluation.prompts
        measures = [kind(*sizes, queries=run.recipe.queries,
                         own_prompts=SIZES[profile].own_prompts)
                    for kind in (ErrorByLength, TrainingError)]
        both.append(replace(run, evaluation=Together(measures)))
    return both


def held_out_and_training(records, cells) -> dict[Cell, np.ndarray]:
    """The share of wrong answers on held-out and on training sequences: (2, seeds) per cell.

    records: those of `trained.classifiers`.
    """
    return {cell: np.array([[record[name][0] for record in own]
                            for name in ("wrong", "training_wrong")])
            for cell, own in dealt(records, cells).items()}


def overfitting(shares: dict[Cell, np.ndarray]) -> dict[str, np.ndarray]:
    """How many times larger the ratio of held-out to training errors is with unshared layers.

    shares: what `held_out_and_training` gives; (seeds,) per mask.
    """
    found = {(cell.mask, cell.shared): held_out / training
             for cell, (held_out, training) in shares.items()}
    return {mask: found[mask, False] / found[mask, True] for mask in MASKS}
