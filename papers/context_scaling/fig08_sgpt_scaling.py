"""Figure 8: does SGPT scale with tasks and with context, as GPT-2 does?"""

from icllib.training import Run
from papers.context_scaling.scaling import fig08_against_context, fig08_against_tasks


def runs(profile: str) -> list[Run]:
    """Figure 8: SGPT and GPT-2 on two tasks, for panel A and then for panel B."""
    return list(dict.fromkeys(fig08_against_tasks(profile) + fig08_against_context(profile)))
