"""Tables 5 and 6 and the sequence of Section 5.3 as printed, and ours beside such rows."""

import pandas as pd

from icllib.decisions import interval
from icllib.plotting import with_interval

TABLE_5 = (6.4e-5, 0.05, 0.25, 0.50, 0.82, 1.21, 1.66, 1.87, 2.02, 2.14, 2.20)  # by FIRST_STDS
TABLE_6 = {  # by sigma_F = 1, ..., 10
    "1L1AH": (0.1, 0.8, 5.1, 13.1, 26.9, 39.7, 53.0, 84.8, 120.0, 153.2),
    "1L2AH": (0.1, 0.8, 5.3, 14.4, 29.8, 41.1, 55.0, 93.8, 120.4, 159.2),
    "1L4AH": (0.0, 0.2, 2.7, 8.7, 19.9, 32.0, 42.8, 64.5, 92.3, 131.2),
    "2L1AH": (0.0, 0.1, 2.0, 4.9, 13.7, 27.0, 36.1, 64.9, 99.0, 134.0),
    "2L2AH": (0.0, 0.0, 1.6, 3.2, 9.3, 25.5, 32.0, 61.1, 92.9, 127.8),
    "2L4AH": (0.0, 0.0, 0.9, 2.6, 7.5, 19.3, 27.3, 51.8, 90.2, 119.4),
    "3L1AH": (0.0, 0.0, 0.9, 3.0, 8.2, 16.8, 24.4, 48.4, 76.7, 113.2),
    "3L2AH": (0.0, 0.0, 0.7, 2.3, 6.5, 15.9, 22.5, 43.1, 74.0, 102.5),
    "3L4AH": (0.0, 0.0, 0.6, 1.9, 5.5, 13.8, 20.4, 42.2, 70.3, 100.4),
    "6L4AH": (0.0, 0.0, 0.5, 1.6, 4.6, 11.6, 16.8, 33.7, 58.3, 87.9),
    "12L8AH": (0.0, 0.0, 0.3, 1.1, 2.9, 7.9, 11.9, 28.3, 46.9, 73.5),
    "18L8AH": (0.0, 0.0, 0.2, 1.1, 2.8, 7.1, 10.3, 22.9, 40.3, 64.6),
    "2Al32AH": (1.17, 2.64, 3.47, 5.01, 7.88, 16.85, 24.1, 40.98, 66.04, 95.03),
    "12Al8AH": (0.0, 0.0, 0.41, 1.70, 3.92, 10.40, 14.04, 30.20, 52.69, 79.13),
}
SEQUENCE = (-1.21, -0.28, 2.15, 0.96, 0.65)  # Section 5.3: softmax answers at the inputs DEVIANT


def beside(ours: dict, printed: dict, columns, spread: bool = False,
           scale: str = "log") -> pd.DataFrame:
    """Rows of a table as printed with our means below them, geometric ones on the scale "log".

    ours: name -> (seeds, columns); printed: name -> (columns,), or nothing for a name; spread:
    with 95% intervals over seeds, and a row for each of the columns, which then fit on a page.
    """
    table = {}
    for name, samples in ours.items():
        if name in printed:
            table[name, "paper"] = [f"{value:g}" for value in printed[name]]
        table[name, "ours"] = ([with_interval(column, scale=scale) for column in samples.T] if spread
                               else [f"{interval(column, scale)[0]:.3g}" for column in samples.T])
    rows = pd.DataFrame.from_dict(table, orient="index", columns=columns).set_axis(
        pd.MultiIndex.from_tuples(table, names=("model", "")))
    return rows.T if spread else rows
