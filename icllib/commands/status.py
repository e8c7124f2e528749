"""The state of every page: which records are fresh, stale or missing, and what they would cost."""

import importlib
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain, islice

import torch

from icllib.checks import component
from icllib.commands.run import notebook_problem
from icllib.errors import InputError
from icllib.results import digest, find_records
from icllib.results.checksums import names_shown
from icllib.streams import Stream
from icllib.tasks import sample_each
from icllib.training import Recipe
from icllib.training.build import build
from icllib.training.fleets import cores, fleets
from icllib.training.losses import forward_of, recipe_losses
from icllib.training.records import KEPT, of_complete_seeds, runs_at
from icllib.training.run import Run
from icllib.training.weights import model_of

# Multiply-adds per second in training, forward and backward, of an H200: ASSUMED, a tenth of its
# dense TF32 rate, until one has been measured.
SPEED = 2e13
# The same of one core of a CPU, by class and width of the model, and under None of all: what the
# committed records took, see `book.costs.recorded_speeds`; a test compares them. Wide models make
# several times as many as narrow ones.
CORE_SPEEDS = {
    ("Encoder", 128): 3.1e10, ("FeatureMLP", 256): 1.0e9, ("FeatureMLP", 1024): 1.2e10,
    ("MLP", 1024): 1.6e10, ("MLP", 2048): 2.2e10, ("SGPT", 16): 8.0e9, ("SGPT", 32): 1.4e10,
    ("SGPT", 64): 1.8e10, ("ScalarRegression", None): 4.7e8, ("Transformer", 16): 3.9e9,
    ("Transformer", 32): 4.8e9, ("Transformer", 64): 1.9e10, None: 1.4e10}
# Seconds before the first step of a fleet on a GPU, most of them compilation for its shape: 30 to
# 115 were measured on two CPU cores, where no GPU is needed for it.
START = 60.0
# Seconds, ASSUMED until a GPU has been measured: least time of a step, what launching its few
# hundred kernels takes.
LAUNCH, LAUNCH_OF_LAYER = 0.5e-3, 0.1e-3
ON_CPU = ("smoke", "cpu")


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
    """The states of one page; an error in its files or settings is its one row, whatever it is."""
    try:
        found = records_by_profile(page)
        states = [state_of(page, profile, *found[profile])
                  for profile, _ in runs_by_profile(lambda profile: found[profile][0])]
        return [notebook_state(page, found), *states]
    except Exception as error:
        kind = "" if isinstance(error, InputError) else f"{type(error).__name__}: "
        return [State(*page.split("/"), "", "unknown", f"{kind}{error}", "")]


def notebook_state(page: str, found) -> State:
    """Whether the committed notebook is an execution of the page that shows all records of today.

    found: `records_by_profile` of the page.
    """
    try:
        problem = notebook_problem(page) or further_seeds(page, found)
    except ImportError as error:  # a machine without Jupyter trains, but cannot tell
        return State(*page.split("/"), "stored", "unknown", f"{error.name} is not installed", "")
    return State(*page.split("/"), "stored", "stale" if problem else "fresh", problem or "",
                 "under a minute" if problem else "")


def further_seeds(page: str, found) -> str | None:
    """How many records of further seeds the page would show if it were executed now, of models that
    it shows already; or None. found: `records_by_profile` of the page."""
    shown = names_shown(page)
    best = next(filter(None, (of_complete_seeds(*found[profile]) for profile in reversed(KEPT))), [])
    trained = {digest(record.run): record.run for record in best if "seed" in record.run}
    if trained.keys() <= shown:
        return None
    models = {name: digest(run | {"seed": None}) for name, run in trained.items()}
    known = {model for name, model in models.items() if name in shown}
    further = [name for name, model in models.items() if model in known and name not in shown]
    return f"{len(further)} records of further seeds are not shown" if further else None


# ---- runs and their records -----------------------------------------------------------------


def runs_of(page: str):
    """The function that lists a page's runs: `runs` of the module with the page's name.

    Raises InputError where there is none.
    """
    name = "icllib.papers." + page.replace("/", ".")
    try:
        listed = getattr(importlib.import_module(name), "runs", None)
    except ModuleNotFoundError as error:
        if error.name not in (name, name.rpartition(".")[0]):
            raise
        listed = None
    if listed is None:
        raise InputError(f"{page}: expected icllib/papers/{page}.py with a function runs, which "
                         "lists the page's runs, found none")
    return listed


def runs_once(page: str):
    """From a profile to the runs of a page, which are listed once."""
    return cache(partial(runs_at, runs_of(page)))


def records_by_profile(page: str) -> dict[str, tuple]:
    """Profile -> a page's runs and their records, None for each that is missing. Folders are listed
    once for all."""
    listed = {profile: runs_at(runs_of(page), profile) for profile in KEPT}
    records = iter(find_records(list(chain(*listed.values())), page.split("/")[0]))
    return {profile: (runs, list(islice(records, len(runs)))) for profile, runs in listed.items()}


def runs_by_profile(listed):
    """Profiles and their runs; a page that trains nothing has the profile "paper" alone."""
    found = [(profile, listed(profile)) for profile in KEPT]
    trained = [(profile, runs) for profile, runs in found
               if any(isinstance(run, Run) for run in runs)]
    return trained or found[-1:]


def state_of(page: str, profile: str, runs, records) -> State:
    """Whether the records of these runs are there, and what changed if they are stale."""
    paper, name = page.split("/")
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


# ---- time and memory of training ------------------------------------------------------------


def cost(runs, profile: str) -> str:
    """Estimated time of training, and on what; nothing for runs that do not train."""
    models = {model_of(run): run for run in runs if isinstance(run, Run)}
    if not models:
        return ""
    try:
        seconds = sum(seconds_of(fleet, profile) for fleet in fleets(models.values()))
    except InputError as error:  # a model that does not count its work
        return f"not known: {error}"
    if profile in ON_CPU:
        seconds /= cores()
    for size, unit in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit} on {device_of(profile)}"
    return f"under a minute on {device_of(profile)}"


def device_of(profile: str) -> str:
    """The device for which a profile's cost is told."""
    return f"{cores()} CPU cores" if profile in ON_CPU else "an H200"


def seconds_of(fleet: list[Run], profile: str) -> float:
    """Estimated time of training runs that take every step together, on one core or an H200."""
    run = fleet[0]
    if profile in ON_CPU:
        return len(fleet) * run.recipe.steps * step_seconds(run.task, run.model, run.recipe)
    arithmetic = sum(map(work, fleet)) / SPEED
    launches = run.recipe.steps * (LAUNCH + LAUNCH_OF_LAYER * getattr(run.model, "layers", 1))
    return START + max(arithmetic, launches)


def memory_of(fleet: list[Run]) -> float:
    """Estimated bytes that a fleet takes of its device while it trains.

    Parameters, their gradients and Adam's two moments, and for each prompt of the batch what the
    forward pass keeps for the backward one, counted in a step of one model on one prompt.
    """
    run = fleet[0]
    if run.shape not in MEMORY_OF_SHAPES:
        MEMORY_OF_SHAPES[run.shape] = memory_of_one(run.task, run.model, run.recipe)
    parameters, kept = MEMORY_OF_SHAPES[run.shape]
    return len(fleet) * (4 * parameters + run.recipe.batch * kept)


MEMORY_OF_SHAPES: dict = {}  # what was counted before


def memory_of_one(task, model, recipe: Recipe) -> tuple[int, int]:
    """Bytes of a model's parameters, and of what a forward pass of one prompt keeps beside them.

    The model is on PyTorch's device "meta", where tensors have shapes and no numbers; one that reads
    sentences is on the CPU, since the numbers tell which words are hidden.
    """
    device = "cpu" if recipe.loss == "masked tokens" else "meta"
    first = torch.zeros(1, 1, dtype=torch.int64)
    prompt = sample_each([task], Stream.of([0], "training"), first, recipe.points, recipe.dtype)
    prompt = type(prompt)(*(values.to(device) for values in prompt))
    module = build([model], [0], task, recipe, device)
    parameters, kept = list(module.parameters()), {}

    def keep(tensor):
        storage = tensor.untyped_storage()
        kept[storage._cdata] = storage  # kept alive: another may take the place of one that is gone
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        recipe_losses(forward_of(module), prompt, recipe)
    own = {parameter.untyped_storage()._cdata for parameter in parameters}
    return (sum(parameter.nbytes for parameter in parameters),
            sum(storage.nbytes() for place, storage in kept.items() if place not in own))


def step_seconds(task, model, recipe: Recipe) -> float:
    """Estimated seconds of one core of a CPU for a step of one model.

    Raises InputError for a model that does not count its multiply-adds.
    """
    own = type(model).__name__, getattr(model, "width", None)
    return work_of_step(task, model, recipe) / CORE_SPEEDS.get(own, CORE_SPEEDS[None])


def work(run: Run) -> float:
    """Multiply-adds of a training run. Raises InputError for a model that does not count its own."""
    return run.recipe.steps * work_of_step(run.task, run.model, run.recipe)


def work_of_step(task, model, recipe: Recipe) -> float:
    """Multiply-adds of a step of one model, the backward pass counted as two forward ones."""
    component("multiplications", model=model)
    return 3.0 * recipe.batch * model.multiplications(task.dimension, recipe.layout[0])
