"""Figure 10: with AdamW softmax attention loses the laws in time and compute."""

import numpy as np

from papers.solvable_attention.laws import ALPHAS, shortened
from papers.solvable_attention.softmax import (
    FEW, LawCurve, SIZES, SoftmaxCurves, SoftmaxDataLimit, SoftmaxSizeLimit, SoftmaxTraining)

DESCENT_RATES = (0.5, 1.0, 2.0, 3.0)  # stable up to 3.0 at alpha = 1.8 and 2.5 at 2.1
ADAMW = {"optimizer": "AdamW", "learning_rate": 5e-3}  # Table 4


def descent_in_time(profile: str) -> list[SoftmaxCurves]:
    """The law in time by gradient descent at each rate, from AdamW's starts, alpha by alpha."""
    return shortened(profile, [SoftmaxCurves(alpha, learning_rate=rate)
                               for alpha in ALPHAS for rate in DESCENT_RATES], **FEW)


def runs(profile: str) -> list[SoftmaxTraining]:
    """Figure 10: the four laws under AdamW; then gradient descent at each rate, `descent_in_time`."""
    runs = [SoftmaxCurves(2.1, sizes=SIZES, **ADAMW)]
    for alpha in ALPHAS:
        runs += [SoftmaxCurves(alpha, **ADAMW), SoftmaxSizeLimit(alpha, steps=5000, **ADAMW),
                 SoftmaxDataLimit(alpha, steps_per_point=0, **ADAMW)]
    return shortened(profile, runs, **FEW) + descent_in_time(profile)


def first_below(curve: LawCurve, fraction: float) -> np.ndarray:
    """The first step kept at which a loss is below a fraction of its first, or infinity: (starts,)."""
    below = curve.losses < fraction * curve.losses[:, :1]
    return np.where(below.any(axis=1), curve.xs[below.argmax(axis=1)], np.inf)
