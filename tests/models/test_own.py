"""Ordinary modules train as a fleet, each member as if alone, and come back as what they were."""

from functools import partial

import pytest
import torch
from torch import nn

from claimbook.records.errors import InputError
from icllib.models.own import Module
from icllib.tasks import LinearRegression
from icllib.training import Recipe, Trained, train


class Mean(nn.Module):
    """Answers with the mean label so far, times a number, plus a perceptron of x."""

    def __init__(self, dimension):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dimension, 4), nn.ReLU(), nn.Linear(4, 1))
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, xs, ys):
        seen = torch.cat((torch.zeros_like(ys[:, :1]), ys.cumsum(1)[:, :-1]), 1)
        counts = torch.arange(1, ys.shape[1] + 1)
        return self.scale * seen / counts + self.net(xs)[..., 0]


class Recurrent(nn.Module):
    def __init__(self, dimension):
        super().__init__()
        self.lstm, self.out = nn.LSTM(dimension + 1, 8, batch_first=True), nn.Linear(8, 1)

    def forward(self, xs, ys):
        before = torch.cat((torch.zeros_like(ys[:, :1]), ys[:, :-1]), 1)
        return self.out(self.lstm(torch.cat((xs, before[..., None]), -1))[0])[..., 0]


class Odd(Mean):
    """Has parameters by names of the fleet, and changes what it is handed."""

    def __init__(self, dimension):
        super().__init__(dimension)
        self.state, self.names = nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(1))

    def forward(self, xs, ys):
        xs *= self.state * self.names
        return super().forward(xs, ys)


@pytest.mark.parametrize("make", [Mean, Recurrent, Odd])
def test_a_member_trains_as_if_alone_and_comes_back(make):
    task, recipe = LinearRegression(2), Recipe((2, 5), 20, 8, 1e-2)
    fleet = train(task, Module(make), recipe, [3, 4])
    alone = train(task, Module(make), recipe, [4])
    xs, ys = torch.randn(1, 6, 6, 2), torch.randn(1, 6, 6)
    own = fleet.member(1)
    assert isinstance(own, make)
    expected = Trained(alone).predict(xs, ys, (2, 5))[0]
    assert torch.allclose(own(xs[0].clone(), ys[0])[:, [2, 5]], expected, atol=1e-6)
    assert not torch.allclose(fleet.member(0)(xs[0], ys[0])[:, [2, 5]], expected, atol=1e-3)


def test_it_starts_as_pytorch_makes_it_and_leaves_the_generator_alone():
    torch.manual_seed(5)
    before, expected = torch.random.get_rng_state(), None
    module = Module(Mean).build([7], 2, 4).member(0)
    assert torch.equal(torch.random.get_rng_state(), before)
    torch.manual_seed(7)
    expected = Mean(2)
    assert all(torch.equal(own, other) for own, other in zip(module.parameters(), expected.parameters()))


class Looks(Mean):
    def forward(self, xs, ys):
        return super().forward(xs, ys) + ys


class Ahead(Mean):
    def forward(self, xs, ys):
        return super().forward(xs, ys) + xs.mean((1, 2))[:, None]


class Hides(Mean):
    def __init__(self, dimension):
        super().__init__(dimension)
        self.hidden = [nn.Linear(1, 1)]  # in a list, so that no module knows of it

    def forward(self, xs, ys):
        return self.hidden[0](super().forward(xs, ys)[..., None])[..., 0]


class Other(Mean):
    def __init__(self, change, dimension):
        super().__init__(dimension)
        self.change = change

    def forward(self, xs, ys):
        return self.change(super().forward(xs, ys))


REFUSED = {"hidden|later": Looks, "forward: expected a tensor": partial(Other, lambda said: (said,)),
           "forward.*None": partial(Other, lambda said: None), "forward.*float": partial(Other, lambda said: said.long()),
           "points, got": partial(Other, lambda said: said[None]), "KeyError.*test_own.py, line": partial(Other, lambda said: {}["mine"]),
           "alike at each call": partial(Other, lambda said: said + torch.randn(1)),
           "beside any": partial(Other, lambda said: said - said.mean(0)), "later inputs": Ahead,
           "finite losses": partial(Other, lambda said: (said - 99).log()), "keep tensors": Hides, "has no effect": partial(Other, torch.detach),
           "make: .*one shape": lambda dimension: Other(nn.Linear(9, int(torch.randint(2, 99, ()))), dimension)}


@pytest.mark.parametrize("told, make", [*REFUSED.items(), ("make", lambda: Mean(2)), ("make", lambda dimension: 3),
                                        ("make", lambda dimension: nn.Linear(2, 1))])
def test_modules_that_see_the_answer_or_are_none_are_refused(make, told):
    with pytest.raises(InputError, match=told):
        train(LinearRegression(2), Module(make), Recipe((2, 5), 2, 8, 1e-2), [0, 1])
