"""Base rates: what answers score on the quantifier tasks that are constant or read only the first numbers."""

from dataclasses import dataclass

import torch

from claimbook.records import Component
from icllib.streams import Stream
from icllib.tasks import Quantifier
from papers.signed_averaging.affine import FIRST_COUNTED
from papers.signed_averaging.quantifiers import LENGTHS, TRAINED, open_rates, reader_error, settled_answer

READ = (0, 5, 10, 20)  # ASSUMED: how many numbers the predictors of the page read


@dataclass(frozen=True)
class BaseRates(Component):
    """Labels of a quantifier task, and the errors of predictors that read only a few numbers."""

    task: Quantifier
    sigmas: tuple = (1, 5, 10, 20, 30)  # of the 1 to 30 in Figures 4, 5
    lengths: tuple = (10, 50, 100, 150, 200)  # of LENGTHS, where errors are sampled too
    sequences: int = 6400  # 100 samples of 64, Section 3
    seed: int = 0

    def axes(self, metric: str) -> dict:
        cells = [(sigma, length) for sigma in self.sigmas for length in self.lengths]
        return {"wrong": {"read": READ, "length": LENGTHS}, "sampled_wrong": {"cell": cells}}.get(
            metric, {"position": None} if "true" in metric else {"length": LENGTHS})

    def measure(self) -> dict:
        """Shares of true labels by position; sequence errors by length, and by sigma and length."""
        near, far = (self.labels(sigma, TRAINED, 0) for sigma in (self.sigmas[0], self.sigmas[-1]))
        cells = self.axes("sampled_wrong")["cell"]
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
        """Labels of sequences; each place has other numbers: (sequences, length)."""
        task = Quantifier(self.task.quantifier, float(sigma), self.task.law)
        ids = place * self.sequences + torch.arange(self.sequences)
        stream = Stream.of([self.seed], "evaluation")
        return task.sample(stream, ids[None], length, torch.float64).ys[0]

    def constant_error(self, sigma: float, length: int, place: int) -> float:
        """The share of sequences that the constant predictor gets wrong."""
        labels = self.labels(sigma, length, place)
        wrong = labels != settled_answer(self.task)
        return float(wrong[:, FIRST_COUNTED - 1 :].any(1).double().mean())


def runs(profile: str) -> list[BaseRates]:
    """Both quantifiers with the paper's labels, then with balanced ones; few sequences at smoke."""
    size = {"sequences": 64} if profile == "smoke" else {}
    return [BaseRates(Quantifier(quantifier, law=law), **size)
            for law in ("independent", "balanced") for quantifier in ("every", "some")]
