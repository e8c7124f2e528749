"""After Proposition 5: does the causal mask reach the solution with more examples?"""

import numpy as np
import pandas as pd

from papers.causal_lm.layers import INPUT_MEANS, KaczmarzErrors, layer_seeds


def runs(profile: str) -> list[KaczmarzErrors]:
    """One pass of Kaczmarz's method for every mu."""
    return [KaczmarzErrors(mu, seed=seed) for mu in INPUT_MEANS for seed in layer_seeds(profile)]


def with_twice_the_pairs(sampled: dict) -> pd.DataFrame:
    """The error with 2n pairs over that with n, for four n, as geometric means over seeds.

    sampled: {(panel, mu): a row for each seed, a column for each number of pairs}.
    """
    ratio = lambda curves, n: np.exp(np.log(curves[2 * n] / curves[n]).mean())
    return pd.DataFrame({f"{panel}, mu = {mu:g}": {
        f"{n} to {2 * n}": f"{ratio(curves, n):.2g}" for n in (60, 120, 250, 500)}
        for (panel, mu), curves in sampled.items()}).T
