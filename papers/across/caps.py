"""Which models have a cap on their answers, and do they reach it?"""

from dataclasses import dataclass, field, replace

import numpy as np
import torch

from claimbook.pages.plotting import draw
from claimbook.records import ADDED, Component
from claimbook.records.checks import Positive, Size
from icllib.streams import Stream
from icllib.tasks import AffineFunctions
from icllib.training import Run
from papers.across.shifts import SEED, linear_models
from papers.colors import color_of
from papers.context_scaling.scaling import LENGTHS
from papers.signed_averaging.affine import softmax_and_ssa
from papers.signed_averaging.answer_sizes import answer_bound, without_norm

FACTORS = (1, 3, 10, 30)  # ASSUMED: of the functions' size in training


@dataclass(frozen=True)
class LargestAnswers(Component):
    """The largest answer of a model on functions this many times as large as in training.

    Measures `largest`, (M, factors), over all prompts and context lengths; `bound`, (M,), that of the final
    layer normalization, NaN where there is none; and `unexplained`, (M,), the error on training's own
    functions after the longest context over the variance of their labels.
    """

    factors: tuple[Positive, ...] = FACTORS
    prompts: Size = 1024
    points: Size = 40
    seed: int = SEED
    lengths: tuple = field(default=tuple(range(2, 40)), metadata=ADDED)  #: of contexts, those of training

    @property
    def longest(self) -> int:
        return max(self.lengths)

    def axes(self, metric: str) -> dict:
        return {"factor": self.factors} if metric == "largest" else {}

    def measure(self, tasks, predictor, device="cpu") -> dict:
        normed = hasattr(predictor.module, "final_norm")
        bound = answer_bound(predictor.module) if normed else torch.full((len(tasks),), torch.nan)
        found = {factor: self.at(larger(tasks[0], factor), predictor, device)
                 for factor in {*self.factors, 1}}
        return {"bound": bound.cpu().numpy(),
                "largest": np.stack([found[factor][0] for factor in self.factors], axis=1),
                "unexplained": found[1][1] / tasks[0].label_variance}

    def at(self, task, predictor, device) -> tuple[np.ndarray, np.ndarray]:
        """The largest answer of each model on one task, and its error at the last point: (M,) each."""
        stream, found = Stream.of([self.seed] * predictor.members, "evaluation", device), []
        for ids in torch.arange(self.prompts, device=device).split(256):
            prompt = task.sample(stream, ids.expand(predictor.members, -1), self.points)
            with torch.no_grad():
                answers = predictor.predict(prompt.xs, prompt.ys, self.lengths)
            found.append((answers.abs().amax(dim=2), answers[..., -1] - prompt.ys[:, :, self.lengths[-1]]))
        sizes, misses = (torch.cat(own, dim=1) for own in zip(*found))
        return sizes.amax(dim=1).cpu().numpy(), misses.double().square().mean(dim=1).cpu().numpy()


def larger(task, factor: float):
    """The task with functions this many times as large."""
    name = "function_std" if isinstance(task, AffineFunctions) else "weight_std"
    return replace(task, **{name: factor * getattr(task, name)})


def models(profile: str) -> dict[str, list[Run]]:
    """Kept models by name: with a final layer normalization, then without."""
    measure = LargestAnswers(prompts=4 if profile == "smoke" else 1024)
    own = lambda runs: [replace(run, evaluation=measure, along=None) for run in runs]
    named = {}
    for suffix, runs in {"": softmax_and_ssa(profile), ", no LayerNorm": without_norm(profile)}.items():
        half = len(runs) // 2
        named |= {f"softmax{suffix}": own(runs[:half]), f"SSA{suffix}": own(runs[half:])}
    return named | linear_models(profile, replace(measure, points=max(LENGTHS) + 1, lengths=LENGTHS))


def draw_card(axes, table) -> None:
    """For the front page: the largest answers of three models."""
    for name, label in {"SGPT": "never normalized", "softmax, no LayerNorm": "not at the end",
                        "softmax": "softmax"}.items():
        color, dash = color_of(name.removesuffix(", no LayerNorm")), "--" if "no" in name else "-"
        draw(axes, table, "answers", name, color=color, ls=dash, label=label)
    axes.set(xscale="log", yscale="log", xlabel="size of the functions", ylabel="largest answer")
    for ticks in (axes.set_xticks, axes.set_yticks):
        ticks([1, 3, 10, 30], ["1", "3", "10", "30"])


def runs(profile: str) -> list[Run]:
    """All models of the page."""
    return [run for own in models(profile).values() for run in own]
