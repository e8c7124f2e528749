"""Is this GPU used well? Three minutes at most, with the caches of a kit; what matters is first.

    python benchmarks/check_gpu.py [--seconds 170]

Bandwidth and products beside what the card is sold with; a captured step beside the plain one; the
time of a step with SSA, as the record that its page waits for; a step at 12/8/256, TF32 and bf16,
beside the usual loop. Once the seconds are over nothing new is begun. Numbers go to
benchmarks/results/<device>.json.
"""

import argparse
import sys
import time
import traceback
from dataclasses import replace

import torch

import bench
from icllib.models import SignedAveraging, Softmax
from icllib.papers.signed_averaging import TIMED, step_times
from icllib.results import Record, results_folder, rounded
from icllib.training.capture import captured_step
from icllib.training.provenance import cost_since, provenance, start_clocks

SIZE = bench.SIZES["12/8/256"]
MEMBERS, PRECISIONS = (1, 8), ("tf32", "bf16")
SMALL = replace(SIZE, layers=2, width=64)
SCORINGS = (Softmax(), SignedAveraging())
PAGE = "signed_averaging/learned_exponents"


def fleets():
    """Every fleet that is compiled here, for a kit to compile it before."""
    yield from (bench.our_fleet(SMALL, 2, 64, "cuda", scoring) for scoring in SCORINGS)
    timed, = step_times("gpu")
    yield from (timed.fleet(scoring) for scoring in TIMED.values())
    for precision in PRECISIONS:
        yield from (bench.our_fleet(SIZE, members, 64, "cuda", precision=precision)
                    for members in MEMBERS)


def rates(device: str) -> None:
    """Bytes that a copy moves, and operations of products, per second."""
    source = torch.empty(2**28, device=device)
    target = torch.empty_like(source)
    copied = bench.seconds_per_step(lambda: target.copy_(source), 1.0, device)
    found = {"bytes_per_second": 2 * source.nbytes / copied}
    found["tf32_products_per_second"] = bench.product_rate(device)
    left, right = torch.randn(2, 1, 8192, 8192, device=device, dtype=torch.bfloat16)
    multiplied = bench.seconds_per_step(lambda: left @ right, 1.0, device)
    found["bf16_products_per_second"] = 2 * 8192**3 / multiplied
    for name, rate in found.items():
        print(f"{name}: {rate:.3g}", flush=True)
    bench.store("rates", {"provenance": provenance("bench", device)} | rounded(found))


def captured_is_plain(device: str) -> None:
    """Four captured steps go where four plain ones go, up to a hundredth of the way."""
    for scoring in SCORINGS:
        plain, own = (bench.our_fleet(SMALL, 2, 64, device, scoring) for _ in range(2))
        start = flat(plain)
        take_step = captured_step(own)
        for _ in range(4):
            plain.take_step()
            take_step()
        apart = ((flat(own) - flat(plain)).norm() / (flat(plain) - start).norm()).item()
        print(f"captured beside plain, {type(scoring).__name__}: {apart:.2g} of the way apart, "
              f"{'captured' if take_step != own.take_step else 'not captured'}", flush=True)
        if take_step == own.take_step or not apart < 0.01:
            raise RuntimeError("expected a captured step that goes where the plain one goes")


def flat(fleet) -> torch.Tensor:
    """All parameters of a fleet, one after the other."""
    return torch.cat([values.detach().flatten() for values in fleet.parameters])


def step_time(device: str) -> None:
    """The record of a step's time with SSA."""
    timed, = step_times("gpu")
    made, started = provenance("paper", device), start_clocks(device)
    record = Record.of(timed, timed.measure(), made | cost_since(started, device))
    for name, seconds in zip(TIMED, record["seconds"]):
        print(f"{name}: {1e3 * sorted(seconds)[len(seconds) // 2]:.3g} ms per step", flush=True)
    print(record.save(results_folder() / PAGE), flush=True)


def beside_the_usual_loop(device: str) -> None:
    """A step at 12/8/256."""
    rows = bench.measure(SIZE, MEMBERS, 64, 3.0, device, PRECISIONS)
    for row in rows:
        print(f"{row['contestant']}: {row['ms_per_model_step']:.3g} ms per model-step, "
              f"{row.get('times_faster', 1):.3g} times the usual loop", flush=True)
    bench.store("12/8/256", {"provenance": provenance("bench", device) | {"batch": 64}, "rows": rows})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=170, help="when nothing new is begun")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("check_gpu: expected a GPU, found none")
    started = time.monotonic()
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}; attention by PyTorch's "
          "memory-efficient kernels", flush=True)
    worst = 0
    for part in (rates, captured_is_plain, step_time, beside_the_usual_loop):
        if time.monotonic() - started > options.seconds:
            sys.exit(f"check_gpu: no time was left for {part.__name__}")
        try:
            part("cuda")
        except Exception:  # one that fails does not end the others
            traceback.print_exc()
            worst = 1
        print(f"  after {time.monotonic() - started:.0f} s", flush=True)
    sys.exit(worst)


if __name__ == "__main__":
    main()
