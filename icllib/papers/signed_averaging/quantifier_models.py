"""Figures 2, 4 and 5: decoders trained on the quantifiers, softmax beside SSA."""

from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np
import torch
from torch import Tensor

from icllib.checks import each, positive, whole
from icllib.evaluate import Together, unseen
from icllib.models import SignedAveraging, Softmax, Transformer
from icllib.papers.signed_averaging.quantifiers import FIRST_COUNTED, LENGTHS, TRAINED
from icllib.results import ADDED
from icllib.streams import WORD
from icllib.tasks import Quantifier, sample_each
from icllib.tasks.quantifiers import truth
from icllib.training import Curriculum, Recipe, Run

EXAMPLES = (  # Figure 2; then, ASSUMED to compare with, another context, an ordinary last number
    (1.0, -2.0, 3.0, 70.0), (1.0, 2.0, 3.0, 70.0), (1.0, -2.0, 3.0, 0.7), (1.0, 2.0, 3.0, 0.7),
    (1.0, -2.0, 70.0, 3.0))  # and the large one inside
CHUNK = {"cpu": 4, "cuda": 64}  # sequences per forward pass; small maps stay in a CPU's cache
ASSUMED = (  # what the paper does not give, by name, for the tables on the pages
    "model.positions_up_to", "evaluation.parts", "seed")

# ---- what is measured -----------------------------------------------------------------------


@dataclass(frozen=True)
class QuantifierErrors:
    """Wrong answers over sigma and length; a sequence is wrong if one from the third on is.

    No two sigmas share a sequence. Measures `wrong`,
    the share of wrong sequences, and `wrong_positions`, that of wrong answers from the third on,
    (M, sigmas, lengths) each; and `wrong_at`, that of wrong answers at each position of the
    longest length, (M, sigmas, positions). Raises InputError for sizes that cannot be.
    """

    sigmas: tuple
    lengths: tuple
    sequences: int  # at each sigma
    seed: int = 0
    own_prompts: bool = field(default=False, metadata=ADDED)
    version: ClassVar[int] = 1

    def __post_init__(self):
        lengths = each(partial(whole, FIRST_COUNTED), "lengths", self.lengths)
        object.__setattr__(self, "lengths", lengths)
        object.__setattr__(self, "sigmas", each(positive, "sigmas", self.sigmas))
        whole(sequences=self.sequences)
        whole(0, WORD, seed=self.seed)

    @property
    def longest(self) -> int:
        """Pairs of the longest context."""
        return max(self.lengths) - 1

    def measure(self, tasks, predictor, device="cpu") -> dict:
        """The errors of M predictors that share one `predict`, each on its own task."""
        rows = [self.at_sigma(tasks, predictor, place, device)
                for place in range(len(self.sigmas))]
        return {name: np.stack([row[name] for row in rows], axis=1) for name in rows[0]}

    def at_sigma(self, tasks, predictor, place: int, device) -> dict:
        """The same at one sigma: (M, lengths) twice and (M, positions)."""
        tasks = [replace(task, input_std=float(self.sigmas[place])) for task in tasks]
        most = max(self.lengths)
        shared = all(task.law == "independent" for task in tasks)  # long ones begin like short ones
        own = {n: self.wrong_answers(tasks, predictor, place, n, device)
               for n in ((most,) if shared else self.lengths)}
        counted = [own.get(n, own[most])[..., FIRST_COUNTED - 1 : n].double()
                   for n in self.lengths]
        found = {"wrong": torch.stack([wrong.amax(-1).mean(1) for wrong in counted], dim=1),
                 "wrong_positions": torch.stack([wrong.mean((1, 2)) for wrong in counted], dim=1),
                 "wrong_at": own[most].double().mean(1)}
        return {name: value.cpu().numpy() for name, value in found.items()}

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
class AttentionMaps:
    """What decoders answer to examples of one length n, and where their last layer looks.

    Measures `log_odds`, (M, examples, n), and `attention`, (M, examples, heads, 2n - 1, 2n - 1).
    """

    examples: tuple = EXAMPLES
    version: ClassVar[int] = 1

    def __post_init__(self):
        object.__setattr__(self, "examples", tuple(map(tuple, self.examples)))

    def measure(self, tasks, predictor, device="cpu") -> dict:
        """The answers and maps of M trained decoders, each with the labels of its own task."""
        xs = torch.tensor(self.examples, device=device)
        ys = torch.stack([truth(task.quantifier, xs) for task in tasks])
        xs = xs[..., None].expand(*ys.shape, 1)
        with torch.no_grad():
            log_odds, weights = last_attention(predictor.module, xs, ys)
        return {"log_odds": log_odds.cpu().numpy(), "attention": weights.cpu().numpy()}


def last_attention(module, xs: Tensor, ys: Tensor) -> tuple[Tensor, Tensor]:
    """Log-odds at x_1, ..., x_n, (M, B, n), and the last layer's map over x_1, y_1, ..., x_n.

    The map is (M, B, heads, 2n - 1, 2n - 1): row t holds the weights of token t.
    """
    last, caught = module.blocks[-1], []
    hook = last.register_forward_pre_hook(lambda _, inputs: caught.append(inputs))
    try:
        log_odds = module(xs, ys, range(xs.shape[2]))
    finally:
        hook.remove()
    hidden, mask, places, _ = caught[-1]
    q, k, _ = last.heads_of(last.attention_norm(hidden))
    return log_odds, last.scoring.weights(q, k, mask, places)


# ---- the runs -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Size:
    """What differs between profiles; the defaults are the paper's."""

    layers: int = 12  # Section 3
    heads: int = 8  # Section 3
    width: int = 256  # Section 3
    pairs: int = TRAINED
    batch: int = 64  # Section 3
    steps: int = 500_000  # Section 3
    learning_rate: float = 1e-4  # Appendix A
    schedule: str = "constant"  # Appendix A: Adam at one rate
    warmup: float = 0.0
    longer_every: int = 2000  # steps, Appendix A
    sigmas: tuple = tuple(range(1, 31))  # Figures 4 and 5
    lengths: tuple = LENGTHS
    sequences: int = 6400  # 100 samples of 64, Section 3
    # The law with balanced labels is ours, and each of its lengths needs sequences of its own.
    balanced_sigmas: tuple = (1, 3, 10, 30)
    balanced_lengths: tuple = (10, 20, 40, 60, 100, 150, 200)
    seeds: int = 3  # ASSUMED: the paper shows one
    compared_seeds: int = 3  # of the paper's own two models, for the claims
    own_prompts: bool = False  # of each seed, so that the spread over seeds contains theirs


SIZES = {
    "smoke": Size(1, 2, 8, 5, 4, 4, sigmas=(1, 30), lengths=(4, 41), balanced_sigmas=(1, 30),
                  balanced_lengths=(4, 41), sequences=8, seeds=2, compared_seeds=2),
    # ASSUMED: a model that trains in a minute on one core, and a curriculum over half of training;
    # so many seeds because models that learned alike differ a hundredfold at large sigma. Twenty of
    # the two that are compared settled nothing, and thirty were added at once.
    "cpu": Size(3, 4, 32, TRAINED, 16, 1000, 2e-3, "cosine", 0.1, 25, (1, 3, 5, 10, 20, 30),
                (10, 20, 40, 60, 100, 150, 200), sequences=384, seeds=20, compared_seeds=50,
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
    """One heat map: what is trained on what."""

    quantifier: str  # "every" or "some"
    variant: str  # one of VARIANTS
    scoring: str  # one of SCORINGS

    @property
    def task(self) -> Quantifier:
        """What it is trained on; tests only change sigma and the length."""
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
        grid = size.sigmas, size.lengths
        if law == "balanced":
            grid = size.balanced_sigmas, size.balanced_lengths
        errors = QuantifierErrors(*grid, size.sequences, own_prompts=size.own_prompts)
        evaluation = Together((errors, AttentionMaps()))
        return Run(self.task, model, recipe, evaluation, seed)


def cells(quantifier: str, variants=tuple(VARIANTS)) -> list[Cell]:
    """Softmax, then SSA, of each variant."""
    return [Cell(quantifier, variant, scoring) for variant in variants for scoring in SCORINGS]


def runs(profile: str, chosen, seeds: int | None = None) -> list[Run]:
    """Every cell at every seed, by default of the profile, the seeds of a cell side by side."""
    size = SIZES[profile]
    return [cell.run(size, seed) for cell in chosen for seed in range(seeds or size.seeds)]


def compared_on_every(profile: str) -> list[Run]:
    """The two models of Figure 4 that are the paper's, with more seeds."""
    return runs(profile, cells("every", (AS_PRINTED,)), SIZES[profile].compared_seeds)


def compared_on_some(profile: str) -> list[Run]:
    """Those of Figure 5."""
    return runs(profile, cells("some", (AS_PRINTED,)), SIZES[profile].compared_seeds)


def fig02_attention_maps(profile: str) -> list[Run]:
    """Figure 2: those runs of Figure 4 that are the paper's."""
    return runs(profile, cells("every", (AS_PRINTED,)))


def fig04_every(profile: str) -> list[Run]:
    """Figure 4, without positions too, and with balanced labels; and those that are compared."""
    return list(dict.fromkeys(every_variant(profile) + compared_on_every(profile)))


def fig05_some(profile: str) -> list[Run]:
    """Figure 5, likewise."""
    return list(dict.fromkeys(some_variant(profile) + compared_on_some(profile)))


def every_variant(profile: str) -> list[Run]:
    """The heat maps of Figure 4."""
    return runs(profile, cells("every"))


def some_variant(profile: str) -> list[Run]:
    """Those of Figure 5."""
    return runs(profile, cells("some"))
