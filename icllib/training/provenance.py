"""Where a record comes from and what it cost."""

import os
import subprocess
import time
from datetime import date

import torch

from icllib.results import PROJECT


def provenance(profile: str) -> dict:
    """Where a record comes from, taken before its work begins."""
    on_gpu = torch.cuda.is_available()
    return {
        "profile": profile,
        **commit(),
        "device": torch.cuda.get_device_name() if on_gpu else f"{os.cpu_count()} CPU cores",
        "torch": torch.__version__.split("+")[0],
        "date": date.today().isoformat(),
    }


def cost_since(started: float) -> dict:
    """Wall time since a time.monotonic(), and peak memory on a GPU."""
    cost = {"wall_seconds": round(time.monotonic() - started, 1)}
    if torch.cuda.is_available():
        cost["peak_memory_mib"] = torch.cuda.max_memory_allocated() >> 20
    return cost


def commit() -> dict:
    """The commit of the code and whether it was changed since; unknown outside a checkout."""
    git = lambda *words: subprocess.run(["git", *words], cwd=PROJECT, text=True,
                                        capture_output=True)
    head = git("rev-parse", "--short=12", "HEAD")
    if head.returncode:
        return {"commit": "unknown", "dirty": True}
    changed = git("status", "--porcelain", "--", "icllib").stdout
    return {"commit": head.stdout.strip(), "dirty": bool(changed.strip())}

