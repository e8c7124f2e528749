"""What to train next: the fleets that are missing, those first that settle most claims per minute.

Whoever trains on many machines takes these fleets as jobs, see workflow/Snakefile.
"""

import re
import sys
from dataclasses import replace
from functools import cache, partial

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import block_array, csr_array
from scipy.special import stdtrit

from claimbook.claims import load_claims
from claimbook.claims.decisions import Decision, decision_on_record, is_denied, pairs_led
from claimbook.claims.rule import FEWEST_PAIRS, FEWEST_SEEDS, lead, margin_of, no_lead
from claimbook.commands.train import trained_runs
from claimbook.records import PROFILES, check_profile
from claimbook.records.compute import FEWEST_SEEDS as WHOLE_SEEDS, Job, trainer_of
from claimbook.records.errors import InputError

MOST_SEEDS = 1000  # that are looked at; a claim that needs more is as good as lost
PRICE = 1e-3  # of all claims, what all minutes count: of sets that settle as much, the cheapest
UNITS = {"s": 1 / 60, "m": 1, "h": 60, "d": 24 * 60}


def plan(pages, profile: str, members: int | None = None, budget: float | None = None) -> list[Job]:
    """The fleets that these pages miss at a profile, in the order of `by_value`.

    budget: minutes; with it those that `best_within` chooses, where a page's first whole seeds, with
    which it is shown, are fleets of their own. members: the most models that train together. A fleet
    that cannot be built here, say for lack of data, is reported and left out. Memory is estimated
    only for fleets that are listed. Raises InputError for an unknown profile, and for
    "stored", which trains nothing.
    """
    check_profile(profile, PROFILES)
    runs = {page: trained_runs(page, profile) for page in pages}
    seeds = {page: sorted({run.seed for run in own}) for page, own in runs.items()}
    first = {page: own if budget is None else own[:WHOLE_SEEDS] for page, own in seeds.items()}
    missing = {}
    for name in {run.trainer for own in runs.values() for run in own}:
        theirs = {page: [run for run in own if run.trainer == name] for page, own in runs.items()}
        missing |= trainer_of(name).missing_jobs(theirs, profile, first, members)
    value = cache(partial(worth, profile=profile))
    while True:
        if budget is None:
            order = by_value(list(missing), {page: value(page, seeds=len(seeds[page])) for page in runs})
        else:
            sets = [(page, value(page, seeds=len(some)),
                     [one for one, (_, waits) in missing.items() if waits & {(page, seed) for seed in some}])
                    for page in runs for some in (first[page], seeds[page])]
            order = best_within(sets, budget)
        memory = {one: told_memory(missing[one][0], one) for one in order}
        if None not in memory.values():
            return [replace(one, memory_gib=memory[one]) for one in order]
        missing = {one: own for one, own in missing.items() if memory.get(one, 0) is not None}


def told_memory(fleet: list, made: Job) -> float | None:
    """GiB that a fleet takes; None, and the reason told, where it cannot be built here."""
    try:
        return float(f"{trainer_of(fleet[0]).memory_of(fleet) / 2**30:.2g}")
    except InputError as error:
        print(f"claimbook: {made.records[0].rpartition('/')[0]} left out: {error}", file=sys.stderr)
        return None


# ---- the order ------------------------------------------------------------------------------


def by_value(jobs: list[Job], worth: dict[str, float]) -> list[Job]:
    """The jobs, those first that settle most undecided claims per minute.

    A page can decide its claims when its last record is there. So again and again the page is
    taken whose remaining jobs bring most per minute: the worth of all pages which then wait for
    nothing more, over the minutes of these jobs. Of pages that bring as much, the cheapest is first,
    and of a page's jobs the first seeds are. worth: how many of a page's claims its records are
    expected to settle.
    """
    left = {page: [place for place, job in enumerate(jobs) if page in job.pages] for page in worth}
    order = []
    while left := {page: rest for page, own in left.items()
                   if (rest := [place for place in own if place not in order])}:
        order += max(left.values(), key=lambda own: gain(own, left, jobs, worth))
    return [jobs[place] for place in order]


def gain(own: list[int], left: dict[str, list[int]], jobs: list[Job], worth) -> tuple:
    """What the jobs at these places bring per minute, and, where that is equal, how little they
    cost. left: page -> the places of the jobs that it still waits for."""
    minutes = sum(jobs[place].minutes for place in own)
    settled = sum(worth[page] for page, others in left.items() if set(others) <= set(own))
    return settled / max(minutes, 1e-9), -minutes


def worth(page: str, profile: str, seeds: int) -> float:
    """How many of a page's claims so many seeds at a profile are expected to settle."""
    claims = [claim for claim in load_claims(page.split("/")[0]) if claim.page == page]
    return sum(chance(decision_on_record(claim), profile, seeds) for claim in claims)


def chance(decision: Decision, profile: str, seeds: int) -> float:
    """What share of a claim so many seeds at a profile are expected to settle, by a rule of thumb.

    1 for a claim without evidence; 0 where its evidence is of larger models. Else each part that is
    undecided or not tested counts by these seeds over those that it needs, at most 1: models of
    another size are taken to have the same spread, and to learn. A part counts 0 where fewer than
    half of its models have learned at this very size.
    """
    if decision.profile is None:
        return 1.0
    size, shown = PROFILES.index(profile), PROFILES.index(decision.profile)
    if shown > size:
        return 0.0
    open_ = [part for part in decision.left if shown < size or
             2 * len(decision.counted(part)) >= len(decision.evidence[part])]
    needed = (seeds_needed(decision.claim, part, decision.counted_or_all(part)) for part in open_)
    return sum(min(1.0, seeds / count) for count in needed) / len(decision.claim.judged)


def seeds_needed(claim, part: str, samples) -> float:
    """The fewest seeds with which the rule would decide a part: yes, no or no difference.

    Mean and spread of these samples, or the share of pairs that they lead, are taken as they are.
    The half-width t(n - 1) s / sqrt(n) of the interval must be less than the mean's distance from
    the nearest bound or, of the 90% interval of logarithms, from the nearest margin of no difference.
    A single sample tells of no spread. Infinite where `MOST_SEEDS` are too few, and where one is not
    finite.
    """
    if claim.pairs:
        share = pairs_led(claim, part, samples) / len(samples)
        asked = no_lead if is_denied(claim, part) else lead
        counts = range(FEWEST_PAIRS, MOST_SEEDS + 1)
        return next((count for count in counts if asked(share * count, count) != "undecided"), np.inf)
    if len(samples) < 2:
        return FEWEST_SEEDS
    values, bounds = np.array(samples, dtype=float), np.array(claim.region(part))
    with np.errstate(divide="ignore", invalid="ignore"):
        logs, log_bounds = np.log(values), np.log(np.where(np.isinf(bounds), np.nan, bounds))
    if claim.scale == "log":
        values, bounds = logs, log_bounds
    if not np.isfinite(values).all():
        return np.inf
    counts = np.arange(FEWEST_SEEDS, MOST_SEEDS + 1)
    half = lambda level, own: stdtrit(counts - 1, level) * own.std(ddof=1) / np.sqrt(counts)
    enough = half(0.975, values) < np.nanmin(np.abs(values.mean() - bounds))
    if margin := margin_of(claim.kind_of(part), claim.printed_of(part)):
        enough |= half(0.95, logs) < np.log(margin) - abs(logs.mean())
    return float(counts[enough][0]) if enough.any() else np.inf


# ---- what fits ------------------------------------------------------------------------------


def best_within(sets: list[tuple[str, float, list[Job]]], budget: float) -> list[Job]:
    """The jobs of `most_within`, the sets first that settle most claims per minute.

    sets: pages with what these jobs, all of them, are worth to them: a page has one for its first
    whole seeds and one for all. Jobs that are in two sets are paid for once.
    """
    chosen = most_within(sets, budget)
    left = [one for one in sets if chosen.issuperset(one[2])]
    taken: dict[Job, None] = {}
    while options := list(filter(None, (gain_of(own, taken, left) for _, _, own in left))):
        taken |= max(options, key=lambda option: option[0])[1]
    return list(taken)


def most_within(sets, budget: float) -> set[Job]:
    """The jobs that together settle most claims in at most so many minutes and, of those that settle
    as much, take least.

    An integer program: a set counts where all of its jobs are taken, and a page counts for one set.
    """
    pages, jobs = ({one: place for place, one in enumerate(dict.fromkeys(found))} for found in (
        (page for page, _, _ in sets), (job for _, _, own in sets for job in own)))
    if not jobs:
        return set()
    counts, needs = np.array([(place, jobs[job]) for place, (_, _, own) in enumerate(sets) for job in own]).T
    ones = lambda places, count: csr_array(
        (np.ones(len(places)), (range(len(places)), places)), (len(places), count))
    cost, worth = np.array([job.minutes for job in jobs]), np.array([value for _, value, _ in sets])
    rows = block_array([[ones(counts, len(sets)), -ones(needs, len(jobs))],
                        [ones([pages[page] for page, _, _ in sets], len(pages)).T, None],
                        [None, csr_array(cost[None])]])
    most = np.concatenate([np.zeros(len(counts)), np.ones(len(pages)), [budget]])
    price = PRICE * worth.sum() / max(cost.sum(), 1e-9)
    found = milp(np.concatenate([-worth, price * cost]), integrality=np.ones(len(worth) + len(cost)),
                 bounds=Bounds(0, 1), constraints=LinearConstraint(rows, ub=most),
                 options={"mip_rel_gap": 1e-6})
    return {job for job, taken in zip(jobs, found.x[len(sets):]) if taken > 0.5}


def gain_of(own: list[Job], taken: dict[Job, None], sets):
    """What these jobs add to those that are taken, per minute, and which are new; None where they
    settle nothing more."""
    new = dict.fromkeys(job for job in own if job not in taken)
    cost = sum(job.minutes for job in new)
    more = settled_by(taken | new, sets) - settled_by(taken, sets)
    return ((more / max(cost, 1e-9), -cost), new) if new and more > 0 else None


def settled_by(taken, sets) -> float:
    """What jobs are worth: to each page the most that one of its whole sets is."""
    most: dict[str, float] = {}
    for page, value, own in sets:
        if all(job in taken for job in own):
            most[page] = max(value, most.get(page, 0.0))
    return sum(most.values())


def minutes(text: str) -> float:
    """A time such as 90s, 25m, 2h or 1.5d in minutes; raises InputError for another text."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd])", text)
    if found is None:
        raise InputError(f"--budget: expected a time such as 90s, 25m, 2h or 1d, got {text!r}")
    return float(found[1]) * UNITS[found[2]]
