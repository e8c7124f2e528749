"""The laws' names, and the tables of Figure 4's and Table 2's pages, from their records."""

import numpy as np
import pandas as pd

from icllib.papers.solvable_attention.curves import PANELS
from icllib.papers.solvable_attention.errata_of_laws import LawFormulas
from icllib.papers.solvable_attention.varied import WINDOWS
from icllib.theory.scaling_laws import (allocation_exponents, fit_exponent, lower_envelope,
                                        theory_exponents)

LAWS = ("size", "time", "data", "compute")
LETTERS = dict(zip(LAWS, "DtNC"))  # what each is a law of
KINDS = ("fixed", "beta = 0.5", "gamma = 0.5", "gamma = 0.5, large strength")  # of Table 2's page
# Of Figure 3d: below, its smallest size is the best; above, the larger ones are not yet trained.
ENVELOPE_BUDGETS = np.geomspace(1, 100, 40)


def axis_names(time: str = "t") -> dict[str, str]:
    """What is written at each law's axis; time: how t is written there."""
    return {"size": "model size D", "time": f"time {time}", "data": "data points N",
            "compute": f"compute C = D {time}"}


def kind(record) -> str:
    """Which of KINDS a record of Table 2's page is."""
    if record.run["strength"] > 1:
        return KINDS[3]
    return KINDS[2 if record.run["gamma"] else 1 if record.run["beta"] else 0]


def _setting(record) -> list:
    return [record.run[name] for name in ("alpha", "beta", "gamma")]


def _fitted(record, law) -> str:
    return "{:.3f} ± {:.3f}".format(*record[f"{law}_exponent"])


def exponent_table(records, **others) -> pd.DataFrame:
    """Fitted exponents with the half widths of their 95% intervals, beside both forms.

    others: column -> records of the same tasks in another setting. The last column says which
    form is within 0.05 of the fit.
    """
    rows = {}
    for record, *same in zip(records, *others.values()):
        printed = theory_exponents(*_setting(record), large_strength=True)
        generic = theory_exponents(*_setting(record))
        for law in LAWS:
            fit = record[f"{law}_exponent"][0]
            form = ("as printed" if abs(fit - printed[law]) < 0.05 else
                    "generic" if abs(fit - generic[law]) < 0.05 else "neither")
            rows[(*_setting(record), law)] = {
                "printed": f"{printed[law]:.3f}", "generic": f"{generic[law]:.3f}",
                "fitted": _fitted(record, law)} | {
                column: _fitted(other, law) for column, other in zip(others, same)} | {
                "the fit is": form}
    return pd.DataFrame(rows).T.rename_axis(["alpha", "beta", "gamma", "law"])


ANSWERS = {"answers 0": "size_loss", "keeps f(0)": "kept_size_loss"}  # of tasks beyond the model


def simulated_exponents(records) -> dict[str, list[float]]:
    """Exponents over the whole of each curve of Figure 3's simulations: one per seed.

    In the paper's D, for both answers of tasks beyond it. Only the law in N has data sets that
    differ from seed to seed; the others have one value.
    """
    found = {}
    for record in records:
        curves = {f"D alpha = {{}}, {answer}": (record["size"] + 1, record[losses])
                  for answer, losses in ANSWERS.items()}
        curves |= {f"{LETTERS[law]} alpha = {{}}": (record[law], record[f"{law}_loss"])
                   for law in ("time", "data")}
        for part, curve in curves.items():
            fits = found.setdefault(part.format(record.run["alpha"]), [])
            fits.append(fit_exponent(*curve)[0])
    return {part: list(dict.fromkeys(fits)) for part, fits in found.items()}


def varied_exponents(records) -> dict[str, list[float]]:
    """Exponents of Figure 4's simulations, panel by panel, in the windows that were fixed.

    In the paper's D; in N one for each draw of the training sets.
    """
    found = {}
    for law, varied in PANELS:
        for record in records:
            if record.run[varied]:
                part = f"{LETTERS[law]} {varied} = {record.run[varied]:g}"
                found[part] = varied_fits(record, law)
    return found


def varied_fits(record, law: str) -> list[float]:
    """The exponents of one law of a VariedBySimulation record."""
    xs, low = record[law], 1 if law == "size" else 0
    window = np.array(WINDOWS[law]) + low
    curves = record["data_samples"] if law == "data" else [record[f"{law}_loss"]]
    return [fit_exponent(xs + low, curve, window)[0] for curve in curves]


def simulated_envelope(record) -> np.ndarray:
    """The least loss over the sizes of Figure 3d, of a simulation, at each of ENVELOPE_BUDGETS."""
    times = record["time"]
    sizes = record["compute"][:, 0] / times[0]
    return lower_envelope(sizes, times, record["compute_loss"], ENVELOPE_BUDGETS)


def law_table(limit: dict, simulated) -> pd.DataFrame:
    """Figure 3's exponents: those of Table 1, of the limit, and of the simulations.

    limit: alpha -> record of LawsInTheLimit. simulated: records of LawsBySimulation.
    """
    at_500, rows = simulated_exponents(simulated), {}
    for run in simulated:
        at_500[f"D alpha = {run.run['alpha']}"] = at_500[f"D alpha = {run.run['alpha']}, answers 0"]
        fitted = fit_exponent(ENVELOPE_BUDGETS, simulated_envelope(run))
        at_500[f"C alpha = {run.run['alpha']}"] = fitted[:1]
    for alpha, record in limit.items():
        for law, exponent in theory_exponents(alpha).items():
            slope, half = record[f"{law}_exponent"]
            rows[alpha, law] = {
                "theory": f"{exponent:.3f}", "limit": f"{slope:.3f}", "half width": f"{half:.4f}",
                "N_s = 500": f"{np.mean(at_500[f'{LETTERS[law]} alpha = {alpha}']):.2f}"}
    return pd.DataFrame(rows).T.rename_axis(["alpha", "law"])


def cutoff_table(records) -> pd.DataFrame:
    """Figure 3's simulated law in D: both answers of the tasks beyond, two sizes, two ranges.

    records: of LawsBySimulation. Where the loss is least tells whether it turns up.
    """
    rows = {}
    for record in records:
        alpha, sizes = record.run["alpha"], record["size"]
        for answer, name in ANSWERS.items():
            losses = record[name]
            fit = lambda xs, window: f"{fit_exponent(xs, losses, window)[0]:.3f}"
            rows[alpha, answer] = {
                "Table 1": f"{theory_exponents(alpha)['size']:.3f}",
                "D is tasks + 1": fit(sizes + 1, (2, 251)),
                "the same, D 5 to 100": fit(sizes + 1, (5, 100)),
                "D is tasks": fit(sizes, (1, 250)),
                "loss is least at D =": int(sizes[losses.argmin()]) + 1}
    return pd.DataFrame(rows).T.rename_axis(["alpha", "a task beyond the model"])


def plateau_table(records) -> pd.DataFrame:
    """When the first task is half learned and how many are at the end, beside half_times."""
    return pd.DataFrame([{
        "beta": r.run["beta"], "gamma": r.run["gamma"],
        "first at t =": f"{r['first_learned']:.3f}",
        "first by the formula": f"{r['first_learned_theory']:.3f}",
        "tasks at the end": r["learned"], "tasks by the formula": r["learned_theory"],
    } for r in records]).set_index(["beta", "gamma"])


def large_strength_table(records) -> pd.DataFrame:
    """Laws in time and compute at a large strength, and the largest stable strength."""
    rows = {}
    for record in records:
        stable = LawFormulas(record.run["alpha"]).largest_stable_strength()
        run, forms = record.run, [theory_exponents(*_setting(record), large) for large in (1, 0)]
        for law in ("time", "compute"):
            rows[run["alpha"], law] = {
                "smallest strength": f"{run['strength'] * run['tasks'] ** -run['gamma']:.1f}",
                "fitted": _fitted(record, law),
                "printed": f"{forms[0][law]:.3f}", "generic": f"{forms[1][law]:.3f}",
                "stable up to": f"{stable:.2f}"}
    return pd.DataFrame(rows).T.rename_axis(["alpha", "law"])


def allocation_table(records) -> pd.DataFrame:
    """The best time C^x and size C^y: fitted, right, and exchanged as printed."""
    rows = {}
    for record in records:
        right = allocation_exponents(*_setting(record), large_strength=kind(record) == KINDS[3])
        printed = allocation_exponents(*_setting(record), large_strength=True)
        rows[record.run["alpha"], kind(record)] = {
            "x fitted": _fitted(record, "best_time"), "x right": f"{right['time']:.3f}",
            "x printed": f"{printed['size']:.3f}",
            "y fitted": _fitted(record, "best_size"), "y right": f"{right['size']:.3f}",
            "y printed": f"{printed['time']:.3f}"}
    return pd.DataFrame(rows).T.rename_axis(["alpha", "tasks"])


def late_table(simulated, limits) -> pd.DataFrame:
    """Laws in D and N of equal tasks at the end of training and in the limit; Eq. 105."""
    rows = {}
    for record, limit, varied in zip(simulated[::3], limits[::3], limits[2::3]):
        late = {law: fit_exponent(record[law], record[f"{law}_loss"], (least, float("inf")))[0]
                for law, least in (("size", 20), ("data", 1e3))}
        alpha, _, gamma = _setting(varied)
        rows[alpha] = {
            "D above 20, t = 5": f"{late['size']:.3f}",
            "D, limit": f"{limit['size_exponent'][0]:.3f}",
            "N above 1,000, t = 5": f"{late['data']:.3f}",
            "N, limit": f"{limit['data_exponent'][0]:.3f}",
            f"N, limit, gamma = {gamma}": f"{varied['data_exponent'][0]:.3f}",
            "the paper's Eq. 105": f"{-(alpha + gamma - 1) / alpha:.3f}"}
    return pd.DataFrame(rows).T.rename_axis("alpha")
