"""What a predictor may see at each context length."""

import torch
from torch import Tensor

from icllib.checks import each, floating, whole
from icllib.errors import InputError


class ByLength:
    """A predictor that answers at each context length from the pairs before it alone."""

    def predict(self, xs: Tensor, ys: Tensor, lengths) -> Tensor:
        """(..., N, d), (..., N) -> (..., K), in the type of xs; what is wrong is told as
        `at_each_length` says."""
        return at_each_length(self._estimate, xs, ys, lengths)


def at_each_length(estimate, xs: Tensor, ys: Tensor, lengths) -> Tensor:
    """Estimates at every context length from the pairs before it: (..., N, d) -> (..., K).

    estimate: (xs (..., n, d), ys (..., n), query (..., d)) -> (...), any floating type. Raises
    InputError for whole numbers as xs, where a length leaves no pair or no query, for labels that do
    not go with xs (the last query may lack its own), and for what is seen and not finite.
    """
    floating(xs=xs)
    *prompts, points = xs.shape[:-1]
    lengths = each(whole, "lengths", lengths)
    if max(lengths) >= points:
        raise InputError(f"lengths: expected context lengths 1 <= n < {points}, "
                         f"got {lengths}")
    if list(ys.shape[:-1]) != prompts or not max(lengths) <= ys.shape[-1] <= points:
        raise InputError(f"ys: expected {(*prompts, points)}, one for each point of xs, "
                         f"got {tuple(ys.shape)}")
    seen = xs[..., : max(lengths) + 1, :], ys[..., : max(lengths)]
    if not all(values.isfinite().all() for values in seen):
        raise InputError("xs, ys: expected finite numbers, got others")
    estimates = [estimate(xs[..., :n, :], ys[..., :n], xs[..., n, :]) for n in lengths]
    return torch.stack(estimates, dim=-1).to(xs.dtype)
