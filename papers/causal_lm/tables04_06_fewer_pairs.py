"""Tables 4 to 6: fewer pairs in the test than in training."""

from icllib.training import Run
from papers.causal_lm import trained
from papers.causal_lm.trained import Cell, ROWS, TASKS, as_in_table_1


def runs(profile: str) -> list[Run]:
    """Tables 4 to 6: the models of Table 1, which are also tested with fewer pairs."""
    return trained.runs(profile, as_in_table_1())


# Tables 4 to 6: a column per task; the rows are those of ROWS.
FEWER_PAIRS = {
    16: ((1.01, 2.1e-2, 42.8), (1.76, 2.7e-2, 43.3), (0.97, 1.9e-2, 42.9), (1.12, 3.2e-2, 46.6)),
    24: ((1.4e-1, 2.0e-3, 33.4), (7.0e-1, 1.0e-2, 35.9), (1.0e-1, 1.7e-3, 37.1),
         (1.3e-1, 1.0e-2, 41.2)),
    32: ((2.4e-2, 4.7e-4, 32.4), (3.1e-1, 5.0e-3, 34.6), (9.5e-3, 3.4e-4, 36.2),
         (4.0e-2, 5.7e-3, 37.3)),
}


def fewer_pairs(cell: Cell, pairs: int) -> float:
    """The entry of Table 4, 5 or 6 (16, 24 or 32 pairs) for a cell of Table 1."""
    return FEWER_PAIRS[pairs][ROWS.index((cell.mask, cell.shared))][TASKS.index(cell.task)]
