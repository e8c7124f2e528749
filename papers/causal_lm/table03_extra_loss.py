"""Table 3: masks, layer sharing and the extra loss, in every combination."""

from icllib.training import Run
from papers.causal_lm import trained
from papers.causal_lm.trained import Cell, MASKS, SIZES, TASKS


def table_3_cells() -> list[Cell]:
    """Every pairing of layer sharing, extra loss, mask and task, in the order of Table 3."""
    return [Cell(task, mask, shared, extra_loss) for shared in (True, False)
            for extra_loss in (True, False) for mask in MASKS for task in TASKS]


def runs(profile: str) -> list[Run]:
    """Table 3, with more seeds of four cells, and the cells that need a lower rate at the usual."""
    return list(dict.fromkeys(table_3(profile) + rows_without_loss(profile) + stuck_at_first(profile)))


def table_3(profile: str) -> list[Run]:
    """The runs of Table 3."""
    return trained.runs(profile, table_3_cells())


def linear_rows(profile: str) -> list[Run]:
    """The runs of Table 3 on linear regression; more of its seeds may be complete than of all."""
    return trained.runs(profile, [cell for cell in table_3_cells() if cell.task == "linear"])


def rows_without_loss(profile: str) -> list[Run]:
    """The four cells on linear regression without the extra loss, still more seeds, for claim 24."""
    size = SIZES[profile]
    cells = [cell for cell in table_3_cells() if cell.task == "linear" and not cell.extra_loss]
    return trained.runs(profile, cells, seeds=size.seeds + 2 * size.more_seeds)


def stuck_at_first(profile: str) -> list[Run]:
    """The cells of Table 3 that need a lower rate, trained at the rate of the others."""
    stuck = [cell for cell in table_3_cells() if cell.stuck]
    return trained.runs(profile, stuck, lower_rate=SIZES[profile].learning_rate)
