from papers.causal_lm import block_causal, trained
from papers.causal_lm.trained import Cell


def test_every_seed_in_a_table():
    prefix, causal = (Cell("linear", mask, True, True) for mask in trained.MASKS)
    table = block_causal.errors_of_seeds({"one": {prefix: [2.71, 0.00521], causal: [1, 12]},
                                       "other": {prefix: [3.0], causal: [4.0]}})
    assert table.loc["prefix, shared, extra loss"].tolist() == ["2.7, 0.0052", "3"]
    assert table["one"].tolist() == ["2.7, 0.0052", "1, 12"]
