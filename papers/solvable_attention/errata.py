"""Errata: for 28 formulas of the paper, by equation, the errors of the printed and of the corrected form."""

from dataclasses import dataclass

import numpy as np

from claimbook.records import Component
from icllib.theory import riccati
from papers.solvable_attention.formulas import (
    FIRST_ORDER_STARTS, FirstOrder, LawFormulas, SLIPS, constants, largest_errors)
from papers.solvable_attention.laws import flow_and_closed_forms


@dataclass(frozen=True)
class SolutionFormulas(Component):
    """Eqs. 14 and 39 to 61 and the rates of Appendices A and H.3, for one task with c = 1."""

    context_length: int = 100  # psi, Figure 3
    strength: float = 0.5  # Lambda, Figure 3
    v: tuple[float, float] = (0.12, 0.05)  # ASSUMED: a start with C and f0 - Lambda not small
    w: tuple[float, float] = (0.03, -0.04)  # ASSUMED: the same
    times: int = 200  # ASSUMED: instants compared, until the slowest mode has decayed
    seed: int = 0  # nothing is random

    def measure(self) -> dict:
        """Errors of both forms: {equation: (printed, corrected)}; the methods below do the same."""
        return self.unbalanced() | self.balanced() | self.rates()

    @property
    def rate(self) -> float:
        """The rate a = c psi (1 + Lambda^2)."""
        return self.context_length * (1 + self.strength**2)

    def integrated(self, v, w, strength, t):
        """g, h and f of the zeroth-order flow, integrated numerically."""
        matrix = self.context_length * riccati.zeroth_order_matrix(strength)
        v, w = riccati.integrate_flow(v[None], w[None], matrix[None], strength, np.ones(1), t)
        g, h = riccati.quadratic_forms(v[:, 0], w[:, 0], self.context_length, strength)
        return g, h, (g - h) / 4

    def unbalanced(self) -> dict:
        """Errors for Eqs. 39, 40, 48, 50 and 56."""
        v, w, strength, a = np.array(self.v), np.array(self.w), self.strength, self.rate
        g0, h0 = riccati.quadratic_forms(v, w, self.context_length, strength)
        c, f0 = g0 * h0 / 2, (g0 - h0) / 4
        t = np.linspace(0, 10 / (a * np.sqrt(strength**2 + c / 2)), self.times)
        g, h, f = self.integrated(v, w, strength, t)
        far = lambda ours, right: float(np.abs(ours - right).max())
        product = lambda u, z: u @ (self.context_length * riccati.zeroth_order_matrix(strength)) @ z
        norms, inner = (product(v, v) + product(w, w)) ** 2, product(v, w)
        p, _, root = constants(f0, c, strength)
        slip = p * (f0 - strength) * (root - 2 * strength) / ((f0 - strength) * root - strength)
        change = (g - h - 4 * strength) * h / 2  # h' / a, Eq. 33
        second = lambda linear: -2 * strength * linear - h**2 / 2 + c  # of Eq. 39, over a
        return {
            "40, C": (far(self.equation_13(t, f0, 2 * c), f), far(self.equation_13(t, f0, c), f)),
            "40, square": (far(norms - 4 * inner, g0 * h0), far(norms - 4 * inner**2, g0 * h0)),
            "39": (far(second(g), change), far(second(h), change)),
            "48": (far(a**2 * h / 4, h), far(-2 / a * (-a * h / 2), h)),
            "50": (far(2 * c / (a**2 * c / 2), -1), far(-a**2 * g * h / 4 / (a**2 * c / 2), -1)),
            "56": (far(self.equation_13(t, f0, c, slip), f), far(self.equation_13(t, f0, c), f))}

    def equation_13(self, t, f0, c, p=None):
        """f(t) by Eq. 13 for any C; p: a value in place of the P that belongs to C."""
        right, q, root = constants(f0, c, self.strength)
        p, q = (right, q) if p is None else (p, p * q / right)
        growth = np.exp(self.rate * root * t)
        return self.strength + root / 2 * (1 / (1 + p * growth) - 1 / (1 + q * growth))

    def balanced(self) -> dict:
        """Errors for Eqs. 14, 58 and 61, from starts with v = w or v = -w."""
        v, strength, a = np.array(self.v) / 2, self.strength, self.rate
        t = np.linspace(0, 8 / (2 * a * strength), self.times)

        def logistic(f0, exponent):
            return strength / (1 + (strength - f0) / f0 * np.exp(exponent * a * t))

        def far(w, *exponents):
            f = self.integrated(v, w, strength, t)[2]
            return tuple(float(np.abs(logistic(f[0], x) - f).max()) for x in exponents)

        late = 100 * t[-1]
        forms = lambda w, strength: riccati.quadratic_forms(v, w, self.context_length, strength)
        ends = [float(riccati.closed_form(late, *forms(w, own), own, a)[2])
                for w, own in ((-v, strength), (v, -strength))]
        return {"14": far(-v, -2 * strength, 2 * strength),
                "58": far(v, -2 * 2 * strength, -2 * strength),
                "61": (max(abs(end - x) for end, x in zip(ends, (strength, -strength))),
                       max(map(abs, ends)))}

    def rates(self) -> dict:
        """Errors for the rates, which are H itself: Appendix A, psi Lambda, and Appendix H.3, mu."""
        psi, strength, mu = self.context_length, self.strength, 2.0  # Appendix H.3
        return {"A": self.rate_errors(psi * strength, (self.rate, psi * strength)),
                "H.3": self.rate_errors(mu, (psi * mu, mu))}

    def rate_errors(self, size, rates) -> tuple:
        """Largest errors of the closed form for the 1 x 1 matrix H = size, for each rate."""
        t = np.linspace(0, 10 / (size * self.strength), self.times)
        flow, closed = flow_and_closed_forms(0.3 / size**0.5, 0.2 / size**0.5, size, self.strength, rates, t)
        return tuple(float(np.abs(f - flow).max()) for f in closed)


@dataclass(frozen=True)
class FirstOrderFormulas(Component):
    """Appendix J: the error of each misprint by itself, for starts along (1, Lambda) but in "range"."""

    context_length: int = 1600  # psi. ASSUMED: the longest of the page of Appendix J
    strength: float = 0.5  # Lambda, Figure 3
    scale: float = 0.1  # A of Eq. 106 at psi = 100, as on that page
    times: int = 200  # ASSUMED: instants compared, until the slowest mode has decayed
    seed: int = 0  # nothing is random

    def measure(self) -> dict:
        """Errors of both forms: {equation: (printed, corrected)}."""
        psi, strength, size = self.context_length, self.strength, self.scale
        size *= (100 / psi) ** 0.5
        eta, rho = size * np.array([2.1, 1.3]), size * np.array([0.4, -1.5])
        sums = [u[0] + strength * u[1] for u in (eta, rho)]
        g0, h0 = (psi * s**2 for s in sums)
        left = eta[0] * sums[0] * h0 - rho[0] * sums[1] * g0  # of Eq. 127
        bar, tilde = (strength * u[0] - u[1] for u in (eta, rho))
        right = np.sqrt(g0 * h0) * (bar * rho[1] - tilde * eta[1])
        errors = {slip: tuple(self.compare(FIRST_ORDER_STARTS[0], slips)[0] for slips in ((slip,), ()))
                  for slip in SLIPS}
        return {"121": (1 - 1 / psi, 0.0),  # g with psi left out, over g
                "127": (abs(right / left - 1), abs(np.sign(sums[0] * sums[1]) * right / left - 1)),
                "143": (psi - 1.0, 0.0),  # psi^2 in place of psi
                } | errors | {"range": self.compare(FIRST_ORDER_STARTS[1], ())}

    def compare(self, start, slips) -> tuple:
        """Largest errors of f with Eqs. 137 to 151, with these misprints, and with the general form."""
        psi, strength = self.context_length, self.strength
        v, w = FirstOrder(start, strength, self.scale).vectors(psi)
        t = np.linspace(0, 10 / (psi * (1 + strength**2) * strength), self.times)
        _, general, by_equations = largest_errors(t, v, w, psi, strength, 1.0, slips)
        return by_equations, general


# What changes what a reader would use, in words: the group and the name of each on the page.
THAT_MATTER = {
    "Table 2, time: $3\\gamma$ is $\\gamma$\nunless all strengths are large": (
        "the scaling laws", "Table 2, time"),
    "Table 2, compute: the shares of\nsize and time are exchanged": ("the scaling laws", "Table 2, shares"),
    "Eq. 14: for $v = -w$ the sign\nin the exponent flips": ("the solution", "14"),
    "Eq. 40: $C = g_0 h_0 / 2$,\nnot $g_0 h_0$": ("the solution", "40, C"),
    "App. J: the numerator at 0\nis missing": ("the first order", "150")}


def runs(profile: str) -> list:
    """The errata, in the order of the page."""
    return [SolutionFormulas(), LawFormulas(), FirstOrderFormulas()]
