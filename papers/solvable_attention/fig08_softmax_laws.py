"""Figure 8: softmax attention has the scaling laws of equal contexts."""

import numpy as np

from claimbook.records import Record
from icllib.theory import riccati, scaling_laws
from papers.solvable_attention.laws import ALPHAS, shortened
from papers.solvable_attention.softmax import (
    FEW, SIGN_LAWS, SIZES, SoftmaxCurves, SoftmaxSizeLimit, SoftmaxTraining, curves, limits)


def runs(profile: str) -> list[SoftmaxTraining]:
    """Figure 8: the paper's rate; the four laws for both sign laws, that in time also at Figure 9's beta."""
    runs = [SoftmaxCurves(1.8, learning_rate=1e-3)]
    for signs, share in SIGN_LAWS.items():
        runs += [curves(signs, alpha=1.8, sizes=SIZES), curves(signs, alpha=1.8, beta=0.5)]
        for alpha in ALPHAS:
            runs += [curves(signs, alpha=alpha), *limits(alpha=alpha, positive_share=share)]
    return shortened(profile, runs, **FEW)


def shifted_sizes(curves, alpha: float) -> dict[str, float]:
    """Mean exponents in the paper's D, tasks learned and one, by sign law and of tasks one by one."""
    sizes = np.array(SoftmaxSizeLimit.sizes)
    shares = riccati.task_shares(SoftmaxSizeLimit.tasks, alpha)
    losses = scaling_laws.size_losses(shares, 1.0, sizes)
    found = {"one by one": scaling_laws.fit_exponent(sizes + 1, losses)[0]}
    for curve in curves:
        if (curve.law, curve.alpha) == ("size", alpha):
            found[curve.signs] = np.mean([scaling_laws.fit_exponent(curve.xs + 1, losses)[0]
                                          for losses in curve.losses])
    return found


def cost_of_learned(record: Record, steps) -> np.ndarray:
    """Loss of a record's smallest model on the tasks that it learns: (len(steps),)."""
    run = record.component
    beyond = scaling_laws.size_losses(run.shares(), run.strength, run.sizes[:1])
    return np.interp(steps, record["step"], record["loss"][:, 0].mean(0)) - beyond
