"""Regression on numbers: linear functions of vectors, affine functions of scalars."""

from dataclasses import dataclass, field
from typing import ClassVar, Literal

import torch
from torch import Tensor

from claimbook.records import ADDED
from claimbook.records.checks import WORD, Finite, NotNegative, Positive, Size, integer, one_of
from claimbook.records.errors import InputError
from icllib.streams import Stream
from icllib.tasks.laws import Law, LawInOrder, drawn, variance
from icllib.tasks.prompt import Prompt, Task, dot, masked_inputs


@dataclass(frozen=True)
class LinearRegression(Task):
    """y = w . x + noise, with w of mean 0 and variance weight_std^2 drawn once per prompt.

    Context-scaling paper, Section 4 (normal inputs, weight_std = d^-1/2); causalLM paper,
    Section 5.1 (uniform inputs, weight_std = 1, no noise). The laws are those of
    `icllib.tasks.laws.drawn`. Raises InputError for sizes or deviations out of range.
    """

    dimension: Size
    noise_std: NotNegative = 0.0
    weight_std: Positive = 1.0
    inputs: LawInOrder = "normal"  #: coordinates of x, of variance 1; "uniform": U(-1, 1)^d
    input_mean: Finite = 0.0  #: added to every coordinate of x
    weights: Law = field(default="normal", metadata=ADDED)
    noise: LawInOrder = field(default="normal", metadata=ADDED)
    degrees: int = field(default=5, metadata=ADDED)  #: of freedom, of each Student's t
    of_function: ClassVar[tuple[str, ...]] = ("weights",)

    def check(self):
        integer(3, degrees=self.degrees)  # two have no variance

    @property
    def label_variance(self) -> float:
        """E y^2, noise included: the error of the predictor that always answers 0."""
        moment = self.dimension * (variance(self.inputs) + self.input_mean**2)  # E |x|^2
        return moment * self.weight_std**2 + self.noise_std**2

    def draw_weights(self, stream: Stream, ids: Tensor, dtype=torch.float32) -> Tensor:
        """The weights of each prompt: ids (M, B) -> (M, B, d)."""
        numbers = drawn(self.weights, stream, ids, "weights", (self.dimension,), dtype, self.degrees)
        return self.weight_std / variance(self.weights) ** 0.5 * numbers

    def draw(self, stream: Stream, ids: Tensor, n: int, dtype, active=None) -> Prompt:
        xs = drawn(self.inputs, stream, ids, "xs", (n, self.dimension), dtype, self.degrees)
        xs = masked_inputs(xs + self.input_mean, active)
        means = dot(xs, self.draw_weights(stream, ids, dtype)[..., None, :])
        if self.noise_std == 0:
            return Prompt(xs, means, means)
        noise = drawn(self.noise, stream, ids, "noise", (n,), dtype, self.degrees)
        return Prompt(xs, means + self.noise_std / variance(self.noise) ** 0.5 * noise, means)


@dataclass(frozen=True)
class TwoNoiseLevels(Task):
    """Linear regression whose noise level is one of two, drawn with probability 1/2 per prompt.

    Context-scaling paper, Section 4 (Fig. 3), where weight_std = d^-1/2 and d = 20. Raises
    InputError for another number of levels.
    """

    dimension: Size
    noise_stds: tuple[Positive, ...] = (0.1, 0.5)  #: Appendix A
    weight_std: Positive = 1.0
    of_function: ClassVar[tuple[str, ...]] = ("weights",)

    def check(self):
        if len(self.noise_stds) != 2:
            raise InputError(f"noise_stds: expected two levels, got {self.noise_stds}")

    @property
    def label_variance(self) -> float:
        """E y^2, noise included."""
        return sum(self.at_level(level).label_variance for level in (0, 1)) / 2

    def at_level(self, level: int) -> LinearRegression:
        """The task of one level alone; an id whose drawn level this is has the same prompt."""
        one_of((0, 1), level=level)
        return LinearRegression(self.dimension, self.noise_stds[level], self.weight_std)

    def levels(self, stream: Stream, ids: Tensor) -> Tensor:
        """Which level each prompt has, 0 or 1: ids (M, B) -> (M, B)."""
        return stream.integers(ids, "level", 2)

    def draw(self, stream: Stream, ids: Tensor, n: int, dtype, active=None) -> Prompt:
        clean = LinearRegression(self.dimension, 0.0, self.weight_std)
        prompt = clean.draw(stream, ids, n, dtype, active)
        noise = stream.normal(ids, "noise", (n,), dtype)
        low, high = self.noise_stds
        is_low = self.levels(stream, ids)[..., None] == 0
        return prompt._replace(ys=prompt.means + torch.where(is_low, low * noise, high * noise))


@dataclass(frozen=True)
class SparseLinear(Task):
    """y = w . x with x, w ~ N(0, I), all but a few random coordinates of w set to zero.

    Context-scaling paper, Eq. 8 (Fig. 4C, d = 20); Garg et al. (2022). Raises InputError unless 1
    to d coordinates are nonzero.
    """

    dimension: Size
    nonzero: int = 3  #: Section 4
    of_function: ClassVar[tuple[str, ...]] = ("support", "weights")

    def check(self):
        integer(1, self.dimension, nonzero=self.nonzero)

    @property
    def label_variance(self) -> float:
        """E y^2."""
        return float(self.nonzero)

    def draw(self, stream: Stream, ids: Tensor, n: int, dtype, active=None) -> Prompt:
        d = self.dimension
        xs = masked_inputs(stream.normal(ids, "xs", (n, d), dtype), active)
        # Sorting random words gives a random permutation; the coordinates it sends below
        # `nonzero` are a random subset of that size.
        words = stream.words(ids, "support", d)
        if active is not None:  # coordinates that are 0 come last
            words = words + (WORD + 1) * (torch.arange(d, device=words.device) >= active)
        order = words.argsort(dim=-1, stable=True)
        weights = stream.normal(ids, "weights", (d,), dtype) * (order < self.nonzero)
        means = dot(xs, weights[..., None, :])
        return Prompt(xs, means, means)


@dataclass(frozen=True)
class SigmoidRegression(Task):
    """y = sigmoid(w . x) - 1/2 with x ~ U(-1, 1)^d and w ~ N(0, I).

    CausalLM paper, Section 5.2 (d = 16). The text has no -1/2, the public code does: the default
    is the code's. Var(y) has no closed form.
    """

    dimension: Size
    centred: bool = True  #: False: the plain sigmoid of the text
    of_function: ClassVar[tuple[str, ...]] = ("weights",)

    def draw(self, stream: Stream, ids: Tensor, n: int, dtype, active=None) -> Prompt:
        xs = masked_inputs(2 * stream.uniform(ids, "xs", (n, self.dimension), dtype) - 1, active)
        weights = stream.normal(ids, "weights", (self.dimension,), dtype)
        # sigmoid(z) - 1/2 = tanh(z / 2) / 2, which PyTorch rounds alike at every batch size.
        means = 0.5 * torch.tanh(0.5 * dot(xs, weights[..., None, :]))
        means = means if self.centred else means + 0.5
        return Prompt(xs, means, means)


@dataclass(frozen=True)
class AffineFunctions(Task):
    """y = a x + b of a scalar, with x ~ N(0, input_std^2) and a, b ~ N(0, function_std^2).

    Signed-averaging paper, Section 3: both deviations are 1 in training and grow at test time.
    ASSUMED: sigma in the paper's N(0, sigma) is a standard deviation, as in the code of Garg et
    al. (2022), which it builds on.
    """

    input_std: Positive = 1.0  #: sigma_I
    function_std: Positive = 1.0  #: sigma_F
    first_input_std: Positive | None = None  #: of the first x alone (Table 5); None: as the others
    prompts_per_function: Size = 1  #: consecutive ids that share (a, b); 64 in Eq. 2's mean
    inputs: Literal["normal", "uniform"] = field(default="normal", metadata=ADDED)  #: or input_std U(-1, 1)
    dimension: ClassVar[int] = 1
    of_function: ClassVar[tuple[str, ...]] = ("function",)

    @property
    def label_variance(self) -> float:
        """E y^2 at every point but a deviant first one."""
        return self.function_std**2 * (1 + self.input_std**2 * variance(self.inputs))

    def draw(self, stream: Stream, ids: Tensor, n: int, dtype) -> Prompt:
        xs = drawn(self.inputs, stream, ids, "xs", (n, 1), dtype)
        first_std = self.input_std if self.first_input_std is None else self.first_input_std
        xs = torch.cat((first_std * xs[..., :1, :], self.input_std * xs[..., 1:, :]), dim=-2)
        functions = ids // self.prompts_per_function
        parameters = self.function_std * stream.normal(functions, "function", (2,), dtype)
        means = parameters[..., :1] * xs[..., 0] + parameters[..., 1:]
        return Prompt(xs, means, means)
