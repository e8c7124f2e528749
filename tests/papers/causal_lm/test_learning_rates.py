from papers.causal_lm import learning_rates
from papers.causal_lm.trained import SIZES


def test_the_search_has_every_rate_for_every_model_and_a_seed_of_its_own():
    runs = learning_rates.runs("cpu")
    assert [run.recipe.learning_rate for run in runs] == list(learning_rates.RATES) * 12
    assert {run.seed for run in runs} == {learning_rates.TRIED_SEED}
    assert all(learning_rates.TRIED_SEED >= size.seeds for size in SIZES.values())
    assert SIZES["cpu"].learning_rate in learning_rates.RATES
