"""Section 5: does one large number decide the answers of a whole sequence?"""

from dataclasses import replace
from itertools import product

import pandas as pd

from claimbook.claims.sentences import SHARE
from claimbook.pages.plotting import series
from claimbook.records.values import values
from icllib.training import Run
from papers.signed_averaging.deviant_sequences import (
    BY_QUANTIFIER, DeviantNumbers, OTHERS, QUANTIFIERS, WHERE, chosen_cells, mistake_tables, own_answers,
    own_mistakes)
from papers.signed_averaging.quantifiers import SCORINGS, SIZES, cell_runs

ASSUMED = (  # settings that the paper does not give, for the table on the page
    "model.positions_up_to", "evaluation.sizes", "evaluation.places", "evaluation.after",
    "evaluation.sequences", "evaluation.seed", "seed")


def runs(profile: str) -> list[Run]:
    """Section 5: the paper's models of Figures 4 and 5, measured on deviant sequences."""
    return list(dict.fromkeys(each_kind(profile) + judged_kind(profile)))


def each_kind(profile: str) -> list[Run]:
    """The models that the figures show."""
    return measured_runs(profile, chosen_cells(), SIZES[profile].seeds)


def judged_kind(profile: str) -> list[Run]:
    """Softmax under "every", for the claim: with as many seeds as in the claims of Figure 4."""
    return measured_runs(profile, chosen_cells()[:1], SIZES[profile].compared_seeds)


def measured_runs(profile: str, chosen, seeds: int) -> list[Run]:
    """These models of Figures 4 and 5, measured on sequences with one large number."""
    size = SIZES[profile]
    evaluation = DeviantNumbers(sequences=size.sequences, own_prompts=size.own_prompts)
    return [replace(run, evaluation=evaluation) for run in cell_runs(profile, chosen, seeds)]


def deviant_tables(records, profile: str) -> list[pd.DataFrame]:
    """Tables against the size: `own_mistakes`, log-odds of the open label at the number, `own_answers`."""
    odds, tables, last = values(records, "log_odds", **BY_QUANTIFIER).xs(0, level="answer"), [], []
    odds = odds.groupby(["quantifier", "scoring", "others", "seed", "size"]).mean().unstack()
    mistakes, answers = (of(records).groupby(["quantifier", "scoring"]) for of in (own_mistakes, own_answers))
    for quantifier, scoring in product(QUANTIFIERS, SCORINGS):
        tables += mistake_tables(mistakes.get_group((quantifier, scoring)), profile)
        own = odds.loc[quantifier, scoring]
        tables += [series(f"{quantifier}, {scoring}, log-odds", others, list(own), own.loc[others], profile)
                   for others in OTHERS]
        shares = answers.get_group((quantifier, scoring))
        last += [series(f"own answer, {where}", f"{quantifier}, {scoring}: others {others}", list(own),
                        shares[others, where].unstack(), profile, SHARE)
                 for where in WHERE for others in OTHERS]
    return tables + last
