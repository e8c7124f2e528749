"""Where a record comes from and what it cost."""

import os
import shutil
import subprocess
import sys
import time
import warnings
from datetime import date
from pathlib import Path

from claimbook.records import PROJECT, source_on_disk, sources, versions
from claimbook.records.errors import InputError
from claimbook.records.processor import processor_name

MADE = "results", "notebooks", "book", "runs"  # folders that a commit need not have as they are


def provenance(profile: str, device: str) -> dict:
    """Where a record comes from, taken before its work begins on a device."""
    torch = sys.modules.get("torch")  # of what computes with it
    return {
        "profile": profile,
        "claimbook": sys.modules["claimbook"].__version__,  # of the package above
        **commit(),
        "device": torch.cuda.get_device_name(device) if device.startswith("cuda") else (
            f"{os.cpu_count()} CPU cores of {processor_name()}"),
        **({"torch": torch.__version__.split("+")[0]} if torch else {}),
        "date": date.today().isoformat(),
    }


def start_clocks(device: str) -> tuple[float, float]:
    """Where a cost is counted from; on a GPU the peak of its memory is counted from here too."""
    if device.startswith("cuda"):
        import torch

        torch.cuda.init()  # a device that was not used yet has nothing to reset
        torch.cuda.reset_peak_memory_stats(device)
    return clocks()


def clocks() -> tuple[float, float]:
    """Wall time and this process's processor time, in seconds."""
    return time.monotonic(), time.process_time()


def cost_since(started: tuple[float, float], device: str) -> dict:
    """Wall and processor seconds since `clocks()`, and on a GPU the peak of its memory."""
    wall, processor = (now - then for now, then in zip(clocks(), started))
    cost = {"wall_seconds": round(wall, 1), "processor_seconds": round(processor, 1)}
    if device.startswith("cuda"):
        import torch

        cost["peak_memory_mib"] = torch.cuda.max_memory_allocated(device) >> 20
    return cost


def clock_of(provenance: dict) -> str:
    """Which clock tells a record's cost: processor time on a CPU, wall time elsewhere."""
    on_cpu = "processor_seconds" in provenance and "CPU" in provenance["device"]
    return "processor" if on_cpu else "wall"


def check_imported(runs) -> None:
    """Raises InputError if a module of the user's own was edited since: others would train the new code."""
    imported, now = sources(versions(runs)), sources(versions(runs), source_on_disk)
    for name in imported:
        if imported[name] != now[name]:
            raise InputError(f"{name}: expected the code that was imported, got a file that was "
                             "edited since; restart the notebook's kernel and run it again")


def tell_of_changed_sources(since: str, made) -> None:
    """Say which modules of the user's own were edited since something was made, of pairs of the digests
    noted then and the versions of the run's components."""
    changed = {name for noted, own in made if noted for name, _ in noted.items() - sources(own).items()}
    for name in sorted(changed):
        print(f"claimbook: {name} was edited since {since}; where numbers change, raise `version` in "
              "it", file=sys.stderr)


def commit() -> dict:
    """The commit of the code and whether it was changed since; unknown without a git checkout of its own.

    $CLAIMBOOK_COMMIT names it for a copy without git, with "-dirty" behind it if it was changed.
    """
    told = os.environ.get("CLAIMBOOK_COMMIT")
    if told:
        return {"commit": told.removesuffix("-dirty"), "dirty": told.endswith("-dirty")}
    if shutil.which("git") is None:
        return {"commit": "unknown", "dirty": True}
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    git = lambda *words: subprocess.run(["git", *words], cwd=PROJECT, encoding="utf-8",
                                        capture_output=True, env=own)  # as within a hook
    head, top = git("rev-parse", "--short=12", "HEAD"), git("rev-parse", "--show-toplevel")
    if head.returncode and (PROJECT / ".git").exists():
        warnings.warn(f"the commit is unknown, git says: {' '.join(head.stderr.split())}; set CLAIMBOOK_COMMIT")
    if head.returncode or Path(top.stdout.rstrip("\n")) != PROJECT:
        return {"commit": "unknown", "dirty": True}
    changed = git("status", "--porcelain", "--", ".", *(f":!{made}" for made in MADE)).stdout
    return {"commit": head.stdout.strip(), "dirty": bool(changed.strip())}
