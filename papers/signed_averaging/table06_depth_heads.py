"""Table 6 and Figure 11: do more layers and heads help outside the training distribution?"""

from icllib.training import Run
from papers.signed_averaging.affine import all_runs, models_by_shape


def runs(profile: str) -> list[Run]:
    """Table 6 and Figure 11: every shape, in the order of the table."""
    return all_runs(models_by_shape(profile))
