"""The rule by which golden numbers are compared lets rounding pass and nothing else."""

import pytest
from rounding import SINGLE, assert_as_recorded

INFINITE, NAN = float("inf"), float("nan")


@pytest.mark.parametrize("ours, recorded", [
    ([-0.583333, 0.0], [-0.583333, 1.41318e-08]),  # the residual of points on a line
    ([7120.0, 4e-14], [7120.0, 2.2e-16]), (3e-12, 5.4e-10),  # deviations from an identity
    ([0.25, INFINITE, NAN], [0.25, INFINITE, NAN]), ([], [])])
def test_rounding_passes(ours, recorded):
    assert_as_recorded(ours, recorded)
    assert_as_recorded([80.0, 1.00005], [80.0, 1.0], 1e-5, SINGLE)  # which leaves less of what cancels


@pytest.mark.parametrize("ours, recorded, how", [
    (1.0002, 1.0, ()), ([1.0, 1.02e-3], [1.0, 1e-3], ()), ([1.0, 2e-6], [1.0, 1e-6], ()), (3e-8, 5.4e-10, ()),
    ([1.0, NAN], [1.0, 1.0], ()), ([1.0, 2.0], [1.0, INFINITE], ()), ([1.0, 1.0], [1.0], ()),
    ([0.25, 0.26, 1.0], [0.25, 0.25, INFINITE], ()), ([80.0, 1.0002], [80.0, 1.0], (1e-5, SINGLE))])
def test_a_number_that_has_changed_does_not(ours, recorded, how):
    with pytest.raises(AssertionError):
        assert_as_recorded(ours, recorded, *how)
