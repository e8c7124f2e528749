"""Figure 9: varied context lengths hardly change the laws of softmax attention."""

from papers.solvable_attention.laws import shortened
from papers.solvable_attention.softmax import FEW, SIGN_LAWS, SIZES, SoftmaxTraining, curves, limits


def runs(profile: str) -> list[SoftmaxTraining]:
    """Figure 9: the law in time at two values of beta, for both sign laws; Appendix I.1: the others."""
    runs = [curves(signs, alpha=1.8, beta=beta) for signs in SIGN_LAWS for beta in (0.0, 0.5)]
    for beta in (0.0, 0.5):
        runs += [curves("random signs", alpha=1.8, sizes=SIZES, beta=beta),
                 *limits(alpha=1.8, beta=beta)]
    return shortened(profile, runs, **FEW)
