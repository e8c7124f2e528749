import numpy as np

import icllib
from icllib.papers.signed_averaging import affine, learning_rates


def test_each_scoring_function_has_the_rate_of_the_search():
    """The one with the lowest error at sigma = 1, by the committed records."""
    records = icllib.records(learning_rates.runs, "stored", page="signed_averaging/learning_rates")
    trained = iter(affine.scorings_on_affine_functions("cpu")[:: affine.SIZES["cpu"].seeds])
    for errors in icllib.stacked(records, affine.scorings(), "error").values():
        assert learning_rates.RATES[int(np.argmin(errors[:, 0]))] == next(trained).recipe.learning_rate
