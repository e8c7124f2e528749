"""Whether a page's records and its notebook are fresh, stale or missing, and what they would cost."""

from itertools import chain, islice

from claimbook.commands.output import State
from claimbook.commands.run import notebook_problem
from claimbook.pages.page import runs_by_profile, runs_of
from claimbook.records import digest, find_records, is_fresh
from claimbook.records.checksums import names_shown
from claimbook.records.compute import KEPT, ON_CPU, of_complete_seeds, runs_at, seconds_of
from claimbook.records.errors import InputError
from claimbook.records.processor import cores


def states_of(page: str) -> list[State]:
    """The state of a page at every profile with its own runs; an error, whatever it is, is its one row."""
    try:
        found = records_by_profile(page)
        states = [state_of(page, profile, *found[profile])
                  for profile, _ in runs_by_profile(lambda profile: found[profile][0])]
        return [notebook_state(page, found), *states]
    except (Exception, SystemExit) as error:  # of the page's own modules
        kind = "" if isinstance(error, InputError) else f"{type(error).__name__}: "
        return [State(*page.split("/"), "", "unknown", f"{kind}{error}", "")]


def notebook_state(page: str, found) -> State:
    """Whether the committed notebook is an execution of today's page, with these `records_by_profile`."""
    try:
        problem = notebook_problem(page) or further_seeds(page, found)
    except ImportError as error:  # a machine without Jupyter trains, but cannot tell
        return State(*page.split("/"), "stored", "unknown", f"{error.name} is not installed", "")
    return State(*page.split("/"), "stored", "stale" if problem else "fresh", problem or "",
                 "under a minute" if problem else "")


def further_seeds(page: str, found) -> str | None:
    """How many records of further seeds, of models that it shows, the page would show today; or None."""
    shown = names_shown(page)
    best = next(filter(None, (of_complete_seeds(*found[profile]) for profile in reversed(KEPT))), [])
    trained = {digest(record.run): record.run for record in best if "seed" in record.run}
    if trained.keys() <= shown:
        return None
    models = {name: digest(run | {"seed": None}) for name, run in trained.items()}
    known = {model for name, model in models.items() if name in shown}
    further = [name for name, model in models.items() if model in known and name not in shown]
    return f"{len(further)} records of further seeds are not shown" if further else None


def records_by_profile(page: str) -> dict[str, tuple]:
    """Profile -> a page's runs and their records, None for each that is missing."""
    listed = {profile: runs_at(runs_of(page), profile) for profile in KEPT}
    records = iter(find_records(list(chain(*listed.values())), page.split("/")[0]))
    return {profile: (runs, list(islice(records, len(runs)))) for profile, runs in listed.items()}


def state_of(page: str, profile: str, runs, records) -> State:
    """Whether the records of these runs are there, and what changed if they are stale."""
    paper, name = page.split("/")
    missing = records.count(None)
    changes = {record.stale_because for record in records if record} - {None}
    reason = f"{missing} of {len(runs)} records missing" if missing else "; ".join(sorted(changes))
    state = "missing" if missing else "stale" if changes else "fresh"
    to_do = [run for run, record in zip(runs, records) if not is_fresh(record)]
    return State(paper, name, profile, state, reason, cost(to_do, profile))


def cost(runs, profile: str) -> str:
    """Estimated time of training, and on what; nothing for runs that do not train."""
    try:
        seconds = seconds_of(runs, profile)
    except InputError as error:  # a model that does not count its work
        return f"not known: {error}"
    if not seconds:
        return ""
    if profile in ON_CPU:
        seconds /= cores()
    device = f"{cores()} CPU cores" if profile in ON_CPU else "an H200"
    for size, unit in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit} on {device}"
    return f"under a minute on {device}"
