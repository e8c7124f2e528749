"""Which runs train together, and fleets trained and measured in a process: saved, resumed, recorded."""

import contextlib
import gc
import re
import signal
import threading
from pathlib import Path

import numpy as np
import torch

from claimbook.records import Record, digest, find_records, is_fresh, key, settings, sources, versions
from claimbook.records.compute import checked
from claimbook.records.errors import InputError, NoRoom, OutOfTime
from claimbook.records.files import check_writable, folder_named
from claimbook.records.limits import Limits
from claimbook.records.processor import cores
from claimbook.records.provenance import cost_since, provenance, start_clocks, tell_of_changed_sources
from icllib import checks
from icllib.progress import board, tell
from icllib.training.build import room_for
from icllib.training.checkpoint import (
    checkpoints, load_checkpoint, locked_folder, remove_checkpoints, save_checkpoint, split_checkpoint)
from icllib.training.cpu import one_core
from icllib.training.engine import Fleet, run_steps
from icllib.training.run import Run, Trained, only_training
from icllib.training.weights import can_be_measured, find_weights, load, noted_of, save_weights


def fleets(runs, most: int | None = None) -> list[list[Run]]:
    """Runs of equal shape, in the order of their first ones, at most so many together."""
    found = {}
    for run in runs:
        found.setdefault(run.shape, []).append(run)
    return [alike[first : first + (most or len(alike))] for alike in found.values()
            for first in range(0, len(alike), most or len(alike))]


def processors() -> list[str]:
    """What a fleet can be split over: the visible GPUs, or else the CPU cores."""
    if torch.cuda.is_available():
        return [f"cuda:{index}" for index in range(torch.cuda.device_count())]
    return ["cpu"] * cores()


def check_gpu(profile: str, limits=Limits()) -> None:
    """Raises InputError, with the reason, for `gpu` where no GPU can be used.
    Its models take days on a CPU; `on_cpu` (`run --on-cpu`) allows that."""
    if profile == "gpu" and not limits.on_cpu and (reason := why_no_gpu()):
        raise InputError(f"profile: expected a GPU that can be used for gpu, {reason}; --on-cpu, in "
                         "a notebook icllib.records(..., limits=icllib.Limits(on_cpu=True)), trains on the CPU")


def why_no_gpu() -> str | None:
    """What keeps PyTorch from using a GPU of NVIDIA's, in words; None where nothing does."""
    if torch.cuda.is_available():
        return without_kernels()
    if torch.version.cuda is None:
        return f"but PyTorch {torch.__version__} is a build for CPUs"
    try:
        torch.cuda.init()
    except RuntimeError as error:
        return f"but PyTorch {torch.__version__} for CUDA {torch.version.cuda} says: {str(error).partition('.')[0]}"
    return "found no card"


def without_kernels() -> str | None:
    """The first visible card for which this PyTorch has no kernels, in words; None where it has for all."""
    names = torch.cuda.get_arch_list()
    built = [(name[0], divmod(int(re.search(r"\d+", name)[0]), 10)) for name in names]
    for index in range(torch.cuda.device_count()):
        own = torch.cuda.get_device_capability(index)
        if built and not any(made <= own and (kind == "c" or made[0] == own[0]) for kind, made in built):
            return (f"but PyTorch {torch.__version__} has no kernels for {torch.cuda.get_device_name(index)} of "
                    f"capability {own[0]}.{own[1]}, for {', '.join(names)} alone: install it for an older CUDA")
    return None


def dealt_out(runs: list[Run], count: int) -> list[list[Run]]:
    """The runs dealt out to `count` parts in turn; those of one training and its checkpoints stay in one."""
    same = {}
    for run in (run for fleet in fleets(runs) for run in fleet):
        same.setdefault(only_training(run, with_stops=True), []).append(run)
    groups = list(same.values())
    return [[run for group in groups[index::count] for run in group] for index in range(count)]


def measure_kept(run: Run, profile: str, folder: Path) -> None:
    """Measure a model that was trained before, and save the record; its cost is the measuring."""
    made, started = provenance(profile, "cpu"), start_clocks("cpu")
    with one_core():
        metrics = measured_once(run.evaluation, [run.task], load(run), "cpu")
    made |= {"steps": run.recipe.steps, "seed": run.seed, "kept_weights": True}
    made |= noted_of(find_weights(run))
    values = {name: value[0] for name, value in metrics.items()}
    Record.of(run, values, made | cost_since(started, "cpu")).save(folder)


def check_ready(profile: str, folder: Path, limits=Limits()) -> None:
    """Raises InputError for `gpu` without a GPU, and for folders that cannot be written to."""
    check_gpu(profile, limits)
    for needed in (folder, checkpoints_folder()):
        check_writable(needed)


def to_train(fleet: list[Run], missing: list[Run]) -> list[Run]:
    """Those runs of a fleet that must be trained where some are missing: all where their training has begun:
    a full disk may have had room for some of the records, and the others are measured, not trained anew."""
    return fleet if missing and is_begun(fleet) else missing


def is_begun(fleet: list[Run]) -> bool:
    """Whether there is a checkpoint of all of a fleet, or of its halves."""
    saved_in = checkpoint_folder(fleet)
    return bool(checkpoints(saved_in)) or (saved_in / "halved").exists()


def is_recorded(fleet: list[Run], folder: Path) -> bool:
    """Whether an earlier call has trained and saved all of a fleet."""
    return all(map(is_fresh, find_records(fleet, folder.parent.name, folder.parents[1])))


def train_fleets(runs: list[Run], profile: str, folder: Path, device: str = "cpu",
                 limits=Limits(), failed=lambda: False) -> None:
    """Train and save one fleet after the other in this process; measure models whose weights are
    kept, which a fleet before may have left."""
    for fleet in sorted(fleets(runs, limits.members), key=lambda fleet: fleet[0].seed):
        begun = is_begun(fleet)
        kept = [run for run in fleet if not begun and can_be_measured(run)]
        for run in kept:
            measure_kept(run, profile, folder)
        if rest := [run for run in fleet if run not in kept]:
            train_fleet(rest, profile, folder, device, limits, failed)


def train_fleet(fleet: list[Run], profile: str, folder: Path, device: str = "cpu",
                limits=Limits(), failed=lambda: False) -> None:
    """Train and save one fleet that lacks records, on one core of a CPU; its halves in turn where memory runs
    out. Every training goes through here."""
    halves = [part for part in (fleet[: len(fleet) // 2], fleet[len(fleet) // 2 :]) if part]
    saved_in = checkpoint_folder(fleet)
    was_halved = saved_in / "halved"  # a later call starts with the halves
    checks.device(device)
    with one_core(), locked_folder(saved_in):
        if not was_halved.exists():
            try:
                with room_for(len(fleet), device), torch.inference_mode(False):
                    return train_and_save(fleet, profile, folder, device, limits, failed)
            except NoRoom:
                if len(halves) == 1:
                    raise
            hand_over(saved_in, halves, device)
            was_halved.touch()
        for half in halves:
            if not is_recorded(half, folder):
                train_fleet(half, profile, folder, device, limits, failed)
        remove_checkpoints(saved_in)


def hand_over(saved_in: Path, halves: list[list[Run]], device: str) -> None:
    """Free memory, split a fleet's last checkpoint between its halves, and say so."""
    gc.collect()
    taken = ""
    if device.startswith("cuda"):
        peak, (_, total) = torch.cuda.max_memory_allocated(device), torch.cuda.mem_get_info(device)
        taken = f", which took {peak / 2**30:.1f} of its {total / 2**30:.1f} GiB"
    torch.cuda.empty_cache()
    counts = list(map(len, halves))
    step = split_checkpoint(saved_in, dict(zip(map(checkpoint_folder, halves), counts)))
    tell(f"no room for {sum(counts)} models on {device}{taken}; {counts[0]} and then {counts[1]} go on from "
         f"step {step}")


def train_and_save(runs: list[Run], profile: str, folder: Path, device: str = "cpu",
                   limits=Limits(), failed=lambda: False) -> None:
    """Train and measure a fleet in this process and save one record per run. Training goes on from its last
    checkpoint, if there is one, and leaves one when it is stopped, see `stop_request`."""
    first, made, started = runs[0], provenance(profile, device), start_clocks(device)
    fleet = fleet_of(runs, device)
    saved_in = checkpoint_folder(runs)
    own = versions([only_training(run, with_stops=True) for run in runs])
    started = tuple(now - spent for now, spent in zip(started, resume(fleet, saved_in, own)))

    save = lambda: keep_checkpoint(fleet, saved_in, cost_since(started, device) | {"sources": sources(own)})
    label = f"{folder.name}: {len(runs)} x {type(first.model).__name__}"
    with stop_request(limits, failed) as should_stop:
        run_steps(fleet, label, should_stop, save, board(saved_in.name))
        save()  # a process that is killed while it measures need not train again
        if should_stop():  # a signal during the last steps
            raise OutOfTime("stopped before it was measured")
    torch.set_float32_matmul_precision("highest")  # evaluate in fp32 whatever training took
    metrics = measure_fleet(fleet, first, device)
    made |= {"steps": first.recipe.steps, "fleet": len(runs),
             "step": "cpu_step" if fleet.cpu_step else "PyTorch",
             "members": [digest(settings(run)) for run in runs]} | cost_since(started, device)
    for member, run in enumerate(runs):
        values = {name: value[member] for name, value in metrics.items()}
        # A user's own metric may be NaN beside others that are finite
        learned = fleet.alive[member] and any(np.isfinite(own).all() for own in values.values())
        kept = (save_weights(run, folder / profile, fleet.module, member)  # before its record
                if learned else {"diverged": True})
        Record.of(run, values, made | {"seed": run.seed} | kept).save(folder)
    remove_checkpoints(saved_in)


def keep_checkpoint(fleet: Fleet, folder: Path, info: dict) -> None:
    """Save a fleet on its way; where that cannot be, it is told, and training goes on."""
    try:
        save_checkpoint(folder, int(fleet.step), fleet.tensors(), info)
    except OSError as error:
        tell(f"no checkpoint in {folder} ({error}); a stop now would lose what came after the last one")


def fleet_of(runs: list[Run], device: str) -> Fleet:
    """A fleet that is to train these runs, of one shape, together."""
    first = runs[0]
    return Fleet([run.task for run in runs], first.model, first.recipe,
                 [run.seed for run in runs], [run.pretraining_tasks for run in runs], device,
                 [run.recipe.learning_rate for run in runs], [run.model for run in runs],
                 first.along.steps if first.along else ())


def measure_fleet(fleet: Fleet, run: Run, device: str) -> dict:
    """The metrics of a trained fleet, and those on its way, for every member."""
    trained = Trained(fleet.module, fleet.stream)
    metrics = measured_once(run.evaluation, fleet.tasks, trained, device)
    if run.along:
        stops, end = [], run.recipe.steps
        fleet.keep_snapshot(end)
        for step in run.along.steps:
            fleet.module.load_state_dict(fleet.kept[step])
            stops.append(measured_once(run.along.evaluation, fleet.tasks, trained, device))
        fleet.module.load_state_dict(fleet.kept[end])  # whose weights are saved
        metrics |= {f"{name}_along": np.stack([stop[name] for stop in stops], axis=1) for name in stops[0]}
    return metrics


def measured_once(evaluation, tasks, trained, device) -> dict:
    """The metrics of trained models; raises InputError where they are not one per member."""
    metrics = checked(evaluation, evaluation.measure(tasks, trained, device))
    for name, metric in metrics.items():
        if np.shape(metric)[:1] != (len(tasks),):
            raise InputError(f"{name}: expected a metric of each of {len(tasks)} members, "
                             f"got one of shape {np.shape(metric)}")
    return metrics


def checkpoints_folder() -> Path:
    """Where the checkpoints of all fleets live: runs/checkpoints/, or $CLAIMBOOK_CHECKPOINTS."""
    return folder_named("CLAIMBOOK_CHECKPOINTS", "runs/checkpoints")


def checkpoint_folder(runs) -> Path:
    """Where a fleet's checkpoints live: one folder for its training, however it is evaluated."""
    trained = [only_training(run, with_stops=True) for run in runs]
    return checkpoints_folder() / digest([key(settings(run), versions(run)) for run in trained])


def resume(fleet: Fleet, folder: Path, own: dict) -> tuple[float, float]:
    """Take up the newest checkpoint, if any; returns the wall and processor seconds it cost.
    own: the versions of what trains, to tell which of its modules were edited since."""
    found = load_checkpoint(folder)
    if found is None:
        return 0.0, 0.0
    tensors, info = found
    tell_of_changed_sources("this training began", [(info.get("sources"), own)])
    fleet.load(tensors)
    return info["wall_seconds"], info["processor_seconds"]


@contextlib.contextmanager
def stop_request(limits=Limits(), failed=lambda: False):
    """A function that tells whether to stop: time limit, SIGTERM, Ctrl-C, the end of the parent process, or
    another one that has failed, which `failed` tells."""
    asked = []

    def ask(number, frame):
        if asked and number == signal.SIGINT:  # who presses Ctrl-C twice does not want to wait
            raise KeyboardInterrupt
        asked.append(True)

    in_main = threading.current_thread() is threading.main_thread()  # only it may set handlers
    before = {number: signal.signal(number, ask) for number in (signal.SIGTERM, signal.SIGINT) if in_main}
    try:
        yield lambda: bool(asked or limits.reached or failed())
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
