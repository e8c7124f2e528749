import numpy as np

import claimbook
import icllib
from papers.signed_averaging import affine, learning_rates


def test_each_scoring_function_has_the_rate_of_the_search():
    """The one with the lowest error at sigma = 1, by the committed records."""
    records = icllib.records(learning_rates.runs, "stored", page="signed_averaging/learning_rates")
    rates = {row.name: row.rate for row in affine.SCORINGS}
    for name, errors in claimbook.stacked(records, learning_rates.SEARCHED, "error").items():
        assert learning_rates.RATES[int(np.argmin(errors[:, 0]))] == rates[name]
