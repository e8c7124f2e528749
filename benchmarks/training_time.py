"""How long does a training step take with SSA, and how long with softmax?

    python benchmarks/training_time.py

At the size of Table 1 of the paper on scaled signed averaging, on a GPU where there is one. The
page learned_exponents keeps a measurement of its own; this one goes into the device's file beside
what bench.py measures, so that each device has one.
"""

import statistics

import torch
from bench import store

from claimbook.records import rounded
from claimbook.records.provenance import provenance
from papers.signed_averaging.learned_exponents import TIMED, TrainingTime


def main() -> None:
    timed = TrainingTime(device="cuda" if torch.cuda.is_available() else "cpu")
    made = provenance("bench", timed.device)
    seconds = dict(zip(TIMED, timed.measure()["seconds"].tolist()))
    for name, rounds in seconds.items():
        print(f"{name:>18}: {1e3 * statistics.median(rounds):9.3g} ms per step", flush=True)
    store("SSA beside softmax", {"provenance": made, "seconds": rounded(seconds)})


if __name__ == "__main__":
    main()
