"""Section 5.2 and Appendix E: trained softmax decoders, prefix beside causal.

Every table and figure here is a selection of cells; a cell is trained once per seed, whichever
pages show it. "Public code" is the paper's, which settles much that its text leaves open.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from icllib.evaluate import ErrorByLength, Together, TrainingError
from icllib.models import Gaussian, Transformer
from icllib.results import dealt
from icllib.tasks import LinearClassification, LinearRegression, SigmoidRegression
from icllib.training import Recipe, Run

TASKS = ("linear", "nonlinear", "classes")
MASKS = ("prefix", "causal")

# What the paper's text and appendix do not give, by name, for the table on a page. The public
# code gives most of it; ours are the seeds.
ASSUMED = (
    "model.scoring", "model.normalize_stream", "model.attention_width", "model.final_norm",
    "model.uniform_start", "recipe.warmup", "recipe.weight_decay", "recipe.epsilon",
    "evaluation.seed", "seed",
)


def assumed(profile: str) -> tuple[str, ...]:
    """The names of ASSUMED, and those of settings that `pilot` did not have."""
    return ASSUMED + ("model.query_positions", "evaluation.own_prompts") * (profile != "pilot")


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
    lower_rate: float = 1e-4  # of the cells that do not learn at that one
    prompts: int = 64  # held out; Section 5.2
    seeds: int = 5  # ASSUMED: the paper shows one
    batches: tuple[int, ...] = (1, 3, 10, 30, 100, 300)  # ASSUMED: Figure 6, 1,000 aside
    own_positions: bool = True  # of each query; public code
    own_prompts: bool = True  # ASSUMED: held out, of each seed
    more_seeds: int = 0  # of the models of Figure 3, and twice as many of `rows_without_loss`

    @property
    def fewer_pairs(self) -> tuple[int, ...]:
        """The pairs of training and, in the paper's proportions, of Tables 6, 5 and 4."""
        return tuple(round(share * self.pairs) for share in (1, 0.8, 0.6, 0.4))

    @property
    def blocks(self) -> tuple[int, ...]:
        """Pairs per block of a block-causal mask. ASSUMED: the paper has it for images only."""
        return self.pairs // 8, self.pairs // 4, self.pairs // 2


SIZES = {
    "smoke": Size(2, 16, 2, 3, 8, 2, 4, 1e-3, 1e-3, 8, 1, (1, 10)),
    # An earlier design: all queries where the next pair would be, and the same held-out sequences.
    "pilot": Size(8, 20, 10, 5, 32, 16, 4000, 8e-3, 8e-3, 1024, 3, (1, 30), False, False),
    # Half the dimensions and pairs of the paper. ASSUMED: 12 passes over the sequences, at a rate
    # of `learning_rates`; more held-out sequences, for less noise.
    "cpu": Size(8, 20, 10, 5, 32, 16, 12_000, 4e-3, 2e-3, 4096, 8, (1, 30), more_seeds=4),
    "gpu": Size(steps=20_000, prompts=1024),
    "paper": Size(),
}
RATES = (4e-3, 8e-3, 1.6e-2)  # ASSUMED: around that of `pilot`
TRIED_STEPS = 4000  # ASSUMED: those of `pilot`
TRIED_SEED = 100  # of `learning_rates`, and of nothing else
FULL_SET = 1000  # batches of training sequences: 64,000 at batch 64 (Section 5.2)


class Cell(NamedTuple):
    """One number of a table: what is trained on what."""

    task: str  # one of TASKS
    mask: str  # one of MASKS, or "block-causal"
    shared: bool  # one layer's weights in all layers
    extra_loss: bool  # squared outputs at the pairs, with target 0
    permuted: bool = False  # pairs in a new random order whenever a sequence is seen
    batches: int = FULL_SET  # training sequences, in batches
    block: int = 1  # pairs per block of a block-causal mask
    plain: bool = False  # a GPT-2 block in place of the public code's

    @property
    def sharing(self) -> str:
        """In words."""
        return "shared" if self.shared else "unshared"

    @property
    def probed(self) -> bool:
        """Figure 3 probes the layers of shared-layer models with the extra loss."""
        return self.shared and self.extra_loss

    @property
    def stuck(self) -> bool:
        """At the rate of `cpu` four of five prefix models of this kind answer with a constant."""
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
                            queries_see_themselves=False, shared_layers=self.shared,
                            probes=self.probed,
                            query_positions=size.queries if size.own_positions else 1)
        if self.plain:
            return model
        return replace(model, scoring=Gaussian(), normalize_stream=True, final_norm=False,
                       attention_width=size.width // 2, uniform_start=True)


def task(name: str, dimension: int):
    """One of the three tasks of Section 5.2, with x ~ U(-1, 1)^d and w ~ N(0, I)."""
    if name == "linear":
        return LinearRegression(dimension, inputs="uniform")
    return {"nonlinear": SigmoidRegression, "classes": LinearClassification}[name](dimension)


def as_in_table_1(masks=MASKS, **options) -> list[Cell]:
    """Shared layers with the extra loss, unshared ones without it, on every task."""
    return [Cell(task, mask, shared, extra_loss=shared, **options)
            for shared in (True, False) for mask in masks for task in TASKS]


def plain_cells() -> list[Cell]:
    """The rows of Table 1 on linear regression with a plain block."""
    return [cell for cell in as_in_table_1(plain=True) if cell.task == "linear"]


def classifier_cells() -> list[Cell]:
    """The models of Table 1 on three classes."""
    return [cell for cell in as_in_table_1() if cell.task == "classes"]


def table_3_cells() -> list[Cell]:
    """Every pairing of layer sharing, extra loss, mask and task, in the order of Table 3."""
    return [Cell(task, mask, shared, extra_loss) for shared in (True, False)
            for extra_loss in (True, False) for mask in MASKS for task in TASKS]


def cells_without_loss() -> list[Cell]:
    """Four of these: on linear regression, without the extra loss."""
    return [cell for cell in table_3_cells() if cell.task == "linear" and not cell.extra_loss]


def figure_3_cells() -> list[Cell]:
    """The shared-layer models of Table 1."""
    return [cell for cell in as_in_table_1() if cell.shared]


def figure_6_cells(size: Size) -> list[Cell]:
    """Shared-layer models, trained on few sequences and on many."""
    return [cell._replace(batches=batches) for cell in figure_3_cells()
            for batches in (*size.batches, FULL_SET)]


def block_cells(size: Size) -> list[Cell]:
    """The models of Table 1 on linear regression, from the causal mask to the prefix mask."""
    cells = []
    for shared in (True, False):
        causal = Cell("linear", "causal", shared, extra_loss=shared)
        between = [causal._replace(mask="block-causal", block=block) for block in size.blocks]
        cells += [causal, *between, causal._replace(mask="prefix")]
    return cells


def runs(profile: str, cells, **changed) -> list[Run]:
    """Every cell at every seed, the seeds of a cell side by side; changed: of the size."""
    size = replace(SIZES[profile], **changed)
    return [cell.run(size, seed) for cell in cells for seed in range(size.seeds)]


def table01_prefix_causal(profile: str) -> list[Run]:
    """Table 1, and its classifiers on their training sequences."""
    return table_1(profile) + classifiers(profile)


def table_1(profile: str) -> list[Run]:
    """The rows of Table 1."""
    return runs(profile, as_in_table_1())


def classifiers(profile: str) -> list[Run]:
    """Table 1's models of three classes, measured on held-out and on training sequences."""
    both = []
    for run in runs(profile, classifier_cells()):
        sizes = run.recipe.lengths, run.evaluation.prompts
        measures = [kind(*sizes, queries=run.recipe.queries,
                         own_prompts=SIZES[profile].own_prompts)
                    for kind in (ErrorByLength, TrainingError)]
        both.append(replace(run, evaluation=Together(measures)))
    return both


def learning_rates(profile: str) -> list[Run]:
    """The search for the rate of `cpu`: Table 1's models at each; the same at all but smoke."""
    size = SIZES[profile if profile == "smoke" else "cpu"]
    size = replace(size, steps=min(size.steps, TRIED_STEPS))
    return [cell.run(replace(size, learning_rate=rate), TRIED_SEED)
            for cell in as_in_table_1() for rate in RATES]


def fig03_layer_probes(profile: str) -> list[Run]:
    """Figure 3: the runs of Table 1 that have probes, with more seeds."""
    size = SIZES[profile]
    return runs(profile, figure_3_cells(), seeds=size.seeds + size.more_seeds)


def fig06_training_sequences(profile: str) -> list[Run]:
    """Figure 6: from 1 to 1,000 batches of training sequences."""
    return runs(profile, figure_6_cells(SIZES[profile]))


def table03_extra_loss(profile: str) -> list[Run]:
    """Table 3, with more seeds of four kinds, and one kind at the rate of the others."""
    return list(dict.fromkeys(table_3(profile) + rows_without_loss(profile)
                              + stuck_at_first(profile)))


def table_3(profile: str) -> list[Run]:
    """Those of Table 1 and their counterparts."""
    return runs(profile, table_3_cells())


def linear_rows(profile: str) -> list[Run]:
    """Those on linear regression, which can have more whole seeds than all."""
    return runs(profile, [cell for cell in table_3_cells() if cell.task == "linear"])


def rows_without_loss(profile: str) -> list[Run]:
    """Four kinds of those with yet more seeds, for claim 24."""
    size = SIZES[profile]
    return runs(profile, cells_without_loss(), seeds=size.seeds + 2 * size.more_seeds)


def stuck_at_first(profile: str) -> list[Run]:
    """The cells of Table 3 that have a lower rate, at the rate of the others."""
    stuck = [cell for cell in table_3_cells() if cell.stuck]
    return runs(profile, stuck, lower_rate=SIZES[profile].learning_rate)


def tables04_06_fewer_pairs(profile: str) -> list[Run]:
    """Tables 4 to 6: the models of Table 1, which are also tested with fewer pairs."""
    return runs(profile, as_in_table_1())


def table07_permuted_pairs(profile: str) -> list[Run]:
    """Table 7, and Table 1 to compare with."""
    return runs(profile, as_in_table_1() + as_in_table_1(permuted=True))


def block_causal(profile: str) -> list[Run]:
    """Masks between causal and prefix; and a plain block beside the public code's."""
    return runs(profile, block_cells(SIZES[profile]) + plain_cells())


def final_errors(records, cells) -> dict[Cell, np.ndarray]:
    """Every cell's errors with as many pairs as in training, in percent for classes: (seeds,)."""
    return {cell: errors[:, 0] for cell, errors in errors_by_cell(records, cells).items()}


def errors_by_cell(records, cells, suffix: str = "") -> dict[Cell, np.ndarray]:
    """Every cell's errors, in percent for classes: (seeds, lengths), or as the metric is.

    records: those of `runs`; suffix: "_by_layer" for (seeds, layers, lengths).
    """
    found = {}
    for cell, own in dealt(records, cells).items():
        metric, unit = ("wrong", 100) if cell.task == "classes" else ("error", 1)
        found[cell] = unit * np.array([record[metric + suffix] for record in own])
    return found
