"""The scoring functions of Table 1, and those that we added, on "every" (Section 6, Appendix C)."""

from dataclasses import replace

import pandas as pd

from claimbook.claims.sentences import SHARE, with_interval
from claimbook.pages.plotting import series
from icllib.training import Run
from papers.signed_averaging.affine import NAMES, TEMPERED, TITLES, scorings
from papers.signed_averaging.comparisons import geometric_rows, ratio, reached
from papers.signed_averaging.quantifiers import AS_PRINTED, Cell, PARTS, SIZES, TRAINED, at_length

ALL, *_, NEAR = PARTS  # the whole grid, and the lengths and inputs of training
AND_SOFTMAX = ("softmax", *TEMPERED)
MOST_SEEDS = 10  # ASSUMED: for others than AND_SOFTMAX; twenty decide no more
# Ten pairs had left claim 39 undecided. For the functions that train in less than a minute thirty more
# were then fixed, and that they alone count, before any was trained; later, in the same way, for entmax.
EXTENDED = ("softmax and average", "four functions", "cosFormer", "SA-softmax", "entmax")


def scorings_on_every(profile: str) -> list[Run]:
    """Every scoring function on "every", with MOST_SEEDS; SSA and softmax are Figure 4's runs."""
    return runs_of(NAMES, profile, range(min(MOST_SEEDS, SIZES[profile].seeds)))


def temperatures_on_every(profile: str) -> list[Run]:
    """Softmax and its temperatures, with all seeds."""
    return runs_of(AND_SOFTMAX, profile, range(SIZES[profile].seeds))


def more_pairs(profile: str) -> list[Run]:
    """The pairs that decide claim 39 on EXTENDED: at `cpu` thirty new ones, elsewhere all."""
    seeds = range(MOST_SEEDS, MOST_SEEDS + 30) if profile == "cpu" else range(SIZES[profile].seeds)
    return runs_of(("softmax", *EXTENDED), profile, seeds)


def runs_of(names, profile: str, seeds) -> list[Run]:
    """The runs of these scoring functions on "every", with these seeds."""
    size = SIZES[profile]
    if profile == "smoke":
        size = replace(size, heads=4)  # for the row "four functions"
    known = scorings(size)
    runs = [Cell("every", AS_PRINTED, "softmax").run(size, seed) for seed in seeds]
    return [replace(run, model=replace(run.model, scoring=known[name])) for name in names for run in runs]


def ratios_to_softmax(rates) -> dict[str, pd.Series]:
    """Error rates over the whole grid over those of softmax, seed by seed."""
    return {name: ratio(rates[[ALL]], name, "softmax")[ALL] for name in rates.index.unique("scoring")}


def gates(records, names) -> dict[str, pd.Series]:
    """The gates of the claims on these functions and softmax."""
    at_training = at_length(records, TRAINED)
    return {name: reached(at_training, "softmax", name) for name in names}


def rate_tables(rates, profile: str) -> list[pd.DataFrame]:
    """Tables of error rates over the whole grid and in distribution, and of ratios to softmax."""
    ratios = pd.concat(ratios_to_softmax(rates), names=["scoring"])
    tables = [series(panel, f"seed {seed}", row.index.get_level_values("scoring"), row, profile)
              for panel, own in {ALL: rates[ALL], NEAR: rates[NEAR], "ratio": ratios}.items()
              for seed, row in own.rename(index=TITLES).groupby("seed")]
    means = {TITLES[name]: samples for name, samples in ratios_to_softmax(rates).items()}
    return [*tables, geometric_rows("ratio", "geometric mean", means, profile)]


def rate_table(rates) -> pd.DataFrame:
    """Error rates over parts of the grid and ratios to softmax with intervals; how many models fail."""
    rows = {}
    for name, ratios in ratios_to_softmax(rates).items():
        own = rates.loc[name]
        rows[TITLES[name]] = {part: with_interval(own[part], within=SHARE) for part in PARTS} | {
            "ratio to softmax": with_interval(ratios, scale="log"),
            "models above 0.1": f"{(own[ALL] > 0.1).sum()} of {len(own)}"}
    return pd.DataFrame(rows).T


def runs(profile: str) -> list[Run]:
    """Every scoring function on "every", and more seeds of softmax, its temperatures and EXTENDED."""
    return list(dict.fromkeys(scorings_on_every(profile) + temperatures_on_every(profile)
                              + more_pairs(profile)))
