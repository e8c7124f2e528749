"""A page's missing records, computed on all processors of this machine, one process for each.

Runs travel to a process as JSON, so that it is the same for a notebook and a script.
"""

import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from claimbook.records import PROJECT, from_settings, settings, sources, versions
from claimbook.records.errors import InputError, OutOfTime
from claimbook.records.limits import Limits
from icllib.training.jobs import dealt_out, fleets, processors, stop_request, to_train, train_fleets
from icllib.training.run import Run

FEW_STEPS = 20  # done on one processor before a second process has started
STOPS = {2: InputError, 3: OutOfTime}  # exit codes; the last line tells why
START = "import sys; from icllib.training.workers import main; main(*sys.argv[1:])"


def compute_fleets(runs: list[Run], missing, profile: str, folder: Path, limits=Limits()) -> None:
    """Train the missing runs, dealt out to the processors; each CPU process has one thread.
    One seed comes after the other, so that a page can show those that are complete. All of a
    page's runs are dealt out, those that are not missing too: so a call that goes on
    where another stopped makes the same fleets, and finds their checkpoints."""
    runs = sorted(runs, key=lambda run: run.seed)
    few = all(run.recipe.steps <= FEW_STEPS for run in runs)
    devices = processors()[: 1 if few else len(runs)]
    parts = [[run for fleet in fleets(part, limits.members)
              for run in to_train(fleet, [run for run in fleet if run in missing])]
             for part in dealt_out(runs, len(devices))]
    others = []
    failed = lambda: [worker for worker in others if worker.failed]
    try:
        for part, device in zip(parts[1:], devices[1:]):
            if part:
                others.append(Worker(part, profile, folder, device, limits))
        train_fleets(parts[0], profile, folder, devices[0], limits, failed)
        with stop_request(limits) as should_stop:
            while not failed() and any(worker.running for worker in others):
                if should_stop():
                    raise OutOfTime("stopped while other processes train")
                time.sleep(0.2)
        for worker in [*failed(), *others]:
            worker.join()
    except OutOfTime:
        for worker in failed():
            worker.join()  # raises what stopped it, and with it this process
        raise
    finally:
        stop(others)


class Worker:
    """Trains runs in another process, fleet by fleet, and saves their records in a folder."""

    def __init__(self, runs, profile: str, folder: Path, device: str = "cpu", limits=Limits()):
        modules = sources(versions(runs))  # of the user's own: reading runs from JSON imports none
        command = [sys.executable, "-c", START, profile, str(folder),
                   replace(limits, parent=os.getpid()).as_json(), *modules]
        path = os.pathsep.join(map(os.path.abspath, sys.path))  # same modules
        own = {"PYTHONPATH": path} | only_device(device)
        self.errors = tempfile.TemporaryFile("w+")  # a pipe that nobody reads fills up
        with tempfile.TemporaryFile("w+") as work:  # a pipe breaks where nobody reads it
            json.dump([settings(run) for run in runs], work)
            work.seek(0)
            self.process = subprocess.Popen(command, stdin=work, stderr=self.errors, cwd=PROJECT,
                                            env=os.environ | own)

    @property
    def running(self) -> bool:
        """Whether the process is still at work."""
        return self.process.poll() is None

    @property
    def failed(self) -> bool:
        """Whether the process has stopped before its work was done."""
        return bool(self.process.poll())

    def join(self) -> None:
        """Wait until the process has finished; raises what stopped it."""
        code = self.process.wait()
        self.errors.seek(0)
        errors = self.errors.read()
        if code in STOPS:
            raise STOPS[code](errors.strip().splitlines()[-1]) from None
        if code < 0:
            raise worker_error(-code)
        if code:
            raise RuntimeError(f"a worker process failed:\n{errors}") from None
        sys.stderr.write(errors)  # such as a damaged checkpoint, or a step that was not compiled


def worker_error(number: int) -> Exception:
    """What stopped a worker that a signal ended, and what helps where that was lack of memory."""
    name = signal.Signals(number).name if number in set(signal.Signals) else "unknown"
    told = f"a worker process was ended by signal {number} ({name})"
    if number in (signal.SIGTERM, signal.SIGINT):  # before it could save
        return OutOfTime(told)
    if number == signal.SIGKILL:
        told += (", as the kernel does where memory runs out; --members limits how many models "
                 "train together")
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


def only_device(device: str) -> dict[str, str]:
    """What makes a device the only one that a process sees; CUDA counts those it was allotted."""
    if device == "cpu":
        return {}
    index, allotted = device.removeprefix("cuda:"), os.environ.get("CUDA_VISIBLE_DEVICES")
    return {"CUDA_VISIBLE_DEVICES": allotted.split(",")[int(index)].strip() if allotted else index}


def main(profile: str, folder: str, limits: str = "{}", *modules: str) -> None:
    """What a worker does: imports these modules, and trains the runs that come as JSON."""
    for name in modules:
        importlib.import_module(name)
    try:
        runs = [from_settings(run) for run in json.load(sys.stdin)]
        train_fleets(runs, profile, Path(folder), processors()[0], Limits(**json.loads(limits)))
    except tuple(STOPS.values()) as error:
        print(" ".join(str(error).split()), file=sys.stderr)  # in one line, which `join` reads
        sys.exit(next(code for code, kind in STOPS.items() if isinstance(error, kind)))
