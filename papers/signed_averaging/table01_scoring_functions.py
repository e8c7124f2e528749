"""Table 1: thirteen scoring functions, far from the training distribution."""

import numpy as np
import pandas as pd

from papers.signed_averaging.affine import PRINTED, SIGMAS, scorings_on_affine_functions
from papers.signed_averaging.comparisons import TABLE_6


def nearer_row(errors) -> pd.DataFrame:
    """Our softmax errors, a row for each seed, over two printed rows that should be equal."""
    rows = {}
    for name, row in (("Table 1, softmax", PRINTED["softmax"]), ("Table 6, 12L8AH", TABLE_6["12L8AH"])):
        logs = np.log(errors.loc[:, 3:]).mean() - np.log(row[2:])
        rows[name] = {"ours / printed, geometric mean": np.exp(logs.mean()),
                      "smallest": np.exp(logs.min()), "largest": np.exp(logs.max()),
                      "typical factor": np.exp(np.sqrt(np.mean(logs**2))),
                      "after one common factor": np.exp(logs.std(ddof=0))}
    return pd.DataFrame.from_dict(rows, orient="index").map("{:.3g}".format)


def printed_steps() -> pd.DataFrame:
    """Each printed error over that at the sigma before, from sigma = 5 on, in Tables 1 and 6: errors of
    models tested on the same functions (Appendix M) should rise at the same sigmas."""
    single = {name: [PRINTED[name]] for name in ("SSA", "softmax")}
    others = [row for name, row in PRINTED.items() if name not in single]
    groups = single | {"the others of Table 1": others, "all of Table 6": list(TABLE_6.values())}
    found = {}
    for name, rows in groups.items():
        steps = np.array([np.divide(row[4:], row[3:-1]) for row in rows])
        found[name] = [f"{low:.2f}" if low == high else f"{low:.2f} to {high:.2f}"
                       for low, high in zip(steps.min(axis=0), steps.max(axis=0))]
    columns = [f"{sigma - 1} to {sigma}" for sigma in SIGMAS[4:]]
    return pd.DataFrame.from_dict(found, orient="index", columns=columns)


runs = scorings_on_affine_functions
