"""Model-steps per second: the loop that most people run, beside our fleets.

    python benchmarks/bench.py [--seconds 20] [--sizes 3/4/64 ...] [--members 1 4 ...] [--dry-run]

On a CPU, sizes and batches are those that the book trains most, time is processor time, and three
more contestants take part: our step as PyTorch computes it, without compiled code, and our step with
SSA in place of softmax. The reference
trains a `transformers` GPT2Model: one model, batches sampled on the CPU, the loss
read with .item() at every step. All contestants of a size take turns, several rounds each, so
that a busy machine slows them alike. Compilation and capture are timed apart. On a CPU each uses
one thread; ours keep freed memory, as in training. What the device has no room for is left out, and
so is the reference where `transformers` is not installed. A share is the matrix products that a step
needs over those that the device does in the same time when it does nothing else. Results go to
benchmarks/results/<device>.json, after every size.
"""

import argparse
import contextlib
import json
import statistics
import sys
import time
from dataclasses import dataclass, replace

import torch

from claimbook.records import PROJECT, rounded
from claimbook.records.files import write_text
from claimbook.records.provenance import provenance
from icllib.models import SGPT, SignedAveraging, Softmax, Transformer
from icllib.models.products import product
from icllib.tasks import LinearRegression
from icllib.training import Fleet, Recipe
from icllib.training.build import of_memory
from icllib.training.capture import captured_step
from icllib.training.cpu import one_core

PRECISIONS = "tf32", "bf16", "fp32", "fp64"
ROUNDS = 3
WARM_UP = 3  # untimed steps of a turn: on a CPU, a fleet's first ones fetch its memory anew


@dataclass(frozen=True)
class Size:
    """Layers / heads / width, and the tokens of a prompt."""

    layers: int
    heads: int
    width: int
    dimension: int
    lengths: tuple[int, ...]
    separate: bool  # x and y as tokens of their own
    batch: int = 64
    model: type = Transformer

    @property
    def tokens(self) -> int:
        pairs = max(self.lengths)
        return 2 * pairs + 1 if self.separate else pairs + len(self.lengths)


SIZES = {
    "12/8/256": Size(12, 8, 256, 1, tuple(range(1, 40)), True),  # signed averaging, 40 pairs
    "24/2/128": Size(24, 2, 128, 16, tuple(range(21, 41)), False),  # causalLM, 60 tokens
    "3/2/64": Size(3, 2, 64, 8, (5, 10, 20, 30, 40), False),  # context-scaling at cpu
}
LINES = 1, tuple(range(40)), True  # signed averaging's: dimension, lengths, separate tokens
ON_CPU = {
    "3/4/64": Size(3, 4, 64, *LINES, 32), "2/4/64": Size(2, 4, 64, *LINES, 32),
    "12/8/64": Size(12, 8, 64, *LINES, 32), "3/4/32": Size(3, 4, 32, *LINES, 16),
    "5/2/32": Size(5, 2, 32, 1, (20,), False, 16),
    "24/2/128": replace(SIZES["24/2/128"], batch=16), "12/8/256": replace(SIZES["12/8/256"], batch=16),
    "SGPT 8/64": Size(8, 1, 64, 8, (5, 10, 20, 30, 40), False, 32, SGPT),
}


class Reference:
    """The usual loop around a GPT2Model."""

    def __init__(self, size: Size, batch: int, device: str):
        from transformers import GPT2Config, GPT2Model

        self.size, self.batch, self.device = size, batch, device
        config = GPT2Config(n_positions=256, n_embd=size.width, n_layer=size.layers,
                            n_head=size.heads, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0)
        self.inputs = size.dimension + (not size.separate)
        self.embed = torch.nn.Linear(self.inputs, size.width).to(device)
        self.model = GPT2Model(config).to(device)
        self.read_out = torch.nn.Linear(size.width, 1).to(device)
        modules = torch.nn.ModuleList([self.embed, self.model, self.read_out])
        self.optimizer = torch.optim.Adam(modules.parameters(), lr=1e-4)

    def take_step(self) -> float:
        tokens = torch.randn(self.batch, self.size.tokens, self.inputs).to(self.device)
        targets = torch.randn(self.batch, self.size.tokens).to(self.device)
        states = self.model(inputs_embeds=self.embed(tokens), use_cache=False).last_hidden_state
        loss = (self.read_out(states)[..., 0] - targets).square().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


def our_model(size: Size, scoring=Softmax()) -> Transformer | SGPT:
    """The model of a size."""
    if size.model is SGPT:
        return SGPT(size.layers, size.width)
    return Transformer(size.layers, size.heads, size.width, scoring,
                       tokens="separate" if size.separate else "joint")


def our_fleet(size: Size, members: int, batch: int, device: str, scoring=Softmax(),
              precision: str = "tf32") -> Fleet:
    """A fleet on fresh prompts."""
    task = LinearRegression(size.dimension)
    recipe = Recipe(size.lengths, steps=10**6, batch=batch, precision=precision)
    return Fleet([task] * members, our_model(size, scoring), recipe, range(members),
                 [None] * members, device)


def prepare(name: str, size: Size, batch: int, device: str):
    """A step function of a contestant, and how it was made ready."""
    started = time.monotonic()
    if name == "transformers":
        step, captured = Reference(size, batch, device).take_step, False
    else:
        scoring = SignedAveraging() if "SSA" in name else Softmax()
        precision = next((own for own in PRECISIONS if own in name), "tf32")
        fleet = our_fleet(size, members_of(name), batch, device, scoring, precision)
        if "PyTorch" in name:
            fleet.cpu_step = None
        step = captured_step(fleet) if device == "cuda" else fleet.take_step
        captured = step != fleet.take_step  # where capture fails the step stays eager
        step()
        synchronize(device)
    return step, {"seconds_to_start": time.monotonic() - started, "captured": captured}


def members_of(name: str) -> int:
    """How many models a contestant trains together."""
    return int(name.split("M=")[1].split(",")[0]) if "M=" in name else 1


def prepared(contestants, size: Size, batch: int, device: str) -> dict:
    """Those contestants that can be made ready here; says on stderr why the others cannot."""
    ready = {}
    for name in contestants:
        try:
            ready[name] = prepare(name, size, batch, device)
        except Exception as error:
            if not (isinstance(error, ImportError) or of_memory(error)):
                raise
            print(f"bench: without {name} ({' '.join(str(error).split())[:100]})", file=sys.stderr)
    return ready


def synchronize(device: str) -> None:
    """Wait until the device has done what it was given."""
    if device == "cuda":
        torch.cuda.synchronize()


def peak_memory_mib(device: str) -> float | None:
    """The most GPU memory that this size has used so far, all contestants together."""
    return torch.cuda.max_memory_allocated() / 2**20 if device == "cuda" else None


def seconds_per_step(step, seconds: float, device: str) -> float:
    """Mean time of a step once warm, over at least two steps and about so many seconds."""
    clock = time.process_time if device == "cpu" else time.monotonic
    for _ in range(WARM_UP):
        step()
    synchronize(device)
    started, steps = clock(), 0
    while steps < 2 or clock() - started < seconds:
        step()
        steps += 1
        if steps % 20 == 0:
            synchronize(device)
    synchronize(device)
    return (clock() - started) / steps


def product_rate(device: str) -> float:
    """Floating-point operations per second in products of large matrices; TF32 on a GPU."""
    torch.set_float32_matmul_precision("high")
    size = 8192 if device == "cuda" else 1024
    left, right = torch.randn(2, 1, size, size).to(device)
    return 2 * size**3 / seconds_per_step(lambda: product(left, right), 2.0, device)


def measure(size: Size, members, batch: int, seconds: float, device: str,
            precisions=("tf32",)) -> list[dict]:
    """One row per contestant: ms per model-step, model-steps per second, and how many times faster.

    The reference is in TF32, where the device has it.
    """
    rate = product_rate(device)
    if device == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    needed = 6 * batch * our_model(size).multiplications(size.dimension, size.lengths)
    contestants = ["transformers"] * (size.model is Transformer) + [
        f"ours, M={count}" + ("" if precision == "tf32" else f", {precision}")
        for precision in precisions for count in members]
    if device == "cpu":
        contestants += ["ours, PyTorch's step"] + ["ours, SSA"] * (size.model is Transformer)
    ready = prepared(contestants, size, batch, device)
    times = {name: [] for name in ready}
    for _ in range(ROUNDS):
        for name, (step, _) in ready.items():
            with contextlib.nullcontext() if name == "transformers" else one_core():
                times[name].append(seconds_per_step(step, seconds / ROUNDS, device))
    rows = []
    for name, (_, preparation) in ready.items():
        each = statistics.median(times[name]) / members_of(name)
        rows.append({"contestant": name, "ms_per_model_step": 1e3 * each,
                     "model_steps_per_second": 1 / each,
                     "multiply_adds_per_second": needed / 2 / each,
                     "share_of_product_rate": needed / each / rate,
                     "peak_memory_mib": peak_memory_mib(device)} | preparation)
    first = {row["contestant"]: row["ms_per_model_step"] for row in rows}
    for name, other in (("times_faster", "transformers"), ("times_pytorch", "ours, PyTorch's step")):
        for row in rows if other in first else ():
            row[name] = first[other] / row["ms_per_model_step"]
    return rounded(rows)


def main() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    sizes = SIZES if device == "cuda" else ON_CPU
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20, help="per contestant and size")
    parser.add_argument("--sizes", nargs="+", choices=sizes, default=list(sizes))
    parser.add_argument("--members", nargs="+", type=int,
                        default=[1, 4, 8, 16] if device == "cuda" else [1])
    parser.add_argument("--precisions", nargs="+", choices=PRECISIONS,
                        default=["tf32", "bf16"] if device == "cuda" else ["tf32"])
    parser.add_argument("--batch", type=int, help="by default 64; on a CPU as the book trains a size")
    parser.add_argument("--dry-run", action="store_true", help="store nothing")
    options = parser.parse_args()
    torch.set_num_threads(1)
    for name in options.sizes:
        size = sizes[name]
        batch = options.batch or size.batch
        made = provenance("bench", device) | {"batch": batch}
        rows = measure(size, options.members, batch, options.seconds, device, options.precisions)
        print(f"\n{name}, {size.tokens} tokens, batch {batch}: ms per model-step; times the usual loop; "
              "times PyTorch's step; share of the product rate")
        for row in rows:
            times = (f"{row[own]:5.2f}x" if own in row else "" for own in ("times_faster", "times_pytorch"))
            print("{:>22} {:9.3g} {:>7} {:>7} {:5.0%}".format(
                row["contestant"], row["ms_per_model_step"], *times, row["share_of_product_rate"]),
                flush=True)
        if not options.dry_run:
            own = name if batch == 64 else f"{name}, batch {batch}"
            store(own, {"provenance": made, "rows": rows})


def store(name: str, measured: dict) -> None:
    """Put what was measured, at a size or otherwise, into the device's file; the rest stays."""
    device = measured["provenance"]["device"].replace(" ", "_")
    path = PROJECT / "benchmarks" / "results" / f"{device}.json"
    before = json.loads(path.read_text("utf-8")) if path.exists() else {}
    write_text(path, json.dumps(before | {name: measured}, indent=1))


if __name__ == "__main__":
    main()
