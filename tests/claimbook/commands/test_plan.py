"""The plan: which fleets are missing, in which order, and what a claim still needs."""

import collections
from dataclasses import replace

import numpy as np
import pytest

from claimbook.claims import load_claims, papers
from claimbook.claims.decisions import decide, decision_on_record, states
from claimbook.commands import plan
from claimbook.commands.plan import chance_to_settle, in_order, minutes, trained_runs
from claimbook.records.compute import Job
from claimbook.records.errors import InputError
from icllib.training import trainer


def job(name, minutes, *pages):
    return Job((name,), pages, 1, minutes, 0.0)


def test_what_settles_most_claims_per_minute_is_first():
    jobs = [job("a", 0.3, "A"), job("b", 0.1, "B"), job("c", 0.01, "C"), job("d", 5, "D")]
    worth = {"A": 2, "B": 1, "C": 0, "D": 0}
    order = in_order([(page, value, [one for one in jobs if page in one.pages])
                      for page, value in worth.items()])
    assert [one.records[0] for one in order] == ["b", "a", "c", "d"]  # 10, 6.7, then the cheapest


def test_where_nothing_is_to_be_done_the_plan_says_so(icllib):
    assert icllib("plan", "--profile", "gpu", "--page", "solvable_attention")[:2] == (
        0, "no record is missing\n")
    assert icllib("plan", "--profile", "gpu", "--page", "solvable_attention", "--budget", "9m")[:2] == (
        0, "nothing that settles a claim fits into 9m\n")


def made_up_sets(draw):
    """Up to nine jobs in sets of five pages, some with a second set that holds the first, as of all
    seeds; jobs may be shared."""
    jobs = [job(str(place), float(draw.integers(1, 20))) for place in range(draw.integers(1, 10))]
    sets = []
    for page in "ABCDE":
        own = [jobs[place] for place in draw.permutation(len(jobs))[: draw.integers(1, 4)]]
        value, first = draw.integers(0, 4) / 2, draw.integers(0, len(own) + 1)
        sets += [(page, value * draw.integers(0, 3) / 2, own[:first]), (page, value, own)]
    return jobs, sets, float(draw.integers(0, 60))


def settled_by(own, sets):
    """How many claims these jobs settle: of each page what the best of its whole sets is worth."""
    best = collections.defaultdict(float)
    for page, value, needed in sets:
        if set(needed) <= set(own):
            best[page] = max(best[page], value)
    return sum(best.values())


def test_a_budget_is_kept_and_each_set_brings_most_per_minute_of_those_that_fit():
    for seed in range(60):
        jobs, sets, budget = made_up_sets(np.random.default_rng(seed))
        worth = lambda own: settled_by(own, sets)
        cost = lambda own: sum(one.minutes for one in own)
        chosen, done = in_order(sets, budget), set()
        assert len(set(chosen)) == len(chosen) and cost(chosen) <= budget
        while True:
            rates = {}
            for _, _, needed in sets:
                if (new := frozenset(needed) - done) and cost(new) + cost(done) <= budget:
                    rates[new] = (worth(done | new) - worth(done)) / cost(new), -cost(new)
            best = max(rates.values(), default=(0.0, 0))
            if best[0] <= 0:
                break
            taken = next(new for new, rate in rates.items() if rate == pytest.approx(best)
                         and new == set(chosen[len(done) : len(done) + len(new)]))
            done |= taken
        assert done == set(chosen)


def test_a_budget_trains_the_first_whole_seeds_before_the_others(folders, monkeypatch):
    page = "causal_lm/block_causal"
    monkeypatch.setattr(trainer, "job", lambda fleet, page, profile, pages: [
        Job(tuple(str(run.seed) for run in fleet), pages, len(fleet), float(len(fleet)), 0.0)])
    monkeypatch.setattr(plan, "worth", lambda page, profile, seeds: seeds / 3)
    found = plan.plan_trainings([page], "gpu", None, 10_000)
    seeds = [{int(seed) for seed in one.records} for one in found]
    every = sorted({run.seed for run in trained_runs(page, "gpu")})
    assert set().union(*seeds) == set(every) and len(every) > 3
    assert all(own <= set(every[:3]) or own <= set(every[3:]) for own in seeds)
    first = sum(one.minutes for one, own in zip(found, seeds) if own <= set(every[:3]))
    some = plan.plan_trainings([page], "gpu", None, first)
    assert {int(seed) for one in some for seed in one.records} == set(every[:3])
    assert plan.plan_trainings([page], "gpu", None, first - 0.5) == []


def test_memory_is_of_what_is_listed_alone_and_what_cannot_be_built_is_left_out(folders, monkeypatch, capsys):
    counted = []

    def memory(fleet):
        counted.append(fleet)
        if len(counted) == 1:
            raise InputError("data: expected a file, found none")
        return 2.0**30

    monkeypatch.setattr(trainer, "memory_of", memory)
    monkeypatch.setattr(plan, "worth", lambda page, profile, seeds: 1.0)
    page = "causal_lm/block_causal"
    assert plan.plan_trainings([page], "gpu", None, 0.0) == [] and not counted
    listed = plan.plan_trainings([page], "gpu")
    assert "block_causal/gpu left out: data: expected a file" in capsys.readouterr().err
    assert len(listed) == len({tuple(fleet) for fleet in counted}) - 1
    assert {one.memory_gib for one in listed} == {1.0}
    monkeypatch.setattr(plan, "runs_of", lambda page: __import__("no_such_module"))
    assert plan.plan_trainings([page], "gpu") == []
    assert f"{page} left out: ModuleNotFoundError" in capsys.readouterr().err


@pytest.mark.parametrize("claim", [claim for paper in papers() for claim in load_claims(paper)
                                   if claim.page][::12], ids=lambda claim: claim.id)
def test_seeds_needed_are_the_fewest_with_which_the_rule_speaks(claim):
    decision = decision_on_record(claim)
    part = claim.parts[0]
    samples = (decision.evidence or {part: [0.2, 0.5, 0.9]})[part][:5]
    if len(samples) < 2 or len(set(samples)) == 1:
        pytest.skip("one sample, or one value, has no spread")
    needed = plan.seeds_needed(claim, part, samples)
    logs = np.log(samples) if claim.scale == "log" else np.array(samples)
    for count in range(3, 60):
        if claim.pairs:  # as often each as it is among the samples
            if count % len(samples):
                continue
            like = samples * (count // len(samples))
        else:
            spread = np.linspace(-1, 1, count)  # of this mean and standard deviation
            like = logs.mean() + logs.std(ddof=1) * spread / spread.std(ddof=1)
            like = np.exp(like) if claim.scale == "log" else like
        speaks = states(claim, {part: like})[part] in ("yes", "no", "no difference")
        assert speaks == (count >= needed), count


def test_of_a_claim_the_open_parts_count():
    claim = next(claim for claim in load_claims("context_scaling")
                 if len(claim.judged) > 1 and not claim.gate and claim.scale == "log")
    first, *others = claim.judged
    wide = {part: [0.05, 3.0, 0.08] for part in claim.parts}
    open_ = decide(claim, wide, "cpu", control=wide)
    part = decide(claim, wide | {first: [1e-9, 1.1e-9, 1.2e-9]}, "cpu", control=wide)
    assert part.left == others and part.settled
    assert chance_to_settle(part, "cpu", 3) == pytest.approx(
        chance_to_settle(open_, "cpu", 3) * len(others) / len(claim.judged))


def test_a_claim_that_this_profile_cannot_settle_is_worth_nothing():
    claim = replace(load_claims("context_scaling")[0], gate=None)
    wide = {part: [0.05, 3.0, 0.08] for part in claim.parts}
    open_ = decide(claim, wide, "cpu", control=wide)
    assert open_.verdict == "undecided"
    assert 0 < chance_to_settle(open_, "cpu", 3) < chance_to_settle(open_, "gpu", 30) <= 1
    assert chance_to_settle(replace(open_, profile="paper"), "gpu", 3) == 0  # larger models are shown
    settled = decide(claim, {part: [0.3, 0.3, 0.3] for part in claim.parts}, "cpu", control=wide)
    assert settled.verdict == "holds" and chance_to_settle(settled, "gpu", 3) == 0
    assert chance_to_settle(replace(open_, profile=None, evidence=None), "gpu", 3) == 1


def test_models_that_have_not_learned_need_more_than_seeds():
    claim = next(claim for claim in load_claims("context_scaling") if claim.gate)
    samples, failed = ({part: [value] * 3 for part in claim.parts} for value in (0.5, 1e9))
    failed = failed if claim.gate.at_most is not None else {part: [-1e9] * 3 for part in failed}
    decision = decide(claim, samples, "cpu", failed, control=samples)
    assert decision.verdict == "not tested"
    assert chance_to_settle(decision, "cpu", 30) == 0 and chance_to_settle(decision, "gpu", 3) > 0
