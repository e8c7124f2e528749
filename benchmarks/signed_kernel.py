"""How long does scaled signed averaging take by its kernel, by its whole map, and how long softmax?

    python benchmarks/signed_kernel.py [--rounds 5]

One layer's attention of GPT-2 124M: 12 heads of 64 dimensions, one causal prompt of each length,
forward, in seconds of one thread, or of a GPU, where backward is timed too. All take turns. Compiling is timed
apart, and the largest difference from the whole map is kept. Results go to the device's file.
"""

import argparse
import statistics
import time

import torch
from bench import store, synchronize
from torch.nn.functional import scaled_dot_product_attention

from claimbook.records import rounded
from claimbook.records.provenance import provenance
from icllib.models import signed_fused
from icllib.models.signed_language import signed_weights

LENGTHS, HEADS, SIZE = (512, 1024, 2048), 12, 64


def contestants(tokens: int, device: str):
    """Queries, keys, values, n and b, and what maps them to mixed values."""
    q, k, v = (torch.randn(1, HEADS, tokens, SIZE, device=device) for _ in range(3))
    n, b = torch.full((HEADS,), 1.5, device=device), torch.ones(HEADS, device=device)
    mask = torch.ones(1, 1, tokens, tokens, dtype=torch.bool, device=device).tril()
    signed_fused.met[device, mask.shape] += 1  # as if it had been met before
    blocks, scale = signed_fused.in_blocks(mask), SIZE**-0.5
    inputs = [tensor.requires_grad_(device == "cuda") for tensor in (q, k, v, n, b)]
    return inputs, {
        "SSA, whole map": lambda: signed_weights(q, k, mask, scale, n, b) @ v,
        "SSA, kernel": lambda: signed_fused.mixed_values(q, k, v, blocks, scale, n, b),
        "softmax, fused": lambda: scaled_dot_product_attention(q, k, v, is_causal=True)}


def seconds_of(call, inputs, device: str) -> float:
    """One call, with its backward pass on a GPU."""
    clock = time.monotonic if device == "cuda" else time.thread_time  # others may share the processor
    synchronize(device)
    started = clock()
    mixed = call()
    if device == "cuda":
        torch.autograd.grad(mixed.sum(), inputs, allow_unused=True)
    synchronize(device)
    return clock() - started


def measure(tokens: int, rounds: int, device: str) -> dict:
    """Median milliseconds of each, seconds to compile and the largest difference."""
    inputs, calls = contestants(tokens, device)
    started = time.monotonic()
    calls["SSA, kernel"]()
    compiling = time.monotonic() - started
    times = {name: [] for name in calls}
    for _ in range(rounds + 1):  # the first is left out
        for name, call in calls.items():
            times[name].append(seconds_of(call, inputs, device))
    gap = (calls["SSA, kernel"]() - calls["SSA, whole map"]()).abs().max().item()
    return {"tokens": tokens, "seconds_to_compile": compiling, "largest_difference": gap,
            "milliseconds": {name: 1e3 * statistics.median(own[1:]) for name, own in times.items()}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_num_threads(1)
    rows = []
    with torch.set_grad_enabled(device == "cuda"):
        for tokens in LENGTHS:
            rows.append(measure(tokens, options.rounds, device))
            print(rows[-1], flush=True)
    if signed_fused.failed:
        raise SystemExit("signed_kernel.py: expected a kernel, found none")
    store("kernel of SSA", {"provenance": provenance("bench", device), "rows": rounded(rows)})


if __name__ == "__main__":
    main()
