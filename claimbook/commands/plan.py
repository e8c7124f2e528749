"""What to train next, the fleets that settle most claims per minute first; and one of them, trained."""

import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.special import stdtrit

from claimbook.claims import load_claims
from claimbook.claims.decisions import Decision, decision_on_record, is_denied, pairs_led
from claimbook.claims.rule import FEWEST_PAIRS, FEWEST_SEEDS, lead, margin_of
from claimbook.pages.names import find_page
from claimbook.pages.page import runs_of
from claimbook.records import PROFILES, PROJECT, check_profile, digest, results_folder, settings
from claimbook.records.compute import FEWEST_SEEDS as WHOLE_SEEDS, Job, runs_at, trainer_of, trains
from claimbook.records.errors import InputError
from claimbook.records.limits import Limits

MOST_SEEDS = 1000  # that are looked at; a claim that needs more is as good as lost
UNITS = {"s": 1 / 60, "m": 1, "h": 60, "d": 24 * 60}


def plan_trainings(pages, profile: str, members: int | None = None, budget: float | None = None) -> list[Job]:
    """The fleets that these pages miss at a profile, in the order of `in_order`.

    budget: minutes; with it those alone that fit and settle something, where a page's first whole seeds, with
    which it is shown, are fleets of their own. members: the most models that train together.
    """
    check_profile(profile, PROFILES)
    runs = {page: own for page in pages if (own := or_told(page, trained_runs, page, profile)) is not None}
    seeds = {page: sorted({run.seed for run in own}) for page, own in runs.items()}
    first = {page: own if budget is None else own[:WHOLE_SEEDS] for page, own in seeds.items()}
    missing = {}
    for name in {run.trainer for own in runs.values() for run in own}:
        theirs = {page: [run for run in own if run.trainer == name] for page, own in runs.items()}
        missing |= trainer_of(name).missing_jobs(theirs, profile, first, members)
    sets = [(page, worth(page, profile, len(some)), some) for page in runs
            for some in dict.fromkeys([tuple(first[page]), tuple(seeds[page])])]
    while True:
        order = in_order([(page, value, [one for one, (_, waits) in missing.items()
                                         if waits & {(page, seed) for seed in some}])
                          for page, value, some in sets], budget)
        memory = {one: or_told(one.records[0].rpartition("/")[0], trainer_of(missing[one][0][0]).memory_of,
                               missing[one][0]) for one in order}
        if None not in memory.values():
            return [replace(one, memory_gib=float(f"{memory[one] / 2**30:.2g}")) for one in order]
        missing = {one: own for one, own in missing.items() if memory.get(one, 0) is not None}


def or_told(page: str, call, *arguments):
    """What a call returns; None where it fails, as a page's own modules may in any way, which is told."""
    try:
        return call(*arguments)
    except (Exception, SystemExit) as error:
        kind = "" if isinstance(error, InputError) else f"{type(error).__name__}: "
        print(f"claimbook: {page} left out: {kind}{error}", file=sys.stderr)
        return None


# ---- the order ------------------------------------------------------------------------------


def in_order(sets: list[tuple[str, float, list[Job]]], budget: float | None = None) -> list[Job]:
    """The jobs of these sets: again and again those of the set that adds most per minute.

    A page's claims are settled when all jobs of one of its sets are there, so what a set adds is counted over
    all pages, for the minutes of jobs that are new; of equals the cheapest is first. With a budget in minutes
    a set must also add something, and fit. sets: pages, what the jobs are worth to them, and these jobs.
    """
    jobs = list(dict.fromkeys(job for _, _, own in sets for job in own))
    place = {job: number for number, job in enumerate(jobs)}
    sets = [(page, value, frozenset(map(place.get, own))) for page, value, own in sets]
    cost = lambda places: sum(jobs[one].minutes for one in places)
    order: list[int] = []
    while True:
        taken, before = frozenset(order), settled(frozenset(order), sets)
        options = []
        for new in dict.fromkeys(own - taken for _, _, own in sets if own - taken):
            more = settled(taken | new, sets) - before
            if budget is None or more > 0 and cost(order) + cost(new) <= budget:
                options.append((more / max(cost(new), 1e-9), -cost(new), sorted(new)))
        if not options:
            return [jobs[one] for one in order]
        order += max(options, key=lambda option: option[:2])[2]


def settled(taken: frozenset, sets) -> float:
    """What these jobs are worth: to each page the most that one of its whole sets is."""
    most: dict[str, float] = {}
    for page, value, own in sets:
        if own <= taken:
            most[page] = max(value, most.get(page, 0.0))
    return sum(most.values())


def worth(page: str, profile: str, seeds: int) -> float:
    """How many of a page's claims so many seeds at a profile are expected to settle."""
    claims = [claim for claim in load_claims(page.split("/")[0]) if claim.page == page]
    return sum(chance_to_settle(decision_on_record(claim), profile, seeds) for claim in claims)


def chance_to_settle(decision: Decision, profile: str, seeds: int) -> float:
    """What share of a claim so many seeds at a profile are expected to settle, by a rule of thumb.

    1 for a claim without evidence; 0 if its evidence is of larger models. Else each open part counts by these
    seeds over those that it needs, at most 1, as if models of another size had the same spread and learned;
    and 0 where fewer than half of its models have learned at this very size.
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
    """The fewest seeds with which the rule would decide a part if mean and spread, or the share of pairs led,
    stayed as in these samples; infinite where `MOST_SEEDS` are too few.

    The half-width t(n - 1) s / sqrt(n) of the interval must be less than the mean's distance from the nearest
    bound or, of the 90% interval of logarithms, from the margin of no difference.
    """
    if claim.pairs:
        share = pairs_led(claim, part, samples) / len(samples)
        says = lambda count: lead(share * count, count, denied=is_denied(claim, part))
        counts = range(FEWEST_PAIRS, MOST_SEEDS + 1)
        return next((count for count in counts if says(count) != "undecided"), np.inf)
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
    enough = half(1 - claim.error / 2, values) < np.nanmin(np.abs(values.mean() - bounds))
    if margin := margin_of(claim.kind_of(part), claim.printed_of(part)):
        enough |= half(1 - claim.error, logs) < np.log(margin) - abs(logs.mean())
    return float(counts[enough][0]) if enough.any() else np.inf


def minutes(text: str) -> float:
    """A time such as 90s, 25m, 2h or 1.5d in minutes; raises InputError for another text."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd])", text)
    if found is None:
        raise InputError(f"--budget: expected a time such as 90s, 25m, 2h or 1d, got {text!r}")
    return float(found[1]) * UNITS[found[2]]


# ---- one fleet -----------------------------------------------------------------------------


def train(paths: list[str], limits=Limits()) -> str:
    """Train the runs of these records, <paper>/<page>/<profile>/<name>.json of one page and profile, together
    and save them; returns what was done. Raises OutOfTime where it was stopped, with a checkpoint kept."""
    page, profile, names = parts_of(paths)
    listed = {digest(settings(run)): run for run in trained_runs(page, profile)}
    if unknown := [name for name in names if name not in listed]:
        raise InputError(f"{unknown[0]}: expected the name of a record of {page} at {profile}, as "
                         f"python -m claimbook plan --profile {profile} lists them")
    together = [listed[name] for name in names]
    if profile == "smoke" and results_folder().resolve() == (PROJECT / "results").resolve():
        raise InputError("smoke: expected a results folder of its own, $CLAIMBOOK_RESULTS, as nothing "
                         "of smoke size is kept among the others")
    made = trainer_of(together[0]).train(together, profile, results_folder() / page, limits)
    told = f"{made} records made" if made else f"nothing to train, all {len(together)} models are there"
    return f"{page}: {told}"


def parts_of(paths: list[str]) -> tuple[str, str, list[str]]:
    """Page, profile and names of records; raises InputError where they are not of one folder."""
    folders = {tuple(Path(path).parts[-4:-1]) for path in paths}
    folder = folders.pop()
    if folders or len(folder) != 3:
        raise InputError("records: expected <paper>/<page>/<profile>/<name>.json, all of one page "
                         f"and profile, got {' '.join(paths)}")
    page, profile = "/".join(folder[:2]), folder[2]
    find_page(page)
    check_profile(profile, PROFILES)
    return page, profile, list(dict.fromkeys(Path(path).stem for path in paths))


def trained_runs(page: str, profile: str) -> list:
    """The runs of a page that train."""
    return [run for run in runs_at(runs_of(page), profile) if trains(run)]
