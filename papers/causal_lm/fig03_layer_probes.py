"""Figure 3: how the error of trained transformers falls from layer to layer."""

from dataclasses import dataclass, replace

import numpy as np

from claimbook.records.checks import Size
from icllib.evaluate import ErrorByLength
from icllib.training import Run
from papers.causal_lm import trained
from papers.causal_lm.trained import SIZES, figure_3_cells, table_1

LOOPED = 10  # times as often as in training
LOOPED_SEEDS = 5


@dataclass(frozen=True)
class LoopedErrors(ErrorByLength):
    """The errors of a decoder of shared layers that is looped further: `error_looped`, (M, times, K)."""

    times: tuple[Size, ...] = (1, LOOPED)  # in units of training

    def axes(self, metric: str) -> dict:
        return {"times": self.times} | super().axes(metric)

    def measure(self, tasks, predictor, device="cpu") -> dict:
        module, found = predictor.module, []
        for times in self.times:
            with module.repeated(times * module.repeats):
                found.append(super().measure(tasks, predictor, device)["error"])
        return {"error_looped": np.stack(found, axis=1)}


def looped(profile: str) -> list[Run]:
    """Claim 57: the first shared-layer models on linear regression, whose weights are kept, looped."""
    size = SIZES[profile]
    errors = LoopedErrors((size.pairs,), size.prompts, queries=size.queries, own_prompts=size.own_prompts)
    linear = trained.task("linear", size.dimension)
    return [replace(run, evaluation=errors) for run in table_1(profile)
            if run.model.shared_layers and run.task == linear and run.seed < LOOPED_SEEDS]


def runs(profile: str) -> list[Run]:
    """All models of the page."""
    return probed(profile) + looped(profile)


def probed(profile: str) -> list[Run]:
    """Figure 3: the runs of Table 1 that have probes, with more seeds."""
    size = SIZES[profile]
    return trained.runs(profile, figure_3_cells(), seeds=size.seeds + size.more_seeds)
