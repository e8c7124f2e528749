"""Figure 3: does SSA beat softmax away from the training distribution?"""

import numpy as np
import pandas as pd

from papers.signed_averaging.affine import SIGMAS, softmax_and_ssa
from papers.signed_averaging.comparisons import beyond_spread


def growth(errors) -> dict[str, np.ndarray]:
    """Claim 2: error / sigma^2 over that at sigma = 2: {part: (seeds,)}."""
    relative = np.atleast_2d(errors) / np.square(SIGMAS)
    return {f"sigma = {sigma}": relative[:, place] / relative[:, 1]
            for place, sigma in enumerate(SIGMAS) if sigma > 2}


def cells_with_ssa_below(grids: dict, stds) -> pd.DataFrame:
    """Figure 3: the ratio of the errors of SSA and softmax over parts of the grid.

    Geometric means over cells. grids: {name: (seeds, I, F)}, over the deviations `stds`.
    """
    ratio, wide = np.log(grids["SSA"] / grids["softmax"]), np.array(stds) > 1
    parts = {"all": np.ones_like(ratio[0], dtype=bool), "inputs only": np.outer(wide, ~wide),
             "functions only": np.outer(~wide, wide), "both": np.outer(wide, wide)}
    rows = beyond_spread({name: np.exp(ratio[:, cells].mean(axis=1))
                          for name, cells in parts.items()})
    share = lambda cells: f"{(ratio.mean(axis=0)[cells] < 0).sum()} of {cells.sum()}"
    return rows.assign(**{"cells with SSA below": [share(cells) for cells in parts.values()]})


def runs(profile: str) -> list:
    """Figure 3: the runs of Table 1 with softmax, then those with SSA."""
    return softmax_and_ssa(profile)
