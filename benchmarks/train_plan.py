"""Train the fleets of a plan on one GPU, most wanted first, each compiled while another one trains.

    python benchmarks/train_plan.py SECONDS PLAN [--file-limit MIB] [--into FOLDER]

PLAN is a file that `python -m icllib plan --profile gpu --json` made. It ends by itself after so many
seconds; a fleet that is being measured then ends later. With --file-limit what was made is also
written to FOLDER as it comes, in eight files of so many MiB at most: records as records.tgz, weights
as parts of one tar file, weights.tar.1 and so on. To unpack them in the project:

    tar xzf FOLDER/records.tgz && cat FOLDER/weights.tar.* | tar x
"""

import argparse
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).parents[1]
MADE = ("results", "benchmarks/results")
FILES = 8  # at most: one of records, the others of weights
TOGETHER = 2  # fleets: one trains, one is compiled


class Parts:
    """A stream into files of at most so many bytes: <path>.1, <path>.2 and so on."""

    def __init__(self, path: Path, limit: int):
        self.path, self.limit, self.written = path, limit, 0

    def tell(self) -> int:
        """Where in the stream the next byte goes."""
        return self.written

    def write(self, data) -> int:
        """Append; what does not fit into a file begins the next one."""
        rest = data
        while rest:
            part, at = divmod(self.written, self.limit)
            own, rest = rest[: self.limit - at], rest[self.limit - at :]
            with open(f"{self.path}.{part + 1}", "ab") as file:
                file.write(own)
            self.written += len(own)
        return len(data)

    def room(self, files: int) -> int:
        """The bytes that so many files have left."""
        return files * self.limit - self.written


class Outbox:
    """What was made since it was opened, in few files of bounded size."""

    def __init__(self, folder: Path, limit: int, project: Path = PROJECT):
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            sys.exit(f"train_plan: expected an empty folder to write to, {folder} has files")
        self.folder, self.limit, self.project = folder, limit, project
        self.before, self.sent, self.left = self.found(), {}, set()
        self.parts = Parts(folder / "weights.tar", limit)
        self.tar = tarfile.open(fileobj=self.parts, mode="w")  # each file is out at once

    def found(self) -> dict[Path, int]:
        """The files of results, with the times at which they were written."""
        paths = (path for folder in MADE for path in (self.project / folder).rglob("*"))
        return {path: path.stat().st_mtime_ns for path in paths
                if path.is_file() and path.suffix in (".json", ".safetensors")}

    def update(self) -> None:
        """Write what is new."""
        new = {path: made for path, made in self.found().items()
               if made != self.before.get(path) and made != self.sent.get(path)}
        weights = [path for path in new if path.suffix == ".safetensors"]
        for path in weights:
            if path.stat().st_size + 2 * tarfile.BLOCKSIZE > self.parts.room(FILES - 1):
                if path not in self.left:
                    print(f"train_plan: no room for the weights {path.name}", file=sys.stderr)
                self.left.add(path)
                continue
            self.tar.add(path, path.relative_to(self.project))
            self.sent[path] = new[path]
        records = {path: new[path] for path in new if path.suffix == ".json"}
        if records:
            self.sent |= records
            self.write_records([path for path in self.sent if path.suffix == ".json"])

    def write_records(self, paths) -> None:
        """All records so far, in one move."""
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as archive:
            for path in paths:
                archive.add(path, path.relative_to(self.project))
        if len(packed.getvalue()) > self.limit:
            print(f"train_plan: {len(paths)} records need more than the limit of a file",
                  file=sys.stderr)
            return
        new = self.folder / "records.new"
        new.write_bytes(packed.getvalue())
        os.replace(new, self.folder / "records.tgz")


def train(plan: list[dict], end: float, update, memory_gib: float, command) -> int:
    """Train the plan's fleets until a time.monotonic(); returns 1 if one has failed, else 0.

    update: called twice a second. A fleet that has no room beside the one that trains waits.
    """
    queue, running, worst = list(plan), [], 0
    with tempfile.TemporaryDirectory() as folder:
        while queue or running:
            for job, process in list(running):
                if process.poll() is not None:
                    running.remove((job, process))
                    worst = max(worst, process.returncode not in (0, 3))  # 3: out of time
            left = end - time.monotonic()
            if left <= 0:
                queue = []
            elif queue and len(running) < TOGETHER and (not running or queue[0]["memory_gib"] + sum(
                    job["memory_gib"] for job, _ in running) < memory_gib):
                job = queue.pop(0)
                running.append((job, subprocess.Popen(
                    [*command, "train", *job["records"], "--time-limit", f"{left:.0f}", "--turn", f"{folder}/turn"],
                    cwd=PROJECT, stdin=subprocess.DEVNULL)))
            update()
            time.sleep(0.5)
    update()
    return worst


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", type=int)
    parser.add_argument("plan", type=Path)
    parser.add_argument("--file-limit", type=float, metavar="MIB")
    parser.add_argument("--into", type=Path, default=PROJECT / "made", metavar="FOLDER")
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    plan = json.loads(options.plan.read_text("utf-8"))
    update = (Outbox(options.into, int(options.file_limit * 2**20)).update
              if options.file_limit else lambda: None)
    import torch

    memory = (torch.cuda.get_device_properties(0).total_memory / 2**30
              if torch.cuda.is_available() else 0)  # without a GPU one fleet after the other
    sys.exit(train(plan, end, update, 0.9 * memory, [sys.executable, "-m", "icllib"]))


if __name__ == "__main__":
    main()
