"""The state of every page: which records are fresh, stale or missing, and what they would cost."""

import importlib.util
from dataclasses import dataclass

from icllib.errors import InputError
from icllib.results import WITH_PILOT, find_record, results_folder
from icllib.runner import notebook_problem
from icllib.training.jobs import fleets
from icllib.training.records import runs_at
from icllib.training.run import Run

# Multiply-adds per second in training, forward and backward.
# cpu: the 2.6e13 of context_scaling/fig01_scaling over half of the 3,256 s of wall time in its
# records, on two CPU cores side by side that did other work too: an upper estimate of the time.
# gpu, paper: ASSUMED, a tenth of an H200's dense TF32 rate, until an H200 has been measured.
SPEED = {"pilot": 1.6e10, "cpu": 1.6e10, "gpu": 2e13, "paper": 2e13}
# Seconds on a GPU, ASSUMED until one has been measured: before a fleet's first step, most of them
# compilation; and least time of a step, what launching its few hundred kernels takes.
START, LAUNCH, LAUNCH_OF_LAYER = 25.0, 0.5e-3, 0.1e-3
DEVICE = {"pilot": "2 CPU cores", "cpu": "2 CPU cores", "gpu": "an H200", "paper": "an H200"}


@dataclass(frozen=True)
class State:
    """A page at a profile; profile "stored" is the committed notebook itself."""

    paper: str
    page: str
    profile: str
    state: str  # fresh, stale or missing; unknown after an error, and where Jupyter is missing
    reason: str
    cost: str  # what making the missing and stale records is estimated to take


def status(pages) -> list[State]:
    """The state of these pages at every profile that has its own runs."""
    return [state for page in pages for state in states_of(page)]


def states_of(page: str) -> list[State]:
    """The states of one page; an error in its files or settings is its one row."""
    try:
        states = [state_of(page, profile, runs) for profile, runs in runs_by_profile(page)]
        return [notebook_state(page, states), *states]
    except InputError as error:
        return [State(*page.split("/"), "", "unknown", str(error), "")]


def notebook_state(page: str, states: list[State]) -> State:
    """Whether the committed notebook is an execution of the page, with all that it shows there."""
    try:
        problem = notebook_problem(page) or results_problem(page, states)
    except ImportError as error:  # a machine without Jupyter trains, but cannot tell
        return State(*page.split("/"), "stored", "unknown", f"{error.name} is not installed", "")
    return State(*page.split("/"), "stored", "stale" if problem else "fresh", problem or "",
                 "under a minute" if problem else "")


def results_problem(page: str, states: list[State]) -> str | None:
    """What is missing of a page's results, whose records have these states, or None."""
    if not (results_folder() / page / "figure.csv").exists():
        return "figure.csv missing"
    return "no profile has all its records" if {s.state for s in states} == {"missing"} else None


def runs_of(page: str):
    """The function that lists a page's runs: it has the page's name in its paper's package.

    Raises InputError where there is none.
    """
    paper, name = page.split("/")
    package = importlib.util.find_spec(f"icllib.papers.{paper}")
    listed = package and getattr(importlib.import_module(package.name), name, None)
    if listed is None:
        raise InputError(f"{page}: expected icllib.papers.{paper} to export a function {name} that "
                         "lists its runs, found none")
    return listed


def runs_by_profile(page: str):
    """Profiles and their runs; a page that trains nothing has the profile "paper" alone."""
    found = [(profile, runs_at(runs_of(page), profile)) for profile in WITH_PILOT[1:]]
    trained = [(profile, runs) for profile, runs in found
               if any(isinstance(run, Run) for run in runs)]
    return trained or found[-1:]


def state_of(page: str, profile: str, runs) -> State:
    """Whether the records of these runs are there, and what changed if they are stale."""
    paper, name = page.split("/")
    records = [find_record(run, paper) for run in runs]
    missing = [run for run, record in zip(runs, records) if record is None]
    changes = {record.stale_because for record in records if record} - {None}
    to_do = missing + [run for run, record in zip(runs, records)
                       if record and record.stale_because]
    if missing:
        reason = f"{len(missing)} of {len(runs)} records missing"
    else:
        reason = "; ".join(sorted(changes))
    state = "missing" if missing else "stale" if changes else "fresh"
    return State(paper, name, profile, state, reason, cost(to_do, profile))


def cost(runs, profile: str) -> str:
    """Estimated time of training, and on what; nothing for runs that do not train."""
    runs = [run for run in runs if isinstance(run, Run)]
    if not runs:
        return ""
    seconds = sum(seconds_of(fleet, profile) for fleet in fleets(runs))
    for size, unit in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit} on {DEVICE[profile]}"
    return f"under a minute on {DEVICE[profile]}"


def seconds_of(fleet: list[Run], profile: str) -> float:
    """Estimated time of training runs that take every step together."""
    arithmetic = sum(map(work, fleet)) / SPEED[profile]
    if DEVICE[profile] == "2 CPU cores":
        return arithmetic
    run = fleet[0]
    launches = run.recipe.steps * (LAUNCH + LAUNCH_OF_LAYER * getattr(run.model, "layers", 1))
    return START + max(arithmetic, launches)


def work(run: Run) -> float:
    """Multiply-adds of a training run, the backward pass counted as two forward ones."""
    recipe = run.recipe
    forward = run.model.multiplications(run.task.dimension, recipe.layout[0])
    return 3.0 * recipe.steps * recipe.batch * forward
