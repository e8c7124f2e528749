"""On CUDA, a fleet's whole step as one graph: warmed up, compiled, captured."""

import atexit
import contextlib
from dataclasses import replace

import torch

from icllib.progress import tell
from icllib.streams import philox, word_of
from icllib.training.build import of_memory

WARM_UP = 3  # compiled steps before capture; their effect is undone
MANY_AT_ONCE = {"combo_kernels": True, "combo_kernel_max_num_nodes": 100}  # tensors in one kernel
MOST_SHAPES = 1000  # of fleets: a process compiles for no more
LONGEST = 200  # letters shown of a compiler's error


def captured_step(fleet):
    """The fleet's step, compiled and captured as one CUDA graph.
    Where compiling fails it is only captured; where that fails too, it runs kernel by kernel. Both
    are told on stderr, as is a precision that the device lacks. Running out of memory is raised.
    The step keeps the fleet alive, since a graph uses the memory of its tensors."""
    precision = fleet.arithmetic
    if precision != fleet.recipe.precision:
        tell(f"{torch.cuda.get_device_name(fleet.step.device)} has no {fleet.recipe.precision}; "
             f"training in {precision}")
    torch.set_float32_matmul_precision("highest" if precision in ("fp32", "fp64") else "high")
    torch.backends.cuda.enable_cudnn_sdp(False)  # bf16 uses fp32's memory-efficient kernels too
    start = {name: tensor.clone() for name, tensor in fleet.tensors().items()}
    warm_up(fleet, start, 1)  # before compiling: creates what is created only once
    for name, context, then in WAYS:
        try:
            with context(fleet):
                return capture(fleet, start)
        except Exception as error:  # whatever the compiler or the driver objects to
            torch.cuda.set_stream(torch.cuda.default_stream())  # a failed capture leaves another
            restore(fleet, start)
            if of_memory(error):
                raise
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            tell(f"no {name} step ({reason[:LONGEST]}); {then}")
    return fleet.take_step


@contextlib.contextmanager
def compiled(fleet):
    """Within it, random numbers, layers and the work on weights and gradients are compiled.
    A graph captured within it stays compiled. Layers that are alike are compiled once for all; a
    module without such layers is compiled whole. Later fleets of the same shape use the result, in
    this process at once and in others from PyTorch's cache on disk ($TORCHINDUCTOR_CACHE_DIR)."""
    parts = getattr(fleet.module, "alike", [fleet.module])
    stream, usable, in_bf16 = fleet.stream, fleet.usable, fleet.in_bf16
    torch.compiler.assume_constant_result(word_of)  # here: it takes seconds to import the compiler
    fleet.stream = replace(stream, generator=torch.compile(philox, dynamic=True))
    known = torch._inductor.list_options()  # it refuses any other
    options = {name: value for name, value in MANY_AT_ONCE.items() if name in known}
    fleet.usable, fleet.in_bf16 = (
        torch.compile(of_many, dynamic=False, options=options)
        for of_many in (usable, in_bf16))
    for part in parts:
        part.forward = torch.compile(part.forward, dynamic=False)
    from torch._inductor.async_compile import shutdown_compile_workers

    # PyTorch 2.11 can wait five minutes for them at the end; they end by themselves
    atexit.unregister(shutdown_compile_workers)
    for limit in ("recompile_limit", "accumulated_recompile_limit"):
        setattr(torch._dynamo.config, limit, MOST_SHAPES)
    try:
        yield
    finally:
        fleet.stream, fleet.usable, fleet.in_bf16 = stream, usable, in_bf16
        for part in parts:
            del part.forward


# Ways to capture a step, and what is done where one fails.
WAYS = (("compiled", compiled, "capturing it as it is"),
        ("captured", contextlib.nullcontext, "launching its kernels one by one"))


def capture(fleet, start: dict):
    """Warm up, and record the graph."""
    warm_up(fleet, start, min(WARM_UP, fleet.recipe.steps - int(fleet.step)))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        fleet.take_step()
    graph.fleet = fleet
    return graph.replay


def warm_up(fleet, start: dict, steps: int) -> None:
    """Take steps on a side stream, and undo them."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(steps):
            fleet.take_step()
    torch.cuda.current_stream().wait_stream(side)
    restore(fleet, start)


def restore(fleet, start: dict) -> None:
    """Put every tensor back in place; optimizer state that was not there yet becomes zero."""
    for name, tensor in fleet.tensors().items():
        tensor.copy_(start[name]) if name in start else tensor.zero_()
