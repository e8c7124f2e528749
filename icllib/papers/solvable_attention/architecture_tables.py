"""What the page of other architectures draws and prints, from its records."""

import numpy as np
import pandas as pd

from icllib.papers.solvable_attention.architectures import TRAINED_TIME, linear_attention_unit
from icllib.papers.solvable_attention.laws import ALPHAS
from icllib.papers.solvable_attention.perceptrons import PerceptronTime
from icllib.papers.solvable_attention.softmax_laws import one_by_one
from icllib.papers.solvable_attention.tables import LAWS, LETTERS
from icllib.plotting import series
from icllib.theory import riccati
from icllib.theory.scaling_laws import theory_exponents

CLOSED = ("linear attention", "diagonal network", "linear model")
SHARED = "shared read-out"
SAME_WINDOWS = "linear model, tasks and windows of the rows below"
LARGE = "large read-out"
NO_BIASES = "large read-out, no biases"
TRAINED = ("perceptron", LARGE, NO_BIASES)
HALF_TIMES = np.geomspace(0.1, 300, 50)  # at which starts with half times of their own are joined


def by_architecture(records) -> dict:
    """alpha -> name -> the record with its laws; a perceptron's three are joined in one dict."""
    found = {}
    for place, alpha in enumerate(ALPHAS):
        *closed, time, size, data, large = records[8 * place :][:8]
        joined = {name: one[name] for one in (time, size, data) for name in one.metrics}
        found[alpha] = dict(zip((*CLOSED, SHARED), closed)) | {
            "perceptron": joined, LARGE: large, NO_BIASES: records[place - len(ALPHAS)]}
    return found


def laws_of(model) -> list[str]:
    """The laws in D, t and N that a model's record has."""
    names = model if isinstance(model, dict) else model.metrics
    return [law for law in LAWS[:3] if law in names]


def architecture_series(found: dict, strength: float, profile: str) -> list:
    """Losses over that of answering 0, as tables; times in half times of the first task."""
    tables = []
    for alpha, models in found.items():
        for name, model in models.items():
            for law in laws_of(model):
                xs, losses = model[law], model[f"{law}_loss"] / (strength**2 / 2)
                if law == "time" and np.ndim(xs) == 2:
                    losses = [np.interp(HALF_TIMES, own, curve) for own, curve in zip(xs, losses)]
                    xs = HALF_TIMES
                elif law == "time" and name == CLOSED[0]:
                    xs = xs / linear_attention_unit(model.run)
                tables.append(series(f"{law}, alpha = {alpha}", name, xs, losses, profile))
    return tables


def exponents_of(model, law: str) -> list[float]:
    """A model's exponents, one for each start."""
    return list(np.atleast_2d(model[f"{law}_exponent"])[:, 0])


def learned_one_by_one(alpha: float) -> dict[str, float]:
    """A linear model's exponents with the number of tasks and in the windows of the perceptron."""
    half_time = np.log(2) / riccati.task_shares(PerceptronTime.tasks, alpha)[0]
    times = half_time * HALF_TIMES[HALF_TIMES >= TRAINED_TIME[0]]
    return {law: one_by_one(law, alpha, PerceptronTime.tasks, times) for law in LAWS[:3]}


def architecture_table(found: dict) -> pd.DataFrame:
    """Fitted exponents below those of Table 1: means over starts."""
    columns = {}
    for law in LAWS[:3]:
        for alpha, models in found.items():
            values = {"Table 1": theory_exponents(alpha)[law]} | {
                name: np.mean(exponents_of(model, law))
                for name, model in models.items() if law in laws_of(model)}
            values[SAME_WINDOWS] = learned_one_by_one(alpha)[law]
            columns[LETTERS[law], alpha] = values
    rows = ["Table 1", *CLOSED, SAME_WINDOWS, SHARED, *TRAINED]
    return pd.DataFrame(columns).loc[rows].map(lambda x: "" if np.isnan(x) else f"{x:.3f}"
                                               ).rename_axis(columns=["law", "alpha"])


def read_out_table(found: dict) -> pd.DataFrame:
    """How much the squared norm of a perceptron's read-out grows in training."""
    rows = {}
    for alpha, models in found.items():
        for name in TRAINED:
            before, after = models[name]["read_out"].mean(0)
            rows[alpha, name] = {"at the start": f"{before:.2f}", "at the end": f"{after:.2f}",
                                 "factor": f"{after / before:.1f}"}
    return pd.DataFrame(rows).T.rename_axis(["alpha", "squared norm of the read-out"])


def strength_table(records) -> pd.DataFrame:
    """Laws in time at fixed context and gamma = 0.5: linear attention, diagonal, linear."""
    alpha, gamma = records[0].run["alpha"], records[0].run["gamma"]
    generic = theory_exponents(alpha, 0, gamma)["time"]
    of_linear = -(alpha + 2 * gamma - 1) / alpha  # a task's rate does not contain its strength
    return pd.DataFrame({name: {"expected": f"{expected:.3f}",
                                "fitted": f"{record['time_exponent'][0]:.3f}"}
                         for name, record, expected in zip(
                             CLOSED, records, (generic, generic, of_linear))}).T
