"""Figures 2, 4 and 5: the tables behind heat maps and attention maps, and how they are drawn."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import PowerNorm

from icllib.papers.signed_averaging.quantifier_models import (
    AS_PRINTED, EXAMPLES, SCORINGS, VARIANTS, cells)
from icllib.papers.signed_averaging.quantifiers import TRAINED, open_rates, reader_error
from icllib.plotting import (
    BLUE, ORANGE, SHARE, draw, draw_rows, legend_below, matrix, numbers, series,
    with_interval)
from icllib.results import dealt, stacked

STYLES = {"softmax": {"color": ORANGE}, "SSA": {"color": BLUE},
          "constant": {"color": "black", "ls": "--"}}
PARTS = {  # of the grid: the claims', then the law and the lengths of training
    "all lengths and sigmas": lambda sigma, n: sigma > 0,
    "lengths above 40": lambda sigma, n: n > TRAINED,
    "sigma above 10": lambda sigma, n: sigma > 10,
    "sigma = 1, lengths up to 40": lambda sigma, n: (sigma == 1) & (n <= TRAINED),
}
JUDGED = list(PARTS)[:3]  # the parts of the claims


def grid(record) -> tuple[np.ndarray, np.ndarray]:
    """The sigmas and the lengths on which a record was tested."""
    errors, _ = record.run["evaluation"]["parts"]
    return np.array(errors["sigmas"]), np.array(errors["lengths"])


def error_tables(records, quantifier: str, profile: str) -> list[pd.DataFrame]:
    """Share of wrong sequences by length, one curve per sigma, and of wrong answers by position.

    The constant predictor's are in closed form. records: those of the page of this quantifier.
    """
    tables, chosen = [], cells(quantifier)
    wrong, wrong_at = (stacked(records, chosen, name) for name in ("wrong", "wrong_at"))
    for cell, own in dealt(records, chosen).items():
        sigmas, lengths = grid(own[0])
        tables += curves_by_length(cell.variant, cell, own[0], wrong[cell], profile)
        for place in (0, -1):
            panel = position_panel(cell.variant, sigmas[place])
            curves = {cell.scoring: wrong_at[cell][:, place]}
            if cell.scoring == "softmax":
                curves["constant"] = open_rates(cell.task, lengths.max())
            tables += [series(panel, name, *by_tens(rates), profile, SHARE)
                       for name, rates in curves.items()]
    return tables


def curves_by_length(panel: str, cell, record, wrong, profile: str) -> list[pd.DataFrame]:
    """A cell's share of wrong sequences, (seeds, sigmas, lengths), by length, one curve per sigma;
    before softmax's, which stand for both scorings, that of the constant predictor."""
    sigmas, lengths = grid(record)
    curves = [series(panel, f"{cell.scoring}, sigma = {sigma}", lengths, wrong[:, place], profile,
                     SHARE) for place, sigma in enumerate(sigmas)]
    if cell.scoring != "softmax":
        return curves
    constant = [reader_error(cell.task, 0, n) for n in lengths]
    return [series(panel, "constant", lengths, constant, profile), *curves]


def by_tens(rates) -> tuple[list[int], np.ndarray]:
    """Positions 1 to 10 one by one, then means over ten positions, named by the last of them."""
    rates = np.asarray(rates)
    first, ends = min(10, rates.shape[-1]), list(range(20, rates.shape[-1] + 1, 10))
    means = [rates[..., end - 10 : end].mean(-1) for end in ends]
    single = [rates[..., place] for place in range(first)]
    return [*range(1, first + 1), *ends], np.stack(single + means, axis=-1)


def position_panel(variant: str, sigma) -> str:
    """The panel of the errors by position."""
    return f"{variant}, by position, sigma = {sigma}"


def parts(record) -> dict[str, np.ndarray]:
    """Which cells of a record's grid lie in each of PARTS: (sigmas, lengths)."""
    sigma, n = np.meshgrid(*grid(record), indexing="ij")
    return {part: inside(sigma, n) for part, inside in PARTS.items()}


def errors_by_part(records, chosen) -> dict:
    """The mean error over each of PARTS, by cell: {cell: {part: (seeds,)}}."""
    found, wrong = {}, stacked(records, chosen, "wrong")
    for cell, own in dealt(records, chosen).items():
        found[cell] = {part: wrong[cell][:, inside].mean(1)
                       for part, inside in parts(own[0]).items()}
    return found


def half_a_sequence(record, count: int = 1) -> float:
    """What no wrong sequence in so many cells of the grid counts as, so that no ratio is infinite."""
    return 0.5 / (record.run["evaluation"]["parts"][0]["sequences"] * count)


def evidence(records, chosen) -> dict:
    """SSA's mean error over softmax's in the parts of the claim, seed by seed."""
    softmax, ssa = errors_by_part(records, chosen).values()
    ratios, inside = {}, parts(records[0])
    for part in JUDGED:
        least = half_a_sequence(records[0], inside[part].sum())
        ratios[part] = np.maximum(ssa[part], least) / np.maximum(softmax[part], least)
    return ratios


def single_numbers(records, chosen) -> dict:
    """Softmax's share of wrong answers to the first number, whose sign is its label, by seed."""
    sigmas, _ = grid(records[0])
    return {f"sigma = {sigmas[-1]}": stacked(records, chosen, "wrong_at")[chosen[0]][:, -1, 0]}


def at_length(records, chosen, n: int) -> np.ndarray:
    """Softmax's share of wrong sequences of the tested length nearest to n: (seeds, sigmas)."""
    _, lengths = grid(records[0])
    return stacked(records, chosen, "wrong")[chosen[0]][..., np.abs(lengths - n).argmin()]


def reached(records, names, chosen) -> np.ndarray:
    """The gate of the claims, the share of wrong sequences at the smallest sigma and the length of
    training: the largest among the chosen ones of the names, by seed."""
    sigmas, lengths = grid(records[0])
    wrong, place = stacked(records, names, "wrong"), np.abs(lengths - TRAINED).argmin()
    return np.max([wrong[name][:, sigmas.argmin(), place] for name in chosen], axis=0)


def longer_sequences(records, chosen) -> dict:
    """Softmax's share of wrong sequences beyond the lengths of training at sigma = 1, by seed."""
    return {f"length {n}": at_length(records, chosen, n)[:, 0] for n in (60, 100, 200)}


def deviant_sequences(records, chosen) -> dict:
    """The same at the largest sigma over sigma = 1, at the length of training, by seed."""
    wrong = np.maximum(at_length(records, chosen, TRAINED), half_a_sequence(records[0]))
    return {f"length {TRAINED}": wrong[:, -1] / wrong[:, 0]}


def part_table(errors: dict) -> pd.DataFrame:
    """Mean errors over the parts of the grid with their intervals, one row per cell."""
    rows = {(cell.variant, cell.scoring): {part: with_interval(samples, within=SHARE)
                                           for part, samples in parts.items()}
            for cell, parts in errors.items()}
    return pd.DataFrame(rows).T


# ---- attention ------------------------------------------------------------------------------


def token_names(example: int) -> list[str]:
    """The tokens of an example under "every"."""
    names, xs = [], EXAMPLES[example]
    for k, x in enumerate(xs):
        names += [f"{x:g}", "true" if min(xs[: k + 1]) > 0 else "false"]
    return names[:-1]


def share(maps: np.ndarray, example: int) -> np.ndarray:
    """The weight that the last token gives to 70, or else to itself, mean over heads: (seeds,).

    maps: (seeds, examples, heads, T, T).
    """
    tokens = token_names(example)
    column = tokens.index("70") if "70" in tokens else len(tokens) - 1
    return maps[:, example, :, -1, column].mean(1)


def attention_tables(records, profile: str) -> list[pd.DataFrame]:
    """Maps of the first example, row by row; the share and the log-odds of every example."""
    tables, chosen = [], cells("every", (AS_PRINTED,))
    maps, odds = (stacked(records, chosen, name) for name in ("attention", "log_odds"))
    places = range(len(EXAMPLES))
    for cell in chosen:
        rows = maps[cell][:, 0].mean(1)  # over heads: (seeds, T, T)
        tables += [series(f"map, {cell.scoring}", f"row {row}", range(1, rows.shape[1] + 1),
                          rows[:, row - 1], profile, SHARE)
                   for row in range(1, rows.shape[1] + 1)]
        tables.append(series("share", cell.scoring, places,
                             np.stack([share(maps[cell], k) for k in places], axis=1), profile,
                             SHARE))
        tables.append(series("log-odds", cell.scoring, places, odds[cell][:, :, -1], profile))
    return tables


def share_evidence(records) -> dict:
    """The parts of the claim on Figure 2: softmax's share over 0.9, and over SSA's."""
    softmax, ssa = shares_of_70(records)
    return {"softmax alone": softmax / 0.9, "softmax over SSA": softmax / ssa}


def equal_shares(records) -> dict:
    """The same for attention that weighs all tokens alike, in place of softmax."""
    equal, ssa = 1 / len(token_names(0)), shares_of_70(records)[1]
    return {"softmax alone": [equal / 0.9], "softmax over SSA": equal / ssa}


def shares_of_70(records) -> list[np.ndarray]:
    """What softmax and SSA give to 70 in the first example, by seed."""
    maps = stacked(records, cells("every", (AS_PRINTED,)), "attention")
    return [share(own, 0) for own in maps.values()]


# ---- drawing --------------------------------------------------------------------------------


def draw_heat_maps(table, variants):
    """Softmax beside SSA, a row of maps for each variant; returns their common color scale.

    It ends just above the largest share that is drawn, the constant predictor's among them.
    """
    top = min(1, 1.1 * table[table.panel.isin(variants)].y.max())
    figure, panels = plt.subplots(len(variants), 2, squeeze=False,
                                  figsize=(9, 0.4 + 3 * len(variants)))
    for row, variant in zip(panels, variants):
        for axes, scoring in zip(row, SCORINGS):
            image = draw_heat_map(axes, table, variant, scoring, top)
    return figure.colorbar(image, ax=panels, label="share of wrong sequences")


def draw_heat_map(axes, table, variant: str, scoring: str, top: float):
    """Errors over length and sigma; dots where the constant predictor does as well or better."""
    panel = table[table.panel == variant]
    rows = panel[panel.series.str.startswith(f"{scoring}, ")]
    errors = rows.pivot(index="series", columns="x", values="y").loc[rows.series.unique()]
    constant = panel[panel.series == "constant"].y.to_numpy()
    image = axes.pcolormesh(errors, norm=PowerNorm(0.5, vmin=0, vmax=top), edgecolors="face")
    row, column = np.nonzero(errors.to_numpy() >= constant)
    axes.plot(column + 0.5, row + 0.5, ls="", marker="o", ms=3, mfc="white", mec="black", mew=0.5)
    sigmas = [name.split()[-1] for name in errors.index]
    for axis, ticks in ((axes.xaxis, [f"{n:g}" for n in errors.columns]), (axes.yaxis, sigmas)):
        step = -(-len(ticks) // 10)
        axis.set_ticks(np.arange(0, len(ticks), step) + 0.5, ticks[::step])
    axes.grid(False)
    axes.set(title=f"{scoring}, {variant}", xlabel="length", ylabel=r"$\sigma$")
    return image


def draw_by_position(table, sigmas):
    """A column of panels for each variant, a row for each sigma; returns the legend."""
    _, panels = plt.subplots(len(sigmas), len(VARIANTS), sharex=True, sharey=True,
                             figsize=(9, 2.8 * len(sigmas)))
    for row, sigma in zip(panels, sigmas):
        for axes, variant in zip(row, VARIANTS):
            draw_positions(axes, table, variant, sigma)
        row[0].set_ylabel("share of wrong answers")
    for axes in panels[-1]:
        axes.set_xlabel("position")
    return legend_below(panels[0, 0], len(STYLES))


def numbers_by_position(table) -> pd.DataFrame:
    """Shares at some positions; below 1e-6 the constant predictor's are mostly rounding."""
    panels = [name for name in table.panel.unique() if "by position" in name]
    shown = numbers(table.sort_values("panel", kind="stable"), panels,
                    (1, 2, 3, 5, 10, 40, 100, 200), x="position")
    small = lambda text: "< 1e-6" if text and float(text) < 1e-6 else text
    constant = shown.index.get_level_values("series") == "constant"
    shown.loc[constant] = shown.loc[constant].map(small)
    return shown


def draw_positions(axes, table, variant: str, sigma) -> None:
    """Errors by position; a grey line where the positions of training end."""
    for name, style in STYLES.items():
        draw(axes, table, position_panel(variant, sigma), name, **style)
    axes.axvline(TRAINED, color="grey", lw=1, ls=":")
    axes.set_yscale("symlog", linthresh=0.01)
    axes.set(title=rf"{variant}, $\sigma = {sigma}$", ylim=(0, 1.2), yticks=[0, 0.01, 0.1, 1],
             yticklabels=["0", "0.01", "0.1", "1"])


def draw_map(axes, table, scoring: str) -> None:
    """The attention map of the first example, with its numbers."""
    rows = table[table.panel == f"map, {scoring}"]
    weights, tokens = rows.y.to_numpy().reshape(-1, rows.x.max()), token_names(0)
    matrix(axes, weights, cmap="Purples", vmin=0, vmax=1.6)
    axes.set_xticks(range(len(tokens)), tokens)
    axes.set_yticks(range(len(tokens)), tokens)
    axes.set(title=scoring, xlabel="attends to", ylabel="token")


def draw_examples(axes, table, panel: str) -> None:
    """A number for every example, one row each, both scorings."""
    for shift, scoring in ((-0.12, "softmax"), (0.12, "SSA")):
        rows = table[table.panel == panel]
        draw_rows(axes, rows.assign(x=rows.x + shift), panel, scoring, **STYLES[scoring])
    labels = [", ".join(f"{x:g}" for x in xs) for xs in EXAMPLES]
    axes.set_yticks(range(len(EXAMPLES)), labels)
    axes.set_ylim(len(EXAMPLES) - 0.5, -0.5)
