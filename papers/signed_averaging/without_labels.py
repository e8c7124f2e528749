"""Quantifiers without labels in the prompt, which hold most of the answer: y_k = y_(k-1) AND (x_k > 0)."""

from dataclasses import replace

import numpy as np
import pandas as pd

from claimbook.records.values import values
from icllib.evaluate import Together
from icllib.tasks import Quantifier
from icllib.training import Run
from papers.signed_averaging import quantifiers
from papers.signed_averaging.affine import FIRST_COUNTED
from papers.signed_averaging.comparisons import ratio, reached
from papers.signed_averaging.deviant_sequences import (
    BY_QUANTIFIER, DeviantNumbers, QUANTIFIERS, chosen_cells, mistake_tables, own_mistakes)
from papers.signed_averaging.quantifiers import (
    JUDGED, QuantifierErrors, TRAINED, at_length, curves_by_length, error_rates, errors_by_part, open_rates)

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
    evaluation = Together((QuantifierErrors(size.sigmas, size.lengths, **shared), DeviantNumbers(**shared)))
    runs = [cell.run(size, seed) for cell in chosen_cells() for seed in range(size.seeds)]
    return [replace(run, model=replace(run.model, tokens="inputs"), evaluation=evaluation) for run in runs]


def judged(records) -> list:
    """The records that the claims count: at `cpu` those after the first ten seeds, elsewhere all."""
    return [record for record in records if record.component.seed >= SEEN] or list(records)


def in_parts(of_quantifier) -> dict[str, pd.Series]:
    """The parts of the claim: of each quantifier a frame with a column for each of JUDGED, by seed."""
    return {f"{quantifier}, {part}": own for quantifier in QUANTIFIERS
            for part, own in of_quantifier(quantifier)[JUDGED].items()}


def ratios(records) -> dict[str, pd.Series]:
    """SSA's mean error over softmax's, in the parts of the claim."""
    rates = error_rates(records, BY_QUANTIFIER)
    return in_parts(lambda quantifier: ratio(rates.loc[quantifier], "SSA", "softmax"))


def beside_another_list(records) -> dict[str, pd.Series]:
    """The control of the claim: the right answers to another list in softmax's place."""
    errors = errors_by_part(records, BY_QUANTIFIER).xs("SSA", level="scoring")
    return in_parts(lambda quantifier: errors.loc[quantifier] / wrong_on_another_list())


def wrong_on_another_list() -> float:
    """The share of long lists for which the right answers to another one are wrong, from the third on."""
    settled = -np.diff([1, *open_rates(Quantifier("every"), 64)])  # the chance that number k does it
    by_then, later = np.split(settled, [FIRST_COUNTED])
    return float(1 - by_then.sum() ** 2 - (later**2).sum())


def reached_by_part(records) -> dict[str, pd.Series]:
    """The gate of the claim, by part: the worst of softmax and SSA."""
    wrong = at_length(records, TRAINED, BY_QUANTIFIER)
    return {f"{quantifier}, {part}": reached(wrong.loc[quantifier], "softmax", "SSA")
            for quantifier in QUANTIFIERS for part in JUDGED}


def tables(records, profile: str) -> list[pd.DataFrame]:
    """Errors over the grid, a panel for each quantifier, and answers as for one large number alone."""
    found, models = [], ["quantifier", "scoring"]
    mistakes = own_mistakes(records).groupby(models)
    for model, wrong in values(records, "wrong", **BY_QUANTIFIER).groupby(models, sort=False):
        found += curves_by_length(*model, Quantifier(model[0]), wrong, profile)
        found += mistake_tables(mistakes.get_group(model), profile)
    return found
