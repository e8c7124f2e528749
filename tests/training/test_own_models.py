"""Models of one's own that could not be trained, measured or kept are refused before training."""

from dataclasses import dataclass, field
from typing import ClassVar

import pytest
import torch

from claimbook.records.errors import InputError
from icllib.attention import softmax
from icllib.evaluate import ErrorByLength
from icllib.models import MLP, Transformer
from icllib.models.mixing import Weighted
from icllib.models.scoring import Plain
from icllib.tasks import LinearRegression
from icllib.training import Fleet, Recipe, Trained, train

TASK, RECIPE = LinearRegression(2, 0.5), Recipe((2, 4), steps=2, batch=4)


@dataclass(frozen=True)
class Changed(MLP):
    """A perceptron on prompts, whose module is changed after it was built."""

    change: object = None

    def build(self, *sizes):
        module = super().build(*sizes)
        self.change(module)
        return module


def peek(module):
    """Let it read the label that is asked for, in place of the last one that is shown."""
    own = module.forward
    module.forward = lambda xs, ys, lengths: own(xs, torch.cat((ys[:, :, 1:], ys[:, :, :1]), dim=2), lengths)


def tie(module):
    """Give one of its parameters a second name."""
    module.again = next(module.parameters())


@pytest.mark.parametrize("change, message", [
    (peek, "answers after 2 pairs to depend on these alone"),
    (tie, "each parameter under one name, got .* of Changed"),
    (lambda module: module.register_buffer("scale", torch.tensor(1.0)),
     r"a first axis of 1 members, got scale \(\) of Changed"),
    (lambda module: module.register_parameter("idle", torch.nn.Parameter(torch.ones(1))),
     "a loss that depends on each parameter, got idle"),
    (lambda module: module.requires_grad_(False), "a module with parameters to train")])
def test_a_model_that_could_not_be_measured_or_kept_is_refused(change, message):
    with pytest.raises(InputError, match=f"model: expected .*{message}"):
        train(TASK, Changed(16, change=change), RECIPE, [0])


def test_models_that_differ_in_what_their_modules_do_not_hold_are_refused():
    @dataclass(frozen=True)
    class Tempered(Plain):
        temperature: float = field(default=1.0, metadata={"per_member": True})
        version: ClassVar[int] = 1

        def build(self, draw, heads):
            return Weighted(lambda z, mask: softmax(z / self.temperature, mask))

    models = [Transformer(1, 2, 8, scoring=Tempered(value)) for value in (1.0, 9.0)]
    with pytest.raises(InputError, match="model: "):
        Fleet([TASK] * 2, models[0], RECIPE, [0, 1], [None] * 2, models=models)


def test_attention_to_later_labels_is_refused():
    @dataclass(frozen=True)
    class Unmasked(Plain):
        version: ClassVar[int] = 1

        def build(self, draw, heads):
            return Weighted(lambda z, mask: z.softmax(-1))

    with pytest.raises(InputError, match="shift or mask them"):
        train(TASK, Transformer(1, 2, 8, scoring=Unmasked()), RECIPE, [0])


def test_a_trained_model_answers_without_dropout():
    def drop(module):
        own, module.dropout = module.forward, torch.nn.Dropout(0.5)
        module.forward = lambda xs, ys, lengths: module.dropout(own(xs, ys, lengths))

    trained = Trained(train(TASK, Changed(8, change=drop), RECIPE, [0]))
    first, again = (ErrorByLength((2,), prompts=8).measure([TASK], trained) for _ in range(2))
    assert first["error"] == again["error"]
