"""Errors of the formulas of the solution and of the laws, as printed and as corrected."""

from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
import scipy
from scipy import special

from claimbook.records import ADDED, Component
from icllib.theory import riccati, scaling_laws
from icllib.theory.first_order import first_order
from papers.solvable_attention.laws import start

FIRST_ORDER_STARTS = ("along (1, Lambda)", "Appendix G")
SLIPS = ("137", "149", "150")  # misprints in the solution, by equation


def equation_137(t, v, w, psi, strength, share, slips=SLIPS):
    """f0 + f1 / psi from Eqs. 137, 139, 150 and 151, for starts along (1, Lambda), C > 0 and f0 not Lambda.

    slips: the misprints to keep. "137": no factor 1/4 before the bracket; "149": the second term of Eq. 151
    with the sign -; "150": numerators of Eqs. 150 and 151 that do not start at 0.
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


def largest_errors(t, v, w, psi, strength, share, *slips, off: float = 0.0) -> list[float]:
    """Largest errors against Eq. 9 of f at zeroth and first order, and by Eq. 137 with each set of slips."""
    exact = riccati.flow_outputs(v[None], w[None], psi, strength, np.array([share]), t)[:, 0]
    share = (1 + off) * share
    zeroth, first = first_order(t, v, w, psi, strength, share)
    printed = (equation_137(t, v, w, psi, strength, share, kept) for kept in slips)
    return [float(np.abs(form - exact).max()) for form in (zeroth, zeroth + first / psi, *printed)]


def constants(f0, c, strength):
    """P, Q and lambda of Eq. 13; divides by zero if f0 = Lambda or C = 0."""
    root = np.sqrt(4 * strength**2 + 2 * c)
    p = ((4 * f0 * strength + 2 * c + root * np.sqrt(4 * f0**2 + 2 * c))
         / (2 * (f0 - strength) * (root - 2 * strength)))
    return p, p * (2 * strength - root) / (2 * strength + root), root


FORMS = ("zeroth order", "printed", "corrected", "first order")


@dataclass(frozen=True)
class FirstOrder(Component):
    """Largest error of f against integration of Eq. 9, for longer and longer contexts; the start shrinks as 1
    / sqrt(psi), so that f(0) is the same for all: only then is it of the expansion."""

    start: Literal[*FIRST_ORDER_STARTS]
    strength: float = 0.5  # Lambda, Figure 3
    scale: float = 0.1  # A of Eq. 106
    share: float = 1.0  # ASSUMED: one task
    lengths: tuple[int, ...] = (10, 25, 50, 100, 200, 400, 800, 1600)  # psi. ASSUMED: around 100
    fitted_from: int = 100  # the least psi of the fits. ASSUMED: large enough
    times: int = 400  # ASSUMED: instants compared, until the slowest mode has decayed
    seed: int = 0  # nothing is random
    off: float = field(default=0.0, metadata=ADDED)  # relative, in the rates: a control

    def axes(self, metric: str) -> dict:
        forms = {} if metric == "psi" else {"form": FORMS}
        return forms if metric == "slopes" else forms | {"psi": self.lengths}

    def measure(self) -> dict:
        """psi, the largest error of each form, and the slopes of log error in log (1 / psi)."""
        errors = np.array([self.errors(psi) for psi in self.lengths]).T  # (forms, psi)
        lengths = np.array(self.lengths)
        kept = lengths >= self.fitted_from
        slopes = [-np.polyfit(np.log(lengths[kept]), np.log(error[kept]), 1)[0] for error in errors]
        return {"psi": lengths, "errors": errors, "slopes": slopes}

    def errors(self, psi: int):
        """The largest errors, in the order of FORMS."""
        v, w, strength, share = *self.vectors(psi), self.strength, self.share
        g0, h0 = riccati.quadratic_forms(v, w, psi, strength)
        pace = share * psi * (1 + strength**2) * np.sqrt(strength**2 + g0 * h0 / 4)
        t = np.linspace(0, 10 / pace, self.times)
        zeroth, first, printed, corrected = largest_errors(t, v, w, psi, strength, share,
                                                           SLIPS, (), off=self.off)
        return zeroth, printed, corrected, first

    def vectors(self, psi: int):
        """v and w at time 0."""
        direction = (np.ones(2) if self.start == "Appendix G"
                     else np.array([1, self.strength]) * 2 / (1 + self.strength**2) ** 0.5)
        v = self.scale * (100 / psi) ** 0.5 * direction
        return v, 1.1 * v


# ---- formulas of the laws -------------------------------------------------------------------


@dataclass(frozen=True)
class LawFormulas(Component):
    """Eqs. 1, 63, 71 to 76, 83 and 105, Table 2, and how far 5,000 steps are from infinity."""

    alpha: float = 1.8  # Figure 3
    other_alpha: float = 2.1  # Figure 3; only for the second ratio of prefactors
    tasks: int = 200_000  # ASSUMED: at least 1e5
    strength: float = 0.5  # Lambda, Appendix G; Lambda_1 where it varies
    context_length: int = 100  # psi, Appendix G; psi_1 where it varies
    scale: float = 0.1  # A of Eq. 106
    gamma: float = 0.5  # of Lambda_s. ASSUMED: our Figure 4 has it
    beta: float = 0.5  # of psi_s. ASSUMED: our Figure 4 has it
    seed: int = 0  # nothing is random
    version: ClassVar[int] = 2  # 2: Eq. 83

    def measure(self) -> dict:
        """Errors {equation: (printed, corrected)}, and other numbers that the page states."""
        return self.exponents() | self.allocation() | self.laplace() | self.curvature() | self.losses() | {
            "laplace_over_exact": scaling_laws.laplace_ratio(self.alpha),
            "laplace_over_exact_other": scaling_laws.laplace_ratio(self.other_alpha),
            "largest_stable_strength": self.largest_stable_strength()}

    def exponents(self) -> dict:
        """Distances of the printed and the corrected exponents to the fitted ones."""
        alpha, gamma = self.alpha, self.gamma
        shares = riccati.task_shares(self.tasks, alpha)
        strengths = riccati.strengths(self.strength, gamma, self.tasks)
        counts, times = np.geomspace(1e3, 1e6, 9), np.geomspace(0.1, 100, 9)
        slow = scaling_laws.time_losses(shares, strengths, self.context_length,
                                        0.4 * strengths, 0.0, times)  # f(0) = Lambda_s / 10
        unseen = scaling_laws.data_losses(shares, strengths, 0, counts)
        even = scaling_laws.data_losses(shares, self.strength, 0, counts)
        fit = lambda xs, ys: scaling_laws.fit_exponent(xs, ys)[0]
        far = lambda fitted, *exponents: tuple(abs(fitted - x) for x in exponents)
        fixed, varied = (scaling_laws.theory_exponents(alpha, 0, g) for g in (0, gamma))
        printed = scaling_laws.theory_exponents(alpha, 0, gamma, large_strength=True)
        weights = np.arange(1, self.tasks + 1) ** -alpha
        return {
            "1": (abs(float(weights.sum() ** 2) - 1), abs(float(shares.sum()) - 1)),
            "Table 1, data": (np.nan, *far(fit(counts, even), fixed["data"])),
            "105": far(fit(counts, unseen), -(alpha + gamma - 1) / alpha, varied["data"]),
            "Table 2, time": far(fit(times, slow), printed["time"], varied["time"])}

    def allocation(self) -> dict:
        """Table 2 at beta: the exponent of C with which the best model size D grows."""
        sizes = np.unique(np.geomspace(3, 2000, 200).astype(int))
        budgets = np.geomspace(10, 1e4, 12)
        losses = scaling_laws.compute_losses(
            riccati.task_shares(self.tasks, self.alpha), self.strength,
            riccati.context_lengths(self.context_length, self.beta, self.tasks),
            0.4 * self.strength, 0.0, sizes, budgets)  # f(0) = Lambda / 10
        fitted = scaling_laws.fit_exponent(budgets, sizes[losses.argmin(axis=0)])[0]
        right = scaling_laws.allocation_exponents(self.alpha, self.beta)
        return {"Table 2, shares": (abs(fitted - right["time"]), abs(fitted - right["size"]))}

    def laplace(self) -> dict:
        """Eqs. 71 to 76: the integral of s^-alpha exp(-2 s^-alpha psi t) and its expansion."""
        alpha, t = self.alpha, 1e6
        exact = lambda psi: scipy.integrate.quad(
            lambda x: np.exp(x - alpha * x - 2 * np.exp(-alpha * x) * psi * t), 0, 40,
            limit=500, points=[np.log(2 * psi * t) / alpha])[0]
        shape = lambda s: 2 * s**-alpha * t + alpha * np.log(s)  # F t with its factor 2, psi = 1
        lowest = (2 * t) ** (1 / alpha)
        step, bend = 1e-3 * lowest, alpha**2 / lowest**2  # F''(c) t, Eq. 75
        rise = (shape(lowest + step) + shape(lowest - step) - 2 * shape(lowest)) / 2
        slope = np.log(exact(2) / exact(1)) / np.log(2)
        return {"71": (1.0, 0.0), "72": (abs(rise / (bend * step**2) - 1),
                                         abs(rise / (bend * step**2) - 0.5)),
                "76": (abs(slope + 1 - 2 / alpha), abs(slope + 1 - 1 / alpha))}

    def curvature(self, count: float = 1e6) -> dict:
        """Eq. 83: relative errors of F''(c), F of Eq. 78, by a second difference at N = count."""
        alpha, z = self.alpha, 1 / special.zeta(self.alpha)
        shape = lambda s: alpha * np.log(s) / count - np.log1p(-z * s**-alpha)
        lowest = ((count + 1) * z) ** (1 / alpha)
        step = 1e-3 * lowest
        bend = (shape(lowest + step) + shape(lowest - step) - 2 * shape(lowest)) / step**2
        unit = z ** (-2 / alpha) * count ** (-(alpha + 2) / alpha)
        return {"83": tuple(abs(factor * unit / bend - 1) for factor in (alpha * (alpha + 1), alpha**2))}

    def losses(self) -> dict:
        """Eq. 63: the loss on a task not learned. Losses at t = 5 over those at infinity."""
        shares, strength = riccati.task_shares(500, self.alpha), self.strength  # N_s of Figure 3
        g0, h0 = riccati.quadratic_forms(*start(self.scale, 2), self.context_length, strength)
        ratio = float(((g0 - h0) / 4 - strength) ** 2 / strength**2)
        f = riccati.closed_form(5.0, g0, h0, strength, shares * self.context_length * (1 + strength**2))[2]
        late = shares * (f - strength) ** 2 / 2
        size, count = 40, 10_000
        room = scaling_laws.size_losses(shares, strength, [size])[0]
        unseen = scaling_laws.data_losses(shares, strength, (g0 - h0) / 4, [count])[0]
        return {"63": (abs(ratio - 1), 0.0), "size_at_5": (late[:size].sum() + room) / room,
                "data_at_5": (late * (1 - (1 - shares) ** count)).sum() / unseen + 1}

    def largest_stable_strength(self) -> float:
        """Lambda at which steps of 1e-3 reach 2 / curvature: 2 P(1) psi (1 + Lambda^2) Lambda at v = w."""
        share = riccati.task_shares(500, self.alpha)[0]
        curvature = lambda x: 2 * share * self.context_length * (1 + x**2) * x
        return scipy.optimize.brentq(lambda x: 1e-3 * curvature(x) - 2, 0.1, 10)
