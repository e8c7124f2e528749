"""What a predictor may see at each context length."""

from functools import partial
from typing import ClassVar

import torch
from torch import Tensor

from icllib.checks import each, floating, prompts as pairs, whole
from icllib.errors import InputError
from icllib.results import Component


class ByLength(Component):
    """A predictor that answers at each context length from the pairs before it alone."""

    without_pairs: ClassVar[bool] = False  #: True: its estimate is one without any pair too

    def predict(self, xs: Tensor, ys: Tensor, lengths) -> Tensor:
        """(..., N, d), (..., N) -> (..., K), in the type of xs; what is wrong is told as
        `at_each_length` says."""
        return at_each_length(self._estimate, xs, ys, lengths, self.without_pairs)


def at_each_length(estimate, xs: Tensor, ys: Tensor, lengths, without_pairs=False) -> Tensor:
    """Estimates at every context length from the pairs before it: (..., N, d) -> (..., K).

    estimate: (xs (..., n, d), ys (..., n), query (..., d)) -> (...), any floating type. Without a
    pair the answer is 0, as in the code of Garg et al. (2022), but for an estimate of `without_pairs`.
    Raises InputError for whole numbers as xs, where a length leaves no query, for labels that do not
    go with xs (the last query may lack its own), and for what is seen and not finite.
    """
    pairs(xs)
    floating(ys=ys)
    *prompts, points = xs.shape[:-1]
    lengths = each(partial(whole, 0), "lengths", lengths)
    if max(lengths) >= points:
        raise InputError(f"lengths: expected context lengths 0 <= n < {points}, "
                         f"got {lengths}")
    if list(ys.shape[:-1]) != prompts or not max(lengths) <= ys.shape[-1] <= points:
        raise InputError(f"ys: expected {(*prompts, points)}, one for each point of xs, "
                         f"got {tuple(ys.shape)}")
    seen = xs[..., : max(lengths) + 1, :], ys[..., : max(lengths)]
    if not all(values.isfinite().all() for values in seen):
        raise InputError("xs, ys: expected finite numbers, got others")
    def answer(n: int) -> Tensor:
        if n or without_pairs:
            return estimate(xs[..., :n, :], ys[..., :n], xs[..., n, :])
        return torch.zeros_like(  # in the shape of an answer
            estimate(xs[..., :1, :], torch.zeros_like(xs[..., :1, 0]), xs[..., 0, :]))

    return torch.stack([answer(n) for n in lengths], dim=-1).to(xs.dtype)
