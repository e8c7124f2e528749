"""Trained models side by side: ratios of their errors, whether they have learned, and controls."""

from functools import cache

import numpy as np
import torch

from icllib.papers.causal_lm.trained import MASKS, SIZES, Cell, task
from icllib.results import dealt
from icllib.streams import Stream

LEARNED = 0.5  # of the constant answer's error, at most: the gate of the chapter's claims


@cache
def constant_error(name: str, dimension: int) -> float:
    """The error of the best constant answer on a task of Section 5.2, in percent for classes.

    That is 0 for numbers, whose law is symmetric, with a mean over 160,000 labels; and any class.
    """
    if name == "classes":
        return 100 * (1 - 1 / task(name, dimension).classes)
    stream, ids = Stream.of([0], "evaluation"), torch.arange(20_000)[None]
    return float(task(name, dimension).sample(stream, ids, 8).means.square().mean())


def reached(errors: dict[Cell, np.ndarray], cells, profile: str) -> np.ndarray:
    """The error of the worst of these cells over that of the constant answer: (seeds,)."""
    dimension = SIZES[profile].dimension
    return np.max([errors[cell] / constant_error(cell.task, dimension) for cell in cells], axis=0)


def learned(errors: dict[Cell, np.ndarray], profile: str,
            final: dict[Cell, np.ndarray] | None = None) -> dict[Cell, np.ndarray]:
    """The errors of the models that pass the gate; of a kind that has none, those of all.

    final: the errors that tell whether models have learned, where `errors` are others.
    """
    final = errors if final is None else final
    passed = {cell: reached(final, [cell], profile) <= LEARNED for cell in errors}
    return {cell: own[passed[cell]] if passed[cell].any() else own
            for cell, own in errors.items()}


def ratios(errors: dict[Cell, np.ndarray], pairs: dict[str, tuple[Cell, Cell]], profile: str,
           final: dict[Cell, np.ndarray] | None = None) -> dict:
    """What a page hands to a claim: evidence, gate and, for masks, control.

    pairs: part -> two cells, whose errors are divided, seed by seed. final: the errors that tell
    whether models have learned, where `errors` are others. The control of the prefix mask is the
    causal one, from the seed before, in its place: it differs by the scatter of seeds alone.
    """
    final = errors if final is None else final
    handed = {"evidence": {part: errors[one] / errors[other]
                           for part, (one, other) in pairs.items()},
              "gate": {part: reached(final, both, profile) for part, both in pairs.items()}}
    if all(one.mask != other.mask for one, other in pairs.values()):
        handed["control"] = {part: np.roll(errors[other], 1) / errors[other]
                             for part, (_, other) in pairs.items()}
    return handed


def beside_printed(errors: dict[str, np.ndarray], cells, profile: str) -> dict:
    """What a page hands to a claim about printed errors: evidence, gate and control.

    errors: part -> (seeds,); cells: the one of each part. The gate is the task's dimension, since
    errors on another task are others; the control is the constant answer on the paper's task.
    """
    dimension, of_paper = SIZES[profile].dimension, SIZES["paper"].dimension
    return {"evidence": errors,
            "gate": {part: [dimension] * len(own) for part, own in errors.items()},
            "control": {part: [constant_error(cell.task, of_paper)]
                        for part, cell in zip(errors, cells)}}


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
