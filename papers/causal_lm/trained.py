"""Models trained under both masks (Section 5.2): runs, ratios of errors, gates, printed errors."""

from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch

from claimbook.claims.sentences import POSITIVE, with_interval
from claimbook.pages.plotting import BLACK, draw_rows, legend_below, series
from claimbook.records.values import values
from icllib.evaluate import ErrorByLength
from icllib.models import Gaussian, Transformer
from icllib.streams import Stream
from icllib.tasks import LinearClassification, LinearRegression, SigmoidRegression
from icllib.training import Recipe, Run
from papers.colors import color_of, marked

KINDS = {"linear": LinearRegression, "nonlinear": SigmoidRegression, "classes": LinearClassification}
TASKS = tuple(KINDS)
MASKS = ("prefix", "causal")
# Settings that the paper does not give, for the table of settings on a page. The public code gives
# most of them; the seeds are ours.
ASSUMED = (
    "model.scoring", "model.normalize_stream", "model.attention_width", "model.final_norm",
    "model.uniform_start", "model.query_positions", "recipe.warmup", "recipe.weight_decay",
    "recipe.epsilon", "evaluation.seed", "evaluation.own_prompts", "seed",
)


@dataclass(frozen=True)
class Size:
    """What differs between profiles."""

    dimension: int = 16  # Section 5.2
    pairs: int = 40  # Section 5.2
    queries: int = 20  # Section 5.2
    layers: int = 24  # Section 5.2
    width: int = 128  # Section 5.2
    batch: int = 64  # Section 5.2
    steps: int = 100_000  # 100 epochs of 64,000 sequences
    learning_rate: float = 1e-4  # Appendix E.2
    lower_rate: float = 1e-4  # of models that do not learn at learning_rate
    prompts: int = 64  # held out; Section 5.2
    seeds: int = 5  # ASSUMED: the paper shows one
    batches: tuple[int, ...] = (1, 3, 10, 30, 100, 300)  # ASSUMED: Figure 6, 1,000 aside
    own_positions: bool = True  # each query has one; public code
    own_prompts: bool = True  # ASSUMED: each seed has other held-out prompts
    more_seeds: int = 0  # for the models of Figure 3; twice as many for `rows_without_loss`

    @property
    def fewer_pairs(self) -> tuple[int, ...]:
        """The pairs of training and, in the paper's proportions, of Tables 6, 5 and 4."""
        return tuple(round(share * self.pairs) for share in (1, 0.8, 0.6, 0.4))

    @property
    def blocks(self) -> tuple[int, ...]:
        """Pairs per block of a block-causal mask. ASSUMED: the paper has it for images only."""
        return self.pairs // 8, self.pairs // 4, self.pairs // 2


SIZES = {
    "smoke": Size(dimension=2, pairs=16, queries=2, layers=3, width=8, batch=2, steps=4,
                  learning_rate=1e-3, lower_rate=1e-3, prompts=8, seeds=1, batches=(1, 10)),
    # Half the dimensions and pairs of the paper. ASSUMED: 12 passes over the sequences, at a rate
    # of `learning_rates`; more held-out sequences, for less noise.
    "cpu": Size(dimension=8, pairs=20, queries=10, layers=5, width=32, batch=16, steps=12_000,
                learning_rate=4e-3, lower_rate=2e-3, prompts=4096, seeds=8, batches=(1, 30),
                more_seeds=4),
    "gpu": Size(steps=20_000, prompts=1024),
    "paper": Size(),
}
# For Figure 6 and block-causal masks, each with up to 60 models. ASSUMED: at `cpu` a third of the
# steps at twice the rate, and fewer seeds and held-out sequences; all queries have the position of
# the next pair, and all seeds are tested on the same sequences.
SHORT_SIZES = SIZES | {"cpu": replace(
    SIZES["cpu"], steps=4000, learning_rate=8e-3, lower_rate=8e-3, prompts=1024, seeds=3,
    more_seeds=0, own_positions=False, own_prompts=False)}
FULL_SET = 1000  # batches of training sequences: 64,000 at batch 64 (Section 5.2)


class Cell(NamedTuple):
    """One entry of a table: a kind of model and the task that it is trained on."""

    task: str  # one of TASKS
    mask: str  # one of MASKS, or "block-causal"
    shared: bool  # one layer's weights in all layers
    extra_loss: bool  # squared outputs at the pairs, with target 0
    permuted: bool = False  # pairs in a new random order whenever a sequence is seen
    batches: int = FULL_SET  # training sequences, in batches
    block: int = 1  # pairs per block of a block-causal mask
    plain: bool = False  # a GPT-2 block in place of the public code's

    @classmethod
    def of(cls, run: Run) -> "Cell":
        """The entry that a run trains a model for."""
        model, recipe = run.model, run.recipe
        kind = next(name for name, kind in KINDS.items() if isinstance(run.task, kind))
        return cls(kind, model.mask, model.shared_layers, recipe.loss_on_pairs, recipe.permute_pairs,
                   run.pretraining_tasks // recipe.batch, model.block, not model.normalize_stream)

    @property
    def sharing(self) -> str:
        """As text: "shared" or "unshared"."""
        return "shared" if self.shared else "unshared"

    @property
    def probed(self) -> bool:
        """Figure 3 probes the layers of shared-layer models with the extra loss."""
        return self.shared and self.extra_loss

    @property
    def stuck(self) -> bool:
        """Needs the lower rate: at `cpu`'s rate 4 of 5 such prefix models answer a constant."""
        return self.task == "linear" and self.extra_loss and not self.shared

    def run(self, size: Size, seed: int) -> Run:
        """The training run of one seed."""
        rate = size.lower_rate if self.stuck else size.learning_rate
        recipe = Recipe(
            (size.pairs,), size.steps, size.batch, rate, "cosine", warmup=0.2,
            epsilon=1e-7, queries=size.queries, loss_on_pairs=self.extra_loss,
            permute_pairs=self.permuted)  # cosine and AdamW: Appendix E.2; the rest: public code
        evaluation = ErrorByLength(size.fewer_pairs, size.prompts, queries=size.queries,
                                   by_layer=self.probed, own_prompts=size.own_prompts)
        return Run(task(self.task, size.dimension), self.model(size), recipe, evaluation, seed,
                   self.batches * size.batch)

    def model(self, size: Size) -> Transformer:
        """The decoder: Section 5.2, and the public code's quirks unless it is plain."""
        model = Transformer(size.layers, 2, size.width, mask=self.mask, block=self.block,
                            queries_see_themselves=False, shared_layers=self.shared, probes=self.probed,
                            query_positions=size.queries if size.own_positions else 1)
        return model if self.plain else replace(
            model, scoring=Gaussian(), normalize_stream=True, final_norm=False, uniform_start=True,
            attention_width=size.width // 2)


def task(name: str, dimension: int):
    """One of the three tasks of Section 5.2, with x ~ U(-1, 1)^d and w ~ N(0, I)."""
    return KINDS[name](dimension, **{"inputs": "uniform"} if name == "linear" else {})


def as_in_table_1(masks=MASKS, **options) -> list[Cell]:
    """Shared layers with the extra loss, unshared ones without it, on every task."""
    return [Cell(task, mask, shared, extra_loss=shared, **options)
            for shared in (True, False) for mask in masks for task in TASKS]


def figure_3_cells() -> list[Cell]:
    """The shared-layer models of Table 1."""
    return [cell for cell in as_in_table_1() if cell.shared]


def runs(profile: str, cells, **changed) -> list[Run]:
    """Every cell at every seed of a profile's size; changed: other fields of it."""
    return runs_of_size(replace(SIZES[profile], **changed), cells)


def runs_of_size(size: Size, cells) -> list[Run]:
    """Every cell at every seed, the seeds of a cell side by side."""
    return [cell.run(size, seed) for cell in cells for seed in range(size.seeds)]


def assumed(size: Size) -> tuple[str, ...]:
    """The names of ASSUMED, without settings that a size leaves out."""
    left_out = {"model.query_positions": size.own_positions, "evaluation.own_prompts": size.own_prompts}
    return tuple(name for name in ASSUMED if left_out.get(name, True))


def table_1(profile: str) -> list[Run]:
    """The rows of Table 1."""
    return runs(profile, as_in_table_1())


def final_errors(records, suffix: str = "", **labels) -> dict[Cell, pd.Series]:
    """Each cell's errors with as many pairs as in training, the most, as in `errors_by_cell`."""
    return {cell: errors[errors.columns.max()]
            for cell, errors in errors_by_cell(records, suffix, **labels).items()}


def errors_by_cell(records, suffix: str = "", **labels) -> dict[Cell, pd.DataFrame]:
    """Each cell's errors, in percent for classes: a row per seed, a column per number of pairs; suffix:
    "_by_layer" for a row per seed and layer; labels: settings in which records of a cell differ."""
    found = {}
    for record in records:
        found.setdefault(Cell.of(record.component), []).append(record)
    return {cell: values(own, "error" + suffix, **labels).unstack("length") if cell.task != "classes"
            else 100 * values(own, "wrong" + suffix, **labels).unstack("length")
            for cell, own in found.items()}


# ---- gates, ratios and evidence -------------------------------------------------------------

LEARNED = 0.5  # largest error over that of the constant answer: the gate of the chapter's claims


@cache
def constant_error(name: str, dimension: int) -> float:
    """The error of the best constant answer, any class or 0, on a task; in percent for classes."""
    if name == "classes":
        return 100 * (1 - 1 / task(name, dimension).classes)
    stream, ids = Stream.of([0], "evaluation"), torch.arange(20_000)[None]
    return float(task(name, dimension).sample(stream, ids, 8).means.square().mean())


def reached(errors: dict[Cell, np.ndarray], cells, profile: str) -> np.ndarray:
    """The error of the worst of these cells over that of the constant answer: (seeds,)."""
    dimension = SIZES[profile].dimension
    return np.max([errors[cell] / constant_error(cell.task, dimension) for cell in cells], axis=0)


def learned_errors(errors: dict[Cell, np.ndarray], profile: str, final=None) -> dict[Cell, np.ndarray]:
    """The errors of the models that pass the gate, of a cell without any all; final: the errors that show
    whether models have learned, if `errors` do not."""
    passed = {cell: reached(final or errors, [cell], profile) <= LEARNED for cell in errors}
    return {cell: own[passed[cell]] if passed[cell].any() else own for cell, own in errors.items()}


def ratios(errors: dict[Cell, np.ndarray], pairs: dict, profile: str, final=None) -> dict:
    """A claim's evidence and gate and, if masks are compared, control: {part: (seeds,)} each.

    pairs: {part: two cells, whose errors are divided}. The control has the causal model of the seed before in
    place of the prefix model.
    """
    handed = {"evidence": {part: errors[one] / errors[other] for part, (one, other) in pairs.items()},
              "gate": {part: reached(final or errors, both, profile) for part, both in pairs.items()}}
    if all(one.mask != other.mask for one, other in pairs.values()):
        handed["control"] = {part: np.roll(errors[other], 1) / errors[other]
                             for part, (_, other) in pairs.items()}
    return handed


def against_printed(errors: dict[str, np.ndarray], cells, profile: str) -> dict:
    """Evidence, gate and control of a claim about printed errors, {part: samples} each; cells: one for each
    part. The gate is the task's dimension, on which errors depend."""
    dimension, of_paper = SIZES[profile].dimension, SIZES["paper"].dimension
    return {"evidence": errors,
            "gate": {part: [dimension] * len(samples) for part, samples in errors.items()},
            "control": {part: [constant_error(cell.task, of_paper)] for part, cell in zip(errors, cells)}}


# ---- printed errors, tables and drawing -----------------------------------------------------

# (mask, shared layers, extra loss): one error per task
TABLE_3 = {
    ("prefix", True, True): (8.6e-3, 1.5e-4, 24.1),
    ("causal", True, True): (1.9e-1, 2.7e-3, 27.0),
    ("prefix", True, False): (6.7e-3, 1.5e-4, 24.5),
    ("causal", True, False): (5.0e-2, 1.9e-3, 30.5),
    ("prefix", False, True): (7.6e-3, 1.7e-4, 26.7),
    ("causal", False, True): (4.4e-2, 2.5e-3, 30.4),
    ("prefix", False, False): (2.5e-3, 9.0e-5, 27.6),
    ("causal", False, False): (1.6e-2, 2.9e-3, 32.1),
}
WITHIN = dict(zip(TASKS, (POSITIVE, POSITIVE, (0, 100))))  # what an error can be
DIAMOND = {"marker": "D", "mfc": "none", "color": BLACK, "zorder": 3}  # how printed numbers are drawn
ROWS = [(mask, shared) for shared in (True, False) for mask in MASKS]


def extra_loss(cell: Cell) -> float:
    """The entry of Table 3, and so of Table 1, for a cell."""
    return TABLE_3[cell.mask, cell.shared, cell.extra_loss][TASKS.index(cell.task)]


def standard_errors_apart(first: float, second: float) -> float:
    """|p - q| / sqrt((p (1 - p) + q (1 - q)) / N): two printed class errors on N queries, in percent."""
    shares = np.array([first, second]) / 100
    answers = SIZES["paper"].prompts * SIZES["paper"].queries
    return abs(shares[0] - shares[1]) / np.sqrt((shares * (1 - shares)).sum() / answers)


def class_differences(entry, cells, **below) -> pd.DataFrame:
    """Printed class errors and those of their counterparts, with `standard_errors_apart`; entry: Cell ->
    printed number; below: the fields of a cell that differ in its counterpart."""
    rows = {}
    for cell in cells:
        other = cell._replace(**below)
        if cell.task == "classes" and cell != other:
            pair = entry(cell), entry(other)
            rows[row_name(cell)] = (*pair, round(standard_errors_apart(*pair), 1))
    columns = ["error (%)", "counterpart's error (%)", "standard errors apart"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns)


def row_name(cell: Cell) -> str:
    """A row's name in the tables of the pages."""
    return f"{cell.mask}, {cell.sharing}" + ", extra loss" * cell.extra_loss


def task_rows(name: str, values: dict, profile: str) -> list[pd.DataFrame]:
    """Rows of a figure's table. values: Cell -> samples over seeds, or a printed number."""
    return [series(cell.task, name, [row_name(cell)], np.reshape(own, (-1, 1)), profile, WITHIN[cell.task])
            for cell, own in values.items()]


def draw_tasks(table: pd.DataFrame, styles: dict, errors: dict[Cell, np.ndarray], title: str, height: float):
    """A panel for each task, a row for each cell, and the errors of seeds as small dots; returns the legend.
    styles: {series: how it is drawn}, the printed errors first."""
    figure, panels = plt.subplots(1, len(TASKS), figsize=(9, height), sharey=True)
    figure.suptitle(title)
    for axes, task in zip(panels, TASKS):
        printed, *ours = styles
        draw_rows(axes, table, task, printed, **styles[printed])
        for name, mask in product(ours, MASKS):
            rows = table[table.x.str.startswith(mask)]
            draw_rows(axes, rows, task, name, **marked(mask) | {"label": name * (mask == "prefix") or "_"}
                      | styles[name])
        for place, cell in enumerate(cell for cell in errors if cell.task == task):
            axes.plot(errors[cell], np.full(len(errors[cell]), place + 0.25), ".", ms=4, alpha=0.6,
                      color=color_of(cell.mask))
        axes.set(title=task, xlabel="mean squared error", xscale="log", ymargin=0.12)
    panels[0].invert_yaxis()
    panels[-1].set(xlabel="classification error (%)", xscale="linear")
    return legend_below(panels[0], len(styles))


def beside_paper(ours: dict, printed: dict) -> pd.DataFrame:
    """A table of the paper, {cell: number}, with our means and 95% intervals, {cell: samples}, beside it."""
    table = {}
    for cell, samples in ours.items():
        digits = 3 if cell.task == "classes" else 2  # percent are printed with three
        row = table.setdefault(row_name(cell), {})
        if printed:
            row[cell.task, "paper"] = f"{printed[cell]:g}" if cell in printed else ""
        row[cell.task, "ours"] = with_interval(samples, digits, within=WITHIN[cell.task])
    return pd.DataFrame.from_dict(table, orient="index")
