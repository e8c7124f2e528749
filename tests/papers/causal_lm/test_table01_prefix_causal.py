import numpy as np
import pytest

from icllib.training import records, workers
from papers.causal_lm import table01_prefix_causal
from papers.causal_lm.trained import Cell


def test_overfitting_is_a_ratio_of_ratios(results, monkeypatch):
    monkeypatch.setattr(workers, "processors", lambda: ["cpu"])
    cells = table01_prefix_causal.classifier_cells()
    found = records(table01_prefix_causal.classifiers, "smoke", page="causal_lm/test")
    shares = table01_prefix_causal.held_out_and_training(found, cells)
    assert [shares[cells[2]][0, 0], shares[cells[2]][1, 0]] == [
        found[2]["wrong"][0], found[2]["training_wrong"][0]]
    assert cells[2] == Cell("classes", "prefix", False, False) and len(found) == len(cells) == 4
    made = {cell: np.array([[0.3, 0.4], [0.1, 0.2]]) * [[1 + 3 * (not cell.shared)], [1]]
            for cell in cells}
    assert table01_prefix_causal.overfitting(made)["causal"] == pytest.approx([4, 4])
