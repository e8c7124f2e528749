"""Processor time and memory of what the command line answers at once: the least of some rounds.

    python benchmarks/quick_answers.py [--rounds 3]

Time is the processor's, in seconds, so that waiting for others does not count; a busy machine still
makes each second do less. Importing PyTorch alone stands first, for comparison with other machines.
"""

import argparse
import os
import subprocess
import sys

from claimbook.records import PROJECT

COMMANDS = {"import torch": ["-c", "import torch"]} | {
    f"icllib {words}": ["-m", "claimbook", *words.split()]
    for words in ("--help", "claims", "status", "plan --profile gpu --budget 25m")} | {
    "claimbook status, where nothing has changed": ["-m", "claimbook", "status"]}
KEPT = PROJECT / "_build/status.json"  # what status has told before


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    print("| command | seconds | MiB |\n|---|---:|---:|")
    for name, words in COMMANDS.items():
        if name == "claimbook status":
            KEPT.unlink(missing_ok=True)
        seconds, memory = zip(*(used_by(words) for _ in range(1 if name == "claimbook status" else rounds)))
        print(f"| `{name}` | {min(seconds):.1f} | {max(memory):.0f} |", flush=True)


def used_by(words) -> tuple[float, float]:
    """Seconds of the processor and MiB that a command of Python takes."""
    child = subprocess.Popen([sys.executable, *words], cwd=PROJECT, stdout=subprocess.DEVNULL,
                             env=os.environ | {"PYTHONPATH": str(PROJECT), "OMP_NUM_THREADS": "1"})
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, words)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


if __name__ == "__main__":
    main()
