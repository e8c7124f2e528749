"""Do models that were trained on normal inputs carry over to inputs of other laws?"""

from dataclasses import fields

import pandas as pd

from icllib.training import Run
from papers.across.shifts import OtherInputs, linear_models, on_tasks, optimum
from papers.context_scaling.scaling import LINEAR_8

TITLES = {"student": "Student's t", "laplace": "Laplace", "autoregressive": "autoregressive"}
LAWS = {law: OtherInputs(**{field.name: getattr(LINEAR_8, field.name) for field in fields(LINEAR_8)}, law=law)
        for law in TITLES}


def models(profile: str) -> dict[str, list[Run]]:
    """SGPT and GPT-2 on linear functions, with inputs of every law."""
    return linear_models(profile, on_tasks(LAWS, profile))


def runs(profile: str) -> list[Run]:
    """All models of the page."""
    return [run for own in models(profile).values() for run in own]


def over_optimum(page, records, profile: str) -> pd.DataFrame:
    """Errors over those of ridge regression on the same prompts: a row per seed, a column per law."""
    tasks = {"normal": ("error", LINEAR_8)} | {
        TITLES[law]: (f"{law}_error", task) for law, task in LAWS.items()}
    return pd.DataFrame({title: page.values(metric, records).droplevel("length") / optimum(task, profile)
                         for title, (metric, task) in tasks.items()})
