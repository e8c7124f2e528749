"""How large answers can get: the last layer normalization bounds them, whatever the attention does."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import torch

from claimbook.records import Component, dealt
from claimbook.records.checks import each, positive, whole
from icllib.models import SignedAveraging, Softmax
from icllib.streams import Stream
from icllib.tasks import AffineFunctions
from icllib.training import Run
from papers.signed_averaging.affine import (
    FIRST_COUNTED, LineAnswers, PRINTED, SIGMAS, SIZES, affine_run, decoder, geometric_mean, softmax_and_ssa)
from papers.signed_averaging.comparisons import TABLE_6, ridge_answers, shared

WITHIN = 8.0  # below the bound of every kept model
SCORINGS = {"softmax": Softmax(), "SSA": SignedAveraging()}


@dataclass(frozen=True)
class AnswerSizes(Component):
    """How large a decoder's answers on steep lines can be and are, and what that costs.

    x ~ N(0, 1), a, c ~ N(0, s), from the third point on. Measures `bound`, (M,), NaN without a final
    normalization; and, each (M, function_stds), `largest_answer`, the `error`, the `floor` under it that
    the bound sets, and `error_within`, that on targets of at most this size. Raises InputError for
    sizes and deviations out of range.
    """

    function_stds: tuple = SIGMAS
    within: float = WITHIN
    prompts: int = 2048
    points: int = 40  # Section 3
    seed: int = 0

    def check(self):
        each(positive, "function_stds", self.function_stds)
        positive(within=self.within)
        whole(prompts=self.prompts, points=self.points)

    @property
    def longest(self) -> int:
        """Pairs of the longest context."""
        return self.points - 1

    def measure(self, tasks, predictor, device="cpu") -> dict:
        """The sizes of M trained models."""
        bound = answer_bound(predictor.module).to(device)
        rows = [self.at(float(std), bound, predictor, device) for std in self.function_stds]
        metrics = {name: torch.stack([row[name] for row in rows], dim=1) for name in rows[0]}
        return {name: values.cpu().numpy() for name, values in (metrics | {"bound": bound}).items()}

    def at(self, std: float, bound, predictor, device) -> dict:
        """The metrics at one deviation: {name: (M,)}."""
        stream = Stream.of([self.seed] * len(bound), f"evaluation at {std:g}", device)
        task, found = AffineFunctions(function_std=std), []
        for ids in torch.arange(self.prompts, device=device).split(256):
            prompt = task.sample(stream, ids.expand(len(bound), -1), self.points)
            with torch.no_grad():
                answers = predictor.predict(prompt.xs, prompt.ys, range(FIRST_COUNTED - 1, self.points))
            found.append((answers, prompt.ys[:, :, FIRST_COUNTED - 1 :]))
        answers, targets = (torch.cat(own, dim=1).double().flatten(1) for own in zip(*found))
        squares, inside = (answers - targets).square(), targets.abs() <= self.within
        beyond = (targets.abs() - bound[:, None]).clamp(min=0)
        return {"largest_answer": answers.abs().amax(dim=1), "error": squares.mean(dim=1),
                "floor": beyond.square().mean(dim=1),
                "error_within": (squares * inside).sum(dim=1) / inside.sum(dim=1)}


def answer_bound(module) -> torch.Tensor:
    """The largest size of an answer, sqrt(d) |g * w| + |b . w + w0|, with the gain g and the shift b of the
    final normalization, and the weights w and the bias w0 of the read-out: (M,)."""
    read_out, norm = module.read_out, module.final_norm
    weight = read_out.weight[..., 0].double()
    if not hasattr(norm, "gain"):
        return torch.full_like(weight[:, 0], torch.nan)
    gain, shift = (values[:, 0, 0].double() for values in (norm.gain, norm.bias))
    length = weight.shape[1] ** 0.5 * (gain * weight).norm(dim=1)
    return module.settings.read_out_rate * (
        length + ((shift * weight).sum(dim=1) + read_out.bias[:, 0].double()).abs()).detach()


# ---- runs -----------------------------------------------------------------------------------

# Fixed before any was trained: five pairs of softmax and SSA as in Figure 3, of new seeds, without the
# final normalization, and five with a read-out trained at ten times the rate; claims 64 to 67.
CHANGES = {"without the final normalization": {"final_norm": False},
           "a faster read-out": {"read_out_rate": 10.0}}
SEEDS = range(20, 25)


def kept(profile: str) -> list[Run]:
    """The models of Figure 3, measured once more; where their weights are kept none is trained."""
    return [replace(run, evaluation=sizes_at(profile), along=None) for run in softmax_and_ssa(profile)]


def changed(profile: str, change: str) -> list[Run]:
    """Softmax, then SSA, as in Figure 3 but for one of CHANGES. Only smoke and cpu have runs."""
    if profile not in ("smoke", "cpu"):
        return []
    size = SIZES[profile]
    return [replace(affine_run(size, decoder(size, scoring, **CHANGES[change]), seed),
                    evaluation=sizes_at(profile), along=None)
            for scoring in SCORINGS.values() for seed in SEEDS[: size.seeds]]


def without_norm(profile: str) -> list[Run]:
    """The first of CHANGES."""
    return changed(profile, "without the final normalization")


def faster_read_out(profile: str) -> list[Run]:
    """The second of CHANGES."""
    return changed(profile, "a faster read-out")


def runs(profile: str) -> list[Run]:
    """All models of the page."""
    return kept(profile) + without_norm(profile) + faster_read_out(profile)


def sizes_at(profile: str) -> AnswerSizes:
    """What is measured at a profile."""
    return AnswerSizes(prompts=4 if profile == "smoke" else 2048)


# ---- floors, and the bounds that printed rows need -------------------------------------------


def floor(bound: float, sigma: float) -> float:
    """E max(|y| - B, 0)^2 on lines with a, c ~ N(0, sigma) and x ~ N(0, 1): no attention errs less.

    y given x is N(0, sigma^2 (1 + x^2)), whose mean beyond a bound is known; over x by Gauss-Hermite.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(64)
    spread = sigma * np.sqrt(1 + nodes**2)
    return float((weights * tail(bound / spread) * spread**2).sum() / weights.sum())


def tail(edge):
    """E max(|z| - c, 0)^2 of a standard normal z: 2 ((1 + c^2) Q(c) - c phi(c))."""
    from scipy.special import ndtr

    return 2 * ((1 + edge**2) * ndtr(-edge) - edge * np.exp(-(edge**2) / 2) / np.sqrt(2 * np.pi))


def bound_needed(error: float, sigma: float) -> float:
    """The least bound with which an error is possible: that whose floor it is."""
    from scipy.optimize import brentq

    return float(brentq(lambda bound: floor(bound, sigma) - error, 0, 200 * sigma))


def bounds_needed() -> pd.DataFrame:
    """The bounds that printed rows need at least, from sigma = 3 on."""
    rows = {"Table 1, SSA": PRINTED["SSA"], "Table 1, softmax": PRINTED["softmax"],
            "Table 6, 2L4AH": TABLE_6["2L4AH"], "Table 6, 12L8AH": TABLE_6["12L8AH"]}
    return pd.DataFrame.from_dict(
        {name: [bound_needed(error, sigma) for error, sigma in zip(row[2:], SIGMAS[2:])]
         for name, row in rows.items()}, orient="index", columns=SIGMAS[2:])


# ---- from records to evidence ----------------------------------------------------------------


def by_name(records) -> dict[str, list]:
    """Softmax's and SSA's records."""
    return dealt(records, SCORINGS)


def ratios(models: dict, metric: str, sigmas=SIGMAS[2:]) -> dict[str, np.ndarray]:
    """SSA's metric over softmax's, at each sigma: {part: (seeds,)}. models: {name: records}."""
    ssa, softmax = (np.array([record[metric] for record in models[name]]) for name in ("SSA", "softmax"))
    return {f"sigma = {sigma}": (ssa / softmax)[:, sigma - 1] for sigma in sigmas}


def nearest_ratios(models: dict) -> dict[str, np.ndarray]:
    """SSA's floor over softmax's error, at each sigma: no attention brings the ratio lower."""
    floors, errors = (np.array([record[metric] for record in models[name]])
                      for name, metric in (("SSA", "floor"), ("softmax", "error")))
    return {f"sigma = {sigma}": (floors / errors)[:, sigma - 1] for sigma in SIGMAS[2:]}


def reached(models: dict) -> np.ndarray:
    """The larger of a pair's two errors at sigma = 1: (seeds,)."""
    return np.maximum(*(np.array([record["error"][0] for record in models[name]]) for name in SCORINGS))


def room_to_rise(models: dict) -> dict[str, np.ndarray]:
    """Claim 59: a bound over the true rise from abs(x) = 10 to 20 on the line 10x: {name: (seeds,)}."""
    return {name: np.array([float(record["bound"]) for record in own]) / 100 for name, own in models.items()}


def ridge_rise() -> list[float]:
    """Claim 59: the rise of ridge regression there, as a share of the true rise."""
    lines = LineAnswers()
    on_10x = ridge_answers()["answer"][:, lines.slopes.index(10)]
    near, far = (on_10x[:, lines.queries.index(x)] for x in (10, 20))
    return ((far - near) / 100).tolist()


def against(one, other, sigmas=(3, 5, 10)) -> dict[str, np.ndarray]:
    """Errors of one kind of softmax model over those of another, pair by pair: {part: (pairs,)}."""
    one, other = shared(*(np.array([record["error"] for record in own]) for own in (one, other)))
    return {f"sigma = {sigma}": (one / other)[:, sigma - 1] for sigma in sigmas}


def sizes_table(models: dict) -> pd.DataFrame:
    """Of each model its bound, its largest answer on lines of sigma = 10, and the share of its error there
    that is the floor."""
    rows = {}
    for name, own in models.items():
        for record in own:
            share = record["floor"][-1] / record["error"][-1]
            rows[f"{name}, seed {record.run['seed']}"] = {
                "bound": f"{record['bound']:.1f}", "largest answer": f"{record['largest_answer'][-1]:.1f}",
                "floor / error": f"{share:.0%}"}
    return pd.DataFrame.from_dict(rows, orient="index")


def mean_floor(models: dict) -> np.ndarray:
    """The floor at the mean bound of some models, at every sigma: (10,)."""
    bound = geometric_mean(np.array([record["bound"] for own in models.values() for record in own]))
    return np.array([floor(bound, sigma) for sigma in SIGMAS])
