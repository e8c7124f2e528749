"""The error on the prompts of training, against the prompts that training drew."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from claimbook.records import find_record
from claimbook.records.errors import InputError
from icllib.evaluate import ErrorByLength, Together, TrainingError
from icllib.models import MLP
from icllib.tasks import LinearRegression
from icllib.training import Fleet, Recipe, Run, trainer

TASK, T = LinearRegression(3, 0.5), 12
RECIPE = Recipe((2, 4), steps=6, batch=4)


def rows(prompts):
    """The prompts of each member, in an order that does not depend on when they were drawn."""
    flat = torch.cat([torch.cat((p.xs.flatten(2), p.ys), dim=2) for p in prompts], dim=1)
    return [sorted(member.tolist()) for member in flat]


class Listens:
    """A predictor that keeps what it is asked."""

    def __init__(self, stream):
        self.stream, self.heard = stream, []

    def predict(self, xs, ys, lengths):
        self.heard.append(type("Prompt", (), {"xs": xs, "ys": ys}))
        return torch.zeros(*xs.shape[:2], len(lengths))


def test_its_prompts_are_those_of_an_epoch():
    fleet = Fleet([TASK] * 2, MLP(8), RECIPE, [3, 5], [T, T])
    trained_on = []
    for _ in range(T // RECIPE.batch):
        trained_on.append(fleet.sample())
        fleet.take_step()
    listens = Listens(fleet.stream)
    found = TrainingError((2, 4), T).measure([TASK] * 2, listens)
    assert rows(listens.heard) == rows(trained_on)
    ys = torch.cat([prompt.ys for prompt in trained_on], dim=1)
    assert list(found) == ["training_error", "training_excess"]
    np.testing.assert_allclose(found["training_error"], ys[:, :, [2, 4]].square().mean(dim=1), rtol=1e-5)


@pytest.mark.parametrize("changes, evaluation", [
    ({}, TrainingError((2, 4), T + 1)), ({"pretraining_tasks": None}, TrainingError((2, 4), T)),
    ({}, TrainingError((2, 3), T)), ({}, TrainingError((2, 4), T, queries=2)),
    ({"recipe": replace(RECIPE, precision="fp64")}, TrainingError((2, 4), T))])
def test_prompts_that_training_does_not_see_are_refused(changes, evaluation):
    run = Run(TASK, MLP(8), RECIPE, TrainingError((2, 4), T), pretraining_tasks=T)
    with pytest.raises(InputError, match="evaluation: expected|several queries"):
        replace(run, **changes, evaluation=evaluation)


def test_a_record_holds_both_errors(results):
    measured = Together((ErrorByLength((2, 4), T), TrainingError((2, 4), T)))
    runs = [Run(TASK, MLP(8), RECIPE, measured, seed, T) for seed in (0, 1)]
    trainer.compute(runs, runs, "smoke", results / "test" / "page")
    metrics = [find_record(run, "test").metrics for run in runs]
    assert all(metric.keys() == {"error", "excess", "training_error", "training_excess"}
               for metric in metrics)
    assert metrics[0]["training_error"] != metrics[1]["training_error"]
