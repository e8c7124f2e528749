"""Figure 8: does SGPT scale with tasks and with context, as GPT-2 does."""

import numpy as np

from icllib.papers.context_scaling.scaling import (
    CONTEXT_COUNTS, CONTEXT_EVALUATION, CONTEXT_RECIPE, RELU_8, check_counts, fig08_against_tasks,
    fig08_transformers, larger)
from icllib.training import Run


def runs(profile: str) -> list[Run]:
    """Figure 8: SGPT and GPT-2 on two tasks, those of its panel A and what panel B has besides."""
    return list(dict.fromkeys(fig08_against_tasks(profile) + fig08_against_context(profile)))


def fig08_against_context(profile: str) -> list[Run]:
    """The models of Figure 8B; at `cpu` trained and measured as the decoders of Figure 1B are, but
    for ReLU networks, on which the small ones have learned."""
    runs = [run for run in fig08_transformers(profile) if run.pretraining_tasks in CONTEXT_COUNTS]
    if profile != "cpu":
        return runs
    return [run if run.task == RELU_8 else larger(run, CONTEXT_RECIPE, CONTEXT_EVALUATION)
            for run in runs]


def tasks_ratio(errors: dict, lengths) -> np.ndarray:
    """The error at T = 1e6 over that at 1e4 for 10 pairs, as claim 16 judges it: (seeds,).

    errors: T -> (seeds, len(lengths)). Raises InputError where a T is missing.
    """
    check_counts(errors, (10**4, 10**6))
    at_10 = lengths.index(10)
    return errors[10**6][:, at_10] / errors[10**4][:, at_10]
