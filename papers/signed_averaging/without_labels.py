"""Quantifiers without labels in the prompt.

In the paper's prompt x_1, y_1, x_2, y_2, ... the label y_(k-1) stands right before x_k, and
y_k = y_(k-1) AND (x_k > 0) under "every", OR under "some", so nothing has to be aggregated. Here
the model reads only x_1, x_2, ... and answers the same question.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from claimbook.claims.sentences import SHARE
from claimbook.pages.plotting import series
from claimbook.records import dealt, stacked
from icllib.evaluate import Together
from icllib.tasks import Quantifier
from icllib.training import Run
from papers.signed_averaging import quantifiers
from papers.signed_averaging.affine import FIRST_COUNTED
from papers.signed_averaging.deviant_sequences import (
    DeviantNumbers, WHERE, at_and_after, chosen_cells, own_mistakes)
from papers.signed_averaging.quantifiers import (
    JUDGED, QuantifierErrors, beside_constant, curves_by_length, error_rates, open_rates, reached)


def right_answers() -> dict:
    """The parts of the claim for right answers, none of which is a mistake."""
    return dict.fromkeys(WHERE, [0.0])


# ASSUMED: without labels training takes twice as long to reach the gate. The first ten of each kind
# left claim 52 undecided; thirty more were then fixed, and that they alone are judged, before they
# were trained.
SEEN = 10
SIZES = quantifiers.SIZES | {
    "cpu": replace(quantifiers.SIZES["cpu"], steps=2000, longer_every=50, seeds=SEEN + 30)}


def runs(profile: str) -> list[Run]:
    """Figures 4 and 5 as in the paper, and one large number, but no labels in the prompt."""
    size = SIZES[profile]
    shared = {"sequences": size.sequences, "own_prompts": size.own_prompts}
    evaluation = Together((QuantifierErrors(size.sigmas, size.lengths, **shared),
                           DeviantNumbers(**shared)))
    runs = [cell.run(size, seed) for cell in chosen_cells() for seed in range(size.seeds)]
    return [replace(run, model=replace(run.model, tokens="inputs"), evaluation=evaluation)
            for run in runs]


def judged(records) -> list:
    """The records that the claims count: at `cpu` those after the first ten seeds, elsewhere all."""
    new = [record for record in records if record.run["seed"] >= SEEN]
    return new or list(records)


def ratios(records) -> dict:
    """SSA's mean error over softmax's, in the parts of the claim: (seeds,) each."""
    rates = error_rates(dealt(records, chosen_cells()))
    return {f"{softmax.quantifier}, {part}": rates[ssa][part] / rates[softmax][part]
            for softmax, ssa in pairs() for part in JUDGED}


def beside_another_list(records) -> dict:
    """The control of the claim: the same with the right answers to another list in softmax's place."""
    found, wrong = dealt(records, chosen_cells()), wrong_on_another_list()
    return {f"{ssa.quantifier}, {part}": ratio for _, ssa in pairs()
            for part, ratio in beside_constant(found[ssa], (ssa,), wrong).items()}


def wrong_on_another_list() -> float:
    """The share of long lists for which the right answers to another one are wrong, from the third on.

    They are right where both labels are settled by then, or else at the same place.
    """
    settled = -np.diff([1, *open_rates(Quantifier("every"), 64)])  # the chance that number k does it
    by_then, later = np.split(settled, [FIRST_COUNTED])
    return float(1 - by_then.sum() ** 2 - (later**2).sum())


def reached_by_part(records) -> dict:
    """The gate of the claim, by part: the worst of softmax and SSA."""
    return {f"{pair[0].quantifier}, {part}": reached(records, chosen_cells(), pair)
            for pair in pairs() for part in JUDGED}


def pairs() -> list:
    """Softmax and SSA of each quantifier."""
    every, other_every, some, other_some = chosen_cells()
    return [(every, other_every), (some, other_some)]


def tables(records, profile: str) -> list[pd.DataFrame]:
    """Errors over the grid, a panel for each quantifier, and answers as for one large number alone."""
    found, sizes = [], records[0].run["evaluation"]["parts"][1]["sizes"]
    wrong, mistakes = stacked(records, chosen_cells(), "wrong"), own_mistakes(records, chosen_cells())
    for cell in chosen_cells():
        found += curves_by_length(cell.quantifier, cell, records[0], wrong[cell], profile)
        found += [series(f"{cell.quantifier}, {where}", cell.scoring, sizes, values, profile, SHARE)
                  for where, values in at_and_after(mistakes[cell]).items()]
    return found
