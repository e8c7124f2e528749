"""Tables 1 and 3 to 7 as printed: errors on the linear, the nonlinear and the class task.

Mean squared errors, and percent of wrong classes. Table 1 has four rows of Table 3.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from icllib.papers.causal_lm.trained import MASKS, SIZES, TASKS, Cell
from icllib.plotting import BLACK, POSITIVE, draw_rows, legend_below, series, short, with_interval

# (mask, shared layers, extra loss): one error per task
TABLE_3 = {
    ("prefix", True, True): (8.6e-3, 1.5e-4, 24.1),
    ("causal", True, True): (1.9e-1, 2.7e-3, 27.0),
    ("prefix", True, False): (6.7e-3, 1.5e-4, 24.5),
    ("causal", True, False): (5.0e-2, 1.9e-3, 30.5),
    ("prefix", False, True): (7.6e-3, 1.7e-4, 26.7),
    ("causal", False, True): (4.4e-2, 2.5e-3, 30.4),
    ("prefix", False, False): (2.5e-3, 9.0e-5, 27.6),
    ("causal", False, False): (1.6e-2, 2.9e-3, 32.1),
}
# Rows of the other tables: prefix shared, causal shared, prefix unshared, causal unshared.
FEWER_PAIRS = {
    16: ((1.01, 2.1e-2, 42.8), (1.76, 2.7e-2, 43.3), (0.97, 1.9e-2, 42.9), (1.12, 3.2e-2, 46.6)),
    24: ((1.4e-1, 2.0e-3, 33.4), (7.0e-1, 1.0e-2, 35.9), (1.0e-1, 1.7e-3, 37.1),
         (1.3e-1, 1.0e-2, 41.2)),
    32: ((2.4e-2, 4.7e-4, 32.4), (3.1e-1, 5.0e-3, 34.6), (9.5e-3, 3.4e-4, 36.2),
         (4.0e-2, 5.7e-3, 37.3)),
}
PERMUTED = ((9.0e-3, 1.5e-4, 24.1), (1.9e-1, 2.5e-3, 26.9), (2.6e-3, 9.5e-5, 26.1),
            (1.1e-2, 1.8e-3, 26.2))
WITHIN = dict(zip(TASKS, (POSITIVE, POSITIVE, (0, 100))))  # what an error can be
DIAMOND = {"marker": "D", "mfc": "none", "color": BLACK}  # how printed numbers are drawn
ROWS = [(mask, shared) for shared in (True, False) for mask in MASKS]


def extra_loss(cell: Cell) -> float:
    """The entry of Table 3, and so of Table 1, for a cell."""
    return TABLE_3[cell.mask, cell.shared, cell.extra_loss][TASKS.index(cell.task)]


def fewer_pairs(cell: Cell, pairs: int) -> float:
    """The entry of Table 4, 5 or 6 (16, 24 or 32 pairs) for a cell of Table 1."""
    return FEWER_PAIRS[pairs][ROWS.index((cell.mask, cell.shared))][TASKS.index(cell.task)]


def permuted_pairs(cell: Cell) -> float:
    """The entry of Table 7 for a cell of Table 1."""
    return PERMUTED[ROWS.index((cell.mask, cell.shared))][TASKS.index(cell.task)]


# ---- the noise of the paper's test ----------------------------------------------------------


def standard_errors_apart(first: float, second: float) -> float:
    """|p - q| / sqrt((p (1 - p) + q (1 - q)) / N): two printed class errors, in percent, as if
    each were of N answers of its own, one for each query of the paper's test set."""
    shares = np.array([first, second]) / 100
    answers = SIZES["paper"].prompts * SIZES["paper"].queries
    return abs(shares[0] - shares[1]) / np.sqrt((shares * (1 - shares)).sum() / answers)


def class_differences(entry, cells, **below) -> pd.DataFrame:
    """Printed class errors and those of their counterparts, with `standard_errors_apart`.

    entry: Cell -> printed number; below: what differs in a counterpart.
    """
    rows = {}
    for cell in cells:
        other = cell._replace(**below)
        if cell.task == "classes" and cell != other:
            pair = entry(cell), entry(other)
            rows[row_name(cell)] = (*pair, round(standard_errors_apart(*pair), 1))
    columns = ["error (%)", "counterpart's error (%)", "standard errors apart"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns)


# ---- ours beside it -------------------------------------------------------------------------


def row_name(cell: Cell) -> str:
    """A row's name in the tables of the pages."""
    return f"{cell.mask}, {cell.sharing}" + ", extra loss" * cell.extra_loss


def task_rows(name: str, values: dict, profile: str) -> list[pd.DataFrame]:
    """Rows of a figure's table: a panel for each task, a point for each cell, named by its row.

    values: Cell -> samples over seeds, or a printed number.
    """
    return [series(cell.task, name, [row_name(cell)], np.reshape(samples, (-1, 1)), profile,
                   WITHIN[cell.task])
            for cell, samples in values.items()]


def draw_tasks(table: pd.DataFrame, styles: dict, height: float):
    """A panel for each task, with a point for every series in each row; returns the legend.

    styles: the series' names and how each is drawn; height: of the figure, in inches.
    """
    _, panels = plt.subplots(1, len(TASKS), figsize=(9, height), sharey=True)
    for axes, task in zip(panels, TASKS):
        for name, style in styles.items():
            draw_rows(axes, table, task, name, **style)
        axes.set(title=task, xlabel="mean squared error", xscale="log", ymargin=0.12)
    panels[0].invert_yaxis()
    panels[-1].set(xlabel="classification error (%)", xscale="linear")
    return legend_below(panels[0], len(styles))


def beside(ours: dict, printed: dict) -> pd.DataFrame:
    """A table of the paper with our means and 95% intervals beside it, a column per task.

    ours: Cell -> samples over seeds; printed: Cell -> number, or nothing.
    """
    table = {}
    for cell, samples in ours.items():
        digits = 3 if cell.task == "classes" else 2  # percent are printed with three
        row = table.setdefault(row_name(cell), {})
        if printed:
            row[cell.task, "paper"] = f"{printed[cell]:g}" if cell in printed else ""
        row[cell.task, "ours"] = with_interval(samples, digits, within=WITHIN[cell.task])
    return pd.DataFrame.from_dict(table, orient="index")


def seed_by_seed(columns: dict) -> pd.DataFrame:
    """A table of errors with every seed's own, where a mean would describe none of them.

    columns: name -> errors by cell; a cell is named by its row.
    """
    each = lambda samples: ", ".join(short(error, 2) for error in samples)
    return pd.DataFrame({name: {row_name(cell): each(samples) for cell, samples in errors.items()}
                         for name, errors in columns.items()})
