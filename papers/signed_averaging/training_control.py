"""A control for Table 1: equal steps or equal error."""

from papers.signed_averaging.affine import scorings_on_affine_functions


def runs(profile: str) -> list:
    """Errors along training: the runs of Table 1."""
    return scorings_on_affine_functions(profile)
