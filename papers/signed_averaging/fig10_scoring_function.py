"""Figure 10: the scoring function of SSA beside the exponential it replaces."""

from dataclasses import dataclass

import numpy as np

from claimbook.records import Component
from papers.signed_averaging.attention_weights import value_and_slope

EXPONENTS = (1.1, 1.5, 2.0)  # Figure 10
LIMIT = (1, 3, 10, 100, 1000)  # ASSUMED: the paper lets m grow and names no values


@dataclass(frozen=True)
class ScoringFunction(Component):
    """f(x) = (1 + b abs(x))^(sgn(x) n) as the models compute it, and its derivatives."""

    n: float
    b: float = 1.0  # Figure 10
    extent: float = 3.0  # ASSUMED: x from -extent to extent; the range is not in the text
    points: int = 61  # ASSUMED: an odd number, so that 0 is one of them
    seed: int = 0  # nothing is random

    def axes(self, metric: str) -> dict:
        return {"x": np.linspace(-self.extent, self.extent, self.points).tolist()}

    def measure(self) -> dict:
        """x, f(x), f'(x) and f'(x) / f(x), the slopes by the models' backward pass."""
        x = np.array(self.axes("x")["x"])
        value, slope = value_and_slope(x, self.n, self.b)
        return {"x": x, "value": value, "derivative": slope * value, "slope": slope}


def runs(profile: str) -> list[ScoringFunction]:
    """The three curves of Figure 10, then b = 1/m and n = m, which tends to exp (Section 7)."""
    return [ScoringFunction(n) for n in EXPONENTS] + [ScoringFunction(float(m), 1 / m) for m in LIMIT]
