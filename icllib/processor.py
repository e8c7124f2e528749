"""Which processor this machine has."""

import contextlib
import platform
import re


def processor_name(description: str = "/proc/cpuinfo") -> str:
    """The model of this machine's processor, as Linux describes it; elsewhere its architecture."""
    with contextlib.suppress(OSError), open(description, encoding="utf-8") as file:
        if named := re.search(r"^model name\s*: (.*)", file.read(4096), re.MULTILINE):
            return re.sub(r"\((R|TM)\)| CPU| Processor| @.*", "", named[1]).strip()
    return platform.processor() or platform.machine()
