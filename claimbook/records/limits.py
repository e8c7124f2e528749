"""When training stops, how many models train together and where, as a command or a notebook says."""

import dataclasses
import json
import os
import time
from dataclasses import dataclass

from claimbook.records import Component
from claimbook.records.checks import Finite, Size
from claimbook.records.files import damage_told, folder_named, read_object

FILE = "limits.json"  # in $CLAIMBOOK_OUTPUT: limits from the page runner to the page's process


@dataclass(frozen=True)
class Limits(Component):
    """When training stops and how many models train together; InputError, by name, for an invalid one."""

    deadline: Finite | None = None  #: a time.monotonic()
    members: Size | None = None
    on_cpu: bool = False  #: whether models of profile gpu may train on a CPU
    parent: Size | None = None  #: the process for which a worker trains

    @property
    def reached(self) -> bool:
        """Whether it is time to stop, or nobody is there who wants the result."""
        late = self.deadline is not None and time.monotonic() > self.deadline
        return late or self.parent not in (None, os.getppid())

    def as_json(self) -> str:
        """The limits as JSON, for another process of this machine."""
        return json.dumps(dataclasses.asdict(self))


def limits_of_page() -> Limits:
    """The limits of the command that executes this page; no limits where no command does."""
    if not os.environ.get("CLAIMBOOK_OUTPUT"):
        return Limits()
    path = folder_named("CLAIMBOOK_OUTPUT", "") / FILE
    if not path.exists():
        return Limits()
    with damage_told(path, "limits of training"):
        return Limits(**read_object(path))
