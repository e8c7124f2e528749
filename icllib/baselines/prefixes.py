"""Predictors that answer at each context length from the pairs before it."""

from typing import ClassVar

import torch
from torch import Tensor

from claimbook.records import Component
from claimbook.records.errors import InputError
from icllib.checks import floating, places, prompt_shapes


class ByLength(Component):
    """A predictor that answers at each context length only from the pairs before it.

    A class of its own writes `_estimate`: xs (..., n, d), ys (..., n), query (..., d) -> (...), of any floating type.
    """

    #: True: it also has an estimate without any pair; else that is 0, as in the code of Garg et al. (2022)
    without_pairs: ClassVar[bool] = False

    def predict(self, xs: Tensor, ys: Tensor, lengths) -> Tensor:
        """(..., N, d), (..., N) -> (..., K), in the type of xs. Raises InputError for other shapes, for numbers
        that are not finite and for lengths that leave no point for a query."""
        prompt_shapes(xs)
        floating(ys=ys)
        *prompts, points = xs.shape[:-1]
        lengths = places(points, "lengths", lengths)
        if list(ys.shape[:-1]) != prompts or not max(lengths) <= ys.shape[-1] <= points:
            raise InputError(f"ys: expected {(*prompts, points)}, one for each point of xs, got {tuple(ys.shape)}")
        seen = xs[..., : max(lengths) + 1, :], ys[..., : max(lengths)]
        if not all(values.isfinite().all() for values in seen):
            raise InputError("xs, ys: expected finite numbers, got NaN or infinity")

        def answer(n: int) -> Tensor:
            if n or self.without_pairs:
                return self._estimate(xs[..., :n, :], ys[..., :n], xs[..., n, :])
            return torch.zeros_like(  # in the shape of an answer
                self._estimate(xs[..., :1, :], torch.zeros_like(xs[..., :1, 0]), xs[..., 0, :]))

        return torch.stack([answer(n) for n in lengths], dim=-1).to(xs.dtype)
