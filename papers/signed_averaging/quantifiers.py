"""Decoders of the quantifiers "every" and "some": how they are trained, measured and drawn.

A number settles the label if no later number can change it: for "every" the first x <= 0, for "some" the
first x > 0; before it the label is open. A predictor that is right on the first r numbers and then gives the
settled answer is wrong if and only if the label is open at position r + 1. With r = 0 it is a constant.
"""

from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from matplotlib.colors import PowerNorm
from torch import Tensor

from claimbook.claims.sentences import SHARE, with_interval
from claimbook.pages.plotting import draw, heat_map, legend_below, numbers, rows_of, series
from claimbook.records import ADDED, Component, checks
from claimbook.records.values import values
from icllib.evaluate import Together, unseen
from icllib.models import SignedAveraging, Softmax, Transformer
from icllib.tasks import Quantifier, sample_each
from icllib.tasks.quantifiers import truth
from icllib.training import Curriculum, Recipe, Run, untrained
from papers.colors import color_of, dashed
from papers.signed_averaging.affine import BY_SCORING, FIRST_COUNTED, Training

TRAINED = 40  # the longest sequence in training, Section 3
LENGTHS = tuple(range(10, 201, 10))  # Figures 4, 5: 10 to 200. ASSUMED: in steps of 10


def settled_answer(task: Quantifier) -> int:
    """The label after it is settled: 0 or 1."""
    return 0 if task.quantifier == "every" else 1


def open_rates(task: Quantifier, n: int) -> list[float]:
    """The probability that the label is still open at position k, for k = 1, ..., n."""
    return [abs(settled_answer(task) - rate) for rate in task.base_rates(n)]


def reader_error(task: Quantifier, read: int, length: int) -> float:
    """The sequence error of a predictor that reads `read` numbers, in closed form."""
    decisive = max(read + 1, FIRST_COUNTED)
    return open_rates(task, length)[decisive - 1] if decisive <= length else 0.0


# Figure 2; then, ASSUMED for comparison, another context, an ordinary last number, both, and the
# large number in the middle.
EXAMPLES = (
    (1.0, -2.0, 3.0, 70.0), (1.0, 2.0, 3.0, 70.0), (1.0, -2.0, 3.0, 0.7), (1.0, 2.0, 3.0, 0.7),
    (1.0, -2.0, 70.0, 3.0))
CHUNK = {"cpu": 4, "cuda": 64}  # sequences per forward pass; few fit into a CPU's cache
ASSUMED = (  # settings that the paper does not give, for tables on pages
    "model.positions_up_to", "evaluation.parts", "seed")


# ---- measures --------------------------------------------------------------------------------


@dataclass(frozen=True)
class QuantifierErrors(Component):
    """Errors over sigma and length; a sequence is wrong if an answer from the third on is wrong.

    Measures the shares of wrong sequences, `wrong`, and of wrong answers from the third on,
    `wrong_positions`, (M, sigmas, lengths) each, and at each position of the longest, `wrong_at`, (M, sigmas,
    positions).
    """

    sigmas: tuple[checks.Positive, ...]
    lengths: tuple[checks.Size, ...]
    sequences: checks.Size  # at each sigma
    seed: int = 0
    own_prompts: bool = field(default=False, metadata=ADDED)

    @property
    def longest(self) -> int:
        return max(self.lengths) - 1

    def axes(self, metric: str) -> dict | None:
        return {"wrong": {"sigma": self.sigmas, "length": self.lengths},
                "wrong_positions": {"sigma": self.sigmas, "length": self.lengths},
                "wrong_at": {"sigma": self.sigmas, "position": None}}.get(metric)

    def measure(self, tasks, predictor, device="cpu") -> dict:
        rows = [self.at_sigma(tasks, predictor, place, device) for place in range(len(self.sigmas))]
        return {name: torch.stack([row[name] for row in rows], dim=1).cpu().numpy() for name in rows[0]}

    def at_sigma(self, tasks, predictor, place: int, device) -> dict:
        """The three metrics at one sigma: (M, lengths), (M, lengths), (M, positions)."""
        tasks = [replace(task, input_std=float(self.sigmas[place])) for task in tasks]
        most = max(self.lengths)
        shared = all(task.law == "independent" for task in tasks)  # then long sequences begin like short ones
        wrong = {n: self.wrong_answers(tasks, predictor, place, n, device)
                 for n in ((most,) if shared else self.lengths)}
        counted = [wrong.get(n, wrong[most])[..., FIRST_COUNTED - 1 : n].double() for n in self.lengths]
        return {"wrong": torch.stack([part.amax(-1).mean(1) for part in counted], dim=1),
                "wrong_positions": torch.stack([part.mean((1, 2)) for part in counted], dim=1),
                "wrong_at": wrong[most].double().mean(1)}

    def wrong_answers(self, tasks, predictor, place: int, n: int, device) -> Tensor:
        """Which answers to sequences of n numbers are wrong: (M, sequences, n)."""
        stream, found = unseen(self, predictor, len(tasks), device), []
        ids = place * self.sequences + torch.arange(self.sequences, device=device)
        for some in ids.split(CHUNK[ids.device.type]):
            xs, ys, _ = sample_each(tasks, stream, some.expand(len(tasks), -1), n)
            with torch.no_grad():
                found.append((predictor.predict(xs, ys, range(n)) > 0) != (ys > 0))
        return torch.cat(found, dim=1)


@dataclass(frozen=True)
class AttentionMaps(Component):
    """Answers of decoders to examples of one length n, `log_odds`, (M, examples, n), and the last layer's
    weights, `attention`, (M, examples, heads, 2n - 1, 2n - 1)."""

    examples: tuple = EXAMPLES

    def check(self):
        object.__setattr__(self, "examples", tuple(map(tuple, self.examples)))

    def axes(self, metric: str) -> dict | None:
        example = {"example": range(len(self.examples))}
        return {"log_odds": example | {"position": None},
                "attention": example | {"head": None, "token": None, "attended": None}}.get(metric)

    def measure(self, tasks, predictor, device="cpu") -> dict:
        xs = torch.tensor(self.examples, device=device)
        ys = torch.stack([truth(task.quantifier, xs) for task in tasks])
        xs = xs[..., None].expand(*ys.shape, 1)
        with torch.no_grad():
            log_odds, weights = last_attention(predictor.module, xs, ys)
        return {"log_odds": log_odds.cpu().numpy(), "attention": weights.cpu().numpy()}


def last_attention(module, xs: Tensor, ys: Tensor) -> tuple[Tensor, Tensor]:
    """Log-odds at x_1, ..., x_n, (M, B, n), and the last layer's map over x_1, y_1, ..., x_n, a row for each
    token, (M, B, heads, 2n - 1, 2n - 1)."""
    last, caught = module.blocks[-1], []
    hook = last.register_forward_pre_hook(lambda _, inputs: caught.append(inputs))
    try:
        log_odds = module(xs, ys, range(xs.shape[2]))
    finally:
        hook.remove()
    hidden, mask, places, _ = caught[-1]
    q, k, _ = last.heads_of(last.attention_norm(hidden))
    return log_odds, last.scoring.weights(q, k, mask, places)


# ---- sizes and runs -------------------------------------------------------------------------


@dataclass(frozen=True)
class Size(Training):
    """What differs between profiles; the defaults are the paper's."""

    pairs: int = TRAINED
    longer_every: int = 2000  # steps, Appendix A
    sigmas: tuple = tuple(range(1, 31))  # Figures 4 and 5
    lengths: tuple = LENGTHS
    sequences: int = 6400  # 100 samples of 64, Section 3
    # Balanced labels are ours; each length needs other sequences, so there are fewer lengths.
    balanced_sigmas: tuple = (1, 3, 10, 30)
    balanced_lengths: tuple = (10, 20, 40, 60, 100, 150, 200)
    compared_seeds: int = 3  # of the two models that are the paper's, for the claims


SIZES = {
    "smoke": Size(1, 2, 8, 4, 4, pairs=5, sigmas=(1, 30), lengths=(4, 41), balanced_sigmas=(1, 30),
                  balanced_lengths=(4, 41), sequences=8, seeds=2, compared_seeds=2),
    # ASSUMED: a model that trains in a minute on one core, and a curriculum over half of training;
    # so many seeds because models that learned equally well differ a hundredfold at large sigma.
    # Twenty of the two models that are compared did not decide the claim; thirty were added.
    "cpu": Size(3, 4, 32, 1000, 16, 2e-3, "cosine", 0.1, longer_every=25, sigmas=(1, 3, 5, 10, 20, 30),
                lengths=(10, 20, 40, 60, 100, 150, 200), sequences=384, seeds=20, compared_seeds=50,
                own_prompts=True),
    # ASSUMED: the paper's model, trained for less, at a higher rate.
    "gpu": Size(steps=20_000, learning_rate=3e-4, schedule="cosine", warmup=0.1,
                longer_every=500, sequences=1280),
    "paper": Size(),
}
SCORINGS = {"softmax": Softmax(), "SSA": SignedAveraging()}
AS_PRINTED = "as in the paper"
VARIANTS = {  # law of training and test, positions
    AS_PRINTED: ("independent", "learned"),
    "without positions": ("independent", "none"),
    "balanced labels": ("balanced", "learned"),
}


class Cell(NamedTuple):
    """One heat map: a scoring function trained on a quantifier in one variant."""

    quantifier: str  # "every" or "some"
    variant: str  # one of VARIANTS
    scoring: str  # one of SCORINGS

    @property
    def task(self) -> Quantifier:
        """The task of training; tests change only sigma and the length."""
        return Quantifier(self.quantifier, law=VARIANTS[self.variant][0])

    def run(self, size: Size, seed: int) -> Run:
        """The training run of one seed."""
        law, positions = VARIANTS[self.variant]
        up_to = max(size.lengths) if positions == "learned" else None
        model = Transformer(size.layers, size.heads, size.width, SCORINGS[self.scoring],
                            tokens="separate", positions=positions, positions_up_to=up_to)
        recipe = Recipe(
            tuple(range(size.pairs)), size.steps, size.batch, size.learning_rate, size.schedule,
            size.warmup, loss="cross-entropy",  # Section 3
            curriculum=Curriculum(3, 2, size.longer_every))  # Appendix A
        grid = ((size.balanced_sigmas, size.balanced_lengths) if law == "balanced"
                else (size.sigmas, size.lengths))
        errors = QuantifierErrors(*grid, size.sequences, own_prompts=size.own_prompts)
        evaluation = Together((errors, AttentionMaps()))
        return Run(self.task, model, recipe, evaluation, seed)


def cells(quantifier: str, variants=tuple(VARIANTS)) -> list[Cell]:
    """Softmax, then SSA, of each variant."""
    return [Cell(quantifier, variant, scoring) for variant in variants for scoring in SCORINGS]


def cell_runs(profile: str, chosen, seeds: int | None = None) -> list[Run]:
    """Every cell at every seed, cell by cell; seeds: their number, by default the profile's."""
    size = SIZES[profile]
    return [cell.run(size, seed) for cell in chosen for seed in range(seeds or size.seeds)]


def compared(quantifier: str, profile: str) -> list[Run]:
    """The two models of Figure 4 or 5 that are the paper's, with more seeds."""
    return cell_runs(profile, cells(quantifier, (AS_PRINTED,)), SIZES[profile].compared_seeds)


def variants(quantifier: str, profile: str) -> list[Run]:
    """The heat maps of Figure 4 or 5."""
    return cell_runs(profile, cells(quantifier))


compared_on_every, compared_on_some = partial(compared, "every"), partial(compared, "some")


# ---- from records to tables and ratios ------------------------------------------------------

STYLES = {"softmax": dashed("softmax"), "SSA": dashed("SSA"), "constant": {"color": "black", "ls": ":"}}
PARTS = {  # of the grid: three for claims, then the sigma and the lengths of training
    "all lengths and sigmas": lambda sigma, n: sigma > 0,
    "lengths above 40": lambda sigma, n: n > TRAINED,
    "sigma above 10": lambda sigma, n: sigma > 10,
    "sigma = 1, lengths up to 40": lambda sigma, n: (sigma == 1) & (n <= TRAINED),
}
JUDGED = list(PARTS)[:3]  # the parts of the claims
BY_VARIANT = {"variant": lambda run: next(  # labels for `page.values`
    name for name, own in VARIANTS.items() if own == (run.task.law, run.model.positions))} | BY_SCORING


def error_tables(records, quantifier: str, profile: str) -> list[pd.DataFrame]:
    """Tables of wrong sequences by length, a curve per sigma, and of wrong answers by position."""
    tables = []
    wrong, wrong_at = (values(records, name, **BY_VARIANT) for name in ("wrong", "wrong_at"))
    for (variant, scoring), own in wrong.groupby(["variant", "scoring"], sort=False):
        task = Cell(quantifier, variant, scoring).task
        tables += curves_by_length(variant, scoring, task, own, profile)
        positions = wrong_at.xs((variant, scoring), level=("variant", "scoring")).unstack("position")
        sigmas = own.index.unique("sigma")
        for sigma in (sigmas[0], sigmas[-1]):
            curves = {scoring: positions.xs(sigma, level="sigma")}
            if scoring == "softmax":
                constant = open_rates(task, len(positions.columns))
                curves["constant"] = pd.DataFrame([constant], columns=positions.columns)
            tables += [series(position_panel(variant, sigma), name, list(rates), rates, profile, SHARE)
                       for name, rates in zip(curves, map(by_tens, curves.values()))]
    return tables


def curves_by_length(panel: str, scoring: str, task, wrong, profile: str) -> list[pd.DataFrame]:
    """A model's share of wrong sequences by length, a table per sigma; softmax's after the constant's."""
    by_sigma = wrong.unstack("length")
    curves = [series(panel, f"{scoring}, sigma = {sigma}", list(by_sigma), by_sigma.xs(sigma, level="sigma"),
                     profile, SHARE) for sigma in wrong.index.unique("sigma")]
    if scoring != "softmax":
        return curves
    constant = [reader_error(task, 0, n) for n in by_sigma]
    return [series(panel, "constant", list(by_sigma), constant, profile), *curves]


def by_tens(rates) -> pd.DataFrame:
    """Rates at positions 1 to 10 one by one, then means over ten, at the last of the ten."""
    return rates.T.groupby([place if place <= 10 else -(-place // 10) * 10 for place in rates]).mean().T


def position_panel(variant: str, sigma) -> str:
    """The name of the panel of errors by position."""
    return f"{variant}, by position, sigma = {sigma}"


def errors_by_part(records, labels: dict, least: float = 0) -> pd.DataFrame:
    """The mean error of each model, a row, over each of PARTS; `least` wrong sequences replace none."""
    wrong, found = values(records, "wrong", **labels), {}
    sequences = records[0].component.evaluation.parts[0].sequences
    sigma, n = (wrong.index.get_level_values(name) for name in ("sigma", "length"))
    for part, inside in PARTS.items():
        own = wrong[inside(sigma, n)].groupby(list(labels), sort=False)
        found[part] = own.mean().clip(lower=least / (sequences * own.size()))
    return pd.DataFrame(found)


error_rates = partial(errors_by_part, least=0.5)  # where rates are divided


def at_length(records, n: int, labels=BY_SCORING) -> pd.DataFrame:
    """The share of wrong sequences of the tested length nearest to n: rows of models, columns sigma."""
    wrong = values(records, "wrong", **labels)
    nearest = min(wrong.index.unique("length"), key=lambda length: abs(length - n))
    return wrong.xs(nearest, level="length").unstack()


def longer_sequences(records, sigma: float = 1) -> dict[str, pd.Series]:
    """Softmax's wrong sequences at lengths above training's, by seed."""
    return {f"length {n}": at_length(records, n)[sigma]["softmax"] for n in (60, 100, 200)}


def deviant_sequences(records) -> dict[str, pd.Series]:
    """Softmax's wrong sequences, at least half of one, at the largest sigma over those at sigma = 1."""
    sequences = records[0].component.evaluation.parts[0].sequences
    wrong = at_length(records, TRAINED).loc["softmax"].clip(lower=0.5 / sequences)
    return {f"length {TRAINED}": wrong[max(wrong)] / wrong[1]}


def deviant_before(records) -> dict[str, pd.Series]:
    """`deviant_sequences` of the softmax models before training, which is its control."""
    softmax = [record for record in records if record.component.model.scoring == Softmax()]
    tested = replace(records[0].component.evaluation.parts[0], lengths=(TRAINED,))
    return deviant_sequences(untrained(softmax, Together((tested,))))


def part_table(errors) -> pd.DataFrame:
    """Mean errors over the parts of the grid with their intervals, a row for each variant and scoring."""
    return errors.groupby(["variant", "scoring"], sort=False).agg(
        partial(with_interval, within=SHARE)).rename_axis((None, None))


# ---- drawing --------------------------------------------------------------------------------


def draw_pairs(table) -> None:
    """Draw each pair's share of wrong sequences, softmax across, SSA up: below the line SSA leads."""
    pairs = rows_of(table, "pairs", "SSA")
    _, axes = plt.subplots(figsize=(5.4, 5))
    axes.axline((0.1, 0.1), (1, 1), color="grey", lw=1)
    axes.plot(pairs.x, pairs.y, ls="", marker="o", color=color_of("SSA"), mec="white", ms=7)
    axes.set(xscale="log", yscale="log", xlabel="softmax: share of wrong lists",
             ylabel="SSA: share of wrong lists",
             title=f"SSA errs less in {(pairs.y < pairs.x).sum()} of {len(pairs)} pairs", aspect="equal")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:g}")


def draw_heat_maps(table, variants):
    """Draw softmax beside SSA, a row of maps for each variant; returns the common color bar."""
    top = min(1, 1.1 * table[table.panel.isin(variants)].y.max())
    figure, panels = plt.subplots(len(variants), 2, squeeze=False, figsize=(9, 0.4 + 3 * len(variants)))
    for row, variant in zip(panels, variants):
        for axes, scoring in zip(row, SCORINGS):
            image = draw_heat_map(axes, table, variant, scoring, top)
    return figure.colorbar(image, ax=panels, label="share of wrong sequences")


def draw_heat_map(axes, table, variant: str, scoring: str, top: float):
    """Draw errors over length and sigma; a dot if the constant predictor is as good or better."""
    panel = table[table.panel == variant]
    rows = panel[panel.series.str.startswith(f"{scoring}, ")]
    errors = rows.pivot(index="series", columns="x", values="y").loc[rows.series.unique()]
    errors = errors.rename(lambda name: name.split()[-1]).rename(columns="{:g}".format)
    constant = panel[panel.series == "constant"].y.to_numpy()
    image = heat_map(axes, errors, norm=PowerNorm(0.5, vmin=0, vmax=top))
    row, column = np.nonzero(errors.to_numpy() >= constant)
    axes.plot(column + 0.5, row + 0.5, ls="", marker="o", ms=3, mfc="white", mec="black", mew=0.5)
    axes.invert_yaxis()
    axes.set(title=f"{scoring}, {variant}", xlabel="length", ylabel=r"$\sigma$")
    return image


def draw_by_position(table, sigmas):
    """Draw a column of panels for each variant, a row for each sigma, with a line at the last position of
    training; returns the legend."""
    _, panels = plt.subplots(len(sigmas), len(VARIANTS), sharex=True, sharey=True,
                             figsize=(9, 2.8 * len(sigmas)))
    for row, sigma in zip(panels, sigmas):
        for axes, variant in zip(row, VARIANTS):
            for name, style in STYLES.items():
                draw(axes, table, position_panel(variant, sigma), name, **style)
            axes.axvline(TRAINED, color="grey", lw=1, ls=":")
            axes.set_yscale("symlog", linthresh=0.01)
            axes.set(title=rf"{variant}, $\sigma = {sigma}$", ylim=(0, 1.2), yticks=[0, 0.01, 0.1, 1],
                     yticklabels=["0", "0.01", "0.1", "1"])
        row[0].set_ylabel("share of wrong answers")
    for axes in panels[-1]:
        axes.set_xlabel("position")
    return legend_below(panels[0, 0], len(STYLES))


def numbers_by_position(table) -> pd.DataFrame:
    """Table of shares at some positions; "< 1e-6" where the constant's are mostly rounding."""
    panels = [name for name in table.panel.unique() if "by position" in name]
    shown = numbers(table.sort_values("panel", kind="stable"), panels,
                    (1, 2, 3, 5, 10, 40, 100, 200), x="position")
    small = lambda text: "< 1e-6" if text and float(text) < 1e-6 else text
    constant = shown.index.get_level_values("series") == "constant"
    shown.loc[constant] = shown.loc[constant].map(small)
    return shown
