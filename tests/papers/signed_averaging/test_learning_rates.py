import icllib
from claimbook.records.values import values
from papers.signed_averaging import affine, learning_rates


def test_each_scoring_function_has_the_rate_of_the_search():
    """The one with the lowest error at sigma = 1, by the committed records."""
    records = icllib.records(learning_rates.runs, "stored", page="signed_averaging/learning_rates")
    rates = {row.name: row.rate for row in affine.SCORINGS}
    errors = values(records, "error", scoring=affine.scoring_of, rate="recipe.learning_rate")
    best = errors.xs((1000, 1), level=("seed", "sigma")).unstack("rate").idxmin(axis=1)
    assert dict(best) == {name: rates[name] for name in learning_rates.SEARCHED}
