"""Section 5: does one large number decide the answers of a whole sequence?"""

from dataclasses import replace
from itertools import product

import matplotlib.pyplot as plt
import pandas as pd

from claimbook.claims.sentences import SHARE
from claimbook.pages.plotting import draw, legend_below, rows_of, series
from claimbook.records.values import values
from icllib.training import Run
from papers.colors import color_of
from papers.signed_averaging.deviant_sequences import (
    BY_QUANTIFIER, DeviantNumbers, OTHERS, QUANTIFIERS, WHERE, chosen_cells, label_sizes, mistake_tables,
    own_answers, own_mistakes)
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


def draw_models(table) -> None:
    """Draw how often a 100 misleads each model, at its own place and, hollow, after it."""
    _, axes = plt.subplots(figsize=(8, 3))
    at, after = (rows_of(table, "models", where) for where in WHERE)
    axes.vlines(at.x, 0, 100 * at.y, color=color_of("softmax"), lw=2)
    axes.plot(at.x, 100 * at.y, ls="", marker="o", ms=7, color=color_of("softmax"), label=WHERE[0])
    axes.plot(after.x, 100 * after.y, ls="", marker="o", ms=7, color="black", mfc="none", label=WHERE[1])
    shares = at.y.round(2)
    always, never = (shares == 1).sum(), (shares == 0).sum()
    axes.set(title=f"A 100 misleads {always} of {len(at)} models always, {never} never",
             xlabel="models, sorted", ylabel="wrong answers, %")
    axes.legend(loc="center right")


def draw_log_odds(table):
    """Draw log-odds of the open label at the large number; returns the legend."""
    _, panels = plt.subplots(2, 2, sharex=True, figsize=(9, 5.6))
    for row, quantifier in zip(panels, QUANTIFIERS):
        for axes, scoring in zip(row, SCORINGS):
            for others, style in zip(OTHERS, ({"ls": "-"}, {"ls": "--"})):
                draw(axes, table, f"{quantifier}, {scoring}, log-odds", others, marker="o",
                     label=f"other numbers {others}", color=color_of(scoring), **style)
            axes.axhline(0, color="grey", lw=1)
            axes.set(xscale="log", title=f"{quantifier}, {scoring}")
        row[0].set_ylabel("log-odds of the\nopen label")
    for axes in panels[-1]:
        label_sizes(axes)
    return legend_below(panels[0, 0], 2)
