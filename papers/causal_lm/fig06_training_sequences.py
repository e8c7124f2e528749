"""Figure 6: how many training sequences the masks need."""

from icllib.training import Run
from papers.causal_lm import trained
from papers.causal_lm.trained import FULL_SET, SHORT_SIZES, figure_3_cells


def runs(profile: str) -> list[Run]:
    """Figure 6: shared-layer models, from 1 to 1,000 batches of training sequences."""
    size = SHORT_SIZES[profile]
    return trained.runs_of_size(size, [cell._replace(batches=batches) for cell in figure_3_cells()
                                       for batches in (*size.batches, FULL_SET)])
