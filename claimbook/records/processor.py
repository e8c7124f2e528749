"""Which processor this machine has, and how much of it a process may use."""

import contextlib
import os
import platform
import re


def processor_name(description: str = "/proc/cpuinfo") -> str:
    """The model of this machine's processor, as Linux describes it; elsewhere its architecture."""
    with contextlib.suppress(OSError), open(description, encoding="utf-8") as file:
        if named := re.search(r"^model name\s*: (.*)", file.read(4096), re.MULTILINE):
            return re.sub(r"\((R|TM)\)| CPU| Processor| @.*", "", named[1]).strip()
    return platform.processor() or platform.machine()


def cores() -> int:
    """How many CPU cores this process may use."""
    if hasattr(os, "sched_getaffinity"):  # absent from macOS
        return len(os.sched_getaffinity(0))
    return os.cpu_count()
