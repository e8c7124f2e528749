"""Table 3: masks, layer sharing and the extra loss, in every combination."""

from icllib.papers.causal_lm import trained
from icllib.papers.causal_lm.trained import Cell, MASKS, SIZES, TASKS
from icllib.training import Run


def table_3_cells() -> list[Cell]:
    """Every pairing of layer sharing, extra loss, mask and task, in the order of Table 3."""
    return [Cell(task, mask, shared, extra_loss) for shared in (True, False)
            for extra_loss in (True, False) for mask in MASKS for task in TASKS]


def cells_without_loss() -> list[Cell]:
    """Four of these: on linear regression, without the extra loss."""
    return [cell for cell in table_3_cells() if cell.task == "linear" and not cell.extra_loss]


def runs(profile: str) -> list[Run]:
    """Table 3, with more seeds of four kinds, and one kind at the rate of the others."""
    return list(dict.fromkeys(table_3(profile) + rows_without_loss(profile)
                              + stuck_at_first(profile)))


def table_3(profile: str) -> list[Run]:
    """Those of Table 1 and their counterparts."""
    return trained.runs(profile, table_3_cells())


def linear_rows(profile: str) -> list[Run]:
    """Those on linear regression, which can have more whole seeds than all."""
    return trained.runs(profile, [cell for cell in table_3_cells() if cell.task == "linear"])


def rows_without_loss(profile: str) -> list[Run]:
    """Four kinds of those with yet more seeds, for claim 24."""
    size = SIZES[profile]
    return trained.runs(profile, cells_without_loss(), seeds=size.seeds + 2 * size.more_seeds)


def stuck_at_first(profile: str) -> list[Run]:
    """The cells of Table 3 that have a lower rate, at the rate of the others."""
    stuck = [cell for cell in table_3_cells() if cell.stuck]
    return trained.runs(profile, stuck, lower_rate=SIZES[profile].learning_rate)
