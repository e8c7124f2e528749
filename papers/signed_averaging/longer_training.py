"""Softmax, SSA and SSMax trained further than in Figure 3: does SSA's lead appear in better models?"""

import pandas as pd

from claimbook.claims.sentences import short

from papers.signed_averaging.affine import FIRST_COUNTED, PRINTED, SIGMAS, geometric_mean
from papers.signed_averaging.comparisons import TABLE_6, at_share, ratio
from papers.signed_averaging.trained_further import paths, runs  # noqa: F401


def ratios_by_level(levels: dict) -> dict[str, pd.DataFrame]:
    """SSA's error over softmax's at each level of competence. levels: {what they are: errors of both}."""
    return {f"{name}: {short(geometric_mean(errors[1]['softmax'], 0), 2)}": ratio(errors, "SSA", "softmax")
            for name, errors in levels.items()}


def beside_printed(records) -> pd.DataFrame:
    """The final errors from the third and from the fourth point on, and the printed ones."""
    counted = {"third": paths(records), "fourth": paths(records, FIRST_COUNTED + 1)}
    rows = {}
    for name in counted["third"].index.unique("scoring"):
        for point, errors in counted.items():
            rows[f"{name}, from the {point} point"] = [
                short(mean, 2) for mean in geometric_mean(at_share(errors).loc[name], 0)]
        if name in PRINTED:
            rows[f"{name}, Table 1"] = [f"{error:g}" for error in PRINTED[name]]
    rows["softmax, Table 6"] = [f"{error:g}" for error in TABLE_6["3L4AH"]]
    return pd.DataFrame.from_dict(rows, orient="index", columns=SIGMAS)
