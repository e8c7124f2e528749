"""One learning rate for all models of a size."""

from dataclasses import replace

from icllib.training import Run
from papers.causal_lm.trained import SIZES, as_in_table_1

RATES = (4e-3, 8e-3, 1.6e-2)  # ASSUMED: around that of SHORT_SIZES
TRIED_STEPS = 4000  # ASSUMED: those of SHORT_SIZES
TRIED_SEED = 100  # used only in this search


def runs(profile: str) -> list[Run]:
    """The search for the rate of `cpu`: Table 1's models at each; alike at all but smoke."""
    size = SIZES[profile if profile == "smoke" else "cpu"]
    size = replace(size, steps=min(size.steps, TRIED_STEPS))
    return [cell.run(replace(size, learning_rate=rate), TRIED_SEED)
            for cell in as_in_table_1() for rate in RATES]
