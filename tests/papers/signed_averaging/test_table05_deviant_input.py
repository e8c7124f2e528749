import numpy as np
import pandas as pd
import pytest

from claimbook.claims import load_claims
from papers.signed_averaging import affine, comparisons, table05_deviant_input
from papers.signed_averaging.affine import FIRST_STDS

CLAIMS = {claim.id: claim.printed["value"] for claim in load_claims("signed_averaging")}


def test_the_printed_answers_fail_as_claim_47_says():
    errors = (2.15 - 0.78) ** 2 + (0.96 - 0.26) ** 2 + (0.65 - 0.42) ** 2
    ratio, zero = table05_deviant_input.failure_on_sequence(
        pd.DataFrame([table05_deviant_input.SEQUENCE, (9, 9, 0, 0, 0)], columns=affine.DEVIANT))
    assert ratio == pytest.approx(errors / (0.78**2 + 0.26**2 + 0.42**2)) and zero == 1
    assert ratio == pytest.approx(CLAIMS["signed_averaging.47"]["softmax"], abs=5e-3)


def test_the_printed_growth_of_the_claim_is_that_of_the_table():
    growth = {f"sigma = {std}": error / table05_deviant_input.TABLE_5[0]
              for std, error in zip(FIRST_STDS[1:], table05_deviant_input.TABLE_5[1:])}
    assert growth == pytest.approx(CLAIMS["signed_averaging.11"], rel=1e-2)


def test_a_line_through_the_origin_never_finds_the_intercept():
    """Its answer to x misses c - x (sum of c x_i) / (sum of x_i^2): 1 + 1 / (n - 2) in the mean, of 100 draws of c."""
    expected = np.mean([1 + 1 / (n - 2) for n in range(3, 40)])
    assert comparisons.error_through_origin() == pytest.approx(expected, abs=0.3)
