import numpy as np
import pandas as pd

from papers.context_scaling import untrained_lengths


def test_ratios_at_untrained_lengths():
    """By hand: trained at 1, 11 and 21 with errors 1, 0.5 and 0.25."""
    tested = (1, 6, 11, 16, 21, 31)
    errors = [[1, 0.75, 0.5, 0.75, 0.25, 0.5], [1, 1.5, 0.5, 0.375, 0.25, 0.125]]
    ratios = untrained_lengths.untrained_ratios(pd.DataFrame(errors, columns=tested), (1, 11, 21))
    np.testing.assert_allclose(ratios["between"], [(1 + 2) / 2, (2 + 1) / 2])
    np.testing.assert_allclose(ratios["beyond"], [2, 0.5])
