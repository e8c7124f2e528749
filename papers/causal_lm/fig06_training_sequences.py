"""Figure 6: how many training sequences the masks need."""

from icllib.training import Run
from papers.causal_lm import trained
from papers.causal_lm.trained import Cell, FULL_SET, SHORT_SIZES, Size, figure_3_cells


def figure_6_cells(size: Size) -> list[Cell]:
    """Shared-layer models, trained on few sequences and on many."""
    return [cell._replace(batches=batches) for cell in figure_3_cells()
            for batches in (*size.batches, FULL_SET)]


def runs(profile: str) -> list[Run]:
    """Figure 6: from 1 to 1,000 batches of training sequences."""
    size = SHORT_SIZES[profile]
    return trained.runs_of_size(size, figure_6_cells(size))
