"""Figure 4: are all numbers positive? SSA and softmax over longer and wider sequences."""

import numpy as np

from icllib.papers.signed_averaging.quantifiers import (
    TRAINED, cell_runs, cells, compared_on_every, grid, half_a_sequence)
from icllib.results import stacked
from icllib.training import Run


def runs(profile: str) -> list[Run]:
    """Figure 4, without positions too, and with balanced labels; and those that are compared."""
    return list(dict.fromkeys(every_variant(profile) + compared_on_every(profile)))


def every_variant(profile: str) -> list[Run]:
    """The heat maps of Figure 4."""
    return cell_runs(profile, cells("every"))


def single_numbers(records, chosen) -> dict:
    """Softmax's share of wrong answers to the first number, whose sign is its label, by seed."""
    sigmas, _ = grid(records[0])
    return {f"sigma = {sigmas[-1]}": stacked(records, chosen, "wrong_at")[chosen[0]][:, -1, 0]}


def at_length(records, chosen, n: int) -> np.ndarray:
    """Softmax's share of wrong sequences of the tested length nearest to n: (seeds, sigmas)."""
    _, lengths = grid(records[0])
    return stacked(records, chosen, "wrong")[chosen[0]][..., np.abs(lengths - n).argmin()]


def longer_sequences(records, chosen) -> dict:
    """Softmax's share of wrong sequences beyond the lengths of training at sigma = 1, by seed."""
    return {f"length {n}": at_length(records, chosen, n)[:, 0] for n in (60, 100, 200)}


def deviant_sequences(records, chosen) -> dict:
    """The same at the largest sigma over sigma = 1, at the length of training, by seed."""
    wrong = np.maximum(at_length(records, chosen, TRAINED), half_a_sequence(records[0]))
    return {f"length {TRAINED}": wrong[:, -1] / wrong[:, 0]}
