"""Tables 1 and 2: every exponent of the scaling laws."""

import pandas as pd

from icllib.theory.scaling_laws import allocation_exponents, fit_exponent, theory_exponents
from papers.solvable_attention.formulas import LawFormulas
from papers.solvable_attention.laws import (
    ALPHAS, LAWS, VariedBySimulation, VariedInTheLimit, exponent_series, fit_of, on_the_way,
    setting_of, shortened)


def runs(profile: str) -> list:
    """Tables 1 and 2: three settings; in the limit large strengths too, both varied, and the way there."""
    settings = [(alpha, *varied) for alpha in ALPHAS for varied in ((0.0, 0.0), (0.5, 0.0), (0.0, 0.5))]
    large = [VariedInTheLimit(alpha, 0.0, 0.5, strength=1e4) for alpha in ALPHAS]
    return shortened(profile, [
        *(VariedBySimulation(*setting) for setting in settings),
        *(VariedInTheLimit(*setting, start=kind)
          for kind in ("proportional", "printed") for setting in settings),
        *large, *(VariedInTheLimit(1.8, 0.5, 0.5, strength=first) for first in (1.0, 1e4)),
        *on_the_way(profile, ALPHAS, 0.5)])


KINDS = ("fixed", "beta = 0.5", "gamma = 0.5", "gamma = 0.5, large strength")  # of Table 2's page


def kind(record) -> str:
    """Which of KINDS a record of Table 2's page is."""
    if record.component.strength > 1:
        return KINDS[3]
    return KINDS[2 if record.component.gamma else 1 if record.component.beta else 0]


def exponent_rows(settings: dict, profile: str) -> list:
    """The figure's rows, a panel for each alpha: printed exponents, then those of {setting: records}."""
    tables = []
    for name in ("printed", *settings):
        for record in next(iter(settings.values())) if name == "printed" else settings[name]:
            alpha, beta, gamma = setting_of(record)
            shown = ("time", "compute") if beta or record.component.strength > 1 else LAWS
            printed = theory_exponents(alpha, beta, gamma, large_strength=True)
            tables += exponent_series(name, {
                f"{kind(record)}: {law}": printed[law] if name == "printed" else record[f"{law}_exponent"][0]
                for law in shown}, profile, f"alpha = {alpha}")
    return tables


def large_strength_table(records) -> pd.DataFrame:
    """Laws in time and compute at a large strength, and the largest stable strength."""
    rows = {}
    for record in records:
        stable = LawFormulas(record.component.alpha).largest_stable_strength()
        run = record.component
        forms = [theory_exponents(*setting_of(record), large) for large in (True, False)]
        for law in ("time", "compute"):
            rows[run.alpha, law] = {
                "smallest strength": f"{run.strength * run.tasks ** -run.gamma:.1f}",
                "fitted": fit_of(record, law),
                "printed": f"{forms[0][law]:.3f}", "generic": f"{forms[1][law]:.3f}",
                "stable up to": f"{stable:.2f}"}
    return pd.DataFrame(rows).T.rename_axis(["alpha", "law"])


def allocation_table(records) -> pd.DataFrame:
    """Exponents of the best time C^x and size C^y: fitted, right, and as printed (exchanged)."""
    rows = {}
    for record in records:
        right = allocation_exponents(*setting_of(record), large_strength=kind(record) == KINDS[3])
        printed = allocation_exponents(*setting_of(record), large_strength=True)
        rows[record.component.alpha, kind(record)] = {
            "x fitted": fit_of(record, "best_time"), "x right": f"{right['time']:.3f}",
            "x printed": f"{printed['size']:.3f}",
            "y fitted": fit_of(record, "best_size"), "y right": f"{right['size']:.3f}",
            "y printed": f"{printed['time']:.3f}"}
    return pd.DataFrame(rows).T.rename_axis(["alpha", "tasks"])


def late_table(simulated, limits) -> pd.DataFrame:
    """Exponents in D and N of equal tasks at the end of training and in the limit; Eq. 105."""
    rows = {}
    of_kind = lambda records, name: [record for record in records if kind(record) == name]
    fixed, by_strength = KINDS[0], KINDS[2]
    for record, limit, varied in zip(of_kind(simulated, fixed), of_kind(limits, fixed),
                                     of_kind(limits, by_strength)):
        late = {law: fit_exponent(record[law], record[f"{law}_loss"], (least, float("inf")))[0]
                for law, least in (("size", 20), ("data", 1e3))}
        alpha, _, gamma = setting_of(varied)
        rows[alpha] = {
            "D above 20, t = 5": f"{late['size']:.3f}",
            "D, limit": f"{limit['size_exponent'][0]:.3f}",
            "N above 1,000, t = 5": f"{late['data']:.3f}",
            "N, limit": f"{limit['data_exponent'][0]:.3f}",
            f"N, limit, gamma = {gamma}": f"{varied['data_exponent'][0]:.3f}",
            "the paper's Eq. 105": f"{-(alpha + gamma - 1) / alpha:.3f}"}
    return pd.DataFrame(rows).T.rename_axis("alpha")
