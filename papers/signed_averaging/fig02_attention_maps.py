"""Figure 2: does one large number draw all of the attention?"""

import pandas as pd

from claimbook.claims.sentences import SHARE
from claimbook.pages.plotting import series
from claimbook.records.values import values
from icllib.training import Run
from papers.signed_averaging.affine import BY_SCORING
from papers.signed_averaging.quantifiers import AS_PRINTED, EXAMPLES, SCORINGS, cell_runs, cells


def runs(profile: str) -> list[Run]:
    """Figure 2: the runs of Figure 4 with the paper's labels and positions."""
    return cell_runs(profile, cells("every", (AS_PRINTED,)))


def token_names(example: int) -> list[str]:
    """The tokens of an example under "every"."""
    names, xs = [], EXAMPLES[example]
    for k, x in enumerate(xs):
        names += [f"{x:g}", "true" if min(xs[: k + 1]) > 0 else "false"]
    return names[:-1]


def mean_maps(records) -> pd.Series:
    """Attention maps of every example, means over heads: by scoring, seed, example, token and attended."""
    maps = values(records, "attention", **BY_SCORING)
    return maps.groupby([level for level in maps.index.names if level != "head"], sort=False).mean()


def shares(maps) -> pd.DataFrame:
    """The last token's weight on 70, or on itself without a 70: rows (scoring, seed), columns examples."""
    found = {}
    for example in range(len(EXAMPLES)):
        tokens = token_names(example)
        column = {name: place for place, name in enumerate(tokens, 1)}.get("70", len(tokens))
        found[example] = maps.xs((example, len(tokens), column), level=("example", "token", "attended"))
    return pd.DataFrame(found)


def attention_tables(records, profile: str) -> list[pd.DataFrame]:
    """Tables: maps of the first example, row by row; share and log-odds of every example."""
    tables, maps = [], mean_maps(records)
    odds = values(records, "log_odds", **BY_SCORING).xs(len(EXAMPLES[0]), level="position").unstack()
    first = maps.xs(0, level="example").unstack()
    for scoring in SCORINGS:
        tables += [series(f"map, {scoring}", f"row {row}", list(own), own, profile, SHARE)
                   for row, own in first.loc[scoring].groupby("token")]
        tables.append(series("share", scoring, list(odds), shares(maps).loc[scoring], profile, SHARE))
        tables.append(series("log-odds", scoring, list(odds), odds.loc[scoring], profile))
    return tables
