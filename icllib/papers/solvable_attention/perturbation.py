"""Appendix J: the first-order solution, as printed, corrected, and for any start."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from icllib.checks import one_of
from icllib.theory import riccati
from icllib.theory.first_order import first_order

FORMS = ("zeroth order", "printed", "corrected", "first order")
FIRST_ORDER_STARTS = ("along (1, Lambda)", "Appendix G")
SLIPS = ("137", "149", "150")  # of the printed solution, by equation


def equation_137(t, v, w, psi, strength, share, slips=SLIPS):
    """f0 + f1 / psi from Eqs. 137, 139, 150 and 151, as printed or with slips corrected.

    slips: those that are kept. "137": no factor 1/4 before the bracket; "149": the second term of
    Eq. 151 with the sign -; "150": numerators of Eqs. 150 and 151 that do not start at 0. Without
    them right for starts along (1, Lambda) alone (Cbar = Ctilde = 0). Needs C > 0 and f0 other
    than Lambda.
    """
    m = 1 + strength**2
    g0, h0 = riccati.quadratic_forms(v, w, psi, strength)
    g, h, f = riccati.closed_form(t, g0, h0, strength, share * psi * m)
    c = g0 * h0 / 2
    p, q, root = constants((g0 - h0) / 4, c, strength)
    xi_t, ratio = share * psi * m * root / 2 * t, 2 * strength / root

    def part(p, above, below):
        """m or n; above and below: the factors of exp(2 xi t) and exp(-2 xi t)."""
        start = 0 if "150" in slips else above * p**2 + below
        numerator = (above * p**2 + below * np.exp(-4 * xi_t)
                     + (8 / root * xi_t * p * (strength**2 + c) - start) * np.exp(-2 * xi_t))
        return numerator / (m * (p + np.exp(-2 * xi_t))) ** 2

    sign = -1 if "149" in slips else 1
    first = (g - h) / m**2 + 2 * (
        part(q, -strength * (1 + ratio), strength * (ratio - 1))
        - part(p, strength * (1 - ratio), sign * strength * (1 + ratio)))
    return f + (first if "137" in slips else first / 4) / psi


def largest_errors(t, v, w, psi, strength, share, *slips) -> list[float]:
    """Of f at zeroth order, to first order, and by Eq. 137 with each of these sets of slips.

    Against integration of Eq. 9 at the instants t.
    """
    exact = riccati.flow_outputs(v[None], w[None], psi, strength, np.array([share]), t)[:, 0]
    zeroth, first = first_order(t, v, w, psi, strength, share)
    printed = (equation_137(t, v, w, psi, strength, share, kept) for kept in slips)
    return [float(np.abs(form - exact).max()) for form in (zeroth, zeroth + first / psi, *printed)]


def constants(f0, c, strength):
    """P, Q and lambda of Eq. 13; f0 = Lambda or C = 0 divide by zero."""
    root = np.sqrt(4 * strength**2 + 2 * c)
    p = ((4 * f0 * strength + 2 * c + root * np.sqrt(4 * f0**2 + 2 * c))
         / (2 * (f0 - strength) * (root - 2 * strength)))
    return p, p * (2 * strength - root) / (2 * strength + root), root


@dataclass(frozen=True)
class FirstOrder:
    """Largest error of f against integration of Eq. 9, for longer and longer contexts.

    The start shrinks as 1 / sqrt(psi), so that f(0) is the same for all psi: only then does the
    error measure the expansion. At psi = 100 the second start is that of Appendix G.
    """

    start: str  # one of FIRST_ORDER_STARTS
    strength: float = 0.5  # Lambda, Figure 3
    scale: float = 0.1  # A of Eq. 106
    share: float = 1.0  # ASSUMED: one task
    lengths: tuple[int, ...] = (10, 25, 50, 100, 200, 400, 800, 1600)  # psi. ASSUMED: around 100
    fitted_from: int = 100  # the least psi of the fits. ASSUMED: large enough
    times: int = 400  # ASSUMED: instants compared, until the slowest mode has decayed
    seed: int = 0  # nothing is random
    version: ClassVar[int] = 1

    def __post_init__(self):
        one_of(FIRST_ORDER_STARTS, start=self.start)

    def measure(self) -> dict:
        """psi, the largest error of each form, and the slopes of log error in log (1 / psi)."""
        errors = np.array([self.errors(psi) for psi in self.lengths]).T  # (forms, psi)
        lengths = np.array(self.lengths)
        kept = lengths >= self.fitted_from
        slopes = [-np.polyfit(np.log(lengths[kept]), np.log(error[kept]), 1)[0]
                  for error in errors]
        return {"psi": lengths, "errors": errors, "slopes": slopes}

    def errors(self, psi: int):
        """The largest errors, in the order of FORMS."""
        v, w, strength, share = *self.vectors(psi), self.strength, self.share
        g0, h0 = riccati.quadratic_forms(v, w, psi, strength)
        pace = share * psi * (1 + strength**2) * np.sqrt(strength**2 + g0 * h0 / 4)
        t = np.linspace(0, 10 / pace, self.times)
        zeroth, first, printed, corrected = largest_errors(t, v, w, psi, strength, share,
                                                           SLIPS, ())
        return zeroth, printed, corrected, first

    def vectors(self, psi: int):
        """v and w at time 0."""
        direction = (np.ones(2) if self.start == "Appendix G"
                     else np.array([1, self.strength]) * 2 / (1 + self.strength**2) ** 0.5)
        v = self.scale * (100 / psi) ** 0.5 * direction
        return v, 1.1 * v


def appJ_first_order(profile: str) -> list[FirstOrder]:
    """Appendix J for both starts."""
    return [FirstOrder(start) for start in FIRST_ORDER_STARTS]
