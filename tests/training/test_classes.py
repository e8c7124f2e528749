"""Labels that are one-hot vectors: a decoder, its training and its evaluation."""

import torch

from icllib.evaluate import ErrorByLength
from icllib.models import Transformer
from icllib.tasks import LinearClassification

TASK = LinearClassification(3, classes=4)
LENGTHS = (2, 5)


def test_a_decoder_reads_and_answers_classes():
    module = Transformer(1, 2, 16).build([0, 1], 3, 5, classes=4)
    xs, labels = torch.randn(2, 6, 6, 3), torch.eye(4)[torch.randint(4, (2, 6, 6))]
    predictions = module(xs, labels, LENGTHS)
    assert predictions.shape == (2, 6, 2, 4)
    labels[:, :, 2] = 0
    changed = module(xs, labels, LENGTHS)
    assert torch.equal(changed[:, :, 0], predictions[:, :, 0])  # length 2 sees labels 0 and 1
    assert not torch.equal(changed[:, :, 1], predictions[:, :, 1])


class FirstClass:
    """Always answers the first class."""

    def predict(self, xs, ys, lengths):
        return torch.eye(4)[0].expand(*ys.shape[:2], len(lengths), 4)


def test_wrong_counts_the_other_classes():
    measured = ErrorByLength(LENGTHS, 4000).measure(TASK, FirstClass())
    assert abs(measured["wrong"] - 0.75).max() < 4 * (0.75 * 0.25 / 4000) ** 0.5
    assert abs(measured["error"] - measured["wrong"] * 2 / 4).max() < 1e-6  # two entries differ
