"""Progress of long work: its rate and the time left; losses in TensorBoard."""

import contextlib
import os
import sys
import time

from claimbook.records.errors import InputError
from claimbook.records.files import folder_named


class Progress:
    """One line on standard error, rewritten on a terminal and in Jupyter; elsewhere one every 30 s.

    total: steps to do; unit_per_step: model-steps that one step makes (the fleet's size);
    start_at: the step at which this process began.
    """

    def __init__(self, total: int, label: str = "", unit_per_step: int = 1, start_at: int = 0):
        self.total, self.label, self.unit_per_step = total, label, unit_per_step
        self.start_at = start_at
        self.start = time.monotonic()
        in_jupyter = type(sys.stderr).__module__.startswith("ipykernel")
        self.rewritten = sys.stderr.isatty() or in_jupyter
        self.due = self.start + (0 if self.rewritten else 1)  # work that is done at once needs no line

    def update(self, done: int, losses=None) -> None:
        """Show how far the work has come; losses: (steps, M), read only if it is shown."""
        now = time.monotonic()
        if now < self.due or done <= self.start_at:
            return
        rate = (done - self.start_at) / (now - self.start)
        left = (self.total - done) / rate
        shown = "" if losses is None else f", median loss {losses.median().item():.3g}"
        memory = f", {_peak_memory_gib():.1f} GiB"
        text = (f"{self.label} {done}/{self.total} steps, "
                f"{rate * self.unit_per_step:.1f} model-steps/s, {left:.0f} s left{memory}{shown}")
        self.write(f"\r\x1b[K{text}" if self.rewritten else f"{text}\n")
        self.due = now + (0 if self.rewritten else 30)

    def close(self) -> None:
        """Clear the line."""
        if self.rewritten:
            self.write("\r\x1b[K")

    def write(self, text: str) -> None:
        """Write at once; where who looked on has gone, the work goes on."""
        with contextlib.suppress(OSError):
            sys.stderr.write(text)
            sys.stderr.flush()


def tell(words: str) -> None:
    """Print a line on standard error, with the package's name before it."""
    print(f"icllib: {words}", file=sys.stderr)


def _peak_memory_gib() -> float:
    """The most memory used so far: of the GPU where there is one, else of the process."""
    import resource

    import torch

    if torch.cuda.is_available():
        return torch.cuda.max_memory_allocated() / 2**30
    unit = 1 if sys.platform == "darwin" else 2**10  # bytes on macOS, else KiB
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**30


def board(name: str):
    """Returns a function (step, losses) that logs to TensorBoard if $CLAIMBOOK_TENSORBOARD is set."""
    if not os.environ.get("CLAIMBOOK_TENSORBOARD"):
        return lambda step, losses: None
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise InputError("CLAIMBOOK_TENSORBOARD: expected the package tensorboard, which is not "
                         "installed") from None
    writer = SummaryWriter(folder_named("CLAIMBOOK_TENSORBOARD", "") / name)

    def log(step, losses):
        of_members = {str(m): float(loss) for m, loss in enumerate(losses.mean(dim=0))}
        writer.add_scalars("loss", of_members, step)
        writer.flush()  # a worker may end without closing it

    return log
