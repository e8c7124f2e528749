"""Table 1: trained transformers, with a prefix mask and with a causal mask."""

from dataclasses import replace
from functools import cache

import pandas as pd
import torch

from claimbook.records.values import values
from icllib.evaluate import ErrorByLength, Together, TrainingError
from icllib.streams import Stream
from icllib.theory import gradient_descent
from icllib.training import Run
from papers.causal_lm import trained
from papers.causal_lm.trained import Cell, MASKS, SIZES, as_in_table_1, table_1


def classifier_cells() -> list[Cell]:
    """The models of Table 1 on three classes."""
    return [cell for cell in as_in_table_1() if cell.task == "classes"]


def runs(profile: str) -> list[Run]:
    """Table 1, and its classifiers on their training sequences."""
    return table_1(profile) + classifiers(profile)


def classifiers(profile: str) -> list[Run]:
    """Table 1's models of three classes, measured on held-out and on training sequences."""
    size = SIZES[profile]
    both = Together([kind((size.pairs,), size.prompts, queries=size.queries, own_prompts=size.own_prompts)
                     for kind in (ErrorByLength, TrainingError)])
    return [replace(run, evaluation=both) for run in trained.runs(profile, classifier_cells())]


def over_stationary_point(errors: dict[Cell, pd.Series], profile: str) -> dict[str, pd.Series]:
    """Causal models' errors on linear regression over those of Proposition 5, by sharing of layers."""
    size = SIZES[profile]
    reference = lambda ours: [stationary_error(size, seed * size.own_prompts) for seed in ours.index]
    return {f"{cell.sharing} layers": ours / reference(ours)
            for cell, ours in errors.items() if (cell.task, cell.mask) == ("linear", "causal")}


@cache
def stationary_error(size, seed: int) -> float:
    """The query error of one pass of online gradient descent over the pairs of a seed's prompts."""
    prompt = trained.task("linear", size.dimension).sample(
        Stream.of([seed], "evaluation"), torch.arange(size.prompts)[None], size.pairs + size.queries)
    xs, ys = prompt.xs[0].double(), prompt.ys[0].double()
    weights = gradient_descent.online_gradient_descent(xs[:, : size.pairs], ys[:, : size.pairs])[-1]
    answers = (xs[:, size.pairs :] * weights[:, None]).sum(-1)
    return float((answers - ys[:, size.pairs :]).square().mean())


def held_out_and_training(records) -> pd.DataFrame:
    """Shares of wrong answers of `classifiers` on both kinds of sequences, by seed, mask and sharing."""
    shares = {name: values(records, metric, mask="model.mask", shared="model.shared_layers")
              for name, metric in (("held out", "wrong"), ("training", "training_wrong"))}
    return pd.DataFrame(shares).droplevel("length")


def overfitting(shares: pd.DataFrame) -> dict[str, pd.Series]:
    """How many times larger `held_out_and_training`'s ratio is with unshared layers, by mask."""
    ratio = (shares["held out"] / shares["training"]).unstack("shared")
    return {mask: (ratio[False] / ratio[True]).xs(mask, level="mask") for mask in MASKS}
