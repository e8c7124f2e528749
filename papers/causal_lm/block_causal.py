"""Beyond the paper: masks between causal and prefix, and a plain transformer block."""

from icllib.training import Run
from papers.causal_lm import trained
from papers.causal_lm.trained import Cell, SHORT_SIZES, Size, as_in_table_1


def plain_cells() -> list[Cell]:
    """The rows of Table 1 on linear regression with a plain block."""
    return [cell for cell in as_in_table_1(plain=True) if cell.task == "linear"]


def block_cells(size: Size) -> list[Cell]:
    """The models of Table 1 on linear regression, from the causal mask to the prefix mask."""
    cells = []
    for shared in (True, False):
        causal = Cell("linear", "causal", shared, extra_loss=shared)
        between = [causal._replace(mask="block-causal", block=block) for block in size.blocks]
        cells += [causal, *between, causal._replace(mask="prefix")]
    return cells


def runs(profile: str) -> list[Run]:
    """Masks between causal and prefix; and a plain block beside the public code's."""
    size = SHORT_SIZES[profile]
    return trained.runs_of_size(size, block_cells(size) + plain_cells())
