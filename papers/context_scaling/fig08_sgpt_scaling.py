"""Figure 8: does SGPT scale with tasks and with context, as GPT-2 does?"""

import numpy as np

from icllib.training import Run
from papers.context_scaling.scaling import (
    check_counts, fig08_against_context, fig08_against_tasks)


def runs(profile: str) -> list[Run]:
    """Figure 8: SGPT and GPT-2 on two tasks, for panel A and then for panel B."""
    return list(dict.fromkeys(fig08_against_tasks(profile) + fig08_against_context(profile)))


def tasks_ratio(errors: dict, lengths) -> np.ndarray:
    """The error at T = 1e6 over that at 1e4 for 10 pairs, for claim 16: (seeds,).

    errors: {T: (seeds, len(lengths))}. Raises InputError if a T is missing.
    """
    check_counts(errors, (10**4, 10**6))
    at_10 = lengths.index(10)
    return errors[10**6][:, at_10] / errors[10**4][:, at_10]
