"""What caps the answers: runs without the cap, and the bounds that printed rows need."""

import pandas as pd
from scipy.optimize import brentq

from claimbook.records.values import values
from icllib.training import Run
from papers.signed_averaging.affine import BY_SCORING, PRINTED, SIGMAS
from papers.signed_averaging.answer_sizes import faster_read_out, floor, kept, without_norm_again
from papers.signed_averaging.comparisons import TABLE_6
from papers.signed_averaging.trained_further import sizes


def runs(profile: str) -> list[Run]:
    """All models of the page, and those that were trained further."""
    return kept(profile) + without_norm_again(profile) + faster_read_out(profile) + sizes(profile)


def bound_needed(error: float, sigma: float) -> float:
    """The least bound with which an error is possible: that whose floor it is."""
    return float(brentq(lambda bound: floor(bound, sigma) - error, 0, 200 * sigma))


def bounds_needed() -> pd.DataFrame:
    """The bounds that printed rows need at least, from sigma = 3 on."""
    rows = {"Table 1, SSA": PRINTED["SSA"], "Table 1, softmax": PRINTED["softmax"],
            "Table 6, 2L4AH": TABLE_6["2L4AH"], "Table 6, 12L8AH": TABLE_6["12L8AH"]}
    return pd.DataFrame.from_dict(
        {name: [bound_needed(error, sigma) for error, sigma in zip(row[2:], SIGMAS[2:])]
         for name, row in rows.items()}, orient="index", columns=SIGMAS[2:])


def against(one, other, sigmas=(3, 5, 10)) -> dict[str, pd.Series]:
    """Errors of one kind of softmax model over those of another, pair by pair; their seeds differ."""
    pairs = one.reset_index(drop=True) / other.reset_index(drop=True)
    return {f"sigma = {sigma}": pairs[sigma].dropna() for sigma in sigmas}


def sizes_table(records) -> pd.DataFrame:
    """Of each model its bound, and on lines of sigma = 10 its largest answer and floor / error."""
    bound, *others = (values(records, metric, **BY_SCORING)
                      for metric in ("bound", "largest_answer", "floor", "error"))
    largest, floors, errors = (own.xs(SIGMAS[-1], level="sigma") for own in others)
    rows = {f"{name}, seed {seed}": {
        "bound": f"{of_model:.1f}", "largest answer": f"{largest[name, seed]:.1f}",
        "floor / error": f"{floors[name, seed] / errors[name, seed]:.0%}"}
        for (name, seed), of_model in bound.items()}
    return pd.DataFrame.from_dict(rows, orient="index")
