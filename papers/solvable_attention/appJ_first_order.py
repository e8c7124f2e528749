"""Appendix J: the first-order correction to the closed form."""

from papers.solvable_attention.formulas import FIRST_ORDER_STARTS, FirstOrder


def runs(profile: str) -> list[FirstOrder]:
    """Appendix J for both starts."""
    return [FirstOrder(start) for start in FIRST_ORDER_STARTS]
