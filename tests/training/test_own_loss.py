"""A loss and an optimizer of one's own, by a function each."""

import pytest
import torch

from claimbook.records.errors import InputError
from icllib.models import Transformer
from icllib.tasks import LinearRegression
from icllib.training import Recipe, train

TASK, MODEL = LinearRegression(2, 0.3), Transformer(1, 2, 8)
RECIPE = Recipe((2, 5), steps=30, batch=8, learning_rate=1e-3, schedule="cosine", warmup=0.1, precision="fp64")


def parameters(seeds=(0, 1), **own):
    module = train(TASK, MODEL, RECIPE, list(seeds), **own)
    return torch.cat([values.detach().flatten(1) for values in module.parameters()], dim=1)


def squared(answers, targets):
    return (answers - targets).square()


def test_those_of_the_recipe_given_by_functions_train_alike():
    own = parameters(loss=squared, optimizer=lambda own: torch.optim.AdamW(own, lr=1e-3, weight_decay=0))
    torch.testing.assert_close(own, parameters(), rtol=0, atol=1e-8)
    assert (own - parameters(loss=lambda answers, targets: (answers - targets).abs())).abs().max() > 1e-4


def test_rates_of_an_own_optimizer_follow_the_schedule():
    """Plain descent moves by the sum of rates times gradients; a constant gradient shows the rates alone."""
    rates = torch.tensor([RECIPE.rate(step) / RECIPE.learning_rate for step in range(RECIPE.steps)])

    class Unit(torch.optim.SGD):
        def step(self):
            for own in self.param_groups[0]["params"]:
                own.grad = torch.ones_like(own)
            super().step()

    start = parameters(optimizer=lambda own: Unit(own, lr=0.0))
    moved = start - parameters(optimizer=lambda own: Unit(own, lr=0.5))
    torch.testing.assert_close(moved, torch.full_like(moved, 0.5 * float(rates.sum())), rtol=1e-6, atol=1e-9)


def test_members_train_as_if_alone_and_an_optimizer_that_mixes_them_is_refused():
    descent = lambda own: torch.optim.SGD(own, lr=0.1, momentum=0.9)
    torch.testing.assert_close(parameters(optimizer=descent)[1:], parameters([1], optimizer=descent))

    class Clipped(torch.optim.SGD):
        def step(self):
            torch.nn.utils.clip_grad_norm_(self.param_groups[0]["params"], 1.0)
            super().step()

    with pytest.raises(InputError, match="optimizer.*one at a time"):
        parameters(optimizer=lambda own: Clipped(own, lr=0.1))
    parameters([0], optimizer=lambda own: Clipped(own, lr=0.1))


@pytest.mark.parametrize("name, own", [
    ("loss", lambda answers, targets: squared(answers, targets).mean()), ("loss", lambda answers: answers), ("loss", 3),
    ("optimizer", torch.optim.LBFGS), ("optimizer", lambda own: torch.optim.SGD(own[1:], lr=0.1)), ("optimizer", 3)])
def test_what_cannot_train_is_refused_by_name(name, own):
    with pytest.raises(InputError, match=f"{name}[^:]*: expected"):
        parameters(**{name: own})
