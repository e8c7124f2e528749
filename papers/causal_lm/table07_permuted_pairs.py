"""Table 7: what shuffling the pairs in training changes."""

from icllib.training import Run
from papers.causal_lm import trained
from papers.causal_lm.trained import Cell, ROWS, TASKS, as_in_table_1


def runs(profile: str) -> list[Run]:
    """Table 7, and Table 1 to compare with."""
    return trained.runs(profile, as_in_table_1() + as_in_table_1(permuted=True))


# Table 7: a column per task; the rows are those of ROWS.
PERMUTED = ((9.0e-3, 1.5e-4, 24.1), (1.9e-1, 2.5e-3, 26.9), (2.6e-3, 9.5e-5, 26.1), (1.1e-2, 1.8e-3, 26.2))


def printed_error(cell: Cell) -> float:
    """The entry of Table 7 for a cell of Table 1."""
    return PERMUTED[ROWS.index((cell.mask, cell.shared))][TASKS.index(cell.task)]
