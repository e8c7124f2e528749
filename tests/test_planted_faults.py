"""Twelve faults that a pipeline like ours can have, each planted once: what catches it?

A golden number is one of tests/test_golden.py, or of the evidence on record; a check refuses the
model, the mask or the records; a gate leaves nothing that counts; a control holds that must not.
"""

import dataclasses

import numpy as np
import pytest
import torch
from rounding import assert_as_recorded
from test_golden import GOLDEN, train_tiny

from claimbook.claims import find_claim
from claimbook.claims.decisions import decide, decision_on_record
from claimbook.records import find_records
from claimbook.records.errors import InputError
from icllib import attention, evaluate
from icllib.baselines import Ridge
from icllib.evaluate import ErrorByLength
from icllib.models import Transformer, layout
from icllib.tasks import LinearRegression, Prompt
from icllib.training import engine
from papers.context_scaling.scaling import LINEAR_8
from papers.signed_averaging import quantifiers
from papers.signed_averaging.affine import BY_SCORING
from papers.signed_averaging.comparisons import ratio

SMALL, DEEPER = Transformer(1, 2, 8), Transformer(2, 2, 8)  # in one layer no mask of pairs counts
TWO_LAYERS = [2.34704, 2.17963]


def golden():
    """Whether the numbers of a tiny training, of ridge regression and of the scoring moved."""
    task = LINEAR_8
    ridge = ErrorByLength((10,), prompts=256).measure(task, Ridge.bayes(task))["error"][0]
    z, n, b = (torch.tensor([value], dtype=torch.float64) for value in (3.0, 2.0, 0.5))
    numbers = [(ridge, GOLDEN["ridge"][1], 1e-4), (attention.signed_log(z, n, b).exp(), [6.25], 1e-9),
               (train_tiny(SMALL), GOLDEN["Transformer"][1], 1e-3), (train_tiny(DEEPER), TWO_LAYERS, 1e-3)]
    for ours, known, relative in numbers:
        try:
            assert_as_recorded(ours, known, relative)
        except AssertionError:
            return True
    return False


def caught_by():
    """The first guard that stops the fault which is planted now, or None."""
    try:
        return "golden number" if golden() else None
    except InputError:
        return "check"


def relabeled(change):
    """Plants another `sample` of linear regression: change(prompt)."""
    def plant(patch):
        sample = LinearRegression.sample
        patch.setattr(LinearRegression, "sample", lambda *a, **k: change(sample(*a, **k)))
    return plant


def masked(name, change):
    """Plants another function of masks in icllib.models.layout: change(the right one)."""
    def plant(patch):
        right = getattr(layout, name)
        patch.setattr(layout, name, change(right))
        patch.setattr(layout, "_MASKS", {})
    return plant


def to_prefix(patch):
    build = Transformer.build
    patch.setattr(Transformer, "build", lambda self, *a, **k: build(
        dataclasses.replace(self, mask="prefix") if self.mask == "causal" else self, *a, **k))


def one_later(right):
    return lambda pairs: right(pairs) | torch.ones(pairs, pairs, dtype=torch.bool).tril(1)


def own_label(right):
    """Masks in which a query attends to the pair that holds its own label."""
    return lambda pairs_mask, lengths, alone: right(
        pairs_mask, [min(length + 1, len(pairs_mask)) for length in lengths], alone)


def wrong_points(patch):
    """Plants errors against the label of the point before the query."""
    right = ErrorByLength.losses
    patch.setattr(ErrorByLength, "losses", lambda self, prompt, predictions: right(
        self, Prompt(prompt.xs, prompt.ys.roll(1, 2), prompt.means.roll(1, 2)), predictions))


def exchanged(patch):
    right = attention.signed_log
    patch.setattr(attention, "signed_log", lambda z, n, b: right(z, b, n))


FAULTS = {
    "labels shifted by one": (relabeled(
        lambda p: Prompt(p.xs, p.ys.roll(1, -1), p.means)), "golden number"),
    "the query's label leaked": (masked("with_queries", own_label), "check"),
    "mask off by one": (masked("causal_pairs", one_later), "check"),
    "prefix in place of causal": (to_prefix, "golden number"),
    "errors over the wrong positions": (wrong_points, "golden number"),
    "training prompts evaluated": (lambda patch: patch.setattr(
        evaluate, "unseen", lambda _, predictor, members, device, purpose="": getattr(
            predictor, "stream", None) or engine.Stream.of([0] * members, "evaluation", device)),
        "golden number"),
    "n and b of SSA exchanged": (exchanged, "golden number"),
    "noise left out": (relabeled(lambda p: Prompt(p.xs, p.means, p.means)), "golden number"),
    "T tasks drawn anew each epoch": (lambda patch: patch.setattr(
        engine, "prompt_ids", lambda stream, step, batch, tasks: right_ids(
            stream, step, batch, [None] * len(tasks))), "golden number")}
right_ids = engine.prompt_ids


def test_without_a_fault_nothing_is_caught(results):
    assert caught_by() is None


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_data_models_or_measuring_is_caught(results, monkeypatch, fault):
    plant, guard = FAULTS[fault]
    plant(monkeypatch)
    assert caught_by() == guard


def test_a_mean_over_members_in_place_of_seeds_leaves_nothing_that_counts():
    right = decision_on_record(find_claim("signed_averaging.3"))
    means = {part: [sum(own) / len(own)] for part, own in right.evidence.items()}
    faulty = decide(right.claim, means, right.profile, right.gate)
    assert right.verdict == "no difference in part" and faulty.verdict == "not tested"


def test_the_control_of_an_inverted_ratio_holds():
    """Ridge regression in the model's place, which no ratio the right way round lets hold."""
    right = decision_on_record(find_claim("signed_averaging.5"))
    upside_down = lambda parts: {part: [1 / value for value in own] for part, own in parts.items()}
    faulty = decide(right.claim, upside_down(right.evidence), right.profile, right.gate,
                    upside_down(right.control))
    assert right.can_be_lost and not faulty.can_be_lost


def test_the_order_of_records_moves_nothing_and_a_wrong_seed_moves_numbers_on_record():
    """SSA of seed 1 beside softmax of seed 0, and the other way round, among fifty pairs."""
    claim = find_claim("signed_averaging.9")
    records = find_records(quantifiers.compared_on_every("cpu"), claim.paper)
    half = len(records) // 2
    first, second = records[half], records[half + 1]
    relabeled = [*records[:half], dataclasses.replace(first, run=second.run),
                 dataclasses.replace(second, run=first.run),
                 *records[half + 2 :]]
    evidence = lambda records: ratio(quantifiers.error_rates(records, BY_SCORING), "SSA", "softmax")
    golden = decision_on_record(claim).evidence
    moved = lambda found: any(np.abs(np.log(np.divide(found[part], golden[part]))).max() > 1e-4
                              for part in claim.parts)
    assert not moved(evidence(records)) and not moved(evidence(records[::-1]).sort_index())
    assert moved(evidence(relabeled))
