"""Two newer scoring functions on the tasks of Table 1 and Figure 4: added by us, not the paper's.

They are trained as the rows of those pages are. Softmax, which they are compared with, is the same
runs as there.
"""

from dataclasses import replace

import pandas as pd

from icllib.models import QASSMax, Softmax, SSMax
from icllib.pages import shown_profile
from icllib.papers.signed_averaging import affine, quantifier_models
from icllib.papers.signed_averaging.comparisons import EqualSteps, mean_ratio
from icllib.papers.signed_averaging.quantifier_alternatives import (
    MOST_SEEDS, error_rates, rate_table, scorings_on_every, temperatures_on_every)
from icllib.plotting import POSITIVE, with_interval
from icllib.results import Record, stacked
from icllib.training import Run, every_profile, records

NAMES = ("softmax", "SSMax", "QASSMax")


def scorings(size) -> dict:
    """Softmax, then the added ones, for models of a profile's size."""
    return dict(zip(NAMES, (Softmax(), SSMax(), QASSMax(size.width // size.heads))))


def added_on_affine_functions(profile: str) -> list[Run]:
    """As in Table 1."""
    size = affine.SIZES[profile]
    return [affine.affine_run(size, affine.decoder(size, scoring), seed)
            for scoring in scorings(size).values() for seed in range(size.seeds)]


def added_on_every(profile: str) -> list[Run]:
    """As in Figure 4, on sequences as printed."""
    size = quantifier_models.SIZES[profile]
    cell = quantifier_models.Cell("every", quantifier_models.AS_PRINTED, "softmax")
    runs = [cell.run(size, seed) for seed in range(min(size.seeds, MOST_SEEDS))]
    return [replace(run, model=replace(run.model, scoring=scoring))
            for scoring in scorings(size).values() for run in runs]


def table01_scoring_functions(profile: str) -> list[Run]:
    """Table 1, and the added functions."""
    return with_added(affine.scorings_on_affine_functions, added_on_affine_functions, profile)


def alternatives_on_every(profile: str) -> list[Run]:
    """The functions of Table 1 on "every", more seeds of the temperatures, and the added ones."""
    of_paper = lambda profile: list(dict.fromkeys(scorings_on_every(profile)
                                                  + temperatures_on_every(profile)))
    return with_added(of_paper, added_on_every, profile)


def with_added(of_paper, added, profile: str) -> list[Run]:
    """Both, each run once; at pilot, an earlier design, the paper's alone."""
    runs = of_paper(profile)
    if profile == "pilot":
        return runs
    return runs + [run for run in added(profile) if run not in runs]


def added_records(runs_of_profile, profile: str, page: str) -> list[Record]:
    """Their records, the missing ones computed; of "stored" the best there are, or none."""
    if profile != "stored":
        return records(runs_of_profile, profile, page)
    return next(reversed(every_profile(runs_of_profile, page).values()), [])


def added_rows(table, own: list[Record]) -> pd.DataFrame:
    """One of the tables below of these records, or that there are none yet."""
    if not own:
        return pd.DataFrame({"": "not trained yet"}, index=NAMES[1:])
    return table(own).assign(profile=shown_profile(own))


def affine_table(own: list[Record]) -> pd.DataFrame:
    """Errors in distribution and far from it, and the ratio to softmax of Table 1's page."""
    errors = stacked(own, NAMES, "error")
    return pd.DataFrame({name: {
        "error at sigma = 1": with_interval(values[:, 0], within=POSITIVE),
        "error at sigma = 10": with_interval(values[:, -1], within=POSITIVE),
        "ratio to softmax": with_interval(mean_ratio(EqualSteps(errors), name), scale="log"),
    } for name, values in errors.items()}).T


def every_table(own: list[Record]) -> pd.DataFrame:
    """Error rates over the parts of the grid, as for the other functions."""
    return rate_table(error_rates(own, NAMES))
