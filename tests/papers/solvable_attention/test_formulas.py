import mpmath
import pytest

from papers.solvable_attention.formulas import LawFormulas


def test_the_curvature_of_equation_83_by_exact_derivatives():
    """F'' of Eq. 78 in mpmath, at the c of Eq. 80."""
    alpha, count = mpmath.mpf("1.8"), 10**6
    z = 1 / mpmath.zeta(alpha)
    shape = lambda s: alpha * mpmath.log(s) / count - mpmath.log(1 - z * s**-alpha)
    with mpmath.workdps(40):
        bend = mpmath.diff(shape, ((count + 1) * z) ** (1 / alpha), 2)
        unit = z ** (-2 / alpha) * count ** (-(alpha + 2) / alpha)
    assert float(bend / unit) == pytest.approx(1.8**2, rel=1e-5)
    printed, corrected = LawFormulas().curvature()["83"]
    assert printed == pytest.approx(1.8 * 2.8 * float(unit / bend) - 1, rel=1e-4)
    assert corrected < 1e-5
