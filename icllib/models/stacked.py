"""Layers whose parameters have a leading axis M: the members of a fleet, side by side.

A single model is M = 1; there is no second code path. Initial parameters come from streams, so
a member starts from the same numbers whatever fleet it trains in.
"""

import torch
from torch import Tensor, nn

from claimbook.records.checks import boolean, check, finite, instance, integer, text, tuple_of
from claimbook.records.errors import InputError
from icllib.models.products import affine, product
from icllib.streams import Stream


class Initializer:
    """Draws each parameter of each member from that member's seed and the parameter's name."""

    def __init__(self, seeds, device="cpu", uniform_start: bool = False):
        boolean(uniform_start=uniform_start)
        self.uniform_start = uniform_start  # what a decoder's linear layers start from
        self.stream = Stream.of(seeds, "initialization", device)
        self.ids = torch.zeros(len(seeds), 1, dtype=torch.int64, device=device)

    def normal(self, name: str, shape, std: float) -> nn.Parameter:
        """N(0, std^2) numbers: ``(M, *shape)``."""
        shape = _size(shape, std=std)
        return nn.Parameter(std * self.stream.normal(self.ids, name, shape)[:, 0])

    def uniform(self, name: str, shape, bound: float) -> nn.Parameter:
        """U(-bound, bound) numbers: ``(M, *shape)``."""
        shape = _size(shape, bound=bound)
        return nn.Parameter(bound * (2 * self.stream.uniform(self.ids, name, shape)[:, 0] - 1))

    def constant(self, value: float, shape) -> nn.Parameter:
        """One value everywhere, which may be infinite: ``(M, *shape)``."""
        check("a number", lambda number: number == number, value=value)
        shape = _size(shape)
        return nn.Parameter(torch.full((len(self.ids), *shape), float(value), device=self.ids.device))


def _size(shape, **numbers) -> tuple[int, ...]:
    """The shape of one member's parameter; raises InputError, by name, for what is none, and for what is no
    finite number."""
    finite(**numbers)
    return tuple_of(integer, "shape", shape, 0)


class StackedLinear(nn.Module):
    """x W + b for each member: (M, ..., in) -> (M, ..., out)."""

    def __init__(self, weight: nn.Parameter, bias: nn.Parameter):
        super().__init__()
        instance(nn.Parameter, weight=weight, bias=bias)
        if weight.dim() != 3 or bias.shape != (weight.shape[0], weight.shape[2]):
            raise InputError("weight, bias: expected (M, in, out) and (M, out), got "
                             f"{tuple(weight.shape)} and {tuple(bias.shape)}")
        self.weight = weight  # (M, in, out)
        self.bias = bias  # (M, out)
        self.rounded_weight = None  # the weight in a training step's precision, if that is lower

    def forward(self, x: Tensor) -> Tensor:
        weight = self.weight if self.rounded_weight is None else self.rounded_weight
        if x.is_cuda and x.dim() > 3:
            return product(x, weight) + self.bias_of_prompts(x)
        flat = x.flatten(1, -2)  # (M, N, in)
        return affine(self.bias[:, None], flat, weight).unflatten(1, x.shape[1:-1])

    def bias_of_prompts(self, x: Tensor) -> Tensor:
        """The bias, repeated for each prompt: (M, B, 1, ..., out).

        Compiled, adding it becomes part of what comes next. So does the sum over the tokens of each
        prompt in its gradient, where one sum over all tokens would read them a second time.
        """
        shape = len(x), 1, *[1] * (x.dim() - 3), -1
        return self.bias.view(shape).expand(-1, x.shape[1], *shape[2:])


def _check_layer(draw, name, fan_in, fan_out) -> None:
    instance(Initializer, draw=draw)
    text(name=name)
    integer(fan_in=fan_in, fan_out=fan_out)


def linear(draw: Initializer, name: str, fan_in: int, fan_out: int, std=0.02) -> StackedLinear:
    """A stacked linear layer that starts as GPT-2's: N(0, std^2) weights, zero biases.

    With `uniform_start`, as `uniform_linear` says.
    """
    _check_layer(draw, name, fan_in, fan_out)
    if draw.uniform_start:
        return uniform_linear(draw, name, fan_in, fan_out)
    weight = draw.normal(f"{name}.weight", (fan_in, fan_out), std)
    return StackedLinear(weight, draw.constant(0.0, (fan_out,)))


def uniform_linear(draw: Initializer, name: str, fan_in: int, fan_out: int) -> StackedLinear:
    """A stacked linear layer that starts as PyTorch's: weights and biases U(+-1/sqrt(fan_in))."""
    _check_layer(draw, name, fan_in, fan_out)
    bound = fan_in**-0.5
    return StackedLinear(draw.uniform(f"{name}.weight", (fan_in, fan_out), bound),
                         draw.uniform(f"{name}.bias", (fan_out,), bound))


class StackedLayerNorm(nn.Module):
    """Layer normalization with one gain and bias per member: (M, B, T, width) -> the same."""

    def __init__(self, width: int, initializer: Initializer):
        super().__init__()
        instance(Initializer, initializer=initializer)
        integer(width=width)
        self.gain = initializer.constant(1.0, (1, 1, width))
        self.bias = initializer.constant(0.0, (1, 1, width))

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.layer_norm(x, x.shape[-1:]) * self.gain + self.bias


class StackedRMSNorm(nn.Module):
    """Root-mean-square normalization (Zhang and Sennrich, 2019): x over its size, times a gain per member."""

    def __init__(self, width: int, initializer: Initializer):
        super().__init__()
        instance(Initializer, initializer=initializer)
        self.gain = initializer.constant(1.0, (1, 1, width))

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.rms_norm(x, x.shape[-1:], eps=1e-6) * self.gain
