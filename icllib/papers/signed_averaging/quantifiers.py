"""The quantifier tasks: how often a label is true, and how little it takes to be right.

A label that is settled stays so: "every" is false from the first x <= 0 on, "some" is true from
the first x > 0 on. A predictor that is right on the first r numbers and then gives the settled
answer errs on a sequence exactly where the label is still open at position r + 1; with r = 0 it
is a constant.
"""

from dataclasses import dataclass
from typing import ClassVar

import torch

from icllib.papers.signed_averaging.affine_measures import FIRST_COUNTED
from icllib.streams import Stream
from icllib.tasks import Quantifier

TRAINED = 40  # the longest sequence in training, Section 3
LENGTHS = tuple(range(10, 201, 10))  # Figures 4, 5: 10 to 200. ASSUMED: in steps of 10
READ = (0, 5, 10, 20)  # ASSUMED: how many numbers the predictors of the page read


@dataclass(frozen=True)
class BaseRates:
    """Labels of a quantifier under a law, and what predictors that read few numbers get wrong."""

    task: Quantifier
    sigmas: tuple = (1, 5, 10, 20, 30)  # of the 1 to 30 in Figures 4, 5
    lengths: tuple = (10, 50, 100, 150, 200)  # of LENGTHS, where errors are sampled too
    sequences: int = 6400  # 100 samples of 64, Section 3
    seed: int = 0
    version: ClassVar[int] = 1

    def __post_init__(self):
        for name in ("sigmas", "lengths"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

    def measure(self) -> dict:
        """Shares of true labels by position, sequence errors by length, or by sigma and length."""
        near, far = (self.labels(sigma, TRAINED, 0) for sigma in (self.sigmas[0], self.sigmas[-1]))
        cells = [[sigma, length] for sigma in self.sigmas for length in self.lengths]
        sampled = [self.constant_error(*cell, place) for place, cell in enumerate(cells, 1)]
        constants = [open_rates(self.task, length)[FIRST_COUNTED - 1 :] for length in LENGTHS]
        return {"position": list(range(1, TRAINED + 1)),
                "true": self.task.base_rates(TRAINED), "sampled_true": near.mean(0),
                "labels_changed_by_sigma": int((near != far).sum()),
                "length": LENGTHS,
                "wrong": [[reader_error(self.task, read, length) for length in LENGTHS]
                          for read in READ],  # (predictors, lengths)
                "wrong_positions": [sum(rates) / len(rates) for rates in constants],
                "wrong_last": [rates[-1] for rates in constants],
                "cells": cells, "sampled_wrong": sampled}

    def labels(self, sigma: float, length: int, place: int) -> torch.Tensor:
        """Labels of sequences whose numbers no other place has: (sequences, length)."""
        task = Quantifier(self.task.quantifier, float(sigma), self.task.law)
        ids = place * self.sequences + torch.arange(self.sequences)
        stream = Stream.of([self.seed], "evaluation")
        return task.sample(stream, ids[None], length, torch.float64).ys[0]

    def constant_error(self, sigma: float, length: int, place: int) -> float:
        """The share of sequences that the constant predictor gets wrong."""
        labels = self.labels(sigma, length, place)
        wrong = labels != settled_answer(self.task)
        return float(wrong[:, FIRST_COUNTED - 1 :].any(1).double().mean())


def settled_answer(task: Quantifier) -> int:
    """The label once it is settled."""
    return 0 if task.quantifier == "every" else 1


def open_rates(task: Quantifier, n: int) -> list[float]:
    """The probability that the label is still open at position k, for k = 1, ..., n."""
    return [abs(settled_answer(task) - rate) for rate in task.base_rates(n)]


def reader_error(task: Quantifier, read: int, length: int) -> float:
    """The sequence error of a predictor that reads `read` numbers, in closed form."""
    decisive = max(read + 1, FIRST_COUNTED)
    return open_rates(task, length)[decisive - 1] if decisive <= length else 0.0


def quantifier_base_rates(profile: str) -> list[BaseRates]:
    """Both quantifiers under the paper's law, then under the balanced one; a sample at smoke."""
    size = {"sequences": 64} if profile == "smoke" else {}
    return [BaseRates(Quantifier(quantifier, law=law), **size)
            for law in ("independent", "balanced") for quantifier in ("every", "some")]
