"""How attention turns scores into weights: one frozen dataclass of settings per scoring.

`build` makes the module that mixes values, for the members of a fleet (icllib/models/mixing.py).
`weigh`, where there is one, maps scores z = q . k / sqrt(d) (M, B, H, K, T) and a mask (K, T) to
weights, for K queries among T tokens; the formulas are in icllib/attention.py.

The list is Table 1 of the paper on scaled signed averaging (ASSUMED: it does not say). SGPT of the
context-scaling paper has no queries and keys, and so a phi of its own (icllib/models/sgpt.py). SSMax
and QASSMax are newer and in no paper of this book: their scores grow with log n of the n visible tokens, so
that attention to many stays sharp.
"""

from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from claimbook.records import Component
from claimbook.records.checks import Finite, Positive, Size, has_method, integer
from claimbook.records.errors import InputError
from icllib import attention
from icllib.checks import floating
from icllib.models.mixing import (
    Average, CosineAttention, FusedSoftmax, GaussianAttention, QueryAwareSoftmax, ScaledSoftmax, SignedSoftmax,
    SplitHeads, Weighted)
from icllib.models.stacked import Initializer


class Plain(Component):
    """A scoring without parameters: `weigh` says it all."""

    def build(self, draw: Initializer, heads: int) -> nn.Module:
        """A module for the members of `draw`; raises InputError as `check_weigh` does."""
        check_weigh(self.weigh, heads, type(self).__name__)
        return Weighted(self.weigh)


def check_weigh(weigh, heads: int, name: str) -> None:
    """Raises InputError unless, for made-up scores, weights depend only on the visible ones of their own prompt."""
    mask = attention.causal_pairs(4)
    scores = torch.linspace(-3, 3, 4 * heads * 16).sin().view(2, 2, heads, 4, 4)
    with torch.inference_mode(False):  # with gradients in any case
        given = scores.clone().requires_grad_() * 1, mask.clone()
        weights = weigh(*given)
    if not all(map(torch.equal, given, (scores, mask))):
        raise InputError(f"{name}.weigh: expected scores and mask left as they are, got others afterwards")
    floating(**{f"{name}.weigh": weights})
    if weights.shape != scores.shape:
        raise InputError(f"{name}.weigh: expected weights shaped as the scores, got {(*weights.shape,)}")
    if (hidden := weights[..., ~mask]).any():
        raise InputError(f"{name}.weigh: expected 0 where the mask is false, got {hidden.abs().max():g}")
    if not weights.isfinite().all():
        raise InputError(f"{name}.weigh: expected finite weights, got {weights[~weights.isfinite()][0]:g}")
    elsewhere = 5 - 2 * scores
    elsewhere[0, 0] = scores[0, 0]
    for what, changed in {"each call": scores, "a score where the mask is false": scores.masked_fill(~mask, 5.0),
                          "another prompt or model": elsewhere}.items():
        other = weigh(changed, mask)
        if not torch.allclose(other[0, 0], weights[0, 0]):
            raise InputError(f"{name}.weigh: expected weights of visible scores alone, got some that "
                             f"change with {what}")
    if other.requires_grad:
        raise InputError(f"{name}.weigh: expected weights of scores alone, got some of parameters, which would "
                         "not train: give them to a scoring with `build`")
    if not weights.requires_grad and not torch.allclose(other, weights):
        raise InputError(f"{name}.weigh: expected weights that scores get gradients through, got some without")


@dataclass(frozen=True)
class Softmax(Component):
    """softmax(z / temperature), through PyTorch's fused attention.

    ASSUMED, since the paper gives only the values 5 to 100: the temperature divides scores that
    are already over sqrt(d). Raises InputError for a temperature that is not positive.
    """

    temperature: Positive = field(default=1.0, metadata={"per_member": True})

    def build(self, draw: Initializer, heads: int) -> FusedSoftmax:
        """A module for the members of `draw`."""
        return FusedSoftmax(draw, self.temperature)


@dataclass(frozen=True)
class SignedAveraging(Component):
    """SSA: (1 + b abs(z))^(sgn(z) n) over its row sum (Eq. 5), n and b learned per head.

    Initial values and one pair per head and layer: Appendix B. ASSUMED, since the paper only
    asks for n >= 1 and b > 0: n = 1 + softplus(.) and b = exp(.), both learned in float32.
    Raises InputError for other n and b.
    """

    n: Finite = field(default=1.5, metadata={"per_member": True})
    b: Positive = field(default=1.0, metadata={"per_member": True})
    trainable: bool = True  #: False: n and b stay what they are, as in Table 3

    def check(self):
        if self.n < 1 or (self.trainable and self.n == 1):
            raise InputError(f"n: expected n >= 1, or n > 1 if it is to be trained, got {self.n}")

    def build(self, draw: Initializer, heads: int) -> SignedSoftmax:
        """A module for the members of `draw`."""
        return SignedSoftmax(draw, heads, self.n, self.b, self.trainable)


@dataclass(frozen=True)
class Gaussian(Component):
    """exp(-r^2 / 2) over its row sum, r the distance of q / sqrt(d) and k: long keys lose.

    Public code of the causalLM paper (Ding et al., 2024); its text has the plain softmax.
    """

    def build(self, draw: Initializer, heads: int) -> GaussianAttention:
        """A module for the members of `draw`."""
        return GaussianAttention(attention.softmax)


@dataclass(frozen=True)
class SelfAdjusting(Plain):
    """SA-softmax (Zheng et al., 2025): z softmax(z), or with z moved into [0, 1] first.

    ASSUMED: the extremes of the normalized form are taken over the visible tokens of a row.
    """

    normalized: bool

    def weigh(self, z: Tensor, mask: Tensor) -> Tensor:
        return attention.self_adjusting(z, mask, self.normalized)


@dataclass(frozen=True)
class Sparsemax(Plain):
    """The point of the simplex nearest to z (Martins and Astudillo, 2016)."""

    def weigh(self, z: Tensor, mask: Tensor) -> Tensor:
        return attention.entmax(z, mask, 2)


@dataclass(frozen=True)
class Entmax(Plain):
    """alpha-entmax (Peters et al., 2019). ASSUMED: alpha = 1.5, its authors' usual choice."""

    alpha: float = 1.5  #: 1.5 or 2, for which there are exact algorithms

    def check(self):
        attention.check_alpha(self.alpha)

    def weigh(self, z: Tensor, mask: Tensor) -> Tensor:
        return attention.entmax(z, mask, self.alpha)


@dataclass(frozen=True)
class Relu(Plain):
    """relu(z) over its row sum. ASSUMED: Appendix C does not say how it normalizes."""

    def weigh(self, z: Tensor, mask: Tensor) -> Tensor:
        return attention.by_absolute_sum(z.relu(), mask)


@dataclass(frozen=True)
class Square(Plain):
    """z^2 over its row sum. ASSUMED: Appendix C does not say how it normalizes."""

    def weigh(self, z: Tensor, mask: Tensor) -> Tensor:
        return attention.by_absolute_sum(z.square(), mask)


@dataclass(frozen=True)
class Tanh(Plain):
    """tanh(z) over the sum of absolute values in its row, so that signs stay.

    ASSUMED: Appendix C does not say how it normalizes, and a sum of signed values may vanish.
    """

    def weigh(self, z: Tensor, mask: Tensor) -> Tensor:
        return attention.by_absolute_sum(z.tanh(), mask)


@dataclass(frozen=True)
class Uniform(Component):
    """The average of all visible tokens, whatever the scores (Appendix C)."""

    def build(self, draw: Initializer, heads: int) -> Average:
        """A module for the members of `draw`."""
        return Average(attention.by_absolute_sum)


@dataclass(frozen=True)
class CosFormer(Component):
    """relu(q) . relu(k) cos(pi (i - j) / 2m) over its row sum (Qin et al., 2022).

    ASSUMED: m is the length of the sequence, as in their code. Context lengths that share a pass
    share the m of the longest one.
    """

    def build(self, draw: Initializer, heads: int) -> CosineAttention:
        """A module for the members of `draw`."""
        return CosineAttention(attention.by_absolute_sum)


@dataclass(frozen=True)
class SSMax(Component):
    """Scalable softmax: softmax(s log(n) z) for n visible tokens, s learned per head.

    Nakanishi (2025), "Scalable-Softmax Is Superior for Attention", in its form without a bias. ASSUMED: s
    starts at 0.43, the value of its Figure 1. Raises InputError for s that is not finite.
    """

    s: Finite = field(default=0.43, metadata={"per_member": True})

    def build(self, draw: Initializer, heads: int) -> ScaledSoftmax:
        """A module for the members of `draw`."""
        return ScaledSoftmax(draw, heads, self.s)


@dataclass(frozen=True)
class QASSMax(Component):
    """Query-aware scalable softmax: a query times base(log n) (1 + tanh(gate(q))), then softmax.

    Qu et al. (2026), TabICLv2, with their public code's "qassmax-mlp-elementwise": both parts are
    perceptrons with 64 hidden GELU neurons, and the gate starts at 1. ASSUMED, as their code's PyTorch
    does: the rest starts from U(+-1/sqrt(fan_in)), from the same numbers in every layer. n is the number of
    visible tokens. Raises InputError for sizes below 1, and in a model whose heads have another size.
    """

    size: Size  #: features of a head: the width of the model over its heads
    hidden: Size = 64

    def build(self, draw: Initializer, heads: int) -> QueryAwareSoftmax:
        """A module for the members of `draw`."""
        return QueryAwareSoftmax(draw, heads, self.size, self.hidden)


@dataclass(frozen=True)
class MixedHeads(Component):
    """Some heads with one scoring, some with another, in this order (Appendix C).

    Raises InputError for a part that is no scoring or has no heads.
    """

    parts: tuple  #: of (scoring, how many heads)

    def check(self):
        for part in self.parts if isinstance(self.parts, tuple) and self.parts else [self.parts]:
            if not (isinstance(part, (tuple, list)) and len(part) == 2):
                raise InputError(f"parts: expected pairs of a scoring and its heads, got {part!r}")
            has_method("build", parts=part[0])
            integer(parts=part[1])
        object.__setattr__(self, "parts", tuple(map(tuple, self.parts)))

    def build(self, draw: Initializer, heads: int) -> SplitHeads:
        """A module for the members of `draw`; raises InputError for another number of heads."""
        sizes = [size for _, size in self.parts]
        if sum(sizes) != heads:
            raise InputError(f"parts: expected {heads} heads in all, got {sizes}")
        return SplitHeads([part.build(draw, size) for part, size in self.parts], sizes)
