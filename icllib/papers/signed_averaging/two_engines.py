"""Four of the book's trainings by both engines, ours and the plain loop of `another_engine`."""

from dataclasses import replace

from icllib.models import Transformer
from icllib.papers.causal_lm.trained import MASKS, Cell
from icllib.papers.causal_lm.trained import SIZES as MASK_SIZES
from icllib.papers.context_scaling.scaling import fig01_decoders
from icllib.papers.signed_averaging.another_engine import PlainLoop, PointErrors
from icllib.papers.signed_averaging.quantifier_models import AS_PRINTED, QuantifierErrors, cells
from icllib.papers.signed_averaging.quantifier_models import SIZES as QUANTIFIER_SIZES
from icllib.tasks import AffineFunctions
from icllib.training import Curriculum, Recipe, Run

# Lines: fixed before the first of these models was trained. A first look, at four models of the
# plain loop and five of ours, left a doubt (means 0.0106 and 0.0134 at s = 1), so ten models each
# decide: of the plain loop, of ours trained alone, and of ours in fleets of five. The engines differ
# if the 95% interval of the ratio of geometric means (Welch's t on logarithms of the error at s = 1
# from the third point on) leaves out 1, at 97.5% for the two comparisons with the plain loop.
LINE_SEEDS = 10
FLEET = 5  # models of ours that train together; seeds from LINE_SEEDS on are trained alone
OTHER_SEEDS = 5  # of the other settings
QUANTIFIER_SEEDS = 10  # which train in seconds, and differ more


def two_engines(profile: str) -> list:
    """Both engines on lines; the plain loop on linear functions, two masks and "every", of which
    other pages have records of ours."""
    return [*lines(profile), *linear_functions(profile), *masks(profile), *every(profile)]


def lines(profile: str) -> list:
    """Lines: ours in fleets, ours alone, the plain loop, and the same from another start."""
    small, seeds = profile == "smoke", 2 if profile == "smoke" else LINE_SEEDS
    recipe = Recipe(tuple(range(40)), 4 if small else 5000, 2 if small else 32, 2e-3, "cosine", 0.1,
                    curriculum=Curriculum(3, 2, 80))
    model = Transformer(1, 2, 8, tokens="separate") if small else (
        Transformer(2, 4, 64, tokens="separate"))
    evaluation = PointErrors(prompts=2) if small else PointErrors()
    ours = [Run(AffineFunctions(), model, recipe, evaluation, seed) for seed in range(2 * seeds)]
    plain = [PlainLoop(run) for run in ours[:seeds]]
    started = [PlainLoop(run, start="linear") for run in ours[: min(seeds, OTHER_SEEDS)]]
    return [*ours, *plain, *started]


def linear_functions(profile: str) -> list[PlainLoop]:
    """The smaller decoders of Figure 1 of the paper on context scaling, at its largest T."""
    first = max(fig01_decoders(profile), key=lambda run: run.pretraining_tasks)
    return [PlainLoop(replace(first, seed=seed)) for seed in seeds(profile)]


def masks(profile: str) -> list[PlainLoop]:
    """Prefix and causal mask in plain blocks, of the paper on causal language models."""
    size = MASK_SIZES["pilot" if profile == "cpu" else profile]  # of which there are records of ours
    runs = [Cell("linear", mask, shared=False, extra_loss=False, plain=True).run(size, seed)
            for mask in MASKS for seed in seeds(profile)]
    at_once = [replace(run.evaluation, lengths=run.recipe.lengths) for run in runs]
    return [PlainLoop(replace(run, evaluation=own)) for run, own in zip(runs, at_once)]


def every(profile: str) -> list[PlainLoop]:
    """The quantifier "every", with labels as ours and as the authors' public code writes them."""
    cell, size = cells("every", (AS_PRINTED,))[0], QUANTIFIER_SIZES[profile]
    errors = lambda run: next(part for part in run.evaluation.parts
                              if isinstance(part, QuantifierErrors))
    runs = [cell.run(size, seed) for seed in range(2 if profile == "smoke" else QUANTIFIER_SEEDS)]
    alone = [replace(run, evaluation=errors(run)) for run in runs]
    return [*map(PlainLoop, alone), *(PlainLoop(run, signs=True) for run in alone)]


def seeds(profile: str) -> range:
    """Of the settings beside lines."""
    return range(2 if profile == "smoke" else OTHER_SEEDS)
