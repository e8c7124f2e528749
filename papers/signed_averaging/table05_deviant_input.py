"""Table 5: what does one large input spoil?"""

import numpy as np
import pandas as pd

from claimbook.pages.plotting import draw
from papers.colors import color_of, marked
from papers.signed_averaging.affine import DEVIANT, FIRST_COUNTED
from papers.signed_averaging.comparisons import ridge_answers
from papers.signed_averaging.trained_further import further

TABLE_5 = (6.4e-5, 0.05, 0.25, 0.50, 0.82, 1.21, 1.66, 1.87, 2.02, 2.14, 2.20)  # by FIRST_STDS
SEQUENCE = (-1.21, -0.28, 2.15, 0.96, 0.65)  # Section 5.3: softmax answers at the inputs DEVIANT


runs = further  # the most competent pairs of softmax and SSA


def failure_on_sequence(answers) -> pd.Series:
    """Claim 47: the squared error of answers to y = x, columns DEVIANT, over that of always answering 0."""
    true = np.array(DEVIANT[FIRST_COUNTED - 1 :])
    return ((answers[list(true)] - true) ** 2).sum(axis=1) / np.square(true).sum()


def ridge_failure() -> list[float]:
    """Claim 47: `failure_on_sequence` of ridge regression, the control."""
    return failure_on_sequence(pd.DataFrame(ridge_answers()["deviant_answers"], columns=DEVIANT)).tolist()


def draw_card(axes, table) -> None:
    """For the front page: the errors after one large input."""
    for name, style in {"softmax, paper": {"color": color_of("softmax"), "ls": "--"},
                        "SSA, ours": marked("SSA"), "softmax, ours": marked("softmax")}.items():
        draw(axes, table, "error", name, **style)
    axes.set(yscale="log", xlabel="size of one input", ylabel="squared error")
    axes.set_yticks([1e-4, 1e-2, 1], ["0.0001", "0.01", "1"])
