"""Progress of long work: rate and time left on a terminal, nothing anywhere else."""

import sys
import time


class Progress:
    """One line on standard error that is rewritten; silent unless that is a terminal.

    total: steps to do; unit_per_step: model-steps that one step makes (the fleet's size).
    """

    def __init__(self, total: int, label: str = "", unit_per_step: int = 1):
        self.total, self.label, self.unit_per_step = total, label, unit_per_step
        self.start = time.monotonic()
        self.visible = sys.stderr.isatty()

    def update(self, done: int, losses=None) -> None:
        """Show how far the work has come; losses: (M,) tensor, read only if it is shown."""
        if not self.visible or done == 0:
            return
        rate = done / (time.monotonic() - self.start)
        left = (self.total - done) / rate
        shown = "" if losses is None else f", median loss {losses.median().item():.3g}"
        text = (f"{self.label} {done}/{self.total} steps, "
                f"{rate * self.unit_per_step:.1f} model-steps/s, {left:.0f} s left{shown}")
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()

    def close(self) -> None:
        """Clear the line."""
        if self.visible:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
