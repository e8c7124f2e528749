import numpy as np
import pandas as pd

from papers.signed_averaging import fig03_softmax_ssa


def test_cells_of_figure_3_are_counted_by_which_law_is_wide():
    ratios = np.ones((2, 3, 3))
    ratios[:, 0, 1:] = 0.5  # wide functions only
    ratios[:, 2, 2] = 4.0
    columns = pd.MultiIndex.from_product([(1, 3, 10)] * 2, names=["input_std", "function_std"])
    rows = fig03_softmax_ssa.cells_with_ssa_below(pd.DataFrame(ratios.reshape(2, 9), columns=columns))
    below = dict(rows["cells with SSA below"])
    assert below == {"all": "2 of 9", "inputs only": "0 of 2", "functions only": "2 of 2", "both": "0 of 4"}
    assert rows.loc["functions only", "ratio"].startswith("0.5")
    assert rows.loc["both", "ratio"].startswith("1.4")  # the fourth root of 4
