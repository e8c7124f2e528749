"""Does a softmax temperature, tuned after training, repair a shift?"""

from dataclasses import replace

import pandas as pd

from icllib.training import Run
from papers.across.shifts import SEED, AtTemperatures, linear_models, on_tasks, optimum
from papers.context_scaling.scaling import LINEAR_8
from papers.signed_averaging.affine import ShiftedErrors, base_runs

TEMPERATURES = tuple(2.0 ** (power / 2) for power in range(-4, 9))  # ASSUMED: a quarter to sixteen
SIGMAS = (1, 3, 5, 10)  # of lines; 1 is that of training
SHIFTS = {f"noise_{std:g}".replace(".", "_"): replace(LINEAR_8, noise_std=std) for std in (0.5, 1.0, 2.0)} | {
    f"weights_{factor}": replace(LINEAR_8, weight_std=factor * LINEAR_8.weight_std) for factor in (2, 3)}
TITLES = {"noise_0_5": "noise 0.5", "noise_1": "noise 1", "noise_2": "noise 2",
          "weights_2": "weights x 2", "weights_3": "weights x 3"}


def linear(profile: str) -> list[Run]:
    """GPT-2 on linear functions, at every temperature and shift."""
    return linear_models(profile, AtTemperatures(on_tasks(SHIFTS, profile), TEMPERATURES))["GPT-2"]


def lines(profile: str) -> list[Run]:
    """Softmax models of Figure 3 of signed averaging, at every temperature."""
    few = profile == "smoke"
    measure = ShiftedErrors(SIGMAS, functions=2 if few else 64, prompts=2 if few else 16, seed=SEED)
    heated = AtTemperatures(measure, TEMPERATURES)
    return [replace(run, evaluation=heated, along=None) for run in base_runs(profile)]


def runs(profile: str) -> list[Run]:
    """All models of the page."""
    return linear(profile) + lines(profile)


def by_shift(page, records, profile: str, metric: str = "excess") -> dict[str, pd.DataFrame]:
    """Errors over the optimum under each shift: a row per seed, a column per temperature.

    metric: against labels without noise, or, "error", with it.
    """
    tasks = {"as trained": (metric, LINEAR_8)} | {
        TITLES[name]: (f"{name}_{metric}", task) for name, task in SHIFTS.items()}
    return {title: page.values(own, records).droplevel("length").unstack("temperature")
            / optimum(task, profile, metric) for title, (own, task) in tasks.items()}
