"""Which runs train together, on how many processors."""

import re

import torch

from claimbook.records.errors import InputError
from claimbook.records.limits import Limits
from claimbook.records.processor import cores
from icllib.training.run import Run, only_training


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
        told = str(error)
        if "no NVIDIA driver" in told:
            return "found no driver of NVIDIA's"
        if found := re.search(r"too old \(found version (\d+)0(\d)0\)", told):
            return (f"but NVIDIA's driver is too old, it knows CUDA up to {found[1]}.{found[2]} and "
                    f"PyTorch {torch.__version__} is for {torch.version.cuda}")
        return f"found no card ({told.partition('.')[0]})"
    return "found no card"


def without_kernels() -> str | None:
    """The first visible card that this PyTorch has no kernels for, in words; None where it has some for all."""
    names = torch.cuda.get_arch_list()
    built = [(name[0], divmod(int(re.search(r"\d+", name)[0]), 10)) for name in names]
    for index in range(torch.cuda.device_count()):
        own = torch.cuda.get_device_capability(index)
        if built and not any(made <= own and (kind == "c" or made[0] == own[0]) for kind, made in built):
            return (f"but PyTorch {torch.__version__} has no kernels for {torch.cuda.get_device_name(index)} of "
                    f"capability {own[0]}.{own[1]}, for {', '.join(names)} alone: install it for an older CUDA")
    return None


def dealt_out(runs: list[Run], count: int) -> list[list[Run]]:
    """The runs dealt out to `count` parts in turn; runs of one training share checkpoints and stay
    in one part."""
    same = {}
    for run in (run for fleet in fleets(runs) for run in fleet):
        same.setdefault(only_training(run, with_stops=True), []).append(run)
    groups = list(same.values())
    return [[run for group in groups[index::count] for run in group] for index in range(count)]
