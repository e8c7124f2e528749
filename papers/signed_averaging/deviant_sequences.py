"""Quantifiers on sequences with one number far outside the training distribution.

Section 5: a model answers for the whole sequence as for its largest number alone. To test it, the large
number leaves the label open (see `quantifiers`), and another settles it.
"""

from dataclasses import dataclass, field

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from torch import Tensor

from claimbook.claims.sentences import SHARE
from claimbook.pages.plotting import draw, legend_below, series
from claimbook.records import ADDED, Component
from claimbook.records.checks import Positive, Size
from claimbook.records.values import values
from icllib.evaluate import CHUNK, unseen
from icllib.tasks.quantifiers import truth
from papers.signed_averaging.affine import BY_SCORING
from papers.signed_averaging.quantifiers import AS_PRINTED, SCORINGS, STYLES, cells, settled_answer

QUANTIFIERS = ("every", "some")
WHERE = ("at the number", "after it")  # positions of answers
OTHERS = ("settle the label", "leave it open")  # what the other numbers do
BY_QUANTIFIER = {"quantifier": "task.quantifier"} | BY_SCORING  # labels for `page.values`


# ---- the measure ----------------------------------------------------------------------------


@dataclass(frozen=True)
class DeviantNumbers(Component):
    """Answers to x ~ N(0, 1) with one large number x_p, m under "every" and -m under "some".

    Of OTHERS, another number settles the label before x_p, or signs are changed so that all leave it open.
    Measures `alone`, the log-odds of the open label for the large number alone, (M, sizes), and `open_label`
    and `log_odds`, its share and its mean log-odds, (M, OTHERS, sizes, places, after + 1).
    """

    sizes: tuple[Positive, ...] = (1, 3, 10, 30, 70, 100)  # m: 70 is that of Figure 2
    places: tuple[Size, ...] = (4, 10, 20)  # p: 4 is that of Figure 2
    after: Size = 10  # answers to the numbers after it
    sequences: Size = 6400  # as many as for Figure 4
    seed: int = 0
    own_prompts: bool = field(default=False, metadata=ADDED)

    @property
    def longest(self) -> int:
        return max(self.places) - 1 + self.after

    def axes(self, metric: str) -> dict | None:
        answers = {"others": OTHERS, "size": self.sizes, "place": self.places,
                   "answer": range(self.after + 1)}
        return {"alone": {"size": self.sizes}, "open_label": answers, "log_odds": answers}.get(metric)

    def measure(self, tasks, predictor, device="cpu") -> dict:
        rows = [torch.stack([self.answers(size, place, tasks, predictor, device)
                             for place in range(len(self.places))], dim=3)
                for size in self.sizes]
        open_label, log_odds = torch.stack(rows, dim=3).cpu().numpy()
        alone = self.alone(tasks, predictor, device).cpu().numpy()
        return {"alone": alone, "open_label": open_label, "log_odds": log_odds}

    def alone(self, tasks, predictor, device) -> Tensor:
        """The log-odds of the open label after one number: (M, sizes)."""
        signs = open_signs(tasks, device)
        xs = signs * torch.tensor(self.sizes, device=device, dtype=torch.float32)[:, None]
        return (signs * log_odds_of(tasks, predictor, xs, range(1)))[..., 0]

    def answers(self, size, place: int, tasks, predictor, device) -> Tensor:
        """Shares and mean log-odds of the open label, for both kinds of sequences: (2, M, 2, K)."""
        stream = unseen(self, predictor, len(tasks), device)
        signs, p, total, count = open_signs(tasks, device), self.places[place], 0, 0
        lengths = range(p - 1, p + self.after)
        all_ids = place * self.sequences + torch.arange(self.sequences, device=device)
        for ids in all_ids.split(CHUNK):
            drawn = stream.normal(ids.expand(len(tasks), -1), "xs", (p + self.after,))
            for_open = []
            for xs in (drawn, signs * drawn.abs()):
                xs[..., p - 1] = signs[..., 0] * size
                for_open.append(signs * log_odds_of(tasks, predictor, xs, lengths))
            settled = (signs * drawn[..., : p - 1] <= 0).any(-1)
            kept = torch.stack((settled, torch.ones_like(settled)), dim=1)[..., None]
            odds = torch.stack(for_open, dim=1)  # (M, 2, B, K)
            total = total + torch.stack(((odds > 0) & kept, odds * kept)).double().sum(dim=3)
            count = count + kept.double().sum(dim=2)
        return total / count


def open_signs(tasks, device) -> Tensor:
    """The sign of the numbers that leave the label open, and of the log-odds of that label: (M, 1, 1)."""
    return torch.tensor([1.0 - 2 * settled_answer(task) for task in tasks], device=device)[:, None, None]


def log_odds_of(tasks, predictor, xs: Tensor, lengths) -> Tensor:
    """The answers of each member to sequences with its task's labels: (M, B, n) -> (M, B, K)."""
    ys = torch.stack([truth(task.quantifier, x) for task, x in zip(tasks, xs)])
    with torch.no_grad():
        return predictor.predict(xs[..., None], ys, lengths)


# ---- from records to shares and figures -----------------------------------------------------


def chosen_cells() -> list:
    """Softmax, then SSA, under "every", then under "some"."""
    return [cell for quantifier in QUANTIFIERS for cell in cells(quantifier, (AS_PRINTED,))]


def own_answers(records) -> pd.DataFrame:
    """How often an answer, right or wrong, is that to the large number alone: columns (others, where)."""
    is_open = values(records, "alone", **BY_QUANTIFIER) > 0
    shares = values(records, "open_label", **BY_QUANTIFIER).unstack(["others", "place", "answer"])
    own = shares.mul(is_open, axis=0) + (1 - shares).mul(~is_open, axis=0)
    return pd.concat({others: at_and_after(own[others]) for others in OTHERS}, axis=1)


def own_mistakes(records) -> pd.DataFrame:
    """How often it is that one and wrong, as another number has settled the label: columns WHERE."""
    return own_answers(records)[OTHERS[0]].mul(values(records, "alone", **BY_QUANTIFIER) > 0, axis=0)


def at_and_after(shares) -> pd.DataFrame:
    """Means over places, at the large number and after it. shares: columns (place, answer)."""
    means = shares.T.groupby("answer").mean().T
    return pd.DataFrame(dict(zip(WHERE, (means[0], means.loc[:, 1:].mean(axis=1)))))


def mistake_tables(mistakes, profile: str) -> list[pd.DataFrame]:
    """Tables of one model's `own_mistakes` against the size of the large number."""
    (quantifier, scoring), = mistakes.index.droplevel(["seed", "size"]).unique()
    return [series(f"{quantifier}, {where}", scoring, list(own.unstack()), own.unstack(), profile, SHARE)
            for where, own in mistakes.items()]


def judged(records, reached) -> tuple[dict, pd.Series]:
    """The claim's evidence at the largest size, by seed, and its gate. reached: the gate of these seeds.

    Only for models that are right about the large number alone. If none is, the evidence is of all and none
    passes the gate.
    """
    alone = values(records, "alone").unstack()
    right = alone[max(alone)] > 0
    kept = right if right.any() else ~right
    shares = own_mistakes(records).xs(max(alone), level="size").droplevel(["quantifier", "scoring"])
    return dict(shares[kept]), reached.reindex(right.index).where(right, np.inf)[kept]


def draw_shares(table):
    """Draw a row of panels for each quantifier, at the number and after it; returns the legend."""
    _, panels = plt.subplots(2, 2, sharex=True, sharey=True, figsize=(9, 5.6))
    for row, quantifier in zip(panels, QUANTIFIERS):
        for axes, where in zip(row, WHERE):
            for scoring in SCORINGS:
                draw(axes, table, f"{quantifier}, {where}", scoring, marker="o", **STYLES[scoring])
            axes.axhline(0.9, color="black", ls=":", label="the claim's 0.9")
            axes.set(xscale="log", ylim=(-0.05, 1.05), title=f"{quantifier}, {where}")
        row[0].set_ylabel("wrong answers, as for\nthe largest number alone")
    for axes in panels[-1]:
        label_sizes(axes)
    return legend_below(panels[0, 0], 3)


def label_sizes(axes) -> None:
    """A tick at each measured size; that of 70 has no label, which would overlap that of 100."""
    ticks = axes.lines[0].get_xdata()
    axes.set_xticks(ticks, ["" if size == 70 else f"{size:g}" for size in ticks])
    axes.minorticks_off()
    axes.set_xlabel("size m of the one number")


class Largest:
    """A predictor whose log-odds are the number of largest size so far."""

    def predict(self, xs, ys, lengths) -> Tensor:
        """(..., N, 1), (..., N) -> (..., K)."""
        so_far = [xs[..., : n + 1, 0] for n in lengths]
        return torch.cat([x.gather(-1, x.abs().argmax(-1, keepdim=True)) for x in so_far], -1)


def answers_for_the_largest() -> dict:
    """The control of the claim: its parts for a predictor that sees only the largest number."""
    measure = DeviantNumbers(sequences=64)
    shares = measure.measure([chosen_cells()[0].task], Largest())["open_label"][0]
    axes = measure.axes("open_label")
    shares = pd.Series(shares.ravel(), pd.MultiIndex.from_product(axes.values(), names=axes))
    largest = shares.xs((OTHERS[0], max(measure.sizes)), level=("others", "size")).to_frame().T
    return dict(at_and_after(largest))
