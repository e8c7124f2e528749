import pandas as pd
import pytest

from icllib.training import records
from papers.causal_lm import table01_prefix_causal
from papers.causal_lm.trained import Cell


def test_overfitting_is_a_ratio_of_ratios(results):
    cells = table01_prefix_causal.classifier_cells()
    found = records(table01_prefix_causal.classifiers, "smoke", page="causal_lm/test")
    shares = table01_prefix_causal.held_out_and_training(found)
    assert shares.loc[0, "prefix", False].tolist() == [found[2]["wrong"][0], found[2]["training_wrong"][0]]
    assert cells[2] == Cell("classes", "prefix", False, False) and len(found) == len(cells) == 4
    made = pd.DataFrame([(seed, mask, shared, held_out * (1 if shared else 4), held_out / 3)
                         for seed, held_out in ((0, 0.3), (1, 0.6)) for mask in ("prefix", "causal")
                         for shared in (True, False)],
                        columns=["seed", "mask", "shared", "held out", "training"])
    ratios = table01_prefix_causal.overfitting(made.set_index(["seed", "mask", "shared"]))
    assert ratios["causal"].to_dict() == pytest.approx({0: 4, 1: 4})
