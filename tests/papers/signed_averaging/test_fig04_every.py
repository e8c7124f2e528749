import numpy as np
import pytest
import torch

from claimbook.records import Record, settings
from icllib.models import Softmax
from papers.signed_averaging import fig04_every, quantifiers
from papers.signed_averaging.quantifiers import cells


def test_single_numbers_are_the_first_answers_at_the_largest_sigma():
    runs, draw = fig04_every.runs("smoke"), np.random.default_rng(0)
    made = [Record(settings(run), {}, {"wrong_at": draw.random((2, 41)).tolist()}, {})
            for run in runs]
    softmax = [record.metrics["wrong_at"] for run, record in zip(runs, made)
               if run.task.law == "independent" and run.model.scoring == Softmax()
               and run.model.positions == "learned"]
    found = fig04_every.single_numbers(made, cells("every"))
    assert len(softmax) == 2
    assert {part: list(samples) for part, samples in found.items()} == {
        "sigma = 30": [wrong[1][0] for wrong in softmax]}


def test_softmax_beyond_the_lengths_and_inputs_of_training():
    runs, draw = fig04_every.runs("smoke"), np.random.default_rng(0)
    made = [Record(settings(run), {}, {"wrong": draw.uniform(0.1, 1, (2, 2)).tolist()}, {})
            for run in runs]
    first, second = (record.metrics["wrong"] for record in made[:2])  # softmax; sigmas 1 and 30
    second[0][1] = 0.0  # of 8 sequences
    longer = quantifiers.longer_sequences(made, cells("every"))
    assert {part: list(wrong) for part, wrong in longer.items()} == {
        f"length {n}": [first[0][1], 0.0] for n in (60, 100, 200)}  # 41 is the nearest
    ratio, = quantifiers.deviant_sequences(made, cells("every")).values()
    assert ratio == pytest.approx([first[1][1] / first[0][1], second[1][1] * 16])


def test_the_curriculum_ends_within_training():
    for profile in ("cpu", "gpu", "paper"):
        run = fig04_every.runs(profile)[0]
        assert bool(run.recipe.length_weights(torch.tensor(run.recipe.steps // 2 + 1)).all())
