"""A process that trains part of a fleet.

The runs travel as JSON, so that a worker is the same for a notebook and a script. On many machines
an engine deals out the fleets (workflow/Snakefile); this is for who opens a page in Jupyter, or runs
one, on a machine with several processors, and has no other.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from icllib.errors import InputError, OutOfTime
from icllib.results import PROJECT, from_settings, settings

STOPS = {2: InputError, 3: OutOfTime}  # exit codes; the last line tells why
START = "import sys; from icllib.training.worker import main; main(*sys.argv[1:])"


class Worker:
    """Trains runs in another process, fleet by fleet, and saves their records in a folder."""

    def __init__(self, runs, profile: str, folder: Path, device: str = "cpu"):
        command = [sys.executable, "-c", START, profile, str(folder)]
        path = os.pathsep.join(str(entry or os.getcwd()) for entry in sys.path)  # same modules
        own = {"ICLLIB_PARENT": str(os.getpid()), "PYTHONPATH": path} | visible(device)
        self.errors = tempfile.TemporaryFile("w+")  # a pipe that nobody reads fills up
        with tempfile.TemporaryFile("w+") as work:  # a pipe breaks where nobody reads it
            json.dump([settings(run) for run in runs], work)
            work.seek(0)
            self.process = subprocess.Popen(command, stdin=work, stderr=self.errors, cwd=PROJECT,
                                            env=os.environ | own)

    @property
    def running(self) -> bool:
        """Whether it is still at work."""
        return self.process.poll() is None

    @property
    def failed(self) -> bool:
        """Whether it has stopped before its work was done."""
        return bool(self.process.poll())

    def join(self) -> None:
        """Wait until it has finished; raises what stopped it."""
        code = self.process.wait()
        self.errors.seek(0)
        errors = self.errors.read()
        if code in STOPS:
            raise STOPS[code](errors.strip().splitlines()[-1]) from None
        if code < 0:
            raise ended_by(-code)
        if code:
            raise RuntimeError(f"a worker process failed:\n{errors}") from None


def ended_by(number: int) -> Exception:
    """What stopped a worker that a signal ended, and what helps where that was lack of memory."""
    name = signal.Signals(number).name if number in set(signal.Signals) else "unknown"
    told = f"a worker process was ended by signal {number} ({name})"
    if number in (signal.SIGTERM, signal.SIGINT):  # before it could save
        return OutOfTime(told)
    if number == signal.SIGKILL:
        told += (", as the kernel ends one where memory runs out; --members or $ICLLIB_MEMBERS "
                 "says how many models are to train together")
    return InputError(told)


def stop(workers: list[Worker]) -> None:
    """Ask workers to save and end, all at once, and end those that do not."""
    for worker in workers:
        worker.process.terminate()
    for worker in workers:
        try:
            worker.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            worker.process.kill()
            worker.process.wait()


def visible(device: str) -> dict[str, str]:
    """What makes a device the only one that a process sees; CUDA counts those it was allotted."""
    if device == "cpu":
        return {}
    index, allotted = device.removeprefix("cuda:"), os.environ.get("CUDA_VISIBLE_DEVICES")
    return {"CUDA_VISIBLE_DEVICES": allotted.split(",")[int(index)] if allotted else index}


def main(profile: str, folder: str) -> None:
    """The worker's own side: runs on standard input, records into the folder."""
    from icllib.training.jobs import processors, train_fleets

    try:
        runs = [from_settings(run) for run in json.load(sys.stdin)]
        train_fleets(runs, profile, Path(folder), processors()[0])
    except tuple(STOPS.values()) as error:
        print(error, file=sys.stderr)
        sys.exit(next(code for code, kind in STOPS.items() if isinstance(error, kind)))
