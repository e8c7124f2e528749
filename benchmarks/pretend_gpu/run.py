"""What a training step asks of a GPU, on a machine without one.

    python benchmarks/pretend_gpu/run.py [--architectures 90 75 80 86 89] [--only counts models kinds]
                                         [--list SIZE] [--write]

Needs PyTorch's CUDA build and g++. driver.cpp stands in for CUDA: a step is compiled and
captured as on a GPU, but no kernel runs. For each architecture every model must be compiled for
it, and captured without a read by the host. On the first one every kind of run in the book and
every option of a recipe is captured too, and kernels, bytes and peak memory of a model-step are
compared with those of counts.json: more by a hundredth is an error. --write stores them, --list
names the kernels of a size. --only does parts of it; what was compiled before is found in PyTorch's
cache ($TORCHINDUCTOR_CACHE_DIR), so that a call which was stopped goes on in the next one.

Bytes are those of Triton's kernels and of products. PyTorch's own other kernels, such as attention
and the optimizer, are counted as kernels alone.
"""

import argparse
import collections
import contextlib
import ctypes
import importlib.util
import io
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import torch

HERE = Path(__file__).parent
PROJECT = HERE.parents[1]
COUNTS = HERE / "counts.json"
ARCHITECTURES = ("90", "75", "80", "86", "89")  # H100 and H200, T4, A100, RTX 30, L4 and RTX 40
PARTS = ("counts", "models", "kinds")
SLACK = 1.01
MOST_KERNELS = 650  # of a model-step at 12/8/256 with softmax


# ---- the pretended driver ----------------------------------------------------------------


def headers() -> Path:
    """The headers of the CUDA that PyTorch was built for: those that came with it, or the toolkit's.

    Triton's may be of another CUDA, whose structures have another layout.
    """
    from torch.utils.cpp_extension import CUDA_HOME

    spec = importlib.util.find_spec("nvidia")  # the packages that PyTorch's wheels bring
    folders = [*(path for place in (spec.submodule_search_locations if spec else ())
                 for path in Path(place).glob("*/include")), Path(CUDA_HOME or "/none", "include")]
    major, minor = torch.version.cuda.split(".")[:2]
    wanted = f"#define CUDA_VERSION {major}0{minor}0"
    for folder in folders:
        own = folder / "cuda.h"
        if own.exists() and wanted in own.read_text("utf-8") and (folder / "cuda_runtime_api.h").exists():
            return folder
    sys.exit(f"pretend_gpu: expected the headers of CUDA {torch.version.cuda}, which PyTorch's "
             f"wheels or CUDA's toolkit bring, found none in {', '.join(map(str, folders))}")


def build(folder: Path) -> None:
    """Compile driver.cpp to a libcuda in this folder; Triton has what PyTorch's headers include of
    a compiler's."""
    import triton

    of_triton = Path(triton.__file__).parent / "backends/nvidia/include"
    subprocess.run(["g++", "-O1", "-fPIC", "-shared", "-std=c++17", "-w", f"-I{headers()}",
                    "-idirafter", of_triton, HERE / "driver.cpp", "-o", folder / "libcuda.so.1",
                    "-ldl", "-Wl,-soname,libcuda.so.1"], check=True)


def environment(folder: Path, architecture: str) -> dict[str, str]:
    """What makes a process take the library in this folder for CUDA."""
    paths = [str(PROJECT), str(PROJECT / "tests"), str(PROJECT / "tests/training"),
             str(PROJECT / "benchmarks")]
    return os.environ | {"LD_PRELOAD": str(folder / "libcuda.so.1"), "LD_LIBRARY_PATH": str(folder),
                         "TRITON_LIBCUDA_PATH": str(folder), "PRETEND_SM": architecture,
                         "PYTHONPATH": os.pathsep.join(paths)}


def captured() -> tuple[list[tuple[str, float]], list[str]]:
    """The kernels captured since the last call, with bytes, and what was forbidden."""
    driver = ctypes.CDLL("libcuda.so.1")
    with tempfile.NamedTemporaryFile("r", errors="replace") as file:
        driver.pretend_write(file.name.encode())
        lines = [line.rstrip("\n").split("\t", 2) for line in file]
    driver.pretend_clear()
    return ([(name, float(count)) for kind, count, name in lines if kind == "node"],
            [name for kind, _, name in lines if kind == "problem"])


@contextlib.contextmanager
def triton_bytes():
    """A list of what each Triton kernel launched within it moves.

    Of a tensor that is as many elements as the kernel has at most, once or, in place, twice.
    """
    from torch._inductor.runtime.triton_heuristics import CachingAutotuner

    moved, run = [], CachingAutotuner.run

    def counting(self, *arguments, **options):
        named = list(zip(self.fn.arg_names, arguments))
        elements = math.prod(value for name, value in named if name.endswith("numel"))
        if self.fn.__name__.startswith("triton_for"):  # several kernels in one
            elements = math.inf
        moved.append((self.fn.__name__, sum(
            min(value.numel(), elements) * value.element_size() * (1 + name.startswith("in_out"))
            for name, value in named if isinstance(value, torch.Tensor))))
        return run(self, *arguments, **options)

    CachingAutotuner.run = counting
    try:
        yield moved
    finally:
        CachingAutotuner.run = run


# ---- what is captured --------------------------------------------------------------------


def options_of_recipes():
    """Fleets of a small decoder, one for each option that changes a step."""
    from icllib.models import Transformer
    from icllib.tasks import LinearClassification, LinearRegression
    from icllib.training import Fleet, Recipe
    from icllib.training.recipe import Curriculum

    several, one = Recipe((2, 5), 9, 4), Recipe((5,), 9, 4)
    recipes = [*(replace(several, precision=name) for name in ("tf32", "bf16", "fp32", "fp64")),
               replace(several, clip=1.0), replace(several, curriculum=Curriculum(3, 1, 2)),
               replace(several, weight_decay=0.1, schedule="cosine", warmup=0.5),
               replace(several, queries=2), replace(one, loss_on_pairs=True),
               replace(one, permute_pairs=True), replace(several, loss="cross-entropy")]
    for recipe in recipes:
        task = (LinearClassification(4) if recipe.loss == "cross-entropy" else LinearRegression(4))
        for rates in (None, [1e-3, 1e-2]):
            yield f"{recipe}, rates {rates}", Fleet(
                [task] * 2, Transformer(1, 2, 8), recipe, [0, 1], [None, 7], "cuda", rates)


def check_every_kind() -> list[str]:
    """What is wrong with capturing, without compiler, each kind of run and option."""
    from icllib.training import Fleet, capture
    from test_capture import runs_of_every_kind

    def fleets():
        for kind in runs_of_every_kind():
            run, = kind.values
            yield kind.id, Fleet([run.task] * 2, run.model, run.recipe, [0, 1],
                                 [run.pretraining_tasks] * 2, "cuda")
        yield from options_of_recipes()

    wrong, count = [], 0
    for name, fleet in fleets():
        start = {key: value.clone() for key, value in fleet.tensors().items()}
        captured()
        try:
            capture.warm_up(fleet, start, 1)
            capture.capture(fleet, start)
        except Exception as error:
            wrong.append(f"{name}: {type(error).__name__}: {error}")
            torch.cuda.set_stream(torch.cuda.default_stream())
        wrong += [f"{name}: {problem}" for problem in captured()[1]]
        count += 1
    print(f"{count} kinds of run and recipe captured")
    return wrong


def compiled_kernels(fleet) -> tuple[list[tuple[str, float]], list[str]]:
    """The kernels of a fleet's compiled and captured step, with bytes, and what is wrong with it."""
    from icllib.training.capture import captured_step

    told = io.StringIO()
    captured()
    with contextlib.redirect_stderr(told):
        captured_step(fleet)
    nodes, problems = captured()
    return nodes, [*(line for line in told.getvalue().splitlines() if "no compiled" in line),
                   *problems]


def check_compiled() -> list[str]:
    """What is wrong with the compiled step of each model."""
    from test_capture import MODELS, small_fleet

    wrong = []
    for model in MODELS:
        started = time.monotonic()
        nodes, problems = compiled_kernels(small_fleet(model, "cuda"))
        wrong += [f"{model}: {problem}" for problem in problems]
        print(f"{len(nodes):5} kernels, {time.monotonic() - started:4.0f} s: {model}", flush=True)
    failed = sum(any(line.startswith(f"{model}: ") for line in wrong) for model in MODELS)
    print(f"{len(MODELS) - failed} of {len(MODELS)} models compiled", flush=True)
    return wrong


# ---- what a step costs -------------------------------------------------------------------


def sizes() -> dict:
    """The fleets whose steps are counted, by name: a size of bench.py, members, scoring, precision."""
    from bench import SIZES
    from icllib.models import SignedAveraging, Softmax

    size = SIZES["12/8/256"]
    return {"12/8/256, softmax": (size, 1, Softmax(), "tf32"),
            "12/8/256, softmax, bf16": (size, 1, Softmax(), "bf16"),
            "12/8/256, signed averaging": (size, 1, SignedAveraging(), "tf32"),
            "12/8/256, signed averaging, bf16": (size, 1, SignedAveraging(), "bf16")}


def kernels_of(size, members: int, scoring, precision: str):
    """The kernels of a compiled and captured step, with bytes, and what is wrong with it."""
    from bench import our_fleet

    fleet = our_fleet(size, members, 64, "cuda", scoring, precision)
    with triton_bytes() as moved:
        nodes, problems = compiled_kernels(fleet)
    launched = iter(moved[-sum(name.startswith("triton") for name, _ in nodes):])
    return [next(launched) if name.startswith("triton") else (name, count)
            for name, count in nodes], problems


def count(name: str, members: int, nodes, seconds: float) -> dict:
    """The numbers of a model-step, told and returned."""
    peak = torch.cuda.max_memory_allocated() / 2**30
    of = lambda kind: sum(moved for kernel, moved in nodes if kernel.startswith(kind)) / members
    row = {"kernels": len(nodes), "kernels of Triton": sum(
               kernel.startswith("triton") for kernel, _ in nodes),
           "GB by Triton": round(of("triton") / 1e9, 3),
           "GB by products": round(of("product") / 1e9, 3), "peak GiB": round(peak, 2)}
    print(f"{name}: {row}, compiled in {seconds:.0f} s", flush=True)
    return row


def other_attention(nodes) -> list[str]:
    """PyTorch's kernels of attention that are not the memory-efficient ones, which we ask for."""
    return [f"attention by {name}" for name in dict(nodes)
            if re.search("flash|cudnn", name) and "fmha_cutlass" not in name]


def show(nodes) -> None:
    """The kernels with the most bytes, then those with the most launches."""
    launches, moved = collections.Counter(), collections.Counter()
    for kernel, own in nodes:
        launches[kernel] += 1
        moved[kernel] += own
    for kernel, own in sorted(moved.items(), key=lambda item: (-item[1], -launches[item[0]])):
        print(f"{own / 1e6:8.1f} MB, {launches[kernel]:4} x {kernel[:150]}")


def check_counts(listed: str, write: bool) -> list[str]:
    """What is wrong with the steps that are counted, or has risen against the committed counts."""
    stored = json.loads(COUNTS.read_text("utf-8")) if COUNTS.exists() else {"torch": None}
    made, wrong, risen = {"torch": torch.__version__}, [], []
    for name, own in sizes().items():
        if listed and not name.startswith(listed):
            continue
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
        started = time.monotonic()
        nodes, problems = kernels_of(*own)
        wrong += [f"{name}: {problem}" for problem in problems + other_attention(nodes)]
        made[name] = count(name, own[1], nodes, time.monotonic() - started)
        if len(nodes) > MOST_KERNELS and "softmax" in name:
            wrong.append(f"{name}: {len(nodes)} kernels, more than {MOST_KERNELS}")
        risen += [f"{name}: {what} {stored[name][what]} -> {value}"
                  for what, value in made[name].items()
                  if name in stored and value > SLACK * stored[name][what]]
        if listed:
            show(nodes)
    if write and not listed and not wrong:
        COUNTS.write_text(json.dumps(made, indent=1) + "\n", "utf-8")
        return []
    if stored["torch"] != made["torch"]:
        print(f"not compared: {COUNTS.name} is of PyTorch {stored['torch']}")
        return wrong
    return wrong + risen


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--architectures", nargs="+", choices=ARCHITECTURES, default=ARCHITECTURES)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--list", default="", help="count this size alone, and name its kernels")
    parser.add_argument("--write", action="store_true", help="store the counts")
    options = parser.parse_args()
    if "PRETEND_SM" in os.environ:
        return pretend(options)
    if not torch.backends.cuda.is_built():
        print(f"pretend_gpu: expected a CUDA build of PyTorch, got {torch.__version__}",
              file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder))
        codes = [subprocess.run([sys.executable, *sys.argv], env=environment(Path(folder), name)
                                | ({"PRETEND_FIRST": "1"} if index == 0 else {})).returncode
                 for index, name in enumerate(options.architectures)]
    return max(map(abs, codes))  # of a process that was killed, negative


def pretend(options) -> int:
    """The same within a process that has the driver."""
    from icllib.training import Fleet

    Fleet.check = lambda self: None  # which reads numbers that no kernel wrote
    print(f"sm_{os.environ['PRETEND_SM']}", flush=True)
    wrong, parts = [], ["counts"] if options.list else options.only
    if "PRETEND_FIRST" not in os.environ:
        parts = {"models"} & {*parts}
    if "counts" in parts:  # before all else, as what comes earlier leaves memory in use
        wrong += check_counts(options.list, options.write)
    if "models" in parts:
        wrong += check_compiled()
    if "kinds" in parts:
        wrong += check_every_kind()
    print("\n".join(wrong), file=sys.stderr)
    return min(len(wrong), 1)


if __name__ == "__main__":
    sys.exit(main())
