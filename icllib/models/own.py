"""Ordinary PyTorch modules as a fleet, and members of a fleet as ordinary modules."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import nn
from torch.func import functional_call, stack_module_state, vmap

from claimbook.records.checks import binds, takes
from claimbook.records.errors import InputError
from icllib.checks import floating


@dataclass(frozen=True)
class Module:
    """A model of one's own: make(dimension) gives a module whose forward(xs, ys) answers at every point.

    xs (B, N, d) and ys (B, N) are prompts; answer n of (B, N) may depend on the pairs before point n and on
    x[n] alone, which is tried before training. The members of a fleet start from PyTorch's generator, seeded
    with their seeds. They train together (`torch.func.vmap`), or one after another where an operation has no
    batching rule, as that of an LSTM. Raises InputError for what makes no such module.
    """

    make: Callable  # a function of the dimension
    version: ClassVar[int] = 1

    def __post_init__(self):
        if not callable(self.make) or not binds(self.make, 1):
            raise InputError(f"make: expected a function or class of the dimension alone, got {self.make!r:.200}")

    def build(self, seeds, dimension: int, max_pairs: int, device="cpu") -> "StackedModule":
        """One module per seed, as a fleet."""
        modules = []
        for seed in (*seeds, seeds[-1]):
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(int(seed))
                module = self.make(dimension)
            if not isinstance(module, nn.Module) or not takes(module.forward, "ys"):
                raise InputError("make: expected a function of the dimension that gives a module with "
                                 f"forward(xs, ys), got {module!r:.200}")
            modules.append(module.to(device))
        if len({(type(one), *((name, own.shape) for name, own in one.state_dict().items())) for one in modules}) > 1:
            raise InputError(f"make: expected one class and one shape for all seeds, got {modules[0]!r:.200} and others")
        again, fleet, n = modules.pop().eval(), StackedModule(modules), max_pairs + 1
        xs = torch.linspace(-3, 3, 2 * n * dimension, device=device).sin().view(2, n, dimension)
        alike = [own.expand(len(seeds), *own.shape) for own in (xs, xs[..., 0])]
        with torch.no_grad():
            calls = [deepcopy(fleet).eval()(*alike, range(n))[-1]]
            for prompts in (slice(2), slice(2), slice(1)):
                calls.append(again(xs[prompts].clone(), xs[prompts, :, 0].clone()))
        if not all(torch.allclose(calls[0][: len(call)], call, 1e-3, 1e-3, equal_nan=True) for call in calls):
            raise InputError("make: expected modules that answer a prompt alike at each call, beside any others and "
                             "when made again from a seed, got others: keep tensors as parameters or buffers, draw "
                             "by PyTorch, in training alone, and mix no prompts")
        return fleet


class StackedModule(nn.Module):
    """The members' parameters and buffers with a first axis M; `member(i)` gives one of them back."""

    one: Any = None
    names: Any = None
    together = True

    def __init__(self, modules: list[nn.Module]):
        super().__init__()
        parameters, buffers = stack_module_state(modules)
        self.names = {name.replace(".", "/") + "/" * hasattr(self, name): name for name in (*parameters, *buffers)}
        for own, name in self.names.items():
            if name in parameters:
                trained = dict(modules[0].named_parameters())[name].requires_grad
                self.register_parameter(own, nn.Parameter(parameters[name].detach(), trained))
            else:
                self.register_buffer(own, buffers[name])
        self.__dict__["one"] = modules[0]  # not a part: its own parameters are not those that train

    def state(self) -> dict:
        """Parameters and buffers by the names that a member has for them."""
        return {name: self.get_parameter(own) if own in self._parameters else self.get_buffer(own)
                for own, name in self.names.items()}

    def train(self, mode: bool = True):
        self.one.train(mode)
        return super().train(mode)

    def forward(self, xs, ys, lengths):
        """Answers at these points: (M, B, N, d) and (M, B, N) -> (M, B, K)."""
        def call(state, xs, ys):
            answers = functional_call(self.one, state, (xs.clone(), ys.clone()))  # it may change them
            floating(forward=answers)
            return answers

        state = self.state()
        if self.together and len(xs) > 1:
            try:
                answers = vmap(call, randomness="different")(state, xs, ys)
            except RuntimeError:  # an operation without a batching rule
                self.together = False
        if not self.together or len(xs) == 1:
            answers = torch.stack([call({name: values[member] for name, values in state.items()},
                                        xs[member], ys[member]) for member in range(len(xs))])
        if answers.shape != ys.shape:
            raise InputError(f"forward: expected an answer at each of (B, N) = {tuple(ys.shape[1:])} points, "
                             f"got {tuple(answers.shape[1:])}")
        return answers[..., list(lengths)]

    def member(self, place: int) -> nn.Module:
        """One member as an ordinary module of its own."""
        module = deepcopy(self.one)
        module.load_state_dict({name: values[place] for name, values in self.state().items()}, strict=False)
        return module


class Member(nn.Module):
    """One member of a fleet as a module of its own, whose forward(xs, ys) answers at every point."""

    def __init__(self, fleet: nn.Module):
        super().__init__()
        self.fleet = fleet  # of one member
        self.first = 0 if hasattr(getattr(fleet, "settings", None), "tokens") else 1  # others need a pair

    def forward(self, xs, ys):
        """Answers from the pairs before each point and its own x, 0 where a model needs a pair and has none:
        (B, N, d), (B, N) -> (B, N)."""
        answers = self.fleet(xs[None], ys[None], tuple(range(self.first, xs.shape[1])))[0]
        return torch.cat((torch.zeros_like(ys[:, : self.first]), answers), dim=1)


def member_of(module: nn.Module, place: int) -> nn.Module:
    """One member of a fleet, with parameters of its own."""
    if isinstance(module, StackedModule):
        return module.member(place)
    fleet = deepcopy(module)
    kept = fleet.state_dict(keep_vars=True)
    for part in fleet.modules():
        for own in (part._parameters, part._buffers):
            for name, values in own.items():
                if values is not None and any(values is one for one in kept.values()):
                    values.data = values.data[place : place + 1].clone()
    return Member(fleet)
