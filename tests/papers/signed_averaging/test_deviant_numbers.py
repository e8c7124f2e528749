"""One large number in a sequence: what is asked, what is counted, the runs, the statistics."""

import numpy as np
import pandas as pd
import pytest
import torch

from claimbook.records import Record, settings
from icllib.models import SignedAveraging, Softmax, Sparsemax, Transformer
from icllib.tasks import Quantifier
from icllib.training.run import Trained
from papers.signed_averaging import deviant_sequences
from papers.signed_averaging.deviant_numbers import judged_kind
from papers.signed_averaging.deviant_sequences import DeviantNumbers, log_odds_of

EVERY, SOME = TASKS = [Quantifier("every"), Quantifier("some")]
SMALL = DeviantNumbers((1, 100), (3, 6), 4, 40, seed=5)


class Predictor:
    """Answers one sequence at a time by a function of its numbers so far, and remembers them."""

    def __init__(self, answer):
        self.answer, self.seen = answer, []

    def predict(self, xs, ys, lengths):
        self.seen.append((xs[..., 0], ys))
        rows = [[[self.answer(row[: n + 1]) for n in lengths] for row in own] for own in xs[..., 0].tolist()]
        return torch.tensor(rows)


every = lambda row: 1.0 if all(x > 0 for x in row) else -1.0
some = lambda row: 1.0 if any(x > 0 for x in row) else -1.0
largest = lambda row: max(row, key=abs)
erratic = lambda row: sum(row) % 3 - 1.2


@pytest.mark.parametrize("member", [0, 1])
def test_counts_are_those_of_a_loop(member):
    predictor = Predictor(erratic)
    found = SMALL.measure(TASKS, predictor)
    keeps_open = (lambda x: x > 0) if member == 0 else (lambda x: x < 0)
    sign, judge = (1, every) if member == 0 else (-1, some)
    seen = iter(predictor.seen)
    for i, size in enumerate(SMALL.sizes):
        for j, p in enumerate(SMALL.places):
            for others in (0, 1):
                xs, ys = (values[member].tolist() for values in next(seen))
                for row, labels in zip(xs, ys):
                    assert labels == [judge(row[: k + 1]) > 0 for k in range(p + 4)]
                    assert row[p - 1] == sign * size
                rows = [row for row in xs if others or not all(map(keeps_open, row[: p - 1]))]
                assert len(rows) == 40 or others == 0
                odds = np.array([[sign * erratic(row[: k + 1]) for k in range(p - 1, p + 4)] for row in rows])
                shares, means = (found[name][member, others, i, j] for name in ("open_label", "log_odds"))
                assert shares == pytest.approx((odds > 0).mean(0), abs=1e-9)
                assert means == pytest.approx(odds.mean(0), abs=1e-5)


def test_sizes_and_kinds_share_their_numbers_and_places_do_not():
    predictor = Predictor(largest)
    SMALL.measure([SOME], predictor)
    drawn, still_open, *_ = (xs[0] for xs, _ in predictor.seen)
    others = torch.arange(drawn.shape[1]) != SMALL.places[0] - 1
    assert torch.equal(drawn[:, others].abs(), still_open[:, others].abs())
    assert (still_open <= 0).all() and (drawn[:, others] > 0).any()
    larger = predictor.seen[4][0][0]
    assert torch.equal(drawn[:, others], larger[:, others])
    elsewhere = predictor.seen[2][0][0]
    assert not torch.isin(drawn[:, others], elsewhere).any()


def test_more_sequences_than_one_pass_holds(monkeypatch):
    whole = SMALL.measure(TASKS, Predictor(erratic))
    monkeypatch.setattr(deviant_sequences, "CHUNK", 7)
    for name, values in SMALL.measure(TASKS, Predictor(erratic)).items():
        np.testing.assert_allclose(values, whole[name], atol=1e-12)


@pytest.mark.parametrize("scoring", [Softmax(), SignedAveraging(), Sparsemax()], ids=str)
def test_far_out_the_answer_at_a_number_hangs_on_it_alone(scoring):
    """As the page says: the read-out of its normalized embedding, whatever the attention."""
    module = Transformer(2, 2, 8, scoring, tokens="separate", positions_up_to=10).build([3], 1, 9)
    draw = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter += torch.randn(parameter.shape, generator=draw)
        rows = torch.randn(1, 5, 4, generator=draw)
        near, far = (torch.cat((rows, torch.full((1, 5, 1), size)), dim=2) for size in (1.0, 1e7))
        near, far = (log_odds_of([EVERY], Trained(module), xs, (4,)) for xs in (near, far))
        limit = module.read_out(module.final_norm(1e7 * module.embed.weight[:, None]))
    assert near.std() > 0.05
    torch.testing.assert_close(far, limit[..., 0].expand_as(far), atol=1e-3, rtol=0)


def test_where_every_model_is_wrong_about_the_number_alone_none_passes():
    metrics = {"alone": [-1.0] * 6, "open_label": np.ones((2, 6, 3, 11)).tolist()}
    made = [Record(settings(run), {}, metrics, {}) for run in judged_kind("smoke")]
    evidence, gate = deviant_sequences.judged(made, pd.Series(0.0, range(len(made))))
    assert list(gate) == [np.inf] * len(made)
    assert {part: list(own) for part, own in evidence.items()} == dict.fromkeys(
        deviant_sequences.WHERE, [0] * len(made))


def test_who_answers_for_the_largest_number_makes_the_mistake_everywhere():
    found = DeviantNumbers(sequences=64).measure([Quantifier("every")], Predictor(largest))
    assert (found["open_label"][:, 0, -1] == 1).all() and (found["alone"] == DeviantNumbers().sizes).all()
    control = deviant_sequences.answers_for_the_largest()
    assert {part: list(own) for part, own in control.items()} == {"at the number": [1], "after it": [1]}
    for name, values in SMALL.measure(TASKS, deviant_sequences.Largest()).items():
        np.testing.assert_allclose(values, SMALL.measure(TASKS, Predictor(largest))[name], atol=1e-6)
