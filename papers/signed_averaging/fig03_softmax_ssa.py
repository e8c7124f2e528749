"""Figure 3: does SSA beat softmax away from the training distribution?"""

import numpy as np
import pandas as pd

from papers.signed_averaging.affine import softmax_and_ssa
from papers.signed_averaging.comparisons import beyond_spread


def growth(errors) -> dict[str, pd.Series]:
    """Claim 2: error / sigma^2 over that at sigma = 2, by seed."""
    relative = errors / np.square(errors.columns)
    return {f"sigma = {sigma}": own / relative[2] for sigma, own in relative.loc[:, 3:].items()}


def cells_with_ssa_below(ratios) -> pd.DataFrame:
    """Figure 3: SSA's errors over softmax's, columns (I, F), as geometric means over parts of the grid."""
    wide = ratios.columns.to_frame() > 1
    inputs, functions = wide["input_std"], wide["function_std"]
    parts = {"all": inputs | True, "inputs only": inputs & ~functions,
             "functions only": functions & ~inputs, "both": inputs & functions}
    logs = np.log(ratios)
    rows = beyond_spread({name: np.exp(logs.loc[:, cells].mean(axis=1)) for name, cells in parts.items()})
    share = lambda cells: f"{(logs.loc[:, cells].mean() < 0).sum()} of {cells.sum()}"
    return rows.assign(**{"cells with SSA below": [share(cells) for cells in parts.values()]})


runs = softmax_and_ssa
