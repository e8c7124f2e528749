"""Section 4: four readings of SGPT, with and without signs and the last skip connection."""

from dataclasses import replace

from icllib.training import Run
from papers.context_scaling.scaling import (
    FIGURE_1_MOST, evaluation, scaling_tasks, seeds, transformers)

FORMS = {  # readings of phi (Section 4) and of the last skip connection (Eq. 13 or Section 4)
    "signed, skip": {"normalization": "l1", "mlp_skip": True},
    "absolute, skip": {"normalization": "absolute", "mlp_skip": True},
    "signed, no skip": {"normalization": "l1", "mlp_skip": False},
    "absolute, no skip": {"normalization": "absolute", "mlp_skip": False},
}


def runs(profile: str) -> list[Run]:
    """Equation 13 and Section 4: every form of SGPT on the tasks of Figure 8."""
    runs = []
    for task, lengths in scaling_tasks(profile).values():
        sgpt, recipe = transformers(profile, lengths=lengths)["SGPT"]
        runs += [Run(task, replace(sgpt, **form), recipe, evaluation(lengths, profile), seed,
                     FIGURE_1_MOST) for form in FORMS.values() for seed in seeds(profile)]
    return runs
