"""Figure 2: does one large number draw all of the attention?"""

import numpy as np
import pandas as pd

from claimbook.claims.sentences import SHARE
from claimbook.pages.plotting import draw_rows, matrix, series
from claimbook.records import stacked
from icllib.training import Run
from papers.colors import marked
from papers.signed_averaging.quantifiers import (
    AS_PRINTED, EXAMPLES, cell_runs, cells)


def runs(profile: str) -> list[Run]:
    """Figure 2: the runs of Figure 4 with the paper's labels and positions."""
    return cell_runs(profile, cells("every", (AS_PRINTED,)))


def token_names(example: int) -> list[str]:
    """The tokens of an example under "every"."""
    names, xs = [], EXAMPLES[example]
    for k, x in enumerate(xs):
        names += [f"{x:g}", "true" if min(xs[: k + 1]) > 0 else "false"]
    return names[:-1]


def share(maps: np.ndarray, example: int) -> np.ndarray:
    """The last token's weight on 70, or on itself without a 70, mean over heads: (seeds,).

    maps: (seeds, examples, heads, T, T).
    """
    tokens = token_names(example)
    column = tokens.index("70") if "70" in tokens else len(tokens) - 1
    return maps[:, example, :, -1, column].mean(1)


def attention_tables(records, profile: str) -> list[pd.DataFrame]:
    """Tables: maps of the first example, row by row; share and log-odds of every example."""
    tables, chosen = [], cells("every", (AS_PRINTED,))
    maps, odds = (stacked(records, chosen, name) for name in ("attention", "log_odds"))
    places = range(len(EXAMPLES))
    for cell in chosen:
        rows = maps[cell][:, 0].mean(1)  # over heads: (seeds, T, T)
        tables += [series(f"map, {cell.scoring}", f"row {row}", range(1, rows.shape[1] + 1),
                          rows[:, row - 1], profile, SHARE)
                   for row in range(1, rows.shape[1] + 1)]
        tables.append(series("share", cell.scoring, places,
                             np.stack([share(maps[cell], k) for k in places], axis=1), profile,
                             SHARE))
        tables.append(series("log-odds", cell.scoring, places, odds[cell][:, :, -1], profile))
    return tables


def share_evidence(records) -> dict:
    """The parts of the claim on Figure 2: softmax's share over 0.9, and over SSA's."""
    softmax, ssa = shares_of_70(records)
    return {"softmax alone": softmax / 0.9, "softmax over SSA": softmax / ssa}


def equal_shares(records) -> dict:
    """A control: the same with equal weights for all tokens in place of softmax."""
    equal, ssa = 1 / len(token_names(0)), shares_of_70(records)[1]
    return {"softmax alone": [equal / 0.9], "softmax over SSA": equal / ssa}


def shares_of_70(records) -> list[np.ndarray]:
    """The shares of softmax and of SSA on 70 in the first example: (seeds,) each."""
    maps = stacked(records, cells("every", (AS_PRINTED,)), "attention")
    return [share(of_cell, 0) for of_cell in maps.values()]


def draw_map(axes, table, scoring: str) -> None:
    """Draw the attention map of the first example, with its numbers."""
    rows = table[table.panel == f"map, {scoring}"]
    weights, tokens = rows.y.to_numpy().reshape(-1, rows.x.max()), token_names(0)
    matrix(axes, pd.DataFrame(weights, tokens, tokens), cmap="Purples", vmin=0, vmax=1.6)
    axes.set(title=scoring, xlabel="attends to", ylabel="token")


def draw_examples(axes, table, panel: str) -> None:
    """Draw a number for every example and both scorings, one row for each example."""
    for shift, scoring in ((-0.12, "softmax"), (0.12, "SSA")):
        rows = table[table.panel == panel]
        draw_rows(axes, rows.assign(x=rows.x + shift), panel, scoring, **marked(scoring))
    labels = [", ".join(f"{x:g}" for x in xs) for xs in EXAMPLES]
    axes.set_yticks(range(len(EXAMPLES)), labels)
    axes.set_ylim(len(EXAMPLES) - 0.5, -0.5)
