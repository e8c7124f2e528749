import numpy as np
from scipy import stats

def referee(ratios, learned):
    """The verdict on "the ratio is below 1", in one of the four words."""
    if np.median(learned) > 1.25:
        return "not tested"
    logs = np.log(ratios)
    half = stats.t.ppf(0.975, len(logs) - 1) * logs.std(ddof=1) / len(logs) ** 0.5
    if logs.mean() + half < 0:
        return "holds"
    return "fails" if logs.mean() - half > 0 else "undecided"
