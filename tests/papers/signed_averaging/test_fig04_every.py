import numpy as np
import pytest

from claimbook.records import Record, settings
from papers.signed_averaging import quantifiers


def test_softmax_beyond_the_lengths_and_inputs_of_training():
    runs, draw = quantifiers.compared_on_every("smoke"), np.random.default_rng(0)
    made = [Record(settings(run), {}, {"wrong": draw.uniform(0.1, 1, (2, 2)).tolist()}, {}) for run in runs]
    first, second = (record.metrics["wrong"] for record in made[:2])  # softmax; sigmas 1 and 30
    second[0][1] = 0.0  # of 8 sequences
    longer = quantifiers.longer_sequences(made)
    assert {part: list(wrong) for part, wrong in longer.items()} == {
        f"length {n}": [first[0][1], 0.0] for n in (60, 100, 200)}  # 41 is the nearest
    ratio, = quantifiers.deviant_sequences(made).values()
    assert list(ratio) == pytest.approx([first[1][1] / first[0][1], second[1][1] * 16])
