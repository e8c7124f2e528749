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


def kaczmarz_evidence(sampled: dict) -> dict:
    """{claim: (evidence, control)} of the error with 1,000 pairs over that with 500, for claims 38 and 40.

    sampled: see `with_twice_the_pairs`. Labels with and without noise are each the other's control.
    """
    ratios = {key: curves[1000] / curves[500] for key, curves in sampled.items()}
    of = lambda panel, means: {f"mu = {mu}": ratios[panel, mu] for mu in means}
    return {38: (of("no noise", (1, 2, 3)), of("noise", (1, 2, 3))),
            40: (of("noise", (0, 1)), of("no noise", (0, 1)))}
