"""Table 6 and Figure 11: do more layers and heads help outside the training distribution?"""

from icllib.training import Run
from papers.signed_averaging.affine import SHAPES, models_of


def runs(profile: str) -> list[Run]:
    """Table 6 and Figure 11: every shape, in the order of the table."""
    return models_of(SHAPES, profile)
