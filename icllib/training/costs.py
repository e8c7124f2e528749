"""What training takes: time and memory, estimated from what a model multiplies and keeps."""

import json
from functools import cache

import torch

from claimbook.records.checks import has_method
from claimbook.records.compute import ON_CPU
from claimbook.records.files import PROJECT, read_text
from icllib.streams import Stream
from icllib.tasks import sample_each
from icllib.training.build import build
from icllib.training.cpu_step import compiler
from icllib.training.losses import forward_of, recipe_losses
from icllib.training.recipe import Recipe
from icllib.training.run import Run

# Multiply-adds per second in training, forward and backward, of an H200: ASSUMED, a tenth of its
# dense TF32 rate, where `speed` finds no measured one.
SPEED = 2e13
# Multiply-adds per second in training of one core of a CPU, by class and width of the model, and under None
# of all: what the committed records took, a test compares them. Wide models make several times as many as
# narrow ones. A class of one's own may say its speed as `core_speed`.
CORE_SPEEDS = {
    ("Encoder", 128): 3.1e10, ("FeatureMLP", 256): 1.0e9, ("FeatureMLP", 1024): 1.2e10,
    ("MLP", 1024): 1.6e10, ("MLP", 2048): 2.2e10, ("SGPT", 16): 8.0e9, ("SGPT", 32): 1.4e10, ("SGPT", 64): 1.8e10,
    ("ScalarRegression", None): 4.7e8, ("Transformer", 16): 3.9e9, ("Transformer", 32): 4.8e9,
    ("Transformer", 64): 1.9e10, None: 1.4e10}
# How many times as fast the compiled step is (cpu_step.py), measured by benchmarks/bench.py: by class and
# width, up to the given one. The speeds above are of PyTorch's.
COMPILED = {("SGPT", 32): 5.0, ("SGPT", 64): 3.0, ("Transformer", 32): 3.5, ("Transformer", 64): 2.2,
            ("Transformer", 128): 1.4}
# Seconds before the first step of a fleet on a GPU, most of them compilation for its shape: 30 to
# 115 were measured on two CPU cores, where no GPU is needed for it.
START = 60.0
# Seconds, ASSUMED until a GPU has been measured: least time of a step, what launching its few
# hundred kernels takes.
LAUNCH, LAUNCH_OF_LAYER = 0.5e-3, 0.1e-3


def fleet_seconds(fleet: list[Run], profile: str) -> float:
    """Estimated time of training runs that take every step together, on one core or an H200."""
    run = fleet[0]
    if profile in ON_CPU:
        return len(fleet) * run.recipe.steps * step_seconds(run.task, run.model, run.recipe)
    arithmetic = sum(map(work, fleet)) / speed()
    launches = run.recipe.steps * (LAUNCH + LAUNCH_OF_LAYER * getattr(run.model, "layers", 1))
    return START + max(arithmetic, launches)


@cache
def speed() -> float:
    """Multiply-adds per second of this machine's GPU, or of an H200 where it has none: what
    benchmarks/check_gpu.py has measured with one model in TF32, which is less than fleets reach."""
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else "NVIDIA H200"
    path = PROJECT / "benchmarks/results" / f"{device.replace(' ', '_')}.json"
    measured = json.loads(read_text(path)) if path.exists() else {}
    rows = measured.get("12/8/256", {}).get("rows", [])
    return next((row["multiply_adds_per_second"] for row in rows if row["contestant"] == "ours, M=1"), SPEED)


def memory_of(fleet: list[Run]) -> float:
    """Estimated bytes that a fleet takes of its device while it trains.
    Parameters, their gradients and Adam's two moments, and for each prompt of the batch what the
    forward pass keeps for the backward one, counted in a step of one model on one prompt."""
    run = fleet[0]
    if run.shape not in MEMORY_OF_SHAPES:
        MEMORY_OF_SHAPES[run.shape] = memory_of_one(run.task, run.model, run.recipe)
    parameters, kept = MEMORY_OF_SHAPES[run.shape]
    return len(fleet) * (4 * parameters + run.recipe.batch * kept)


MEMORY_OF_SHAPES: dict = {}  # what was counted before


def memory_of_one(task, model, recipe: Recipe) -> tuple[int, int]:
    """Bytes of a model's parameters, and of what a forward pass of one prompt keeps beside them.
    The model is on PyTorch's device "meta", where tensors have shapes and no numbers; one that reads
    sentences is on the CPU, since the numbers tell which words are hidden."""
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
    """Estimated seconds of one core of a CPU for a step of one model."""
    kind, width = type(model).__name__, getattr(model, "width", None)
    leads = (lead for (of, most), lead in COMPILED.items() if of == kind and (width or 0) <= most)
    lead = next(leads, 1.0) if compiler() else 1.0
    speed = getattr(model, "core_speed", CORE_SPEEDS.get((kind, width), CORE_SPEEDS[None]))
    return work_of_step(task, model, recipe) / speed / lead


def work(run: Run) -> float:
    """Multiply-adds of a training run. Raises InputError for a model that does not count its own."""
    return run.recipe.steps * work_of_step(run.task, run.model, run.recipe)


def work_of_step(task, model, recipe: Recipe) -> float:
    """Multiply-adds of a step of one model, the backward pass counted as two forward ones."""
    has_method("multiplications", model=model)
    return 3.0 * recipe.batch * model.multiplications(task.dimension, recipe.layout[0])
