"""What a GPU that is lent for minutes should not spend them on: a plan, and compiled steps.

    python benchmarks/gpu_kit.py FOLDER [--devices NAME ...] [--plan FILE] [--minutes 25] [--fleets 4]
    python benchmarks/gpu_kit.py FOLDER --unpack CACHE

Needs no GPU but g++ and the GPU machine's PyTorch, in its CUDA build: PyTorch finds a compiled step
only where its own version, Python's (3.12, say) and the card's name are those with which it was
compiled. So steps are compiled under a pretended driver (benchmarks/pretend_gpu) that calls itself
what the card is called. FOLDER then has plan.json, the commit, the versions, and caches.tar.xz, of the
fleets of benchmarks/check_gpu.py and of the plan's first ones.
"""

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).parents[1]
sys.path[:0] = [str(PROJECT / "benchmarks"), str(PROJECT / "benchmarks/pretend_gpu")]
DEVICES = {"NVIDIA H200": (141, "90"), "NVIDIA H100 80GB HBM3": (80, "90"),  # GiB and architecture
           "NVIDIA A100-SXM4-80GB": (80, "80"), "NVIDIA A100-SXM4-40GB": (40, "80")}
MOST = 60 * 2**20  # bytes of the kit and of the tracked files without weights, all of them sent


def compile_steps(plan: Path, fleets: int, only: int | None) -> None:
    """Compile and capture, in this process, the steps of check_gpu.py and of a plan's first fleets."""
    import run
    from check_gpu import fleets as of_the_check
    from icllib.commands.train import runs_together
    from icllib.training import Fleet
    from icllib.training.jobs import fleet_of

    Fleet.check = lambda self: None  # which reads numbers that no kernel wrote
    planned = (fleet_of(runs_together(job["records"])[2], "cuda")
               for job in json.loads(plan.read_text("utf-8"))[:fleets])
    for count, fleet in enumerate(fleet for own in (planned, of_the_check()) for fleet in own):
        if only is not None and count >= only:
            break
        started = time.process_time()
        nodes, problems = run.compiled_kernels(fleet)
        print(f"{len(nodes):5} kernels, {time.process_time() - started:4.0f} s of processor time: "
              f"{len(fleet.alive)} x {type(fleet.module).__name__} in {fleet.arithmetic}", flush=True)
        if problems:
            sys.exit("\n".join(problems))


def pack(cache: Path, archive: Path) -> None:
    """Put a compiler's cache into an archive, without choices that hang on pretended times."""
    with tarfile.open(archive, "w:xz", preset=9) as packed:
        for path in sorted(cache.rglob("*")):
            if path.is_file() and path.suffix not in (".best_config", ".lock"):
                packed.add(path, path.relative_to(cache))


def compiled_with() -> str:
    """The versions on which a compiled step hangs."""
    import torch
    import triton

    python = ".".join(map(str, sys.version_info[:2]))
    return f"Python {python}, PyTorch {torch.__version__}, Triton {triton.__version__}\n"


def unpack(folder: Path, cache: Path) -> None:
    """Put a kit's compiled steps where PyTorch looks for them; says so where it cannot use them."""
    made, here = (folder / "versions").read_text("utf-8"), compiled_with()
    if made != here:
        print(f"gpu_kit: every step is compiled anew, as the kit is for {made.strip()}, and this is "
              f"{here.strip()}", file=sys.stderr)
    with tarfile.open(folder / "caches.tar.xz") as packed:
        packed.extractall(cache, filter="data")


def tracked_bytes() -> int:
    """The size of the project's files without weights."""
    names = subprocess.run(["git", "ls-files"], cwd=PROJECT, encoding="utf-8", check=True,
                           capture_output=True).stdout.splitlines()
    return sum((PROJECT / name).stat().st_size for name in names
               if not name.endswith(".safetensors") and (PROJECT / name).exists())


def make(options) -> None:
    """Make the kit; exits with an error where it is too large to be sent."""
    import run
    from icllib.training.provenance import commit

    folder = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    plan = folder / "plan.json"
    text = options.plan.read_text("utf-8") if options.plan else subprocess.run(
        [sys.executable, "-m", "icllib", "plan", "--profile", "gpu", "--json", "--budget",
         f"{options.minutes}m"], cwd=PROJECT, check=True, encoding="utf-8", stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(PROJECT)}).stdout
    plan.write_text(text, "utf-8")
    made = commit()
    (folder / "versions").write_text(compiled_with(), "utf-8")
    (folder / "commit").write_text(made["commit"] + ("-dirty" if made["dirty"] else "") + "\n", "utf-8")
    with tempfile.TemporaryDirectory() as scratch:
        driver, cache = Path(scratch, "driver"), Path(scratch, "cache")
        driver.mkdir()
        run.build(driver)
        for device in options.devices:
            print(device, flush=True)
            memory, architecture = DEVICES[device]
            pretended = run.environment(driver, architecture) | {
                "PRETEND_NAME": device, "PRETEND_GIB": str(memory),
                "TORCHINDUCTOR_CACHE_DIR": str(cache)}
            subprocess.run([sys.executable, __file__, str(folder), "--compile", str(options.fleets),
                            *(["--only", str(options.only)] if options.only else [])],
                           env=pretended, check=True)
        pack(cache, folder / "caches.tar.xz")
    kit = sum(path.stat().st_size for path in folder.iterdir())
    both = kit + tracked_bytes()
    print(f"{folder}: {kit / 2**20:.1f} MiB, with the tracked files {both / 2**20:.1f}")
    if both > MOST:
        sys.exit(f"gpu_kit: expected at most {MOST >> 20} MiB; --fleets says how many are compiled")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--devices", nargs="+", choices=DEVICES, default=list(DEVICES)[:2])
    parser.add_argument("--plan", type=Path, help="one that was made elsewhere")
    parser.add_argument("--minutes", type=float, default=25,
                        help="of the plan, by estimates that are meant to be too long")
    parser.add_argument("--fleets", type=int, default=4, help="of the plan, to be compiled")
    parser.add_argument("--only", type=int, help="compile so few fleets in all, to try it")
    parser.add_argument("--unpack", type=Path, metavar="CACHE")
    parser.add_argument("--compile", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.unpack:
        unpack(options.folder, options.unpack)
    elif options.compile is not None:
        compile_steps(options.folder / "plan.json", options.compile, options.only)
    else:
        make(options)


if __name__ == "__main__":
    main()
