"""Figure 3: how the error of trained transformers falls from layer to layer."""

from icllib.training import Run
from papers.causal_lm import trained
from papers.causal_lm.trained import SIZES, figure_3_cells


def runs(profile: str) -> list[Run]:
    """Figure 3: the runs of Table 1 that have probes, with more seeds."""
    size = SIZES[profile]
    return trained.runs(profile, figure_3_cells(), seeds=size.seeds + size.more_seeds)
