"""Properties of pairs in context, to compare with those of a model's training."""

from dataclasses import dataclass

import numpy as np
import torch

from claimbook.records.errors import InputError

ROUNDING = 1e-10  # of a column: smaller deviations are rounding
SCALE_X, SCALE_Y, MEAN_X = "a scale of X", "a scale of y", "a mean of a column of X"
CONSTANT, UNLIKE = "constant columns of X", "ratios of columns' deviations"
CORRELATED, FAR, FAR_Y = "condition numbers of X's correlation", "rows of X of a length", "labels"
ADVICE = {SCALE_X: "scale it", SCALE_Y: "scale it", MEAN_X: "center it",
          CONSTANT: "leave constant columns out", UNLIKE: "scale the columns alike",
          CORRELATED: "leave out columns that follow from others",
          FAR: "transform or clip outliers", FAR_Y: "transform or clip outliers"}
BY_ITSELF = SCALE_X, SCALE_Y, MEAN_X, UNLIKE  # standardize=True mends these


def statistics_of(xs, ys, with_labels: bool) -> dict:
    """The properties of pairs (B, n, d) and (B, n): {name: (B,)}."""
    spreads = xs.std(dim=1, correction=0)
    found = {SCALE_X: xs.square().mean(dim=(1, 2)).sqrt(),
             MEAN_X: xs.mean(dim=1).abs().amax(dim=1),
             CONSTANT: (spreads == 0).sum(dim=1),
             UNLIKE: spreads.amax(dim=1) / torch.where(spreads == 0, torch.inf, spreads).amin(dim=1),
             CORRELATED: condition(xs), FAR: xs.norm(dim=-1).amax(dim=1)}
    labels = {SCALE_Y: ys.square().mean(dim=1).sqrt(), FAR_Y: ys.abs().amax(dim=1)}
    return found | labels if with_labels else found


def condition(xs):
    """The largest over the least eigenvalue of the correlation of columns: (B, n, d) -> (B,).
    A constant column counts as uncorrelated with others."""
    centered = xs - xs.mean(dim=1, keepdim=True)
    sizes = centered.norm(dim=1, keepdim=True)
    columns = centered / torch.where(sizes == 0, 1.0, sizes)
    correlation = columns.mT @ columns + torch.diag_embed((sizes == 0).to(xs.dtype)[:, 0])
    values = torch.linalg.eigvalsh(correlation)
    return values[:, -1] / values[:, 0].clamp(min=ROUNDING)


@dataclass(frozen=True)
class Scale:
    """A change of origin and unit, by column."""

    center: object = 0.0
    spread: object = 1.0  #: 0 if all pairs have the same value
    unit: float = 1.0  #: a deviation in training

    @classmethod
    def of(cls, name: str, values, drawn):
        """The scale that gives values the mean 0 and the deviation of `drawn`; none if that is None.

        Raises InputError for numbers whose squares are too large.
        """
        if drawn is None:
            return cls()
        center, spread = values.mean(axis=0), values.std(axis=0)
        if not np.isfinite(spread).all():
            raise InputError(f"{name}: expected numbers whose squares are finite, got up to "
                             f"{np.abs(values).max():.3g}")
        spread = np.where(spread > ROUNDING * np.abs(values).max(axis=0), spread, 0.0)
        return cls(center, spread, float(drawn.square().mean().sqrt()))

    def to_model(self, values):
        return (values - self.center) / np.where(self.spread == 0, 1.0, self.spread) * self.unit

    def from_model(self, values):
        return values / self.unit * self.spread + self.center
