"""Section 5: does one large number decide the answers of a whole sequence?"""

from dataclasses import replace

import matplotlib.pyplot as plt
import pandas as pd

from claimbook.claims.sentences import SHARE
from claimbook.pages.plotting import draw, legend_below, rows_of, series
from claimbook.records import stacked
from icllib.training import Run
from papers.colors import color_of
from papers.signed_averaging.deviant_sequences import (
    DeviantNumbers, QUANTIFIERS, WHERE, at_and_after, chosen_cells, label_sizes, own_answers,
    own_mistakes)
from papers.signed_averaging.quantifiers import SCORINGS, SIZES, cell_runs

OTHERS = ("settle the label", "leave it open")  # what the other numbers do
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
    return [replace(run, evaluation=evaluation)
            for run in cell_runs(profile, chosen, seeds)]


def deviant_tables(records, profile: str) -> list[pd.DataFrame]:
    """Tables against the size of the large number: `own_mistakes`, the mean log-odds of the open
    label at the number, and `own_answers`."""
    sizes, tables = records[0].run["evaluation"]["sizes"], []
    odds = stacked(records, chosen_cells(), "log_odds")
    for cell, shares in own_mistakes(records, chosen_cells()).items():
        for where, values in at_and_after(shares).items():
            tables.append(series(f"{cell.quantifier}, {where}", cell.scoring, sizes, values,
                                 profile, SHARE))
        for place, others in enumerate(OTHERS):
            tables.append(series(f"{cell.quantifier}, {cell.scoring}, log-odds", others, sizes,
                                 odds[cell][:, place, :, :, 0].mean(-1), profile))
    return tables + own_tables(records, profile)


def own_tables(records, profile: str) -> list[pd.DataFrame]:
    """Tables of `own_answers`, a panel for the large number and one for those after it."""
    sizes = records[0].run["evaluation"]["sizes"]
    return [series(f"own answer, {where}", f"{cell.quantifier}, {cell.scoring}: others {others}",
                   sizes, values[:, place], profile, SHARE)
            for cell, shares in own_answers(records, chosen_cells()).items()
            for where, values in at_and_after(shares).items()
            for place, others in enumerate(OTHERS)]


def draw_models(table) -> None:
    """Draw how often a 100 misleads each model, at its own place and, hollow, after it."""
    _, axes = plt.subplots(figsize=(8, 3))
    at, after = (rows_of(table, "models", where) for where in WHERE)
    axes.vlines(at.x, 0, 100 * at.y, color=color_of("softmax"), lw=2)
    axes.plot(at.x, 100 * at.y, ls="", marker="o", ms=7, color=color_of("softmax"), label=WHERE[0])
    axes.plot(after.x, 100 * after.y, ls="", marker="o", ms=7, color="black", mfc="none", label=WHERE[1])
    shares = at.y.round(2)
    axes.set(title=f"A 100 misleads {(shares == 1).sum()} of {len(at)} models always, {(shares == 0).sum()} never",
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
        label_sizes(axes, table)
    return legend_below(panels[0, 0], 2)
